"""The strict pre-pass over what a client writes to a hook: bytes to checked fields, or one exception.

Unknown fields are fine, for clients grow. What is wrong in a field that counts is refused, for a call that
was not understood must not go through.
"""

from ags_tui.agents.events import GATES, EventKind, HookEvent, Outcome, UnreadableEvent
from ags_tui.core.light import Any, Iterable, Mapping, cast
from ags_tui.core.light_json import dumps, loads
from ags_tui.core.policy.calls import ToolCall
from ags_tui.core.records import replace

MAX_BYTES = 32 * 1024 * 1024
"""Longest payload that is read."""
MAX_DEPTH = 64
"""Deepest nesting of objects and lists."""
MOST_VALUES = 200_000
"""Most values in all objects and lists together: every further step takes time for each of them."""
MOST_OPENED = 1_000_000
"""Most opening brackets, those in texts included: what has more is refused before any time goes into it."""
LARGEST_INTEGER = 2**53 - 1
"""Largest integer that every reader of JSON holds exactly."""
LONGEST_NAME = 256
"""Most characters of an id or of a tool's name."""

_INFINITE = (float("inf"), float("-inf"))
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


def parse(payload: bytes, limit: int = MAX_BYTES) -> "Fields":
    """Read a payload.

    Args:
        payload: What the client wrote, whole.
        limit: Most bytes that are read.

    Raises:
        UnreadableEvent: It is too long, no UTF-8, no JSON object, has a key twice, is nested too deep or
            holds too many values.
    """
    if len(payload) > limit:
        raise UnreadableEvent(f"the event is longer than {limit:,} bytes")
    if payload.count(b"[") + payload.count(b"{") > MOST_OPENED:
        raise UnreadableEvent(f"the event holds more than {MOST_OPENED:,} opening brackets")
    try:
        text = payload.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnreadableEvent(f"the event is not UTF-8 at byte {error.start}") from error
    try:
        value = loads(text, object_pairs_hook=_object, parse_constant=_no_number, parse_float=_finite)
    except RecursionError as error:
        raise UnreadableEvent("the event is nested too deep") from error
    except ValueError as error:
        # not only JSONDecodeError: int() refuses thousands of digits with a plain ValueError
        raise UnreadableEvent("the event is not JSON") from error
    if not isinstance(value, dict):
        raise UnreadableEvent("the event is not a JSON object")
    _check_shape(cast("dict[str, Any]", value))
    return Fields(cast("dict[str, Any]", value))


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise UnreadableEvent("the event has a key twice")
    return found


def _no_number(name: str) -> float:
    raise UnreadableEvent(f"the event holds {name}, which is no JSON number")


def _finite(text: str) -> float:
    value = float(text)
    if value in _INFINITE:
        raise UnreadableEvent("the event holds a number beyond all bounds")
    return value


def _check_shape(value: dict[str, Any]) -> None:
    level: list[Any] = [value]
    left = MOST_VALUES
    for _ in range(MAX_DEPTH):
        left -= sum(map(len, level))
        if left < 0:
            raise UnreadableEvent(f"the event holds more than {MOST_VALUES:,} values")
        level = [inner for one in level for inner in _inside(one) if isinstance(inner, dict | list)]
        if not level:
            return
    raise UnreadableEvent("the event is nested too deep")


def _inside(value: dict[str, Any] | list[Any]) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value


