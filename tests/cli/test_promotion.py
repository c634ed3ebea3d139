"""A session becomes a planned task on disk: its contracts travel, its log stays, and a human ends it."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ags_tui.core.checks.assess import assess
from ags_tui.core.digests import digest
from ags_tui.core.drafts import Viewing, approve
from ags_tui.core.promotion import Promotion, plan_of
from ags_tui.io.git.root import GITIGNORE, Root
from ags_tui.io.promoted import NotPromoted
from ags_tui.io.session_tasks import Newcomer, SessionTasks
from ags_tui.io.workspace import Workspace
from tests import builders as make
from tests.cli.conftest import Cli
from tests.cli.test_session_tasks import TASK, session, tree_of


def promotion(*paths: str) -> Promotion:
    task = make.agent_task(id=TASK, forbidden_changes=(), expected_behavior=("인사가 나온다",))
    return Promotion(task, plan_of(task, paths=paths or ("made.txt",), tests=("true",)))


@pytest.fixture
def opened(cli: Cli) -> Workspace:
    assert cli("init").code == 0
    session(cli)
    _, places = tree_of(cli)
    return Workspace.open(cli.work, places=places)


def test_a_promoted_session_travels_with_the_change(cli: Cli, opened: Workspace):
    (cli.work / "made.txt").write_text("made\n")
    before = opened.read()
    assert cli.git("status", "--porcelain", "-uall", ".ai/tasks") == ""
    opened.promote(promotion())
    (cli.task(TASK) / "artifacts").mkdir()
    (cli.task(TASK) / "artifacts" / "run.log").write_text("ok\n")
    assert cli.git("status", "--porcelain", "-uall", ".ai/tasks").split() == [
        "??", f".ai/tasks/{TASK}/log/000000.json", "??", f".ai/tasks/{TASK}/log/000001.json",
        "??", f".ai/tasks/{TASK}/log/000002.json", "??", f".ai/tasks/{TASK}/plan.json",
        "??", f".ai/tasks/{TASK}/task.json",
    ]  # fmt: skip
    after = opened.read()
    assert after.repo.hiding == before.repo.hiding
    (task,) = assess(after, datetime.now(UTC)).tasks
    assert not task.task.files.problems
    assert [one.kind.value for one in task.pending] == ["plan"]


def test_what_an_agent_adds_to_the_rule_file_is_seen(cli: Cli, opened: Workspace):
    before = opened.read().repo.hiding
    rules = cli.root / ".gitignore"
    rules.write_text(f"{GITIGNORE}!tasks/{TASK}/\n")
    assert opened.read().repo.hiding == before
    for more in ("*.py\n", "!tasks/session-*/\n", f"!tasks/{TASK}/ \n", "!tasks/other/\n"):
        rules.write_text(GITIGNORE + more)
        assert opened.read().repo.hiding != before, more


def test_nothing_is_overwritten(cli: Cli, opened: Workspace):
    plan = cli.task(TASK) / "plan.json"
    plan.write_text("{}")
    with pytest.raises(NotPromoted, match="the agent wrote it"):
        opened.promote(promotion())
    assert plan.read_text() == "{}"
    assert not (cli.task(TASK) / "task.json").exists()


def test_a_rule_file_of_the_project_keeps_its_words(cli: Cli, opened: Workspace):
    rules = cli.root / ".gitignore"
    rules.write_text("# 우리 규칙\ntasks/session-*")
    os.chmod(rules, 0o640)
    opened.promote(promotion())
    assert rules.read_text() == f"# 우리 규칙\ntasks/session-*\n!tasks/{TASK}/\n"
    assert rules.stat().st_mode & 0o777 == 0o640


def test_a_link_in_place_of_the_folder_is_refused(cli: Cli, opened: Workspace, tmp_path: Path):
    folder = cli.task(TASK)
    elsewhere = tmp_path / "elsewhere"
    folder.rename(elsewhere)
    folder.symlink_to(elsewhere)
    with pytest.raises(Exception, match=TASK):
        opened.promote(promotion())
    assert not (elsewhere / "plan.json").exists()


def test_only_a_human_closes_it(cli: Cli, opened: Workspace):
    opened.promote(promotion())
    done = cli("close", TASK)
    assert done.code == 1
    assert "only a human closes a task with contracts" in done.err


def test_another_session_joins_it_once_a_human_approved_the_plan(cli: Cli, opened: Workspace):
    tree, places = tree_of(cli)
    opened.promote(promotion())
    now = datetime.now(UTC)
    assert SessionTasks(tree, places).begin(Newcomer("two", "codex"), now).task == "session-two"
    snapshot = opened.read()
    opened.observe(snapshot, now)
    item = next(one for one in assess(opened.read(), now).pending if one.task_id == TASK)
    opened.record(approve(item, Viewing(lines=9, total=9)))
    assert SessionTasks(tree, places).begin(Newcomer("three", "codex"), now).task == TASK


def test_rules_that_were_put_back_meanwhile_hide_nothing_of_what_was_seen(tmp_path: Path):
    rules = tmp_path / ".ai" / ".gitignore"
    rules.parent.mkdir()
    text = f"{GITIGNORE}!tasks/{TASK}/\n"
    rules.write_text(text)
    seen = {".ai/.gitignore": digest(text.encode())}
    assert Root(".ai").without_own(seen, str(tmp_path)) == {}
    other = {".ai/.gitignore": digest(b"*.py\n")}
    assert Root(".ai").without_own(other, str(tmp_path)) == other


def test_what_an_agent_writes_over_the_plan_is_held_against_the_one_that_a_human_wrote(
    cli: Cli, opened: Workspace
):
    opened.promote(promotion())
    plan = cli.task(TASK) / "plan.json"
    other = json.loads(plan.read_text())
    other["payload"] |= {"filesToEdit": ["made.txt", "src/"], "approvalPolicy": "none"}
    other["payload"]["requiresHumanApproval"] = False
    plan.write_text(json.dumps(other))
    opened.observe(opened.read(), datetime.now(UTC))
    (task,) = assess(opened.read(), datetime.now(UTC)).tasks
    assert "PLAN_WIDENED" in {one.code for one in task.findings}
    assert [one.kind.value for one in task.pending] == ["plan"]


def test_a_plan_that_was_replaced_as_it_was_written_is_said(
    cli: Cli, opened: Workspace, monkeypatch: pytest.MonkeyPatch
):
    read = opened.read

    def late():
        (cli.task(TASK) / "plan.json").write_text("{}")
        return read()

    monkeypatch.setattr(opened, "read", late)
    with pytest.raises(NotPromoted, match=r"plan\.json was replaced"):
        opened.promote(promotion())
