"""How a workflow refuses: a code, a sentence and the facts behind it."""

from collections.abc import Mapping
from typing import Any

from ags_tui.core.contracts.workflow_plan import ErrorBody, ErrorCode
from ags_tui.core.failures import AgsError


class WorkflowRefused(AgsError):
    """An operation was refused; nothing has changed."""

    def __init__(self, code: ErrorCode, message: str, details: Mapping[str, Any] | None = None) -> None:
        """Say what was refused.

        Args:
            code: Stable code.
            message: A sentence.
            details: JSON data behind it.
        """
        super().__init__(message)
        self.code: ErrorCode = code
        self.message = message
        self.details = None if details is None else dict(details)

    def body(self) -> ErrorBody:
        """The refusal as data."""
        return ErrorBody(code=self.code, message=self.message, details=self.details)


def stale(expected: object, actual: int | None) -> WorkflowRefused:
    """The refusal of an outdated revision.

    Args:
        expected: Revision that the caller saw, whatever it sent.
        actual: Revision now; None where it could not be read again.
    """
    shown = expected if isinstance(expected, int | str | float | None) else str(type(expected).__name__)
    return WorkflowRefused(
        "STALE_REVISION",
        "The run has moved on: read it again and decide anew.",
        {"expectedRevision": shown, "actualRevision": actual},
    )
