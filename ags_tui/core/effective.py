"""What a human makes of a tool's input before it runs: proposed and effective are kept apart. Pure.

Only inputs whose shape is known are offered: a shell line, and an edit of one file whose whole text is known.
The waiter hands the effective input to its client, which runs that instead.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ags_tui.core.contracts.tool_request import ToolRequestV2
from ags_tui.core.digests import blob_id, canonical, digest
from ags_tui.core.snapshot import EMPTY

COMMAND_FILE = "command.sh"
"""Name of the file in which a shell line is edited."""

_SHA256_HEX = 64


@dataclass(frozen=True, slots=True)
class Effective:
    """What is to run instead of what was proposed."""

    proposed: str
    """The shell line, or the whole text of the file, as the agent asked for it."""
    text: str
    """The same as the human wrote it."""
    data: Mapping[str, Any]
    """What the log entry holds as ``effective``; the waiter makes the input of it."""
    digest: str
    """Digest of the bytes that take effect: of the line, or of the file."""
    path: str = ""
    """The file of an edit, relative to the work tree; empty for a shell line."""
    facts: Mapping[str, str] = field(default_factory=lambda: EMPTY)
    """Digests of the file afterwards, which take the place of those of the proposal."""


def editable(document: ToolRequestV2) -> tuple[str, str] | None:
    """Give a file name and the text that a human may change; None where the input has no known shape.

    Args:
        document: The request.
    """
    command = document.input.get("command")
    if document.command is not None and command == document.command:
        return COMMAND_FILE, document.command
    change = document.proposed_change
    if change is None or change.after is None or not _is_one_edit(document.input):
        return None
    return change.path.rsplit("/", 1)[-1], change.after


def effective_of(document: ToolRequestV2, text: str, *, before: str = "", blob: str = "") -> Effective | None:
    """Make the effective input of what the human wrote; None where it is what was proposed.

    Args:
        document: The request.
        text: What was saved.
        before: Text of the file as the agent saw it; empty where there was none.
        blob: Blob id of the proposal, for the hash of the repository.

    Raises:
        ValueError: Nothing can be made of it; the message says why.
    """
    shape = editable(document)
    if shape is None:
        raise ValueError("this input has no shape that can be edited")
    name, proposed = shape
    if name == COMMAND_FILE and document.proposed_change is None:
        line = text.removesuffix("\n") if not proposed.endswith("\n") else text
        if not line.strip():
            raise ValueError("an empty command runs nothing: deny the request instead")
        data = {"command": line}
        return None if line == proposed else Effective(proposed, line, data, digest(canonical(data)))
    if text == proposed:
        return None
    change = document.proposed_change
    assert change is not None  # by the shape
    raw = text.encode("utf-8", "surrogateescape")
    algorithm = "sha256" if len(blob) == _SHA256_HEX else "sha1"
    facts = {"effectiveDigest": digest(raw), "effectiveBlob": blob_id(raw, algorithm)}
    data = {"input": _edited(document.input, before, text)}
    return Effective(proposed, text, data, facts["effectiveDigest"], change.path, facts)


def _is_one_edit(given: Mapping[str, Any]) -> bool:
    """Whether an input writes one file: whole, or by one replacement."""
    names = set(given)
    return isinstance(given.get("content"), str) or {"old_string", "new_string"} <= names


def _edited(given: Mapping[str, Any], before: str, text: str) -> dict[str, Any]:
    """The input that leaves this text in the file."""
    if isinstance(given.get("content"), str):
        return {**given, "content": text}
    if not before:
        raise ValueError(
            "the file is empty or new, and this tool only replaces text; deny and say what to do"
        )
    plain = {
        name: value for name, value in given.items() if name not in ("replace_all", "expected_replacements")
    }
    return {**plain, "old_string": before, "new_string": text}
