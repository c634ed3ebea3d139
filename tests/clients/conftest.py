"""These tests run where their folder is asked for (``make test-clients``): they need installed clients."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clients.install import CHOICE, CLIENTS, install
from tests.clients.scene import Scene

HERE = Path(__file__).parent
CHOSEN = os.environ.get(CHOICE, " ".join(CLIENTS)).split()
"""The clients to try; ``python -m tests.clients`` leaves out what cannot be installed, and says so."""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave the tests of this folder out of a run over everything."""
    if not collection_path.name.startswith("test_"):
        return None
    asked = [Path(config.invocation_params.dir, str(word).partition("::")[0]) for word in config.args]
    return None if any(one.resolve().is_relative_to(HERE) for one in asked) else True


@pytest.fixture(params=CHOSEN)
def scene(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Scene]:
    """A client in a scratch repository; one that cannot be installed is a failure here, never a pass."""
    why = install(CLIENTS[request.param])
    assert not why, why
    made = Scene(tmp_path.resolve(), request.param)
    yield made
    made.end()
