"""Shell: what a line would run, read without running or judging it.

``analyse`` names every simple command, redirection and doubt; what to make of them is policy. tree-sitter is
imported only when a line is read.
"""

from ags_tui.core.shell.analyse import analyse
from ags_tui.core.shell.model import Redirection, ShellLine, SimpleCommand, Word

__all__ = ["Redirection", "ShellLine", "SimpleCommand", "Word", "analyse"]
