"""Repositories in memory where the machine has some, and terminals that are closed in the end."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.attacks.terminal import Tui
from tests.cli.conftest import zygote
from tests.flows.conftest import stage
from tests.flows.stage import Stage

__all__ = ["stage", "zygote"]

Open = Callable[..., Tui]


@pytest.fixture
def tui(stage: Stage) -> Iterator[Open]:
    """Opens the program on the repository of the stage."""
    opened: list[Tui] = []

    def start(*words: str, work: Path | None = None, **options: object) -> Tui:
        made = Tui(work or stage.work, stage.cli.folder, *words, **options)  # type: ignore[arg-type]
        opened.append(made)
        return made

    yield start
    for one in opened:
        one.close()
