"""The activity log of each session: ``STATE/activity/SESSION.jsonl``, one line an event, appended for ever.

One ``write`` a line, so that hooks of one session that end at once do not tear each other's lines. A crash
can leave a torn last line: the next one begins on a line of its own, and readers pass over what they cannot
read.
"""

import os

from ags_tui.core.activity import LONGEST_TEXT, ActivityLine, CallTale, line_bytes, parse_line, tale_of
from ags_tui.core.failures import AgsError
from ags_tui.core.light import TYPE_CHECKING, Iterator, datetime, suppress, timedelta
from ags_tui.core.light_json import dumps
from ags_tui.io.places import Places, PlaceUnusable

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = "activity"
"""Folder of the state directory."""
KEPT = timedelta(days=30)
"""How long lines are kept and shown."""

_SUFFIX = ".jsonl"
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")
_LONGEST_PLAIN = 80
_TAIL = 1 << 18
_LARGEST_READ = 64 << 20
_APPEND = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK


class ActivityUnwritable(AgsError):
    """An event cannot be written down; the message says why."""


def session_name(session: str) -> str:
    """Make the id of a session fit to be a file name: two ids never share one.

    Args:
        session: As the client gives it. Foreign text.
    """
    if 0 < len(session) <= _LONGEST_PLAIN and session[0] != "-" and _PLAIN.issuperset(session):
        return session
    import hashlib
    import re

    mark = hashlib.sha256(session.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    part = re.sub(r"[^A-Za-z0-9]+", "-", session)[:40].strip("-").lower()
    return f"{part or 'session'}_{mark}"


def append(places: Places, line: ActivityLine) -> None:
    """Add a line to the log of its session.

    Args:
        places: The user's folders.
        line: The event.

    Raises:
        ActivityUnwritable: It is not on disk as a whole.
    """
    data = line_bytes(line)
    try:
        path = f"{places.made(FOLDER)}/{session_name(line.session)}{_SUFFIX}"
        descriptor = os.open(path, _APPEND, 0o600)
        try:
            size = os.fstat(descriptor).st_size
            if size and os.pread(descriptor, 1, size - 1) != b"\n":
                data = b"\n" + data
            written = os.write(descriptor, data)
        finally:
            os.close(descriptor)
    except PlaceUnusable as error:
        raise ActivityUnwritable(str(error)) from error
    except OSError as error:
        raise ActivityUnwritable(f"{places.state_dir}/{FOLDER}: {error.strerror}") from error
    if written != len(data):
        raise ActivityUnwritable(f"{places.state_dir}/{FOLDER}: the disk is full")


def last_lines(places: Places, session: str, most: int = 50) -> tuple[ActivityLine, ...]:
    """Return the last events of a session, oldest first; reads the end of the file only.

    Args:
        places: The user's folders.
        session: Session of the client.
        most: Most lines.
    """
    data = _read(_path(places, session), _TAIL)
    rows = data.split(b"\n")
    if len(data) == _TAIL:
        del rows[0]  # begins in the middle of a line
    lines = [line for row in rows if row and (line := parse_line(row)) is not None]
    return tuple(lines[-most:])


def lines_of(places: Places, session: str) -> tuple[ActivityLine, ...]:
    """Return all events of a session, oldest first.

    Args:
        places: The user's folders.
        session: Session of the client.
    """
    return tuple(_parsed(_path(places, session), None))


def lines_in(path: "Path | str") -> Iterator[ActivityLine]:
    """Yield the events of one file, oldest first.

    Args:
        path: A file of the activity folder.
    """
    return _parsed(path, None)


def tale(places: Places, session: str, call_id: str) -> CallTale:
    """Return what is known about one call.

    Args:
        places: The user's folders.
        session: Session of the client.
        call_id: Id of the call.
    """
    return tale_of(_parsed(_path(places, session), call_id))


def since(places: Places, moment: datetime) -> Iterator[ActivityLine]:
    """Yield the events of all sessions since a time; sessions one after the other, oldest line first.

    Args:
        places: The user's folders.
        moment: The earliest time, UTC.
    """
    for path in _files(places):
        with suppress(OSError):
            if path.stat().st_mtime >= moment.timestamp():
                yield from (line for line in _parsed(path, None) if line.at >= moment)


def sweep(places: Places, now: datetime) -> int:
    """Remove the logs of sessions that have been silent for 30 days.

    Args:
        places: The user's folders.
        now: The wall clock.

    Returns:
        Files removed.
    """
    removed = 0
    oldest = (now - KEPT).timestamp()
    for path in _files(places):
        with suppress(OSError):
            if path.lstat().st_mtime < oldest:
                path.unlink()
                removed += 1
    return removed


def _files(places: Places) -> "list[Path]":
    try:
        names = sorted(os.listdir(places.state / FOLDER))
    except OSError:
        return []
    return [places.state / FOLDER / name for name in names if name.endswith(_SUFFIX)]


def _path(places: Places, session: str) -> str:
    return f"{places.state_dir}/{FOLDER}/{session_name(session)}{_SUFFIX}"


def _parsed(path: "Path | str", call_id: str | None) -> Iterator[ActivityLine]:
    """Parse the lines of a file; with an id only those that can hold it are looked at."""
    mark = b"" if call_id is None else _mark(call_id)
    for row in _read(path, _LARGEST_READ).split(b"\n"):
        if not row or mark not in row:
            continue
        line = parse_line(row)
        if line is not None and (call_id is None or line.call_id == call_id):
            yield line


def _mark(call_id: str) -> bytes:
    """Bytes that every line about a call holds."""
    return dumps(call_id[:LONGEST_TEXT]).encode("ascii")


def _read(path: "Path | str", most: int) -> bytes:
    """The last bytes of a plain file; nothing where there is none."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""
    with os.fdopen(descriptor, "rb") as stream:
        size = os.fstat(descriptor).st_size
        stream.seek(max(0, size - most))
        return stream.read(most)
