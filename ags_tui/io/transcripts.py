"""Transcripts of agents' clients on disk: where they lie, and reading on where the last look ended.

A transcript may grow to gigabytes, have lines of megabytes, be replaced while it is read, or not be one at
all: a look reads a few megabytes, keeps at most one line, and opens plain files of the user below his home.
"""

import hashlib
import os
import re
import stat
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from ags_tui.core.transcripts import FORMATS, Head, TranscriptCall
from ags_tui.io.plain_reads import NotPlain, words_of

LOOK_BYTES = 4 << 20
"""Most bytes that one look reads."""
LONGEST_LINE = 1 << 20
"""Most bytes of a line that is read whole; of a longer one only the beginning counts."""
HEAD_BYTES = 256 << 10
"""Bytes at the beginning in which a transcript says whose it is."""
MOST_ENTRIES = 4_000
"""Most entries of one folder that are looked at."""
NEWEST = 8
"""Most transcripts of one client that are looked at: those that grew last."""

_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_PLAIN = re.compile(r"[^A-Za-z0-9]")
_LONGEST_SLUG = 200


class Elsewhere(NotPlain):
    """A transcript lies where none is read."""


Found = tuple[str, float]
"""A path with the time at which it was written last."""


def checked(path: str, homes: Sequence[str]) -> str:
    """Check where a transcript lies, before it is opened.

    Args:
        path: As the client gives it. Foreign text.
        homes: Folders below one of which it must lie, links resolved.

    Raises:
        NotPlain: Its folder cannot be read.
        Elsewhere: It lies elsewhere.
    """
    if not path.startswith("/") or "\0" in path:
        raise Elsewhere("a transcript needs an absolute path")
    try:
        folder = os.path.realpath(os.path.dirname(path), strict=True)
    except FileNotFoundError:
        raise
    except (OSError, ValueError) as error:
        raise NotPlain("the folder of the transcript cannot be read") from error
    if not any(f"{folder}/".startswith(f"{os.path.realpath(home).rstrip('/')}/") for home in homes):
        raise Elsewhere("a transcript outside of the home folder is not read")
    return os.path.join(folder, os.path.basename(path))


class Tail:
    """Reads on in one transcript at each look."""

    def __init__(self, path: str, agent: str, homes: Sequence[str], *, back: int = LOOK_BYTES) -> None:
        """Prepare; nothing is opened yet.

        Args:
            path: The transcript. Foreign text.
            agent: Whose client wrote it.
            homes: Folders below one of which it must lie.
            back: How far from its end the first look begins.
        """
        self.path = path
        self._homes = homes
        self._back = back
        self._form = FORMATS[agent]
        self._stamp: tuple[int, ...] = ()
        self.cost = 0
        """Bytes that the last look read."""
        self._begin()

    @property
    def head(self) -> Head:
        """Whose transcript it is, as far as it was read."""
        return self._transcript.head

    def read(self, limit: int = LOOK_BYTES) -> tuple[TranscriptCall, ...]:
        """Read what is new; a file that did not change is not even opened.

        Args:
            limit: Most bytes.

        Raises:
            NotPlain: It is no plain file of this user below a home folder.
        """
        self.cost = 0
        if not self.path.startswith("/"):
            raise NotPlain("a transcript needs an absolute path")
        try:
            facts = os.lstat(self.path)
            stamp = (facts.st_dev, facts.st_ino, facts.st_mtime_ns, facts.st_size)
            if stamp == self._stamp and self._offset >= facts.st_size:
                return ()
            descriptor = os.open(checked(self.path, self._homes), _READ)
        except FileNotFoundError:
            return ()
        except (OSError, ValueError) as error:
            why = words_of(error) if isinstance(error, OSError) else "a path holds no NUL"
            raise NotPlain(why) from error
        try:
            calls = tuple(self._read(descriptor, limit))
        except OSError as error:
            raise NotPlain(words_of(error)) from error
        finally:
            os.close(descriptor)
        self._stamp = stamp
        return calls

    def _begin(self) -> None:
        self._transcript = self._form()
        self._identity: tuple[int, int] | None = None
        self._offset = 0
        self._rest = b""
        self._overlong = False

    def _read(self, descriptor: int, limit: int) -> Iterator[TranscriptCall]:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode) or facts.st_uid != os.geteuid():
            raise NotPlain("a transcript is a plain file of this user")
        identity = (facts.st_dev, facts.st_ino)
        if self._identity != identity or facts.st_size < self._offset:
            self._begin()
            self._identity = identity
            if facts.st_size > self._back:
                self._skip_to(descriptor, facts.st_size - self._back)
        data = os.pread(descriptor, limit, self._offset)
        self._offset += len(data)
        self.cost = len(data)
        *whole, rest = data.split(b"\n")
        for line in whole:
            yield from self._line(line)
        self._keep(rest)

    def _skip_to(self, descriptor: int, offset: int) -> None:
        """Begin near the end; who the session is, its beginning says."""
        for line in os.pread(descriptor, HEAD_BYTES, 0).split(b"\n")[:-1]:
            self._transcript.feed(line)
            if self._transcript.head != Head():
                break
        self._offset, self._overlong = offset, True  # it is in the middle of some line

    def _line(self, line: bytes) -> tuple[TranscriptCall, ...]:
        self._keep(line)
        line, self._rest, self._overlong = self._rest, b"", False
        return self._transcript.feed(line) if line else ()

    def _keep(self, piece: bytes) -> None:
        """Hold the line that is not over; of one that is too long only its beginning."""
        if not self._overlong:
            self._rest += piece
            if len(self._rest) > LONGEST_LINE:
                self._rest, self._overlong = self._rest[:HEAD_BYTES], True


