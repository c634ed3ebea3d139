"""``ags-tui mcp``: what agents call over the Model Context Protocol. Only ``serve`` knows the protocol."""
