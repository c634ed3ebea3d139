"""``task new``, ``status``, ``scope``, ``gate``: what there is, and every verdict as an exit code."""

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from ags_tui.cli.failures import CommandFailed
from ags_tui.cli.task_form import edit_form, read_form, slug
from ags_tui.core.layout import valid_task_id
from tests import builders
from tests.cli.conftest import Cli
from tests.cli.human import Human
from tests.cli.test_contract_commands import put

TASK = "login"
CASES = Path(__file__).parents[1] / "cases" / "144-broken-policy"


def plan(**fields: Any) -> Any:
    defaults: dict[str, Any] = {
        "task_id": TASK, "risk_level": "low", "files_to_read": (), "files_to_edit": ("src/app.py",),
        "files_not_to_edit": ("README.md",), "steps": (builders.plan_step("one", input_files=()),),
        "tests_to_run": ("true",), "requires_human_approval": False, "stop_conditions": (),
    }  # fmt: skip
    return builders.agent_plan(**{**defaults, **fields})


@pytest.fixture
def made(cli: Cli) -> Cli:
    done = cli("task", "new", "Login", "--id", TASK, "--description", "d", "--risk", "low")
    assert done.code == 0, done.err
    return cli


# -- task new --------------------------------------------------------------------------------------------


def test_task_is_written_with_its_baseline(cli: Cli):
    words = ("--category", "bug_fix", "--risk", "high", "--expect", "a", "--expect", "b")
    more = ("--forbid", "NetworkClient", "--evidence", "log", "--json")
    done = cli("task", "new", "로그인 실패: 안전한 메시지!", *words, *more)
    assert done.code == 0, done.err
    task_id = done.json["taskId"]
    assert task_id == "로그인-실패-안전한-메시지"
    document = json.loads((cli.task(task_id) / "task.json").read_text())
    assert document == {
        "id": task_id, "title": "로그인 실패: 안전한 메시지!", "description": "로그인 실패: 안전한 메시지!",
        "category": "bug_fix", "riskLevel": "high", "expectedBehavior": ["a", "b"],
        "forbiddenChanges": ["NetworkClient"], "requiredEvidence": ["log"],
    }  # fmt: skip
    assert (cli.task(task_id) / "log" / "000000.json").is_file()
    assert cli("validate").code == 0


def test_same_title_makes_another_task_and_a_given_id_is_taken_once(cli: Cli):
    assert cli("task", "new", "Same").code == 0
    assert cli("task", "new", "Same", "--json").json["taskId"] == "same-2"
    done = cli("task", "new", "Other", "--id", "same")
    assert (done.code, "exists already" in done.err) == (2, True)


@pytest.mark.parametrize(
    "words", [("",), ("x", "--id", "a/b"), ("x", "--id", ".x"), ("x", "--risk", "critical")]
)
def test_wrong_tasks_are_2(cli: Cli, words: tuple[str, ...]):
    assert cli("task", "new", *words).code == 2
    assert not cli.root.exists()


@pytest.mark.parametrize(
    "title",
    [
        "x",
        "../../etc",
        ".hidden",
        "a" * 500,
        "테스트" * 100,
        "!!!",
        "é e\u0301",
        "A B\tC\n",
        "\u3164",
        "日本語 表",
    ],
)
def test_any_title_makes_a_valid_id(title: str):
    first = slug(title, frozenset())
    assert valid_task_id(first)
    assert valid_task_id(slug(title, frozenset({first})))


