"""The fields of a request's file in short: only what the rows above and the diff do not tell.

The main screen shows each field up to a few lines and marks the cut; the decision screen shows all of it.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, TypeVar, cast

from ags_tui.core.assessment import Pending
from ags_tui.core.snapshot import Artifact
from ags_tui.view.rows import Row, blank, middle, paragraph, spread
from ags_tui.view.text import Span, cell_len, clip, pad, printable

LIMIT = 4
"""Lines of one field."""

_LABEL = 18
"""Cells of the column of names."""

MOST_VALUES = 2000
"""Most values of a list or object that are written out; a field shows far fewer lines."""
T = TypeVar("T")
_TOLD = frozenset({
    "requestId", "approvalId", "escalationId", "taskId", "agent", "sessionId", "cwd", "createdAt",
    "expiresAt", "claim",
})  # fmt: skip
"""Fields that the rows above or the row of the origin tell, or that are random."""


def field_rows(artifact: Artifact, width: int, *, item: Pending | None = None) -> Iterator[Row]:
    """Draw name and digest of a file, its notes, and the fields that are not told elsewhere.

    Args:
        artifact: The file.
        width: Cells of a line.
        item: The inbox item above; None where nothing of the file is told elsewhere.
    """
    yield blank("fields:gap")
    digest = f"sha256 {artifact.digest.removeprefix('sha256:')[:8]}…"
    name = middle(printable(artifact.path), max(1, width - 8 - cell_len(digest)))
    yield Row(
        "fields",
        (spread((Span("FILE", "title"), Span(f"  {name}", "muted")), (Span(digest, "muted"),), width),),
        selectable=False,
    )
    for note in artifact.notes:
        yield paragraph(f"fields:note:{note}", note, width, style="warn")
    data: dict[str, Any] = artifact.document.model_dump(mode="json", by_alias=True)
    shown = _untold(data, item)
    if item is not None and data.get("cwd"):
        session = f"session {data['sessionId']}, " if data.get("sessionId") else ""
        who = data.get("agent") or "an agent without a name"
        shown = {"from": f"{who}, {session}in {data['cwd']}", **shown}
    for key, value in shown.items():
        body = paragraph(f"field:{key}", field_text(value), width - _LABEL, limit=LIMIT)
        first, *rest = body.lines
        label = pad(clip(printable(key), _LABEL - 2), _LABEL)
        lines = ((Span(label, "muted"), *first), *((Span(" " * _LABEL), *line) for line in rest))
        yield Row(body.key, lines, selectable=False)


def _untold(data: Mapping[str, Any], item: Pending | None) -> dict[str, Any]:
    """Leave out what is empty and, below an item, what equals what its rows show."""
    kept = {key: value for key, value in data.items() if value not in (None, "", [], {})}
    if item is None:
        return kept
    change = data.get("proposedChange")
    after = cast("dict[str, Any]", change).get("after") if isinstance(change, dict) else None
    told: dict[str, Any] = {
        "tool": item.title.partition(" ")[0], "command": item.command, "targetPath": item.path,
        "reason": item.reason, "riskLevel": item.claimed_risk, "requiresApproval": True,
        "question": item.title, "summary": item.title, "allowFreeText": item.allow_free_text,
        "options": [
            {"id": one.id, "label": one.label, "consequence": one.consequence} for one in item.options
        ],
    }  # fmt: skip
    left = {key: value for key, value in kept.items() if key not in _TOLD and value != told.get(key)}
    if isinstance(change, dict):
        proposed = cast("dict[str, Any]", change)
        left.pop("proposedChange", None)
        if proposed.get("path") != item.path:
            left["proposedChange"] = f"another path: {proposed.get('path')}"
    asked = left.pop("input", None)
    if isinstance(asked, dict):
        same = (item.path, item.command, after)
        more = {key: value for key, value in cast("dict[str, Any]", asked).items() if value not in same}
        left |= {"input": more} if more else {}
    return left


def field_text(value: object) -> str:
    """Write a value for reading: a list as lines, an object as ``name: value`` lines, no brackets.

    Args:
        value: JSON data.

    Returns:
        Foreign text with newlines.
    """
    room = _Room()
    if isinstance(value, list):
        return "\n".join(_inline(one, room) for one in room.few(cast("list[object]", value)))
    if isinstance(value, dict):
        items = room.few(cast("dict[str, object]", value).items())
        return "\n".join(f"{key}: {_inline(one, room)}" for key, one in items)
    return _inline(value, room)


class _Room:
    """Counts what was written: far more values than fit on a screen are not looked at."""

    def __init__(self) -> None:
        self.left = MOST_VALUES

    def few(self, values: Iterable[T]) -> Iterator[T]:
        """The first values, as long as there is room."""
        for value in values:
            if self.left <= 0:
                return
            self.left -= 1
            yield value


def _inline(value: object, room: _Room) -> str:
    """Write a value on one line: of an object its first two values, and a mark where it has more."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        whole = cast("dict[str, object]", value)
        parts = [_inline(one, room) for one in room.few(islice(whole.values(), 2))]
        return ": ".join(parts) + (" …" if len(whole) > 2 else "")
    if isinstance(value, list):
        return ", ".join(_inline(one, room) for one in room.few(cast("list[object]", value)))
    return json.dumps(value, ensure_ascii=False)
