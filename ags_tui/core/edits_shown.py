"""Which texts of the raw input of an edit are shown by its diff, so that nobody reads them twice.

A text is left out only where applying the input to the file as it is gives exactly the bytes on the new side
of the diff: then the diff says all that the text does. Everything else of the input stays, the names of files
in a patch and other files' parts of it included: the same lines may do something else in another file.
"""

import posixpath
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from ags_tui.core.edits import (
    CannotCompute,
    Proposed,
    Replacement,
    replace_expected,
    replace_strings,
    write_like_before,
    write_text,
)
from ags_tui.core.edits_patch import BEGIN, END, FILE_STARTS, apply_patch, parse_patch

_CONTENT, _OLD, _NEW, _EDITS, _PATCH = "content", "old_string", "new_string", "edits", "command"


def unshown(
    given: Mapping[str, Any], before: bytes | None, after: bytes | None, *, path: str, cwd: str = ""
) -> dict[str, Any]:
    """What a human must still read of the raw input of an edit, beside its diff.

    Args:
        given: The raw input.
        before: The file as the diff has it on its old side; None where there is none.
        after: The same of its new side; None where the edit deletes the file.
        path: The file that the diff shows, from the top of the work tree.
        cwd: Absolute folder of the call, in the work tree, from which the paths of a patch count.

    Returns:
        The input without the texts that the diff shows.
    """
    left = dict(given)
    if after is None:
        return left
    patch, edits = given.get(_PATCH), given.get(_EDITS)
    if isinstance(patch, str):
        left[_PATCH] = _patch_without(patch, before, after, lambda named: _is_file(named, path, cwd))
    elif isinstance(given.get(_CONTENT), str) and not (_OLD in given or _NEW in given or _EDITS in given):
        if _writes(given[_CONTENT], before, after):
            del left[_CONTENT]
    elif isinstance(edits, list) and not (_CONTENT in given or _OLD in given or _NEW in given):
        if _replaces(cast("list[Any]", edits), before, after):
            left[_EDITS] = [_without_texts(one) for one in cast("list[dict[str, Any]]", edits)]
    elif _CONTENT not in given and _replaces([given], before, after):
        left = _without_texts(left)
    return left


def at_least_unshown(given: Mapping[str, Any]) -> dict[str, Any]:
    """The raw input without all texts that a diff could show; what it then does not show comes on top.

    Args:
        given: The raw input of an edit whose change is known.
    """
    left = {name: value for name, value in given.items() if name not in (_CONTENT, _OLD, _NEW)}
    edits, patch = given.get(_EDITS), given.get(_PATCH)
    if isinstance(edits, list):
        left[_EDITS] = [
            _without_texts(cast("dict[str, Any]", one)) if isinstance(one, dict) else one
            for one in cast("list[object]", edits)
        ]
    if isinstance(patch, str) and patch.lstrip().startswith(BEGIN):
        left[_PATCH] = ""
    return left


def _without_texts(given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if name not in (_OLD, _NEW)}


def _writes(content: str, before: bytes | None, after: bytes) -> bool:
    return any(
        _gives(write("", content, lambda _: before), after) for write in (write_text, write_like_before)
    )


def _replaces(edits: Sequence[object], before: bytes | None, after: bytes) -> bool:
    """Whether replacements give the new side, each from its old side: a text between both is not shown."""
    replacements: list[Replacement] = []
    sides = [_plain(side) for side in (before or b"", after)]
    for one in edits:
        if not isinstance(one, dict):
            return False
        fields = cast("dict[str, Any]", one)
        old, new, every = fields.get(_OLD), fields.get(_NEW), fields.get("replace_all", False)
        if not isinstance(old, str) or not isinstance(new, str) or not isinstance(every, bool):
            return False
        if _plain(old.encode("utf-8", "surrogatepass")) not in sides[0]:
            return False
        if _plain(new.encode("utf-8", "surrogatepass")) not in sides[1]:
            return False
        replacements.append(Replacement(old, new, every))
    if _gives(replace_strings("", replacements, lambda _: before), after):
        return True
    one = replacements[0] if len(replacements) == 1 else None
    return one is not None and _gives(
        replace_expected("", one.old, one.new, lambda _: before, expected=None), after
    )


def _plain(text: bytes) -> bytes:
    return text.replace(b"\r\n", b"\n")


def _gives(proposed: Proposed, after: bytes) -> bool:
    return isinstance(proposed, tuple) and len(proposed) == 1 and proposed[0].after == after


def _is_file(named: str, path: str, cwd: str) -> bool:
    """Whether a path of a patch may be the file that a diff shows; the top of the work tree is not known."""
    place, path = posixpath.normpath(posixpath.join(cwd, named)), posixpath.normpath(path)
    top = place.removesuffix(path)
    return place == path or (place.endswith(f"/{path}") and f"{cwd}/".startswith(top))


def _patch_without(patch: str, before: bytes | None, after: bytes, is_shown: Callable[[str], bool]) -> str:
    """A patch without the lines of the one file whose diff is shown; the patch where none is."""
    lines = patch.strip().split("\n")
    try:
        files = parse_patch(patch)
    except CannotCompute:
        return patch
    if lines[0] != BEGIN or lines[-1] != END:
        return patch  # in a here-document: its last line may hold anything
    starts = [at for at, line in enumerate(lines) if line.startswith(FILE_STARTS)]
    parts = zip(files, starts, [*starts[1:], len(lines) - 1], strict=True)
    shown = [(start, end) for one, start, end in parts if is_shown(one.path)]
    if len(shown) == 1:
        start, end = shown[0]
        own = "\n".join([BEGIN, *lines[start:end], END])
        if _gives(apply_patch(own, lambda _: before), after):
            return "\n".join([*lines[: start + 1], *lines[end:]])
    return patch
