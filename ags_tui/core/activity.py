"""What the hook did with each call: one line an event, as the activity log of a session holds it.

Pure and without pydantic: the hook writes a line for every verdict, and reads lines back to know whether a
call that happened was let through. Lines are unsigned; they show what was decided, they prove nothing.
"""

from ags_tui.core.light import UTC, Any, Iterable, Mapping, cast, datetime
from ags_tui.core.light_json import dumps, read_object
from ags_tui.core.records import Record

VERDICT = "verdict"
"""Event of a call that was judged before it happened."""
APPLIED = "applied"
"""Event of a call that the client says has happened."""
FAILED = "failed"
"""Event of a call that the client says has failed: it may have happened in part."""
ENDED = "ended"
"""Event of a call that is over, whether or not it happened."""
UNGATED = "ungated"
"""Event of a call that happened without a verdict that let it, or against one."""
ALARM = "alarm"
"""Event of something that a human should know: the client's hook settings changed."""
STOP = "stop"
"""Event of a turn that wanted to end."""

WITHDRAWN = "withdrawn"
"""Source of the line that says that a question was taken back."""

LETS = frozenset({"allow", "defer"})
"""Decisions after which a call may happen: ours, or left to the client's own prompt."""

LONGEST_TEXT = 16 * 1024
"""Most characters of a command or a reason that a line keeps; its digest is over all of it."""
MOST_PATHS = 64
"""Most paths that a line keeps."""


class ActivityLine(Record):
    """One event of a session."""

    at: datetime
    """When, UTC."""
    event: str
    """``verdict``, ``applied``, ``failed``, ``ended``, ``ungated``, ``stop``, ``alarm``."""
    session: str
    """Session of the client."""
    agent: str = ""
    """``claude-code``, ``codex``, ``gemini`` or another name."""
    task: str = ""
    """Task that the session belongs to; empty where it has none yet."""
    call_id: str = ""
    """Id of the call, as the client gives it or as we made it."""
    turn: str = ""
    """Id of the turn, where the client gives one."""
    tool: str = ""
    """Contract tool name."""
    name: str = ""
    """Tool name as the client calls it."""
    command: str = ""
    """Shell line. Raw text, maybe cut."""
    paths: tuple[str, ...] = ()
    """Paths as given. Raw text, maybe cut."""
    cwd: str = ""
    """Folder of the call."""
    decision: str = ""
    """``allow``, ``ask``, ``deny``, or ``defer`` to the client's own prompt."""
    source: str = ""
    """Who decided: ``built-in``, ``repository``, ``user``, ``remembered``, ``plan``, ``human``, ``timeout``,
    ``absent``, ``withdrawn``, ``failure``."""
    rule_id: str = ""
    """Rule that decided."""
    reason: str = ""
    """Why. Raw text, maybe cut."""
    risk: str = ""
    """Risk as shown."""
    request: str = ""
    """Id of the request that was filed for it."""
    input_digest: str = ""
    """Digest of the raw input of the tool."""
    result_digest: str = ""
    """Digest of what the tool gave back."""
    ms: int = 0
    """Milliseconds from the event to its answer."""

    def lets(self) -> bool:
        """Whether this is a verdict after which the call may happen."""
        return self.event == VERDICT and self.decision in LETS


_NAMES: Mapping[str, str] = {
    "event": "event", "session": "session", "agent": "agent", "task": "task", "call_id": "callId",
    "turn": "turn", "tool": "tool", "name": "name", "command": "command", "cwd": "cwd",
    "decision": "decision", "source": "source", "rule_id": "ruleId", "reason": "reason", "risk": "risk",
    "request": "request", "input_digest": "inputDigest", "result_digest": "resultDigest",
}  # fmt: skip
"""JSON name of each text field."""


def line_bytes(line: ActivityLine) -> bytes:
    """Write a line, with its newline; what is too long is cut, empty fields are left out.

    Args:
        line: The event.
    """
    row: dict[str, Any] = {"at": line.at.astimezone(UTC).isoformat().replace("+00:00", "Z")}
    for field, name in _NAMES.items():
        text = cast("str", getattr(line, field))
        if text:
            row[name] = text[:LONGEST_TEXT]
    if line.paths:
        row["paths"] = [path[:LONGEST_TEXT] for path in line.paths[:MOST_PATHS]]
    if line.ms:
        row["ms"] = line.ms
    return dumps(row).encode("ascii") + b"\n"


def parse_line(raw: bytes) -> ActivityLine | None:
    """Read a line; None for one that is torn or of another shape.

    Args:
        raw: Its bytes, with or without the newline.
    """
    found = read_object(raw)
    if found is None:
        return None
    at, ms, paths = found.get("at"), found.get("ms"), found.get("paths")
    texts = {field: value for field, name in _NAMES.items() if isinstance(value := found.get(name), str)}
    if not isinstance(at, str) or "event" not in texts:
        return None
    try:
        moment = datetime.fromisoformat(at)
    except ValueError:
        return None
    if moment.tzinfo is None:
        return None
    named = cast("list[object]", paths) if isinstance(paths, list) else []
    return ActivityLine(
        at=moment.astimezone(UTC),
        event=texts.pop("event"),
        session=texts.pop("session", ""),
        paths=tuple(one for one in named if isinstance(one, str)),
        ms=ms if isinstance(ms, int) else 0,
        **texts,
    )


class CallTale(Record):
    """What the lines of one call say together, in whatever order they came."""

    verdict: ActivityLine | None = None
    """The last verdict."""
    happened: ActivityLine | None = None
    """The line that says that it happened."""
    flagged: bool = False
    """Whether it is noted as ungated already."""

    @property
    def ungated(self) -> bool:
        """Whether it happened and no verdict let it."""
        return self.happened is not None and (self.verdict is None or not self.verdict.lets())


def tale_of(lines: Iterable[ActivityLine]) -> CallTale:
    """Join the lines of one call.

    That a question was withdrawn is no verdict: what was said before holds. A failure of a call that was
    never judged shows that it went past us; one of a denied call shows nothing, for clients report their own
    refusals like that.

    Args:
        lines: All lines with its id, in any order.
    """
    found = list(lines)
    verdict = next(
        (line for line in reversed(found) if line.event == VERDICT and line.source != WITHDRAWN), None
    )
    happened = next((line for line in found if line.event == APPLIED), None)
    if happened is None and verdict is None:
        happened = next((line for line in found if line.event == FAILED), None)
    return CallTale(verdict, happened, any(line.event == UNGATED for line in found))
