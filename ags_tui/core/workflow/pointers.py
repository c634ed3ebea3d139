"""JSON pointers (RFC 6901) into plain data."""

from typing import cast


class Nothing:
    """What a pointer finds where nothing is."""


NOTHING = Nothing()
"""The one value that says so; ``null`` is something."""


def at(value: object, pointer: str) -> object:
    """Return what a pointer points to, or ``NOTHING``.

    Args:
        value: JSON data.
        pointer: Such as ``/output/verdict``; empty for the whole.
    """
    for step in pointer.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict):
            value = cast("dict[str, object]", value).get(name, NOTHING)
        elif isinstance(value, list) and name.isascii() and name.isdigit():
            entries = cast("list[object]", value)
            value = entries[int(name)] if int(name) < len(entries) else NOTHING
        else:
            return NOTHING
    return value
