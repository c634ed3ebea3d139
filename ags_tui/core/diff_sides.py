"""The whole file that a diff leads to: what a human saw, when it was told as a diff.

A diff is read after the digests that a decision is bound to, and a file can change and change back between
the two. So the bytes that the diff shows are worked out of the diff itself and held against the digests.
"""

from collections.abc import Iterator

from ags_tui.core.diffs import FileDiff, Hunk

_NO_NEWLINE = b" No newline at end of file"


def new_side(file: FileDiff, old: bytes) -> bytes | None:
    """Apply the diff of one file.

    Args:
        file: The diff.
        old: The bytes before; empty where the file is new.

    Returns:
        The bytes after; None where the diff does not show them (binary, submodule, cut, of several parents)
        or does not fit to ``old``.
    """
    if file.binary or file.combined or file.submodule:
        return None
    lines = _split(old)
    made: list[bytes] = []
    at = 0
    for hunk in file.hunks:
        start = max(0, hunk.old_start - 1) if hunk.old_count else hunk.old_start
        if not at <= start <= len(lines):
            return None
        made += lines[at:start]
        at = start
        for kind, text in _lines_of(hunk):
            if kind == "?":
                return None
            if kind in " -":
                if at >= len(lines) or lines[at] != text:
                    return None
                at += 1
            if kind in " +":
                made.append(text)
    return b"".join([*made, *lines[at:]])


def _split(data: bytes) -> list[bytes]:
    """The lines with their line feeds; only the last one may be without."""
    lines = [line + b"\n" for line in data.split(b"\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def _lines_of(hunk: Hunk) -> Iterator[tuple[str, bytes]]:
    """Kind and bytes of each line, without the line feed that the file does not have; ``?`` for a remark."""
    before: tuple[str, bytes] | None = None
    for line in hunk.lines:
        if line.kind != "\\":
            if before is not None:
                yield before
            before = (line.kind, line.text + b"\n")
        elif line.text == _NO_NEWLINE and before is not None:
            before = (before[0], before[1][:-1])
        else:
            before = ("?", b"")
            break
    if before is not None:
        yield before
