"""What a human is asked about a call: the fields of ToolRequests 2.0.0, as plain data.

A ToolRequest has one ``proposedChange``, and a decision is bound to the files of its own request alone.
A patch of several files therefore becomes **one request a file**: each shows its file before and after,
each is bound to that file's bytes, all carry the whole raw input, and the call may run only if **all**
of them are approved (a move is two: the old path deleted, the new one written). One request for the
first file, or one without a change, would have run what was not shown. Where the result cannot be
computed, each path is asked for without a change, and the reason says why; the raw input is still shown
whole.
"""

import posixpath
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from ags_tui.agents.events import HookEvent
from ags_tui.core.edits import (
    NotComputed,
    Proposed,
    ProposedEdit,
    Reader,
    Replacement,
    replace_expected,
    replace_strings,
    write_like_before,
    write_text,
)
from ags_tui.core.edits_notebook import CellEdit, edit_notebook
from ags_tui.core.edits_patch import apply_patch
from ags_tui.core.policy.calls import UNKNOWN_TOOL, ToolCall

MOST_CHARACTERS = 6 * 1024 * 1024
"""Most characters of input and proposed text together, so that a request stays a file that is read."""

LABELS = {"claude-code": "Claude Code", "codex": "Codex", "gemini": "Gemini CLI"}
"""Names of the clients in sentences."""

_OTHER_FORM = NotComputed("its input has a form that is not known")


@dataclass(frozen=True, slots=True)
class Asked:
    """What one ToolRequest asks."""

    tool: str
    """Contract name of the tool."""
    target_path: str | None
    """File it touches: relative to the work tree where it lies below it, else absolute."""
    command: str | None
    """Shell line, exactly."""
    reason: str
    """The agent's words, else who calls what; then what a human must know. Raw text."""
    input: Mapping[str, Any]
    """Raw input of the tool, all of it."""
    change: ProposedEdit | None = None
    """The file before and after; None where that is not known, or the call is no edit."""
    refuse: str = ""
    """Why no human can be asked about it: to be denied, with this as the reason."""

    def fields(self) -> dict[str, Any]:
        """The fields of the ToolRequest by their JSON names."""
        return {
            "tool": self.tool,
            "targetPath": self.target_path,
            "command": self.command,
            "reason": self.reason,
            "input": dict(self.input),
            "proposedChange": self._change(),
        }

    def _change(self) -> dict[str, Any] | None:
        from ags_tui.core.digests import ABSENT, digest  # only those that ask a human need it

        change = self.change
        if change is None:
            return None
        return {
            "path": self.target_path,
            "before": ABSENT if change.before is None else digest(change.before),
            "after": None if change.after is None else change.after.decode("utf-8"),
        }


def asked(event: HookEvent, read: Reader, *, top: str = "") -> tuple[Asked, ...]:
    """Work out what a human must be asked before a call may run: all of it must be approved.

    Args:
        event: The event, about one call.
        read: Reads a file by its absolute path; None where there is none.
        top: Absolute top of the work tree; empty = paths stay absolute.

    Raises:
        ValueError: The event is not about one call.
    """
    call = event.call
    if call is None:
        raise ValueError("the event is not about one call")
    refused = _too_long(event.input, None)  # first: what is too long is not applied to anything
    if call.tool == "edit_file" and not refused:
        return _edits(event, call, read, top)
    reason = _words(event, call)
    if call.tool == "read_file":
        paths = [path for path in (_below(call, one, top) for one in call.paths) if path]
        if paths:
            return tuple(Asked("read_file", path, None, reason, event.input) for path in dict.fromkeys(paths))
    tool = call.tool
    if tool in (UNKNOWN_TOOL, "read_file"):
        tool = "shell" if call.command else "external_api"
    return (Asked(tool, None, call.command, reason, event.input, refuse=refused),)


def proposed_edits(event: HookEvent, read: Reader) -> Proposed:
    """Apply an edit in memory.

    Args:
        event: The event, about one call that edits files.
        read: Reads a file by its absolute path.
    """
    call = event.call
    if call is None:
        return NotComputed("it is not about one call")
    given = event.input

    def reader(path: str) -> bytes | None:
        return read(posixpath.join(call.cwd, path))

    match call.agent, call.name:
        case "claude-code", "Write":
            return _write(given, call.paths[0], reader, write_text)
        case "claude-code", "Edit":
            return _replace(call.paths[0], [given], reader)
        case "claude-code", "MultiEdit":
            return _replace(call.paths[0], given.get("edits"), reader)
        case "claude-code", "NotebookEdit":
            return _notebook(call.paths[0], given, reader)
        case "codex", "apply_patch":
            return apply_patch(str(given.get("command")), reader, cwd=call.cwd)
        case "gemini", "write_file":
            return _write(given, call.paths[0], reader, write_like_before)
        case "gemini", "replace":
            return _gemini_replace(call.paths[0], given, reader)
        case _:
            return NotComputed("the tool is not known")


