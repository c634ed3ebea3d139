"""Log artifacts of bounded size: the beginning and the end of an output, with a note of what lies between."""

import hashlib
import os
import re
from collections import deque
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

from ags_tui.core.layout import EVIDENCE
from ags_tui.io.plain_files import open_folder
from ags_tui.io.request_files import name_part

HEAD_BYTES = 4 * 1024 * 1024
"""Bytes from the beginning that are always kept."""
TAIL_BYTES = 1024 * 1024
"""Bytes from the end that are kept where there is more."""

_NUMBERED = re.compile(r"check-(\d+)-.*\.log", re.ASCII)


class RunLog:
    """One log file below ``artifacts/``, made exclusively; a context manager."""

    def __init__(self, task_folder: Path, command: str, first_number: int) -> None:
        """Prepare; the file is made on entering.

        Args:
            task_folder: the task folder.
            command: gives the file a readable name.
            first_number: lowest number that the file may take.
        """
        self._task_folder = task_folder
        self._part = name_part(command)
        self._first = first_number
        self._stack = ExitStack()
        self._descriptor = -1
        self._state = hashlib.sha256()
        self._written = 0
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self.number = 0
        """Number of the run."""
        self.name = ""
        """Path relative to the task folder."""
        self.left_out = 0
        """Bytes that are not in the file."""

    def __enter__(self) -> "RunLog":
        """Make the file.

        Raises:
            NotPlain: ``artifacts`` is a link or cannot be made.
            OSError: the file cannot be made.
        """
        with ExitStack() as stack:
            folder = stack.enter_context(open_folder(self._task_folder, EVIDENCE, create=True))
            taken = [int(found[1]) for name in os.listdir(folder) if (found := _NUMBERED.fullmatch(name))]
            self.number = max([self._first, *(number + 1 for number in taken)])
            name = self._open(folder)
            self.name = f"{EVIDENCE}/{name}"
            stack.callback(os.close, self._descriptor)
            self._stack = stack.pop_all()
        return self

    def _open(self, folder: int) -> str:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        while True:
            name = f"check-{self.number}-{self._part}.log"
            try:
                self._descriptor = os.open(name, flags, 0o644, dir_fd=folder)
            except FileExistsError:
                self.number += 1
            else:
                return name

    def write(self, data: bytes) -> None:
        """Add output.

        Raises:
            OSError: the disk is full or has failed.
        """
        room = max(HEAD_BYTES - self._written, 0)
        if data[:room]:
            self._append(data[:room])
        rest = data[room:]
        if rest:
            self._tail.append(rest)
            self._tail_size += len(rest)
            while self._tail_size - len(self._tail[0]) >= TAIL_BYTES:
                dropped = len(self._tail.popleft())
                self._tail_size -= dropped
                self.left_out += dropped

    def digest(self) -> str:
        """Digest of the file's bytes; final after leaving."""
        return f"sha256:{self._state.hexdigest()}"

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Write the end, note what was left out, and close."""
        with self._stack:
            tail = b"".join(self._tail)
            if len(tail) > TAIL_BYTES:
                self.left_out += len(tail) - TAIL_BYTES
                tail = tail[-TAIL_BYTES:]
            if self.left_out:
                self._append(f"\n[ags-tui: {self.left_out} bytes left out here]\n".encode())
            self._append(tail)
            os.fsync(self._descriptor)

    def _append(self, data: bytes) -> None:
        rest = data
        while rest:
            rest = rest[os.write(self._descriptor, rest) :]
        self._state.update(data)
        self._written += len(data)
