"""What an agent may try in order to choose its own gate, or to have an approval cover another call."""

import json
import subprocess
from pathlib import Path

import pytest

from ags_tui.core.sessions import SessionRecord
from ags_tui.io.sessions import make_session, read_session
from ags_tui.io.trees import gate_at, opt_in, tree_at
from tests.agents.judging import GIT, SESSION, TASK, Desk, reason, said
from tests.agents.test_judge_sessions import plan
from tests.agents.test_offline import reply


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = Desk(tmp_path.resolve())
    (desk.work / ".ai").mkdir()
    return desk


def write(desk: Desk, path: Path) -> bytes:
    given = {"file_path": str(path), "content": "gitdir: made\n"}
    return desk.event("PreToolUse", tool_name="Write", tool_input=given, tool_use_id=f"w-{path.name}")


def made_inside(folder: Path, marker: Path) -> None:
    """A repository that nobody asked for, whose configuration runs a program at each ``git status``."""
    git = folder / "made"
    for inner in (git / "objects", git / "refs", folder / ".ai"):
        inner.mkdir(parents=True)
    (folder / ".git").write_text("gitdir: made\n")
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    program = f'"touch {marker}; false"'
    (git / "config").write_text(
        f"[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tfsmonitor = {program}\n"
    )


def test_a_repository_made_inside_the_work_tree_is_no_gate_of_its_own(desk: Desk):
    reply(desk, desk.event("SessionStart", source="startup"))
    place = desk.work / ".ai" / "tasks" / TASK / "artifacts" / "made-here"
    marker = desk.folder / "ran"
    made_inside(place, marker)
    payload = json.loads(desk.bash("s", "git status"))
    payload["cwd"] = str(place)
    answer = reply(desk, json.dumps(payload).encode())
    assert said(answer) == "deny"
    assert "not the top of the work tree" in reason(answer)
    found = gate_at(str(place), desk.places)
    assert found is not None
    assert found.top == str(desk.work)
    record = read_session(desk.tree, SESSION)
    assert record is not None
    assert record.top == str(desk.work)
    # what it would have done: the test of the test
    subprocess.run([*GIT, "status"], cwd=place, capture_output=True, timeout=60, check=False)
    assert marker.exists()


def test_a_work_tree_inside_another_counts_once_a_human_opted_it_in(desk: Desk):
    inner = desk.work / "inner"
    made_inside(inner, desk.folder / "ran")
    assert gate_at(str(inner), desk.places) == desk.tree
    opt_in(str(inner), desk.places)
    found = gate_at(str(inner), desk.places)
    assert found is not None
    assert found.top == str(inner)


@pytest.mark.parametrize(
    "place",
    [".git", "src/.git", "src/.GIT", ".git/commondir", ".git/worktrees/x/gitdir", "src/.git/commondir"],
)
def test_where_git_looks_for_its_configuration_is_not_written(desk: Desk, place: str):
    answer = reply(desk, write(desk, desk.work / place))
    assert said(answer) == "deny"
    assert "configuration of git" in reason(answer)


def test_nor_in_the_folder_where_an_agent_may_write_what_it_likes(desk: Desk):
    reply(desk, desk.event("SessionStart", source="startup"))
    folder = desk.work / ".ai" / "tasks" / TASK / "artifacts"
    assert said(reply(desk, write(desk, folder / "notes.txt"))) == "allow"
    assert said(reply(desk, write(desk, folder / "x" / ".git"))) == "deny"


async def test_an_approval_is_not_for_another_call_under_the_same_id(desk: Desk):
    desk.open()
    await desk.ask(desk.event("SessionStart", source="startup"))
    first = desk.start(desk.bash("t", "touch harmless"))
    await desk.human.pending()
    for other in (desk.bash("t", "touch evil"), desk.event(
        "PreToolUse", tool_name="Write", tool_input={"file_path": str(desk.work / "a"), "content": "x"},
        tool_use_id="t",
    )):  # fmt: skip
        answer = await desk.ask(other)
        assert said(answer) == "deny"
        assert "under this id" in reason(answer)
    elsewhere = json.loads(desk.bash("t", "touch harmless"))
    elsewhere["cwd"] = str(desk.work / "src")
    assert said(await desk.ask(json.dumps(elsewhere).encode())) == "deny"
    again = desk.start(desk.bash("t", "touch harmless"))  # a hook that was started twice for one call
    await desk.human.approve()
    assert (said(await first), said(await again)) == ("allow", "allow")


async def test_a_flood_of_left_behind_requests_holds_no_call_up(desk: Desk, monkeypatch: pytest.MonkeyPatch):
    desk.open()
    await desk.ask(desk.event("SessionStart", source="startup"))
    folder = desk.root / "tasks" / TASK / "tool-requests"
    folder.mkdir(exist_ok=True)
    for number in range(5):
        (folder / f"call-made-{number}.json").write_text(json.dumps({"sessionId": SESSION}))
    monkeypatch.setattr("ags_tui.agents.live.MOST_TAKEN_BACK", 2)
    desk.open()  # a new TUI, which takes back what the old one left
    assert said(await desk.ask(desk.bash("s", "ls"))) == "allow"
    assert [one[1] for one in desk.entries() if one[0] == "request"] == ["withdrawn"] * 2


def test_a_session_from_elsewhere_joins_no_plan(desk: Desk):
    """Codex lets its model choose the folder of each call, and thereby the work tree that is asked."""
    plan(desk)
    other = desk.folder / "other"
    (other / ".git").mkdir(parents=True)
    (other / ".ai").mkdir()
    there = tree_at(str(other), desk.places)
    assert there is not None
    make_session(there, SessionRecord(session=SESSION, task=TASK, top=str(other)), desk.places)
    assert said(reply(desk, desk.bash("s", "ls"))) == "allow"
    record = read_session(desk.tree, SESSION)
    assert record is not None
    assert record.task == TASK
    at_home = json.loads(desk.bash("s", "ls"))
    at_home["session_id"] = "one-that-began-here"
    reply(desk, json.dumps(at_home).encode())
    record = read_session(desk.tree, "one-that-began-here")
    assert record is not None
    assert record.task == "greet"


@pytest.mark.parametrize(
    ("field", "value", "decision"),
    [
        ("dangerouslyDisableSandbox", True, "deny"),
        ("dangerouslyDisableSandbox", False, "allow"),
        ("sandbox_permissions", "require_escalated", "deny"),
        ("sandbox_permissions", "use_default", "allow"),
    ],
)
def test_no_rule_lets_a_call_out_of_the_sandbox_of_its_client(
    desk: Desk, field: str, value: object, decision: str
):
    """Claude Code would ask its user; a hook that says allow answers for him."""
    desk.places.config.mkdir(mode=0o700)
    rule = '[[rule]]\nid = "t"\ndecision = "allow"\ntool = "shell"\ncommand = "npm test *"\n'
    (desk.places.config / "policy.toml").write_text(rule)
    for command in ("npm test", "ls"):
        given = {"command": command, field: value}
        answer = reply(
            desk, desk.event("PreToolUse", tool_name="Bash", tool_input=given, tool_use_id=command)
        )
        assert said(answer) == decision, reason(answer)
    if decision == "deny":
        assert "sandbox" in reason(answer)
