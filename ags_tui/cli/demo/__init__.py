"""The demo: a scratch repository, scripted agents as real processes, and the TUI on it."""