def _text(given: Mapping[str, Any], key: str) -> str | None:
    value = given.get(key)
    return value if isinstance(value, str) else None


def _write(
    given: Mapping[str, Any], path: str, read: Reader, write: Callable[[str, str, Reader], Proposed]
) -> Proposed:
    content = _text(given, "content")
    return _OTHER_FORM if content is None else write(path, content, read)


def _replace(path: str, edits: object, read: Reader) -> Proposed:
    if not isinstance(edits, list):
        return _OTHER_FORM
    replacements: list[Replacement] = []
    for one in cast("list[object]", edits):
        if not isinstance(one, Mapping):
            return _OTHER_FORM
        given = cast("Mapping[str, Any]", one)
        old, new, every = (
            _text(given, "old_string"),
            _text(given, "new_string"),
            given.get("replace_all", False),
        )
        if old is None or new is None or not isinstance(every, bool):
            return _OTHER_FORM
        replacements.append(Replacement(old, new, every))
    return replace_strings(path, replacements, read)


def _notebook(path: str, given: Mapping[str, Any], read: Reader) -> Proposed:
    texts = [given.get(key) or "" for key in ("new_source", "cell_id", "cell_type")]
    mode = given.get("edit_mode") or "replace"
    if not all(isinstance(one, str) for one in (*texts, mode)):
        return _OTHER_FORM
    return edit_notebook(path, CellEdit(*texts, mode=mode), read)


def _gemini_replace(path: str, given: Mapping[str, Any], read: Reader) -> Proposed:
    old, new = _text(given, "old_string"), _text(given, "new_string")
    expected = given.get("expected_replacements", 1)
    if old is None or new is None or type(expected) is not int:
        return _OTHER_FORM
    return replace_expected(
        path, old, new, read, expected=None if given.get("allow_multiple") is True else expected
    )


def _edits(event: HookEvent, call: ToolCall, read: Reader, top: str) -> tuple[Asked, ...]:
    found = proposed_edits(event, read)
    words = _words(event, call)
    if isinstance(found, NotComputed):
        why = "The client will refuse it" if found.refused else "What the file will hold is not known"
        edits = [(path, None, f" ({why}: {found.reason}.)") for path in call.paths]
    else:
        edits = [(one.path, *_shown(one)) for one in found]
    if not edits:
        return (Asked("edit_file", None, None, words, event.input, refuse="it names no file"),)
    several = len(edits) > 1
    return tuple(
        Asked(
            "edit_file",
            _placed(call, path, top),
            None,
            words
            + note
            + (f" (File {number} of {len(edits)} of one call: all must be approved.)" if several else ""),
            event.input,
            change,
            _too_long(event.input, change),
        )
        for number, (path, change, note) in enumerate(edits, 1)
    )


def _shown(edit: ProposedEdit) -> tuple[ProposedEdit | None, str]:
    if edit.before == edit.after:
        return None, " (It would change nothing.)"
    return edit, ""


def _placed(call: ToolCall, path: str, top: str) -> str:
    place = posixpath.join(call.cwd, path)
    base = top.rstrip("/") + "/"
    return place[len(base) :] if top and place.startswith(base) and len(place) > len(base) else place


def _below(call: ToolCall, path: str, top: str) -> str:
    """Where a read looks; empty for the work tree itself, which no request can name."""
    place = posixpath.normpath(posixpath.join(call.cwd, path))
    return "" if top and place == posixpath.normpath(top) else _placed(call, path, top)


def _words(event: HookEvent, call: ToolCall) -> str:
    for key in ("description", "instruction"):
        words = event.input.get(key)
        if isinstance(words, str) and words.strip():
            return words
    return f"{LABELS.get(call.agent, call.agent)} calls {call.name}"


def _too_long(given: Mapping[str, Any], change: ProposedEdit | None) -> str:
    size = _characters(given) + len((change and change.after) or b"")
    return f"it is too long to be asked about: {size:,} characters" if size > MOST_CHARACTERS else ""


def _characters(value: object) -> int:
    size, waiting = 0, [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            size += len(one)
        elif isinstance(one, Mapping):
            waiting += [
                *cast("Mapping[str, object]", one).keys(),
                *cast("Mapping[str, object]", one).values(),
            ]
        elif isinstance(one, list):
            waiting += cast("list[object]", one)
        else:
            size += 8
    return size
