"""``ags-tui mcp``, driven by the client of the official SDK."""
