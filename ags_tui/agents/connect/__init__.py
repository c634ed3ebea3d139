"""What makes a client call our hook: the entries for its settings, where they go, and how they are proven."""
