"""``git status``: asked in one pinned form, its answer checked and taken apart."""

from dataclasses import dataclass, field

from ags_tui.core.snapshot import TreeEntry
from ags_tui.io.git.failures import GitFailed

QUESTION = (
    "status",
    "--porcelain=v2",
    "-z",
    "--untracked-files=all",
    "--no-renames",
    "--ignore-submodules=dirty",
    "--ignored=matching",
)
"""Git looks at submodules' HEAD only: a nested ``git status`` would run what *their* configuration names.
Ignored names are wanted for rule files that ignore themselves."""

UNMERGED = frozenset({"DD", "AU", "UD", "UA", "DU", "AA", "UU"})
"""The seven unmerged pairs."""

_NONE = "000000"
_CHANGED_FIELDS = 8
"""``XY sub mH mI mW hH hI path``."""
_UNMERGED_FIELDS = 10
"""``XY sub m1 m2 m3 mW h1 h2 h3 path``."""


@dataclass(frozen=True, slots=True)
class Record:
    """One tracked path that differs between HEAD, index and work tree."""

    head: TreeEntry | None
    """At HEAD; None for an unmerged path, of which the index says three things but not that."""
    index: TreeEntry | None
    """In the index."""
    work_mode: str
    """Mode in the work tree; ``000000`` where it is gone."""
    touched: bool
    """The work tree differs from the index (or there is no index entry to be equal to)."""
    conflict: str = ""
    """Unmerged pair."""


@dataclass(slots=True)
class Answer:
    """Git's answer, by path."""

    tracked: dict[bytes, Record] = field(default_factory=dict[bytes, Record])
    """Tracked paths that differ."""
    untracked: list[bytes] = field(default_factory=list[bytes])
    """Untracked files."""
    nested: list[bytes] = field(default_factory=list[bytes])
    """Untracked folders that are repositories, without the ``/`` at the end."""
    ignored: list[bytes] = field(default_factory=list[bytes])
    """Ignored files, and folders with a ``/`` at the end."""


def parse_status(said: bytes) -> Answer:
    """Take git's answer apart.

    Args:
        said: output of ``QUESTION``.

    Raises:
        GitFailed: it is not of that form. A cut index makes git end well with paths that cannot be.
    """
    answer = Answer()
    for record in said.split(b"\0"):
        kind, _, rest = record.partition(b" ")
        if kind == b"1":
            _changed(answer, rest)
        elif kind == b"?":
            path = _path(rest)
            (answer.nested if path.endswith(b"/") else answer.untracked).append(path.rstrip(b"/"))
        elif kind == b"!":
            answer.ignored.append(_path(rest))
        elif kind == b"u":
            _unmerged(answer, rest)
        elif record:
            raise GitFailed("git status answered something unexpected")
    return answer


def _changed(answer: Answer, rest: bytes) -> None:
    (pair, _sub, head_mode, index_mode, work_mode, head_blob, index_blob), path = _fields(
        rest, _CHANGED_FIELDS
    )
    head, index = _entry(head_mode, head_blob), _entry(index_mode, index_blob)
    answer.tracked[path] = Record(head, index, work_mode, touched=pair[1:] != ".")


def _unmerged(answer: Answer, rest: bytes) -> None:
    fields, path = _fields(rest, _UNMERGED_FIELDS)
    pair, work_mode = fields[0], fields[5]
    if pair not in UNMERGED:
        raise GitFailed(f"git status answered an unknown conflict {pair!r}")
    answer.tracked[path] = Record(None, None, work_mode, touched=True, conflict=pair)


def _fields(rest: bytes, count: int) -> tuple[list[str], bytes]:
    """Split a record into its words, of which the last is the path and may hold spaces."""
    parts = rest.split(b" ", count - 1)
    if len(parts) != count:
        raise GitFailed("git status answered something unexpected")
    return [part.decode("ascii", "replace") for part in parts[:-1]], _path(parts[-1])


def _entry(mode: str, blob: str) -> TreeEntry | None:
    return None if mode == _NONE else TreeEntry(mode, blob)


def _path(path: bytes) -> bytes:
    if not path or path.startswith((b"/", b"./", b"../")) or path in (b".", b"..") or b"//" in path:
        raise GitFailed(f"git status answered an impossible path {path!r}; is the index damaged?")
    return path
