"""Real repositories in memory where the machine has some, the installed command, and its human."""

from collections.abc import Iterator

import pytest

from tests.cli.conftest import Cli, zygote
from tests.flows.stage import Stage, begin
from tests.logs import fast_folder

__all__ = ["zygote"]


@pytest.fixture
def stage(zygote: "object") -> Iterator[Stage]:
    """A repository with one commit, the command and a human."""
    with fast_folder() as top:
        made = begin(top, zygote)  # type: ignore[arg-type]
        yield made
        end_all(made.cli)


def end_all(cli: Cli) -> None:
    """End what a test left running."""
    for process in cli.started:
        if process.poll() is None:
            process.kill()
        process.communicate()
