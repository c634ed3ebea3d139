"""One call in a thread beside the caller: two children of one look can answer at the same time."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from ags_tui.io.git.failures import GitError

_Answer = TypeVar("_Answer")


class Beside(Generic[_Answer]):
    """Runs a call at once; ``result`` waits for it."""

    def __init__(self, call: Callable[[], _Answer]) -> None:
        """Start.

        Args:
            call: answers, or raises GitError.
        """
        self._call = call
        self._answers: list[_Answer] = []
        self._failure: GitError | None = None
        self._thread = threading.Thread(target=self._run, name="git-beside", daemon=True)
        self._thread.start()

    def result(self) -> _Answer:
        """Wait for the answer.

        Raises:
            GitError: what the call raised.
        """
        self._thread.join()
        if self._failure is not None:
            raise self._failure
        return self._answers[0]

    def _run(self) -> None:
        try:
            self._answers.append(self._call())
        except GitError as failure:
            self._failure = failure
