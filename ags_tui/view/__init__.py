"""Domain values to rows of inert text: pure, without a terminal."""
