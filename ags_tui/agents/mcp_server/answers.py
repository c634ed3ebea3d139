"""What every tool answers with: one ApiResult, as data and as the text that carries it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ags_tui.core.contracts.strict_json import MAX_BYTES
from ags_tui.core.workflow.failures import WorkflowRefused

Data = dict[str, Any]
"""JSON data."""

VERSION = "1.0.0"
"""Version of the ApiResult."""
LARGEST = MAX_BYTES + 64 * 1024
"""Most bytes of an answer: the largest receipt, and what stands around it."""
LARGEST_STRUCTURED = 1024 * 1024
"""Bytes of text up to which the same answer is given as structured content too."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An ApiResult, ready to be sent."""

    ok: bool
    """Whether the tool did what was asked."""
    text: str
    """The ApiResult as JSON."""
    structured: Data | None
    """The same as data; None where it is too large to be sent twice."""


def success(data: Data) -> Answer:
    """Return the answer of a tool that did what was asked.

    Args:
        data: What it answers.
    """
    answer = _answer({"schemaVersion": VERSION, "ok": True, "data": data, "error": None})
    size = len(answer.text)
    if size <= LARGEST:
        return answer
    details = {"size": size, "largest": LARGEST}
    return refusal(WorkflowRefused("INVALID_INPUT", "The answer is too large: ask for compact.", details))


def refusal(refused: WorkflowRefused) -> Answer:
    """Return the answer of a tool that refuses.

    Args:
        refused: Code, sentence and details.
    """
    body = refused.body()
    error = {"code": body.code, "message": body.message, "details": body.details}
    return _answer({"schemaVersion": VERSION, "ok": False, "data": None, "error": error})


def _answer(result: Mapping[str, Any]) -> Answer:
    text = json.dumps(result, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    if not _is_unicode(text):  # names of files may hold bytes that no encoding knows
        text = json.dumps(result, allow_nan=False, separators=(",", ":"))
        return Answer(bool(result["ok"]), text, None)
    return Answer(bool(result["ok"]), text, dict(result) if len(text) <= LARGEST_STRUCTURED else None)


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
