"""What files of the work tree hold, as the blob that git would store, hashed by us and cached by file
identity.

Files are streamed, so that memory stays bounded (300 MB take about half a second of the reader thread, once);
above ``limit`` bytes a file is not read at all and its path is *unsettled*.
"""

import errno
import hashlib
import os
import stat
import time
from dataclasses import dataclass

from ags_tui.core.digests import blob_id, digest
from ags_tui.core.snapshot import TreeEntry
from ags_tui.io.git.located import Algorithm
from ags_tui.io.git.stamps import Clock, Stamp, settled, stamp_of

HASH_LIMIT = 1024**3
"""Largest file that is hashed, bytes."""

_CHUNK = 1024 * 1024
_ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class Held:
    """What a path of the work tree holds."""

    entry: TreeEntry | None
    """Mode and blob of the raw bytes; None where there is neither file nor link."""
    stamp: Stamp | None = None
    """The file that was looked at."""
    target: str | None = None
    """Where a link points to."""
    carriage: bool = False
    """The bytes hold CR LF."""
    problem: str = ""
    """Why the bytes are not known."""


GONE = Held(None)
"""Nothing is there."""


@dataclass(frozen=True, slots=True)
class ModeRules:
    """How file modes become git modes."""

    file_mode: bool = True
    """``core.fileMode``: the executable bit counts."""
    links: bool = True
    """``core.symlinks``: links are links, not text files."""


class Contents:
    """Looks at files of one work tree."""

    def __init__(
        self, top: str, algorithm: Algorithm, *, limit: int = HASH_LIMIT, clock: Clock = time.time_ns
    ) -> None:
        """Prepare; nothing is read yet.

        Args:
            top: the work tree.
            algorithm: object format.
            limit: largest file that is hashed, bytes.
            clock: the clock that stamps files.
        """
        self._top = os.fsencode(top)
        self._algorithm: Algorithm = algorithm
        self._limit = limit
        self._clock = clock
        self._known: dict[bytes, Held] = {}

    def place(self, path: bytes) -> bytes:
        """Return the absolute path of a path of the work tree."""
        return os.path.join(self._top, path)

    def hold(self, path: bytes, like: TreeEntry | None, rules: ModeRules) -> Held:
        """Say what a path holds.

        Args:
            path: relative to the work tree.
            like: the tracked entry, from which the mode comes where the file system cannot say it.
            rules: how modes are read.
        """
        try:
            facts = os.lstat(self.place(path))
        except (FileNotFoundError, NotADirectoryError):
            self._known.pop(path, None)
            return GONE
        except OSError as error:
            return Held(None, problem=_words(error))
        stamp = stamp_of(facts)
        known = self._known.get(path)
        if known is None or known.stamp != stamp:
            known = self._look(path, stamp)
            if known.entry is not None and known.stamp == stamp and settled(stamp, self._clock()):
                self._known[path] = known
            else:
                self._known.pop(path, None)
        return _with_mode(known, like, rules)

    def forget(self, keep: frozenset[bytes]) -> None:
        """Drop what is known of all other paths."""
        self._known = {path: held for path, held in self._known.items() if path in keep}

    def read(self, path: bytes, limit: int) -> bytes | None:
        """Read a file of at most ``limit`` bytes, or the target of a link; None where it is neither."""
        place = self.place(path)
        try:
            mode = os.lstat(place).st_mode
            if stat.S_ISLNK(mode):
                return os.readlink(place)
            if not stat.S_ISREG(mode):
                return None
            with open(_open(place), "rb") as stream:
                data = stream.read(limit + 1)
        except OSError:
            return None
        return data if len(data) <= limit else None

    def sha256(self, path: bytes, limit: int) -> str | None:
        """Return the digest of a file's raw bytes (of a link: its target); None where it cannot be read."""
        place = self.place(path)
        try:
            facts = os.lstat(place)
            if stat.S_ISLNK(facts.st_mode):
                return digest(os.readlink(place))
            if not stat.S_ISREG(facts.st_mode) or facts.st_size > limit:
                return None
            with open(_open(place), "rb") as stream:
                return "sha256:" + hashlib.file_digest(stream, "sha256").hexdigest()
        except OSError:
            return None

    def _look(self, path: bytes, stamp: Stamp) -> Held:
        mode = stamp[2]
        try:
            if stat.S_ISLNK(mode):
                target = os.readlink(self.place(path))
                entry = TreeEntry("120000", blob_id(target, self._algorithm))
                return Held(entry, stamp, target=target.decode("utf-8", "surrogateescape"))
            if stat.S_ISDIR(mode):
                return GONE
            if not stat.S_ISREG(mode):
                return Held(None, stamp, problem="it is neither a file nor a link")
            if stamp[1] > self._limit:
                return Held(None, stamp, problem=f"{stamp[1]} bytes are too many to be compared")
            return self._hash(path, stamp)
        except FileNotFoundError:
            return GONE
        except OSError as error:
            return Held(None, stamp, problem=_words(error))

    def _hash(self, path: bytes, stamp: Stamp) -> Held:
        for _ in range(_ATTEMPTS):
            with open(_open(self.place(path)), "rb") as stream:
                facts = os.fstat(stream.fileno())
                state = hashlib.new(self._algorithm, b"blob %d\0" % facts.st_size, usedforsecurity=False)
                size, carriage, last = 0, False, b""
                while chunk := stream.read(_CHUNK):
                    state.update(chunk)
                    size += len(chunk)
                    carriage = carriage or b"\r\n" in chunk or (last == b"\r" and chunk[:1] == b"\n")
                    last = chunk[-1:]
                    if size > self._limit:
                        break
                after = os.fstat(stream.fileno())
            if size == facts.st_size and (after.st_mtime_ns, after.st_size) == (facts.st_mtime_ns, size):
                mode = "100755" if facts.st_mode & 0o100 else "100644"
                return Held(TreeEntry(mode, state.hexdigest()), stamp_of(facts), carriage=carriage)
        return Held(None, stamp, problem="it is being written")


def _with_mode(held: Held, like: TreeEntry | None, rules: ModeRules) -> Held:
    """Give a file the mode that git would: from the tracked entry where the file system cannot say it."""
    entry = held.entry
    if entry is None or entry.mode == "120000" or (rules.file_mode and rules.links):
        return held
    mode = entry.mode
    if not rules.links and like is not None and like.mode == "120000":
        mode = "120000"
    elif not rules.file_mode:
        mode = like.mode if like is not None and like.mode in ("100644", "100755") else "100644"
    if mode == entry.mode:
        return held
    return Held(TreeEntry(mode, entry.blob), held.stamp, held.target, held.carriage, held.problem)


def _open(place: bytes) -> int:
    return os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)


def _words(error: OSError) -> str:
    if error.errno == errno.ELOOP:
        return "it became a link"
    return f"it cannot be read: {(error.strerror or str(error)).lower()}"
