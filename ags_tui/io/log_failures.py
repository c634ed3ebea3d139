"""Why an entry was not recorded, each with a reason for the human."""

import errno
from collections.abc import Mapping, Sequence

from ags_tui.core.checks.findings import Finding
from ags_tui.core.failures import AgsError


class LogError(AgsError):
    """An entry was not recorded; the message says why and what to do."""


class StaleRevision(LogError):
    """The log has grown since it was shown: look again, decide again."""

    def __init__(self, expected: int, actual: int) -> None:
        """Keep the number that was expected and the one the next entry gets now."""
        super().__init__(f"the log has grown since this was shown (entry {expected} is taken); look again")
        self.expected = expected
        self.actual = actual


class ChangedSinceShown(LogError):
    """Something that the decision is bound to has other bytes now."""

    def __init__(self, what: tuple[str, ...]) -> None:
        """Keep what changed: ``request``, ``plan``, ``policy`` or paths."""
        super().__init__(f"changed since it was shown: {', '.join(what)}; look again")
        self.what = what


class LogUnwritable(LogError):
    """The entry could not be written; nothing was decided."""

    def __init__(self, reason: str) -> None:
        """Keep the reason."""
        super().__init__(reason)
        self.reason = reason


class LogNotIntact(LogError):
    """The log was tampered with: nothing is added to it."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        """Keep what is wrong with it."""
        super().__init__("; ".join(finding.message for finding in findings) or "the log is not intact")
        self.findings = tuple(findings)


class NotAllowed(LogError):
    """This verdict cannot be recorded through this door."""


def explain(error: OSError) -> str:
    """Say for a human why the file system refused an entry."""
    reason = _REASONS.get(error.errno or 0)
    return reason if reason is not None else f"nothing was recorded: {error.strerror or error}"


_FULL = "the disk is full, nothing was recorded; make room, then decide again"
_REASONS: Mapping[int, str] = {
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _FULL,
    errno.EROFS: "the folder is read-only, nothing was recorded",
    errno.EACCES: "this user may not write the log folder, nothing was recorded",
    errno.EPERM: "the system refuses to write the log folder, nothing was recorded",
    errno.EIO: "the disk failed, nothing was recorded",
}
