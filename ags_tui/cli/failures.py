"""Exit codes, and failures of a command that a human or an agent can act on."""

from ags_tui.core.failures import AgsError

OK = 0
"""It worked; the gate passed; the request was approved."""
FAILED = 1
"""Findings, a failed gate, a task out of scope."""
USAGE = 2
"""The command was called wrongly."""
UNKNOWN = 3
"""It could not be decided."""
INTERNAL = 70
"""A failure of this program itself."""
INTERRUPTED = 130
"""Ended by SIGINT."""


class UsageProblem(AgsError):
    """The command was called wrongly: exit code 2.

    The message says in one line what is wrong, where, and the next step.
    """


class CommandFailed(AgsError):
    """The command could not do its work; the message says why and the next step."""

    def __init__(self, message: str, code: int = FAILED) -> None:
        """Keep the exit code beside the message."""
        super().__init__(message)
        self.code = code


def is_wrong_call(error: AgsError) -> bool:
    """Whether a failure means that the caller named or wrote something wrong, which is a usage error."""
    from ags_tui.io.contract_files import NoSuchFile
    from ags_tui.io.filing import Unfit
    from ags_tui.io.git.failures import NotARepository
    from ags_tui.io.workspace import NoSuchTask

    return isinstance(error, NotARepository | NoSuchTask | NoSuchFile | Unfit)
