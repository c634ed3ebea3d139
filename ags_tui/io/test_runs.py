"""Runs planned test commands: output streamed and kept, the whole process group cancellable."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ags_tui.core.failures import AgsError
from ags_tui.io.plain_files import NotPlain
from ags_tui.io.processes import GroupProcess, ProcessEnd, clean_environment, command_line
from ags_tui.io.run_logs import RunLog


class RunImpossible(AgsError):
    """The log artifact of a run cannot be written, so nothing is run; the message says why."""


@dataclass(frozen=True, slots=True)
class CommandRun:
    """One run of one command."""

    command: str
    """The command, as planned."""
    number: int
    """Number of the run in its task."""
    end: ProcessEnd
    """How it ended."""
    artifact: str
    """Its log, relative to the task folder."""
    digest: str
    """Digest of the log's bytes."""
    left_out: int = 0
    """Bytes of output that the log does not hold."""

    @property
    def passed(self) -> bool:
        """Whether it ran to its end with exit code 0."""
        return self.end.exit_code == 0


class CommandRunner:
    """Runs commands of one task one after the other in the work tree."""

    def __init__(
        self,
        task_folder: Path,
        work_tree: Path,
        *,
        environment: Mapping[str, str],
        timeout_s: float,
        cancel: threading.Event,
    ) -> None:
        """Prepare; nothing runs yet.

        Args:
            task_folder: where ``artifacts/`` is.
            work_tree: where commands run.
            environment: environment of this process; the child gets it without our own variables.
            timeout_s: seconds after which a command is ended.
            cancel: ends the running command and all that it started; any thread may set it.
        """
        self._task_folder = task_folder
        self._work_tree = work_tree
        self._environment = clean_environment(environment)
        self._timeout_s = timeout_s
        self._cancel = cancel

    def run(self, command: str, first_number: int, on_output: Callable[[bytes], None]) -> CommandRun:
        """Run one command to its end; blocks.

        Args:
            command: the command as approved.
            first_number: lowest number that the run may take.
            on_output: called with each piece of output, in order, from this thread.

        Raises:
            RunImpossible: its log cannot be written.
        """
        process = GroupProcess(
            command_line(command), folder=self._work_tree, environment=self._environment, cancel=self._cancel
        )
        try:
            with RunLog(self._task_folder, command, first_number) as log:

                def keep(data: bytes) -> None:
                    log.write(data)
                    on_output(data)

                end = process.run(keep, timeout_s=self._timeout_s)
                if end.problem:
                    keep(f"{end.problem}\n".encode(errors="backslashreplace"))
        except (NotPlain, OSError) as error:
            why = error.strerror if isinstance(error, OSError) else str(error)
            raise RunImpossible(
                f"the log of the run cannot be written: {why}; nothing was recorded"
            ) from error
        return CommandRun(command, log.number, end, log.name, log.digest(), log.left_out)
