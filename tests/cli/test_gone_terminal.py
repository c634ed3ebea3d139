"""What is printed after the terminal was closed."""

import os
import pty

from ags_tui.cli.output import Output


def test_a_terminal_that_was_closed_is_no_crash():
    master, slave = pty.openpty()
    with os.fdopen(slave, "w") as terminal:
        os.close(master)
        Output._write(terminal, "what is left")
        Output._write(terminal, "and more")
        assert os.path.samestat(os.fstat(terminal.fileno()), os.stat(os.devnull))