class Fields:
    """An object of a payload; each method checks the one field that it returns."""

    def __init__(self, values: Mapping[str, Any], where: str = "") -> None:
        """Take an object.

        Args:
            values: The object.
            where: Its place, put before field names in reasons.
        """
        self.values = values
        self._where = where

    def text(self, key: str) -> str:
        """A text that must be there and must not be empty."""
        value = self.maybe(key)
        if not value:
            raise UnreadableEvent(f"{self._where}{key} is missing or empty")
        return value

    def maybe(self, key: str) -> str:
        """A text that may be missing, null or empty; then empty."""
        value = self.values.get(key)
        if value is None:
            return ""
        if not isinstance(value, str):
            raise UnreadableEvent(f"{self._where}{key} is not a text")
        if not _whole(value):
            raise UnreadableEvent(f"{self._where}{key} holds half a character")
        return value

    def loose(self, key: str) -> str:
        """A text that only a human reads: half characters are replaced, other types are empty."""
        value = self.values.get(key)
        if not isinstance(value, str):
            return ""
        return value if _whole(value) else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    def name(self, key: str, *, required: bool = True) -> str:
        """An id or a tool's name: short, one line, nothing invisible."""
        value = self.text(key) if required else self.maybe(key)
        if len(value) > LONGEST_NAME or not value.isprintable():
            raise UnreadableEvent(f"{self._where}{key} is not a name")
        return value

    def session(self, key: str) -> str:
        """A session's id, which others use as the name of a file."""
        value = self.name(key)
        if not _NAME.issuperset(value) or value.startswith(".") or len(value) > 128:
            raise UnreadableEvent(f"{self._where}{key} is not a session's id")
        return value

    def folder(self, key: str) -> str:
        """An absolute path."""
        value = self.text(key)
        if not value.startswith("/") or "\0" in value:
            raise UnreadableEvent(f"{self._where}{key} is not an absolute path")
        return value

    def path(self, key: str) -> str:
        """A path that must be there."""
        value = self.text(key)
        if "\0" in value:
            raise UnreadableEvent(f"{self._where}{key} is not a path")
        return value

    def flag(self, key: str) -> bool:
        """A truth value that may be missing; then False."""
        value = self.values.get(key)
        if value is None:
            return False
        if not isinstance(value, bool):
            raise UnreadableEvent(f"{self._where}{key} is neither true nor false")
        return value

    def input(self, key: str) -> "Fields":
        """A tool's input: an object whose every text and number can be written again as it is."""
        value = self.values.get(key)
        if not isinstance(value, dict):
            raise UnreadableEvent(f"{self._where}{key} is not an object")
        _check_values(cast("dict[str, Any]", value), f"{self._where}{key}")
        return Fields(cast("dict[str, Any]", value), f"{self._where}{key}.")

    def objects(self, key: str) -> list["Fields"]:
        """A list of objects."""
        value = self.values.get(key)
        if not isinstance(value, list) or not all(isinstance(one, dict) for one in cast("list[Any]", value)):
            raise UnreadableEvent(f"{self._where}{key} is not a list of objects")
        return [Fields(one, f"{self._where}{key}.") for one in cast("list[dict[str, Any]]", value)]


def frame(fields: Fields, agent: str, kinds: Mapping[str, EventKind], details: Iterable[str]) -> HookEvent:
    """Read what every event of every client says, before what it is about.

    Args:
        fields: The payload.
        agent: The client.
        kinds: What each of its names of events stands for.
        details: Fields of which the first that says something is the detail.
    """
    name = fields.name("hook_event_name")
    return HookEvent(
        agent=agent,
        event=kinds.get(name, "other"),
        name=name,
        session_id=fields.session("session_id"),
        cwd=fields.folder("cwd"),
        transcript_path=fields.maybe("transcript_path"),
        detail=next((text for key in details if (text := fields.loose(key))), ""),
        stop_active=fields.flag("stop_hook_active"),
        prompt=fields.loose("prompt"),
    )


def about_call(event: HookEvent) -> bool:
    """Whether an event is about one call: before it, or after it."""
    return event.event in GATES or event.event == "after-tool"


def with_call(event: HookEvent, call: ToolCall, call_id: str, raw: Fields, outcome: Outcome) -> HookEvent:
    """Add the one call that an event is about.

    Args:
        event: Its frame.
        call: The call.
        call_id: The client's id of it; empty where it gives none.
        raw: The tool's input.
        outcome: What became of it; left out before a call.
    """
    outcomes = () if event.event in GATES else (outcome,)
    return replace(
        event, detail="", calls=(call,), call_ids=(call_id,), inputs=(raw.values,), outcomes=outcomes
    )


def _whole(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _check_values(value: object, where: str) -> None:
    waiting: list[Any] = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            if not _whole(one):
                raise UnreadableEvent(f"{where} holds half a character")
        elif isinstance(one, dict):
            waiting.extend(cast("dict[str, Any]", one))
            waiting.extend(cast("dict[str, Any]", one).values())
        elif isinstance(one, list):
            waiting.extend(cast("list[Any]", one))
        elif isinstance(one, int) and abs(one) > LARGEST_INTEGER:
            raise UnreadableEvent(f"{where} holds an integer that not every reader holds exactly")


def response_digest(value: object) -> str:
    """Digest of a tool's response over its JSON with sorted keys; empty for none.

    Args:
        value: JSON data; half characters count as their escapes.
    """
    if value is None:
        return ""
    from ags_tui.core.digests import digest  # only events after a call need it

    text = dumps(value, sort_keys=True)
    return digest(text.encode("ascii"))
