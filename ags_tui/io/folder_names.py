"""All names of a task folder with their stamps, collected without following a link.

What ``formats.md`` §1 knows is collected for reading; everything else is collected as unknown, up to a bound.
What lies in ``artifacts/`` is not listed (it may be anything), and ``log/`` only for what does not belong.
"""

import os
import unicodedata
from dataclasses import dataclass, field
from functools import lru_cache

from ags_tui.core.layout import EVIDENCE, Place, is_known_folder, place_of
from ags_tui.core.snapshot import LoadProblem
from ags_tui.io.file_reads import OPEN_FOLDER, Stamp, stamp_of

MAX_NAMES = 20_000
"""Most names that are collected of one task folder."""
MAX_UNKNOWN = 1_000
"""Most unknown names that are collected of one task folder."""

known_folder = lru_cache(maxsize=4_096)(is_known_folder)
"""``is_known_folder``, remembered."""

place = lru_cache(maxsize=16_384)(place_of)
"""``place_of``, remembered: a thousand folders hold the same names."""


@dataclass(slots=True)
class Names:
    """What a task folder holds, by path relative to it."""

    known: dict[str, tuple[Stamp, Place]] = field(default_factory=dict[str, tuple[Stamp, Place]])
    """Files that have a place and are read here (no log entries, no evidence, nothing temporary)."""
    unknown: dict[str, Stamp] = field(default_factory=dict[str, Stamp])
    """Files and folders without a place."""
    problems: list[LoadProblem] = field(default_factory=list[LoadProblem])
    """Folders that could not be listed, names that collide, bounds that were reached."""
    count: int = 0
    """All names."""


def collect(folder: int) -> Names:
    """Collect all names below an open task folder; equal as long as nothing in it changed."""
    names = Names()
    _collect(folder, "", names)
    return names


def _collect(folder: int, prefix: str, names: Names) -> None:
    try:
        with os.scandir(folder) as entries:
            found = [(entry.name, entry.is_dir(follow_symlinks=False), entry) for entry in entries]
    except OSError as error:
        names.problems.append(_unreadable(prefix.rstrip("/"), error))
        return
    names.problems.extend(collisions(prefix, [name for name, _, _ in found]))
    for name, is_folder, entry in found:
        path = prefix + name
        names.count += 1
        if names.count > MAX_NAMES:
            names.problems.append(
                LoadProblem(
                    "UNREADABLE",
                    f"holds more than {MAX_NAMES:,} names; the others were not read",
                    prefix.rstrip("/"),
                    next_step="remove what does not belong here",
                )
            )
            return
        if is_folder and known_folder(path):
            if path != EVIDENCE:
                _enter(folder, name, path, names)
        else:
            _file(entry, path, is_folder, names)


def _enter(parent: int, name: str, path: str, names: Names) -> None:
    try:
        inner = os.open(name, OPEN_FOLDER, dir_fd=parent)
    except FileNotFoundError:
        return
    except OSError as error:
        names.problems.append(_unreadable(path, error))
        return
    try:
        _collect(inner, path + "/", names)
    finally:
        os.close(inner)


def _file(entry: os.DirEntry[str], path: str, is_folder: bool, names: Names) -> None:
    known = None if is_folder else place(path)
    if known is not None and known.kind in {"log", "temporary", "evidence"}:
        return
    if known is None and len(names.unknown) >= MAX_UNKNOWN:
        return
    try:
        stamp = stamp_of(entry.stat(follow_symlinks=False))
    except OSError:
        return  # it has vanished
    if known is not None:
        names.known[path] = (stamp, known)
    else:
        names.unknown[path + "/" if is_folder else path] = stamp


def collisions(prefix: str, names: list[str]) -> list[LoadProblem]:
    """Names of one folder that are one name where case does not count, as problems.

    Args:
        prefix: Path of the folder with a final ``/``, or empty.
        names: The names in it.
    """
    if len({name.lower() if name.isascii() else _folded(name) for name in names}) == len(names):
        return []
    by_fold: dict[str, list[str]] = {}
    for name in names:
        by_fold.setdefault(name.lower() if name.isascii() else _folded(name), []).append(name)
    return [
        LoadProblem(
            "NAME_COLLISION",
            f"{' and '.join(same)} are one file where upper and lower case do not differ",
            prefix + next((name for name in same if place(prefix + name) is None), same[-1]),
            next_step="rename all but one; names are matched exactly",
        )
        for same in (sorted(group) for group in by_fold.values() if len(group) > 1)
    ]


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _unreadable(path: str, error: OSError) -> LoadProblem:
    words = (error.strerror or str(error)).lower()
    return LoadProblem(
        "UNREADABLE", f"cannot be listed ({words})", path, next_step="let its owner make it readable"
    )
