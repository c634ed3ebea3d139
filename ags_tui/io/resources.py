"""Data that ships with the program: JSON Schemas, providers of AGS stages and themes."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_PACKAGE = Path(__file__).resolve().parent.parent
_SUFFIX = ".schema.json"


class Schema(NamedTuple):
    """One packaged JSON Schema."""

    name: str
    """Contract name."""
    version: str
    """``X.Y.Z``."""
    path: Path
    """The file."""


def data_folder(name: str) -> Path:
    """Find a folder of packaged data.

    An installed wheel carries ``ags_tui/_data/NAME``. In a checkout, and only where our own
    ``pyproject.toml`` stands beside the package, the top-level folder ``NAME`` is used.

    Args:
        name: ``contracts`` (with ``providers`` of AGS stages in it) or ``themes``.

    Raises:
        FileNotFoundError: the installation is incomplete.
    """
    packaged = _PACKAGE / "_data" / name
    if packaged.is_dir():
        return packaged
    top = _PACKAGE.parent
    if (top / name).is_dir() and _is_ours(top / "pyproject.toml"):
        return top / name
    raise FileNotFoundError(f"the installation lacks its {name} folder: install ags-tui again")


def schemas() -> Iterator[Schema]:
    """Yield all packaged JSON Schemas (``NAME/VERSION.schema.json``), by name and version."""
    for path in sorted(data_folder("contracts").glob(f"*/*{_SUFFIX}")):
        yield Schema(path.parent.name, path.name.removesuffix(_SUFFIX), path)


def themes() -> tuple[Path, ...]:
    """The packaged theme files, by name."""
    return tuple(sorted(data_folder("themes").glob("*.toml")))


def _is_ours(pyproject: Path) -> bool:
    try:
        return 'name = "ags-tui"' in pyproject.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False
