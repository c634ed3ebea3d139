"""The sessions of a work tree with their last events; a file is read again only where it has changed."""

import os
from pathlib import Path

from ags_tui.core.activity import ActivityLine
from ags_tui.core.session_calls import SessionSeen
from ags_tui.core.sessions import SessionRecord, parse_record
from ags_tui.io.activity import FOLDER, last_lines, session_name
from ags_tui.io.places import Places
from ags_tui.io.plain_files import NotPlain, read_plain
from ags_tui.io.sessions import SESSIONS
from ags_tui.io.trees import Tree

MOST_SESSIONS = 40
"""Most sessions that are shown: those that did something last."""
MOST_LINES = 200
"""Most events of one session that are read."""

_LARGEST_RECORD = 1 << 16
_Stamp = tuple[int, int, int]
_NONE: _Stamp = (0, 0, 0)


class SessionReads:
    """Reads the sessions of one work tree, again and again."""

    def __init__(self, tree: Tree, places: Places) -> None:
        """Prepare; nothing is read yet.

        Args:
            tree: The work tree.
            places: The user's folders.
        """
        self._folder = tree.folder / SESSIONS
        self._places = places
        self._known: dict[str, tuple[_Stamp, _Stamp, SessionSeen]] = {}
        self._last: tuple[SessionSeen, ...] = ()

    def read(self) -> tuple[SessionSeen, ...]:
        """The sessions, the one that did something last first; the same objects where nothing changed."""
        stamps = [(name, _stamp(self._folder / name), _stamp(self._activity(name))) for name in self._names()]
        newest = sorted(stamps, key=lambda row: max(row[1][1], row[2][1]), reverse=True)[:MOST_SESSIONS]
        known: dict[str, tuple[_Stamp, _Stamp, SessionSeen]] = {}
        for name, of_record, of_lines in newest:
            found = self._one(name, of_record, of_lines)
            if found is not None:
                known[name] = (of_record, of_lines, found)
        self._known = known
        sessions = tuple(row[2] for row in known.values())
        same = len(sessions) == len(self._last) and all(
            one is other for one, other in zip(sessions, self._last, strict=True)
        )
        if not same:
            self._last = sessions
        return self._last

    def _one(self, name: str, of_record: _Stamp, of_lines: _Stamp) -> SessionSeen | None:
        known = self._known.get(name)
        if known is not None and known[:2] == (of_record, of_lines):
            return known[2]
        record = self._record(name)
        if record is None:
            return None
        lines: tuple[ActivityLine, ...] = ()
        if of_lines != _NONE:
            lines = last_lines(self._places, record.session, MOST_LINES)
        return SessionSeen(record, lines)

    def _record(self, name: str) -> SessionRecord | None:
        try:
            return parse_record(read_plain(self._folder / name, limit=_LARGEST_RECORD))
        except (FileNotFoundError, NotPlain):
            return None

    def _activity(self, name: str) -> Path:
        return self._places.state / FOLDER / f"{session_name(name.removesuffix('.json'))}.jsonl"

    def _names(self) -> list[str]:
        try:
            names = os.listdir(self._folder)
        except OSError:
            return []
        return [name for name in names if name.endswith(".json") and not name.startswith(".")]


def _stamp(path: Path | str) -> _Stamp:
    try:
        facts = os.lstat(path)
    except OSError:
        return _NONE
    return facts.st_ino, facts.st_mtime_ns, facts.st_size


class SessionNews:
    """Tells cheaply whether a process wrote down something about the sessions of a work tree.

    An appended line is no event of the folder, and hooks without a server tell nobody: a look is one stat for
    each of the newest sessions.
    """

    def __init__(self, tree: Tree, places: Places) -> None:
        """Prepare; nothing is looked at yet.

        Args:
            tree: The work tree.
            places: The user's folders.
        """
        self._folder = f"{tree.place}/{SESSIONS}"
        self._activity = f"{places.state_dir}/{FOLDER}"
        self._held: _Stamp = _NONE
        self._paths: list[str] = []
        self._seen: list[_Stamp] = []

    def moved(self) -> bool:
        """Whether something was written since the last look; the first one has nothing to compare with."""
        held = _stamp(Path(self._folder))
        first = not self._seen
        fresh = held != self._held
        if fresh:
            self._held = held
            self._paths = self._newest()
        seen = [held, *(_stamp(path) for path in self._paths)]
        moved = seen != self._seen
        self._seen = seen
        return moved and not first

    def _newest(self) -> list[str]:
        """Files of the sessions that did something last; a session that others have outrun comes again with
        its record.
        """
        try:
            names = [name for name in os.listdir(self._folder) if name.endswith(".json")]
        except OSError:
            return []
        paths = [f"{self._activity}/{session_name(name.removesuffix('.json'))}.jsonl" for name in names]
        return sorted(paths, key=lambda path: _stamp(path)[1], reverse=True)[:MOST_SESSIONS]
