"""A repository and a door to it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ags_tui.io.git import GitDoor
from tests.io.git import repos

Opener = Callable[..., GitDoor]


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return repos.make(tmp_path / "repo")


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opener]:
    """Opens doors that are closed after the test."""
    doors: list[GitDoor] = []

    def open_one(folder: Path, **options: object) -> GitDoor:
        door = repos.open_door(folder, tmp_path, **options)
        doors.append(door)
        return door

    yield open_one
    for door in doors:
        door.close()
