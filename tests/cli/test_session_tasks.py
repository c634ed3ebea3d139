"""Tasks of sessions outside of the repository: commands see them, init and the first task move them in."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

from ags_tui.core.policy.calls import RememberedRule
from ags_tui.core.policy.model import Rule
from ags_tui.core.tree_rules import remember, trust_policy
from ags_tui.io.keys import Keys
from ags_tui.io.places import Places
from ags_tui.io.policy_files import read_policy_files
from ags_tui.io.session_tasks import Newcomer, SessionTasks
from ags_tui.io.tree_log import TreeLog
from ags_tui.io.trees import Tree, opt_in
from tests.cli.conftest import Cli
from tests.cli.test_policy import GOOD, repository

TASK = "session-abc"


def tree_of(cli: Cli) -> tuple[Tree, Places]:
    places = Places(cli.folder / "state", cli.folder / "config")
    return opt_in(str(cli.work.resolve()), places), places


def session(cli: Cli) -> Path:
    tree, places = tree_of(cli)
    tasks = SessionTasks(tree, places)
    assert tasks.begin(Newcomer("abc", "claude-code"), datetime.now(UTC)).task == TASK
    return tasks.folder(TASK)


def test_commands_see_the_tasks_of_sessions_without_a_root(cli: Cli):
    session(cli)
    (cli.work / "made.txt").write_text("made\n")
    assert [row["taskId"] for row in cli("status", "--json").json["tasks"]] == [TASK]
    assert "no plan" in cli("scope", TASK).out
    assert "baseline" in cli("log", TASK).out
    assert not cli.root.exists()


def test_status_and_gate_agree_about_a_session(cli: Cli):
    session(cli)
    assert cli("gate", TASK).code == 0
    stages = {one["name"]: one["state"] for one in cli("status", TASK, "--json").json["task"]["stages"]}
    assert stages["gate"] == "done"
    assert "needs-human" not in cli("status").out


def test_init_moves_them_in_and_says_so(cli: Cli):
    session(cli)
    done = cli("init", "--json")
    assert done.code == 0, done.err
    assert done.json["movedSessions"] == [TASK]
    assert (cli.task(TASK) / "log" / "000000.json").is_file()
    assert [row["taskId"] for row in cli("status", "--json").json["tasks"]] == [TASK]
    assert cli("init", "--json").json["movedSessions"] == []


def test_the_first_task_moves_them_in(cli: Cli):
    session(cli)
    done = cli("task", "new", "Greet", "--id", "greet")
    assert done.code == 0, done.err
    assert cli.task(TASK).is_dir()
    assert cli.task("greet").is_dir()


def test_nothing_moves_while_a_call_waits(cli: Cli):
    folder = session(cli)
    request = {
        "requestId": "r1", "tool": "shell", "command": "npm ci", "reason": "needed", "riskLevel": "medium",
        "requiresApproval": True,
    }  # fmt: skip
    (folder / "tool-requests").mkdir()
    (folder / "tool-requests" / "r1.json").write_text(json.dumps(request))
    done = cli("init")
    assert done.code == 1
    assert f"{TASK}/r1" in done.err
    assert not cli.root.exists()
    assert folder.is_dir()


def test_policy_shows_what_the_human_trusts_and_remembers(cli: Cli):
    repository(cli, GOOD)
    tree, places = tree_of(cli)
    keys, log, now = Keys.open(places), TreeLog(tree, places), datetime.now(UTC)
    rule = RememberedRule(Rule("r1", "allow", "shell", command="touch made"), now, now + timedelta(hours=8))
    log.record(remember(tree.key, rule, preview=0, call={}), keys, now)
    file = read_policy_files(cli.root, places).repository
    assert file is not None
    assert cli("policy", "test", "npm test", "--json").json["decision"] == "ask"
    log.record(trust_policy(tree.key, file.digest, ".ai/policy.toml"), keys, now)
    listed = cli("policy", "list", "--json").json
    assert [(row["source"], row["trusted"]) for row in listed["files"]] == [
        ("user", False), ("repository", True)
    ]  # fmt: skip
    assert {(row["source"], row["id"], row["counts"]) for row in listed["rules"]} == {
        ("repository", "tests", True), ("repository", "no-push", True), ("remembered", "r1", True)
    }  # fmt: skip
    assert cli("policy", "test", "npm test", "--json").json["decision"] == "allow"
    assert cli("policy", "test", "touch made", "--json").json["source"] == "remembered"
    repository(cli, GOOD + "\n")
    assert cli("policy", "test", "npm test", "--json").json["decision"] == "ask"


def test_policy_test_counts_what_is_remembered_for_an_agent(cli: Cli):
    tree, places = tree_of(cli)
    rule, now = Rule("r1", "allow", "shell", command="touch made"), datetime.now(UTC)
    mine = RememberedRule(rule, now, now + timedelta(hours=8), agent="claude-code")
    TreeLog(tree, places).record(remember(tree.key, mine, preview=0, call={}), Keys.open(places), now)
    line = ("policy", "test", "touch made")
    got = cli(*line, "--json").json
    assert got["decision"] == "ask"
    assert [(one["agent"], one["decision"], one["ruleId"]) for one in got["agents"]] == [
        ("claude-code", "allow", "r1")
    ]
    assert "remembered for claude-code only: allow" in cli(*line).out
    own, other = (cli(*line, "--agent", agent, "--json").json for agent in ("claude-code", "codex"))
    assert (own["decision"], own["source"], own["agents"]) == ("allow", "remembered", [])
    assert (other["decision"], other["agents"]) == ("ask", [])
    assert "remembered for" not in cli("policy", "test", "touch other").out
    assert cli(*line, "--agent", "nobody").code == 2


def test_policy_test_takes_the_terms_of_a_task(cli: Cli):
    assert cli("task", "new", "Greet", "--id", "greet").code == 0
    plan = {
        "taskId": "greet", "summary": "greet", "riskLevel": "low", "filesToRead": [],
        "filesToEdit": ["src/**"], "filesNotToEdit": ["src/locked.py"], "testsToRun": [],
        "steps": [{"id": "s", "action": "a", "inputFiles": [], "expectedOutput": "o", "validation": "v"}],
        "requiresHumanApproval": True, "stopConditions": [],
    }  # fmt: skip
    (cli.task("greet") / "plan.json").write_text(json.dumps(plan))
    words = ("policy", "test", "--path", "src/locked.py", "--json")
    assert cli(*words).json["decision"] == "ask"
    assert cli(*words, "--task", "greet").json["ruleId"] == "files-not-to-edit"
    assert cli(*words, "--task", "nothing").code != 0
