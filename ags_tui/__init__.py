"""ags-tui: the terminal a developer keeps open beside a coding agent."""

__version__ = "0.1.0"
