"""Which task a session of a client belongs to, and what is remembered of a session; no pydantic here."""

from ags_tui.core.light import Any, Collection
from ags_tui.core.light_json import read_object
from ags_tui.core.records import Record

SESSION_PREFIX = "session-"
"""How ids of tasks begin that were made for a session without one."""

_SHORT = 12
_LONGEST = 100


class SessionRecord(Record):
    """What is remembered of a session of a client."""

    session: str
    """The client's id."""
    task: str
    """Task that it belongs to."""
    top: str
    """Absolute top of its work tree."""
    agent: str = ""
    """Which client."""
    model: str = ""
    """Model, where the client says it."""
    cwd: str = ""
    """Folder in which it began."""
    transcript: str = ""
    """Absolute path of the client's transcript."""
    started_at: str = ""
    """RFC 3339."""
    ended_at: str = ""
    """RFC 3339; empty while it goes on."""
    turn: str = ""
    """Turn whose stop was blocked last."""
    blocks: int = 0
    """How often the stop of that turn was blocked."""
    stop_tree: str = ""
    """Digest of the work tree when a stop was last let through; at first that of the beginning."""
    asked: str = ""
    """Id of the question that holds this turn for a human; empty where none does."""


_FIELDS = (
    "session", "task", "top", "agent", "model", "cwd", "transcript", "started_at", "ended_at", "turn",
    "stop_tree", "asked",
)  # fmt: skip


def record_bytes(record: SessionRecord) -> bytes:
    """Write a record as JSON.

    Args:
        record: The record.
    """
    row: dict[str, Any] = {_camel(field): getattr(record, field) for field in _FIELDS}
    row["blocks"] = record.blocks
    import json  # only who writes needs more than the half in C

    return json.dumps({"version": 1, **row}, indent=1).encode("ascii") + b"\n"


def parse_record(raw: bytes) -> SessionRecord | None:
    """Read a record; None where it is none.

    Args:
        raw: Bytes of its file.
    """
    found = read_object(raw)
    if found is None:
        return None
    texts = {field: value for field in _FIELDS if isinstance(value := found.get(_camel(field)), str)}
    blocks = found.get("blocks")
    if not texts.get("session") or not texts.get("task") or not texts.get("top"):
        return None
    return SessionRecord(blocks=blocks if isinstance(blocks, int) and blocks > 0 else 0, **texts)


def session_task_id(session: str, taken: Collection[str] = ()) -> str:
    """Return the id of the task that is made for a session.

    Args:
        session: The client's id.
        taken: Tasks of other sessions: some clients' ids begin with the time, so two may begin alike.
    """
    short = SESSION_PREFIX + session[:_SHORT]
    return short if short not in taken else SESSION_PREFIX + session[:_LONGEST]


def choose_task(
    session: str,
    *,
    named: str | None,
    open_tasks: Collection[str],
    planned: Collection[str],
    taken: Collection[str],
) -> str:
    """Choose the task of a session: the named one, the only planned one, else one of its own.

    Args:
        session: The client's id.
        named: ``AGS_TASK`` of the hook; None where it is not set.
        open_tasks: Tasks that are neither finalized nor closed.
        planned: Those of them that have a plan; tasks of sessions only where a human approved it.
        taken: Tasks of other sessions that were made for them.
    """
    if named is not None and named in open_tasks:
        return named
    return next(iter(planned)) if len(planned) == 1 else session_task_id(session, taken)


def _camel(field: str) -> str:
    first, *rest = field.split("_")
    return first + "".join(word.capitalize() for word in rest)
