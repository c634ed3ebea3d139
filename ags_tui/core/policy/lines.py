"""Finds the line of a key in a TOML text, so that an error can name it (tomllib keeps no positions)."""

import re
from collections.abc import Iterator

_HEADER = re.compile(r"\s*(\[{1,2})\s*([^\]#]+?)\s*\]{1,2}\s*(?:#.*)?$")
_KEY = re.compile(r"""\s*("[^"\n]*"|'[^'\n]*'|[A-Za-z0-9_-]+)\s*(?:\.[^=\n]*)?=""")
_MULTI_LINE = ('"""', "'''")


def locate_keys(text: str) -> dict[str, int]:
    """Map key paths such as ``rule.0.paths`` and table paths such as ``limits`` to lines, counted from 1.

    A path that occurs twice keeps its first line. Only what a human writes on a line of its own is found;
    keys inside inline tables are not.
    """
    found: dict[str, int] = {}
    counts: dict[str, int] = {}
    table = ""
    for number, line in _lines_outside_strings(text):
        header = _HEADER.match(line)
        if header:
            table = _plain(header[2])
            if header[1] == "[[":
                counts[table] = counts.get(table, -1) + 1
                table = f"{table}.{counts[table]}"
            found.setdefault(table, number)
            continue
        key = _KEY.match(line)
        if key:
            name = _plain(key[1])
            found.setdefault(f"{table}.{name}" if table else name, number)
    return found


def _lines_outside_strings(text: str) -> Iterator[tuple[int, str]]:
    """Lines that do not begin inside a multi-line string, with their numbers."""
    inside = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if inside:
            if line.count(inside) % 2:
                inside = ""
            continue
        yield number, line
        inside = next((mark for mark in _MULTI_LINE if line.count(mark) % 2), "")


def _plain(name: str) -> str:
    return ".".join(part.strip().strip("\"'") for part in name.split("."))
