"""On a real repository with the real workspace: what stands on the screen stands on the disk."""

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ags_tui.app.app import AgsApp
from ags_tui.app.look import Look
from ags_tui.app.screens.check_run import CheckRunScreen
from ags_tui.app.screens.finalize import FinalizeScreen
from ags_tui.app.state import selection_of
from ags_tui.io.places import Places
from ags_tui.io.workspace import Workspace
from tests import builders as make
from tests.app.driver import Live

WIDE = (120, 40)


@pytest.fixture
def top() -> Iterator[Path]:
    """A work tree with one commit; not under ``tmp_path``, whose parents others may write."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder, "api")
        (work / "src").mkdir(parents=True)
        (work / "src" / "login.py").write_text("raw = 1\n")
        (work / "src" / "other.py").write_text("other = 1\n")
        environment = {
            "PATH": os.environ["PATH"], "HOME": folder, "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "k", "GIT_AUTHOR_EMAIL": "k@x", "GIT_COMMITTER_NAME": "k",
            "GIT_COMMITTER_EMAIL": "k@x",
        }  # fmt: skip
        for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "one"]):
            subprocess.run(["git", *words], cwd=work, check=True, env=environment)
        yield work


@pytest.fixture
def app(top: Path) -> Iterator[AgsApp]:
    places = Places(top.parent / "state", top.parent / "config")
    workspace = Workspace.open(top, places=places)
    yield AgsApp(workspace, Look(guard_seconds=0.05))
    workspace.git.close()


def put(path: Path, data: bytes) -> None:
    """Write a file as agents do: whole, by renaming."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".tmp-{os.getpid()}-1")
    draft.write_bytes(data)
    draft.replace(path)


def entries(folder: Path) -> list[dict[str, object]]:
    """The payloads of a task's log."""
    return [
        json.loads(path.read_text("utf-8"))["payload"] for path in sorted((folder / "log").glob("*.json"))
    ]


async def test_from_an_empty_repository_to_a_denied_request(top: Path, app: AgsApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        screen = Live(pilot)
        await screen.until(lambda: app.state.assessment is not None)
        assert "No task yet" in screen.text("inbox")
        assert "nothing changed" in screen.text("scope")

        (top / "src" / "other.py").write_text("other = 2\n")
        await screen.until(lambda: "other.py" in screen.text("scope"))
        await screen.until(lambda: "other = 2" in app.main_screen.diffs.view.text)

        await pilot.press("N", *"로그인", "tab", "tab", "tab", "tab", *"hide it", "tab", *"hidden", "ctrl+s")
        await screen.until(lambda: app.main_screen.selection.key == "task:로그인")
        folder = top / ".ai" / "tasks" / "로그인"
        assert json.loads((folder / "task.json").read_text("utf-8"))["title"] == "로그인"
        baseline = entries(folder)[0]
        assert (baseline["kind"], baseline["verdict"]) == ("baseline", "recorded")
        await screen.until(lambda: "NOT APPLICABLE" in screen.text("scope"))

        plan = make.agent_plan(
            task_id="로그인", files_to_edit=("src/login.py",), files_not_to_edit=(), tests_to_run=("true",),
            stop_conditions=(), risk_level="medium", requires_human_approval=False,
        )  # fmt: skip
        put(folder / "plan.json", make.contract_bytes(plan))
        (top / "src" / "login.py").write_text("safe = 1\n")
        await screen.until(lambda: "1 in plan" in screen.text("scope"))
        await screen.until(lambda: "= 1 dirty before start" in screen.text("scope"))

        focus = screen.focused
        put(
            folder / "tool-requests" / "tool-001.json",
            make.contract_bytes(make.tool_request("tool-001", target_path="src/net.py", reason="필요하다")),
        )
        await screen.until(lambda: "edit_file" in screen.text("inbox"))
        assert screen.focused == focus
        assert app.screen is app.main_screen
        assert "1 needs you" in screen.text("header")

        await pilot.press("1", "g")
        await screen.quiet()
        await pilot.press("d")
        await screen.until(lambda: type(app.screen).__name__ == "ReasonScreen")
        await pilot.press(*"no net", "enter")
        await screen.commit("ctrl+o")
        await screen.until(lambda: "nothing needs you" in screen.text("header"))

        denied = entries(folder)[-1]
        assert (denied["kind"], denied["verdict"], denied["reason"]) == ("tool-request", "denied", "no net")
        assert denied["actor"]["source"] == "human"  # type: ignore[index]
        assert app.screen is app.main_screen
        await screen.until(lambda: "✖ tool-001  denied" in screen.text("request"))
        await pilot.press("6")
        await screen.until(lambda: "tool-request denied  tool-001" in screen.text("log"), 5)


async def test_a_broken_file_is_shown_and_the_rest_with_it(top: Path, app: AgsApp) -> None:
    good = top / ".ai" / "tasks" / "good"
    put(good / "task.json", make.contract_bytes(make.agent_task(id="good", title="Good")))
    put(top / ".ai" / "tasks" / "bad" / "plan.json", b'{"taskId": 1, "taskId": 2}')
    async with app.run_test(size=WIDE) as pilot:
        screen = Live(pilot)
        await screen.until(lambda: "good" in screen.text("tasks"))
        await screen.until(lambda: "bad" in app.state.tasks)
        await pilot.press("tab")
        app.main_screen.query_one("#tasks").select("task:bad", by_human=True)  # type: ignore[attr-defined]
        await screen.until(lambda: "CANNOT BE READ" in screen.text("request"))
        assert "plan.json" in screen.text("request")

        put(top / ".ai" / "tasks" / "bad" / "plan.json", make.contract_bytes(make.agent_plan(task_id="bad")))
        await screen.until(lambda: "CANNOT BE READ" not in screen.text("request"))


@pytest.mark.parametrize("size", [(80, 24), WIDE])
async def test_t_on_the_finalize_screen_asks_before_it_runs_and_comes_back(
    top: Path, app: AgsApp, size: tuple[int, int]
) -> None:
    folder = top / ".ai" / "tasks" / "login"
    put(folder / "task.json", make.contract_bytes(make.agent_task(id="login")))
    plan = make.agent_plan(task_id="login", files_to_edit=("src/login.py",), tests_to_run=("true",))
    put(folder / "plan.json", make.contract_bytes(plan))
    async with app.run_test(size=size) as pilot:
        screen = Live(pilot)
        await screen.until(lambda: "login" in app.state.tasks)
        app.main_screen.selection = selection_of("task:login")
        await pilot.press("F")
        await screen.until(lambda: isinstance(app.screen, FinalizeScreen))
        final = app.screen
        assert isinstance(final, FinalizeScreen)
        await screen.until(lambda: not final.guard.refusal(time.monotonic()))
        await pilot.press("t")
        await screen.until(lambda: isinstance(app.screen, CheckRunScreen) and bool(app.screen.ended))
        assert isinstance(app.screen, CheckRunScreen)
        assert app.screen.ended == "1 planned command not approved yet: approve in the inbox"
        (asked,) = (folder / "tool-requests").glob("*.json")
        assert '"true"' in asked.read_text("utf-8")
        assert not [one for one in entries(folder) if "exitCode" in str(one["data"])], "nothing ran"
        await pilot.press("escape")
        await screen.until(lambda: app.screen is final and "not approved yet" in final.said)
