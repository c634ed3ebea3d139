"""A repository with a task, and the command in it."""

import pytest

from tests.cli.conftest import Cli, cli, zygote
from tests.cli.human import Human

__all__ = ["cli", "human", "zygote"]

TASK = "task-001"


@pytest.fixture
def human(cli: Cli) -> Human:
    done = cli("task", "new", "Write it", "--id", TASK, "--description", "d", "--risk", "low")
    assert done.code == 0, done.err
    return Human(cli)
