"""Marks in the shape of a word for what only the shell can compute; apart, as paths need nothing else."""

UNKNOWN = "\0"
"""Any text, known only when the line runs."""

HOME = "\1"
"""The home folder."""

CWD = "\2"
"""The folder in which the command runs."""