def test_form_in_the_editor(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from ags_tui.cli.call import Globals, make_call

    editor = tmp_path / "editor.sh"
    editor.write_text('#!/bin/sh\nsed -i "s/^category.*/category = \\"bug_fix\\"/" "$1"\n')
    editor.chmod(0o755)
    monkeypatch.chdir(cli.work)
    given = Globals(state=cli.folder / "state", config=cli.folder / "config")
    fields = edit_form(make_call(given, {"EDITOR": str(editor)}), 'a """quoted\\ title')
    assert fields["category"] == "bug_fix"
    assert fields["description"] == 'a """quoted\\ title'
    assert fields["expected_behavior"] == []
    assert not list((cli.folder / "state" / "forms").iterdir())
    with pytest.raises(CommandFailed, match="kept"):
        edit_form(make_call(given, {"EDITOR": "false"}), "t")


@pytest.mark.parametrize("text", ["category = \n", "surprise = 1\n", 'expected_behavior = "x"\n'])
def test_form_that_cannot_be_read_is_kept(tmp_path: Path, text: str):
    form = tmp_path / "form.toml"
    form.write_text(text)
    with pytest.raises(CommandFailed, match="kept"):
        read_form(form)
    assert form.exists()
    form.write_text(" \n")
    with pytest.raises(CommandFailed, match="emptied"):
        read_form(form)


# -- status ----------------------------------------------------------------------------------------------


def test_status_without_tasks_still_says_where_we_are(cli: Cli):
    (cli.work / "new.txt").write_text("x")
    done = cli("status")
    assert done.code == 0
    assert "no tasks yet" in done.out
    assert "1 changed since HEAD" in done.out
    document = cli("status", "--json").json
    assert document["repository"]["branch"] == "main"
    assert document["repository"]["changed"] == 1
    assert document["tasks"] == []


def test_status_says_what_of_git_is_damaged(cli: Cli):
    blob = cli.git("hash-object", "src/app.py").strip()
    (cli.work / "src/app.py").write_text("other\n")
    file = cli.work / ".git/objects" / blob[:2] / blob[2:]
    file.chmod(0o600)
    file.unlink()
    repository = cli("status", "--json").json["repository"]
    assert (blob in repository["unknown"], repository["changed"]) == (True, None)
    assert f"object {blob} (src/app.py) is missing" in cli("status").out


def test_status_shows_what_needs_a_human_and_every_task(made: Cli):
    made(
        "request",
        "--task",
        TASK,
        "--tool",
        "shell",
        "--command",
        "rm \x1b[2Jx",
        "--reason",
        "r\u202e",
        "--risk",
        "high",
    )
    done = made("status")
    assert done.code == 0
    assert "needs you: " in done.out
    assert "tasks: 1" in done.out
    assert not set(done.out) & set("\x1b\u202e")
    document = made("status", "--json")
    assert not set(document.out) & set("\x1b\u202e")
    (pending,) = [one for one in document.json["pending"] if one["kind"] == "tool-request"]
    assert pending["risk"] == "high"
    assert pending["command"] == "rm \x1b[2Jx"
    one = made("status", TASK, "--json").json["task"]
    assert [stage["name"] for stage in one["stages"]][:3] == ["task", "plan", "policy"]
    assert len(one["gate"]["conditions"]) == 12
    assert "gate " in made("status", TASK).out
    assert made("status", "nope").code == 2


def test_status_shows_a_broken_policy_with_its_line(made: Cli):
    (made.root / "policy.toml").write_text("[limits]\nnope = 1\n")
    assert "policy.toml:2" in made("status").out
    assert made("status", "--json").json["policy"]["problems"][0]["line"] == 2


# -- scope -----------------------------------------------------------------------------------------------


def scope(cli: Cli, *words: str) -> tuple[int, str]:
    done = cli("scope", TASK, "--json", *words)
    return done.code, done.json["scope"]["verdict"]


def test_every_verdict_has_its_exit_code(made: Cli):
    assert scope(made) == (4, "NOT_APPLICABLE")
    put(made.task(TASK) / "plan.json", plan())
    (made.work / "src" / "app.py").write_text("print('planned')\n")
    assert scope(made) == (0, "PASS")
    (made.work / "other.txt").write_text("unplanned\n")
    assert scope(made) == (10, "NEEDS_APPROVAL")
    (made.work / "README.md").write_text("excluded\n")
    assert scope(made) == (1, "BLOCKED")
    text = made("scope", TASK).out
    assert "README.md" in text
    assert "BLOCKED" in text


def test_without_a_baseline_it_is_inconclusive(cli: Cli):
    put(cli.task(TASK) / "task.json", builders.agent_task(id=TASK))
    put(cli.task(TASK) / "plan.json", plan())
    assert scope(cli) == (3, "INCONCLUSIVE")


def test_index_and_revision_are_assessed_instead_of_the_work_tree(made: Cli):
    put(made.task(TASK) / "plan.json", plan())
    (made.work / "README.md").write_text("excluded\n")
    assert scope(made, "--index") == (0, "PASS")
    made.git("add", "README.md")
    assert scope(made, "--index") == (1, "BLOCKED")
    assert scope(made, "--tree", "HEAD") == (0, "PASS")
    made.git("commit", "-q", "-m", "strayed")
    assert scope(made, "--tree", "HEAD") == (1, "BLOCKED")
    assert scope(made, "--tree", "HEAD~1") == (0, "PASS")
    (made.work / "README.md").write_text("# app\n")
    made.git("add", "README.md")
    assert scope(made) == (0, "PASS")
    assert scope(made, "--tree", "HEAD") == (1, "BLOCKED")


@pytest.mark.parametrize("words", [("--tree", "HEAD", "--index"), ("--tree", "-x"), ("--tree", "")])
def test_wrong_targets_are_2(made: Cli, words: tuple[str, ...]):
    assert made("scope", TASK, *words).code == 2


def test_revision_that_does_not_exist_is_no_verdict(made: Cli):
    put(made.task(TASK) / "plan.json", plan())
    done = made("scope", TASK, "--tree", "no-such-rev")
    assert done.code in (2, 3)


# -- gate ------------------------------------------------------------------------------------------------


def test_gate_lists_all_conditions_and_fails_on_open_ones(made: Cli):
    put(made.task(TASK) / "plan.json", plan())
    (made.work / "README.md").write_text("excluded\n")
    done = made("gate", TASK, "--json")
    assert done.code == 1
    conditions = done.json["tasks"][0]["gate"]["conditions"]
    assert [one["number"] for one in conditions] == list(range(1, 13))
    assert all(one["reason"] and one["basis"] for one in conditions)
    assert next(one for one in conditions if one["name"] == "scope")["outcome"] == "failed"
    text = made("gate", TASK).out
    assert "EXCLUDED_FILE" in text
    assert "not checked" in text


def test_bare_gate_looks_at_all_open_tasks(made: Cli):
    made("task", "new", "Second", "--id", "second", "--risk", "low")
    assert [row["taskId"] for row in made("gate", "--json").json["tasks"]] == [TASK, "second"]
    assert made("gate", "nope").code == 2


@pytest.mark.parametrize("case", sorted(CASES.glob("*.toml")), ids=lambda path: path.stem)
def test_bare_gate_does_not_pass_with_a_broken_policy(cli: Cli, case: Path):
    cli.root.mkdir()
    (cli.root / "policy.toml").write_bytes(case.read_bytes())
    done = cli("gate")
    assert done.code == 3
    assert "policy.toml:" in done.out


def test_bare_gate_without_tasks_holds_nothing(cli: Cli):
    assert cli("gate").code == 0


def finish(cli: Cli, human: Human) -> None:
    """Implement, review and test the planned change as honest agents would; the human attests the rest."""
    put(cli.task(TASK) / "plan.json", plan(requires_human_approval=True))
    human.look()
    human.approve(TASK, "plan")
    (cli.work / "src" / "app.py").write_text("print('bye')\n")
    result = builders.implementation_result(
        changed_files=(builders.changed_file("src/app.py"),),
        executed_steps=("one",),
        commands_requested=(),
        not_changed=("README.md",),
    )
    put(cli.task(TASK) / "implementation-result.json", result)
    put(cli.task(TASK) / "review-result.json", builders.review_result())
    human.look()
    done = cli("check", TASK)
    assert done.code == 0, done.out + done.err
    human.attest_all(TASK)


def test_finished_task_passes_and_is_frozen_by_its_finalization(made: Cli):
    human = Human(made)
    finish(made, human)
    done = made("gate", TASK)
    assert done.code == 0, done.out
    assert made("gate").code == 0
    assert made("gate", TASK, "--finalized").code == 1
    human.finalize(TASK)
    ended = made("gate", TASK, "--json")
    assert ended.code == 0
    named = [one["name"] for one in ended.json["tasks"][0]["gate"]["conditions"]]
    assert named == ["log", "finalize", "tree"], "its end is held against the tree, its conditions are not"
    assert made("gate", "--json").json["tasks"] == []
    assert made("gate", TASK, "--finalized").code == 0
    assert made("gate", "--finalized", "--json").json["tasks"][0]["taskId"] == TASK
    made.git("add", "src")
    made.git("commit", "-q", "-m", "the same bytes")
    assert made("gate", TASK, "--finalized").code == 0
    assert made("gate", TASK, "--finalized", "--tree", "HEAD").code == 0
    (made.work / "src" / "app.py").write_text("print('later')\n")
    assert made("gate", TASK, "--finalized").code == made("gate", TASK).code == 1
    assert made("gate", TASK, "--finalized", "--tree", "HEAD").code == 0


def test_gate_with_a_trust_file_agrees_on_another_machine(made: Cli, tmp_path: Path):
    human = Human(made)
    finish(made, human)
    trust = tmp_path / "trusted-keys"
    trust.write_text(human.workspace.keys.export_trust())
    (tmp_path / "ci").mkdir()
    runner = Cli(tmp_path / "ci", made.work, made.zygote)
    entries = sorted((made.task(TASK) / "log").iterdir())
    assert runner("gate", TASK).code in (1, 3)
    assert sorted((made.task(TASK) / "log").iterdir()) == entries
    done = runner("gate", TASK, "--trust", trust)
    assert done.code == 0, done.out
    made.git("add", ".")
    made.git("commit", "-q", "-m", "done")
    assert runner("gate", TASK, "--trust", trust, "--tree", "HEAD").code == 0


def test_gate_observes_what_was_written_a_moment_ago_and_nothing_older(made: Cli):
    review = put(made.task(TASK) / "review-result.json", builders.review_result())
    old = put(made.task(TASK) / "plan.json", plan())
    os.utime(old, (1, 1))
    ahead = put(made.task(TASK) / "test-result.json", builders.run_result())
    os.utime(ahead, (time.time() + 300, time.time() + 300))
    os.utime(review)
    made("gate", TASK)
    entries = made("log", TASK, "--json").json["entries"]
    seen = [row["subject"]["id"] for row in entries if row["kind"] == "observation"]
    assert "review-result.json" in seen
    assert "plan.json" not in seen
    assert "test-result.json" not in seen
    os.utime(review, (1, 1))
    before = len(entries)
    made("gate", TASK)
    assert len(made("log", TASK, "--json").json["entries"]) == before


# -- report ----------------------------------------------------------------------------------------------


def test_report_is_made_of_facts_and_written_on_request(made: Cli):
    finish(made, Human(made))
    printed = made("report", TASK)
    assert printed.code == 0
    assert printed.out.startswith("# Final Report")
    assert not (made.task(TASK) / "final-report.json").exists()
    as_json = json.loads(made("report", TASK, "--format", "json").out)
    assert as_json["verdict"] == "completed"
    assert as_json["changedFiles"] == ["src/app.py"]
    assert as_json["validation"] == {"testsExecuted": True, "passed": True, "commands": ["true"]}
    put(made.task(TASK) / "final-report.json", builders.final_report(changed_files=("made up",)))
    done = made("report", TASK, "--write", "--json")
    assert done.code == 0
    assert done.json["report"] == as_json
    assert json.loads((made.task(TASK) / "final-report.json").read_text()) == as_json
    assert (made.task(TASK) / "final-report.md").read_text().startswith("# Final Report")
    assert made("validate").code == 0
    assert made("gate", TASK).code == 0


def test_report_of_hostile_names_stays_inert(made: Cli):
    put(made.task(TASK) / "plan.json", plan())
    (made.work / "a\x1b]0;b\x07.txt").write_text("x")
    with open(os.fsencode(made.work) + b"/bokm\xe5l.txt", "w") as stream:
        stream.write("x")
    for words in (("report", TASK), ("scope", TASK), ("status", TASK), ("status",), ("gate", TASK)):
        for more in ((), ("--json",)):
            done = made(*words, *more)
            assert done.code != 70, done.err
            assert not set(done.out + done.err) & set("\x1b\x07")
    assert "bokm" in made("scope", TASK).out
    assert made("report", "nope").code == 2


def test_gate_waits_for_a_file_that_is_being_written_and_judges_it_whole(made: Cli):
    whole = plan().model_dump_json(by_alias=True)
    path = put(made.task(TASK) / "plan.json", whole[:40])
    done = made("gate", TASK, "--json")
    contracts = done.json["tasks"][0]["gate"]["conditions"][0]
    assert contracts["outcome"] == "failed"
    assert done.code == 1
    path.write_text(whole)
    assert made("gate", TASK, "--json").json["tasks"][0]["gate"]["conditions"][0]["outcome"] == "passed"


def test_stray_file_in_a_task_folder_cannot_hide_by_being_young(made: Cli):
    (made.task(TASK) / "payload.bin").write_text("x")
    done = made("gate", TASK, "--json")
    assert "payload.bin" in json.dumps(done.json)


def test_first_version_of_a_new_task_binds_before_anybody_else_looks(cli: Cli):
    assert cli("task", "new", "Weak", "--id", "weak", "--expect", "it works", "--evidence", "log").code == 0
    file = cli.task("weak") / "task.json"
    weaker = {**json.loads(file.read_text()), "expectedBehavior": [], "requiredEvidence": []}
    file.write_text(json.dumps(weaker))
    found = cli("gate", "weak", "--json").json["tasks"][0]["gate"]["conditions"]
    assert "TASK_WEAKENED" in {finding["code"] for row in found for finding in row["findings"]}


def test_baseline_says_through_which_door_it_came(cli: Cli):
    assert cli("task", "new", "Door", "--id", "door").code == 0
    entries = cli("log", "door", "--json").json["entries"]
    assert [(row["kind"], row["actor"]["via"]) for row in entries] == [
        ("baseline", "cli"),
        ("observation", "cli"),
    ]
    again = cli("baseline", "door", "--again", "--json").json["entry"]
    assert (again["kind"], again["actor"]["via"]) == ("baseline", "cli")