def homes_of_user() -> tuple[str, ...]:
    """Home folders of the user: by the password database, and the one in which clients are started."""
    import pwd

    named = os.environ.get("HOME", "")
    own = pwd.getpwuid(os.geteuid()).pw_dir
    return tuple(dict.fromkeys(home for home in (own, named) if home.startswith("/") and home != "/"))


def live(agent: str, home: str, top: str, since: float) -> tuple[str, ...]:
    """Find the transcripts of a work tree in the client's usual place that grew lately, newest first.

    Args:
        agent: Whose.
        home: Home folder of the user.
        top: Absolute top of the work tree, links resolved.
        since: Seconds since the epoch; what was written before is left out.
    """
    find = {"claude-code": _of_claude, "codex": _of_codex, "gemini": _of_gemini}[agent]
    found = sorted((one for one in find(Path(home), top) if one[1] >= since), key=lambda one: -one[1])
    return tuple(path for path, _ in found[:NEWEST])


def is_of(agent: str, head: Head, top: str) -> bool:
    """Whether a transcript speaks of a session in a work tree.

    Args:
        agent: Whose.
        head: What it says of itself.
        top: Absolute top of the work tree, links resolved.
    """
    if agent == "gemini":
        return head.project == hashlib.sha256(top.encode("utf-8", "surrogateescape")).hexdigest()
    folder = os.path.realpath(head.cwd) if head.cwd.startswith("/") and "\0" not in head.cwd else ""
    return f"{folder}/".startswith(f"{top.rstrip('/')}/")


def subagents(path: str) -> tuple[str, ...]:
    """Name the transcripts of a Claude Code session's subagents, the newest ones.

    Args:
        path: Transcript of the session.
    """
    found = sorted(_files(Path(path.removesuffix(".jsonl")) / "subagents", "agent-"), key=lambda one: -one[1])
    return tuple(name for name, _ in found[:NEWEST])


def _of_claude(home: Path, top: str) -> Iterator[Found]:
    slug = _PLAIN.sub("-", top)[:_LONGEST_SLUG]
    projects = home / ".claude/projects"
    for name in _names(projects):
        if name == slug or name.startswith(slug if len(slug) == _LONGEST_SLUG else f"{slug}-"):
            yield from _files(projects / name)


def _of_codex(home: Path, top: str) -> Iterator[Found]:
    """By day, of which the last two count: a session that goes on stays in the file of its first day."""
    days = [home / ".codex/sessions"]
    for most in (1, 2, 2):  # year, month, day
        below = (folder / name for folder in days for name in _names(folder) if name.isdecimal())
        days = sorted(below)[-most:]
    for day in days:
        yield from _files(day, "rollout-")


def _of_gemini(home: Path, top: str) -> Iterator[Found]:
    place = home / ".gemini/tmp"
    for name in _names(place):
        yield from _files(place / name / "chats", "session-")


def _names(folder: Path) -> list[str]:
    """Names in a folder that is none of a stranger's making: links to elsewhere are not followed."""
    with suppress(OSError), os.scandir(folder) as entries:
        rows = (entry for entry, _ in zip(entries, range(MOST_ENTRIES), strict=False))
        return [entry.name for entry in rows if entry.is_dir(follow_symlinks=False)]
    return []


def _files(folder: Path, prefix: str = "") -> Iterator[Found]:
    with suppress(OSError), os.scandir(folder) as entries:
        for entry, _ in zip(entries, range(MOST_ENTRIES), strict=False):
            if entry.name.endswith(".jsonl") and entry.name.startswith(prefix):
                with suppress(OSError):
                    facts = entry.stat(follow_symlinks=False)
                    if stat.S_ISREG(facts.st_mode):
                        yield entry.path, facts.st_mtime
