"""A second start of the whole program shows what the first one showed, before it has read anything."""

import os
from pathlib import Path

from ags_tui.app.app import AgsApp
from ags_tui.cli.call import Globals, make_call
from ags_tui.cli.tui import make_app
from ags_tui.core.contracts.write import to_bytes
from tests import builders
from tests.app.driver import Live
from tests.io.git.repos import git


def made(top: Path) -> AgsApp:
    """The app as the command makes it; nothing is read yet."""
    given = Globals(None, None, top.parent / "state", top.parent / "config")
    return make_app(make_call(given, os.environ), top)


async def session(top: Path) -> None:
    """Start, wait for the first assessment with nothing left to record, leave."""
    async with made(top).run_test(size=(120, 40)) as pilot:
        live = Live(pilot)
        await live.until(lambda: live.app.state.assessment is not None)
        await live.settle()


async def test_the_second_start_begins_with_what_the_first_one_showed(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(os, "environ", dict(os.environ))
    top = tmp_path / "app"
    top.mkdir()
    git(top, "init", "-q", "-b", "main")
    git(top, "commit", "-q", "--allow-empty", "-m", "base")
    folder = top / ".ai" / "tasks" / "login"
    folder.mkdir(parents=True)
    (folder / "task.json").write_bytes(to_bytes(builders.agent_task(id="login")))

    assert made(top).state.last_shown == {}
    for _ in range(
        5
    ):  # the first one records the baseline of the task: its folder has just changed at the end
        await session(top)
        if "login" in made(top).state.last_shown:
            break
    last = made(top).state.last_shown["login"]
    assert last.word
    assert not last.frozen

    (folder / "plan.json").write_text("{}")
    assert not made(top).state.last_shown["login"].word
