"""Claude Code's NotebookEdit, applied in memory (as version 2.1.332 does it).

The client reads the whole notebook and writes it anew with one blank of indentation, keeping the order of
fields, byte order mark, kind of line end and final line feed. A cell inserted into a notebook of format 4.5
and later gets a random id, so its bytes cannot be known; nor are they said where JavaScript and Python
write JSON differently.
"""

import json
from dataclasses import dataclass
from typing import Any, cast

from ags_tui.core.edits import (
    BOM,
    CannotCompute,
    NotComputed,
    Proposed,
    ProposedEdit,
    Reader,
    unix_text,
    windows_text,
)

LARGEST_INTEGER = 2**53 - 1
"""Largest integer that JavaScript writes as it was."""


@dataclass(frozen=True, slots=True)
class CellEdit:
    """What NotebookEdit is asked to do."""

    source: str
    """New text of the cell."""
    cell_id: str = ""
    """Id of the cell, or ``cell-N``; empty where none is named."""
    cell_type: str = ""
    """``code`` or ``markdown``; empty = as it is."""
    mode: str = "replace"
    """``replace``, ``insert`` (after the named cell, or first) or ``delete``."""


def edit_notebook(path: str, edit: CellEdit, read: Reader) -> Proposed:
    """Apply NotebookEdit.

    Args:
        path: The notebook, as given.
        edit: What is asked.
        read: Reads the file as it is.
    """
    before = read(path)
    try:
        if before is None:
            raise CannotCompute("there is no such notebook", refused=True)
        text, unix = unix_text(before)
        book = _book(text.removeprefix("\ufeff"))
        _change(book, edit)
        written = json.dumps(book, ensure_ascii=False, indent=1) + ("\n" if text.endswith("\n") else "")
        after = (written if unix else windows_text(written)).encode("utf-8")
    except CannotCompute as why:
        return why.result
    except UnicodeEncodeError:
        return NotComputed("the notebook holds half a character")
    return (ProposedEdit(path, before, BOM + after if before.startswith(BOM) else after),)


def _book(text: str) -> dict[str, Any]:
    try:
        book = json.loads(text, object_pairs_hook=_fields, parse_float=_number, parse_constant=_number)
    except (ValueError, RecursionError) as error:
        raise CannotCompute("the notebook is not JSON", refused=True) from error
    if not isinstance(book, dict) or not isinstance(cast("dict[str, Any]", book).get("cells"), list):
        raise CannotCompute("the notebook has no cells", refused=True)
    return cast("dict[str, Any]", book)


def _fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs) or any(key.isdecimal() or key == "__proto__" for key in found):
        raise CannotCompute("the notebook has fields that the client writes in another order")
    if any(type(value) is int and abs(value) > LARGEST_INTEGER for value in found.values()):
        raise CannotCompute("the notebook has numbers that the client writes in another form")
    return found


def _number(text: str) -> float:
    raise CannotCompute("the notebook has numbers that the client writes in another form")


def _change(book: dict[str, Any], edit: CellEdit) -> None:
    cells = cast("list[Any]", book["cells"])
    if not all(isinstance(cell, dict) for cell in cells):
        raise CannotCompute("the notebook has cells of another form")
    if edit.mode == "insert":
        _insert(book, cells, edit)
        return
    if edit.mode not in ("replace", "delete"):
        raise CannotCompute(f"the client has no mode {edit.mode!r}", refused=True)
    if not edit.cell_id:
        raise CannotCompute("it names no cell", refused=True)
    at = _find(cells, edit.cell_id)
    if edit.mode == "delete":
        del cells[at]
        return
    _replace(cells[at], edit)


def _replace(cell: dict[str, Any], edit: CellEdit) -> None:
    cell["source"] = edit.source
    wanted = edit.cell_type or cell.get("cell_type")
    if wanted not in ("code", "markdown", "raw"):
        raise CannotCompute("the cell has a type that is not known")
    cell["cell_type"] = wanted
    if wanted == "code":
        cell["execution_count"] = None
        cell["outputs"] = []
    elif edit.cell_type:
        cell.pop("outputs", None)
        cell.pop("execution_count", None)


def _insert(book: dict[str, Any], cells: list[Any], edit: CellEdit) -> None:
    if edit.cell_type not in ("code", "markdown"):
        raise CannotCompute("a new cell must have a type", refused=True)
    major, minor = book.get("nbformat"), book.get("nbformat_minor")
    if type(major) is not int or type(minor) is not int or (major, minor) >= (4, 5):
        raise CannotCompute("the client gives a new cell an id by chance, so its bytes are not known")
    at = _find(cells, edit.cell_id) + 1 if edit.cell_id else 0
    cell: dict[str, Any] = {"cell_type": edit.cell_type, "source": edit.source, "metadata": {}}
    if edit.cell_type == "code":
        cell |= {"execution_count": None, "outputs": []}
    cells.insert(at, cell)


def _find(cells: list[Any], name: str) -> int:
    for at, cell in enumerate(cells):
        if cell.get("id") == name:
            return at
    number = name.removeprefix("cell-")
    if name.startswith("cell-") and len(number) < 7 and number.isascii() and number.isdecimal():
        at = int(number)
        if at < len(cells):
            return at
    raise CannotCompute(f"the notebook has no cell {name!r}", refused=True)
