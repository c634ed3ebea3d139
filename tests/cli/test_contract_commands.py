"""``validate`` and ``migrate`` on files of users: paths, places, ids, fixtures, hostile content."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from ags_tui.core.contracts.base import Contract
from tests import builders
from tests.cli.conftest import Cli

TASK = "login-error-message"


def put(path: Path, document: Contract | dict[str, Any] | str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(document, Contract):
        document = document.model_dump(mode="json", by_alias=True)
    if isinstance(document, dict):
        document = json.dumps(document, ensure_ascii=False)
    path.write_bytes(document.encode() if isinstance(document, str) else document)
    return path


@pytest.fixture
def task(cli: Cli) -> Path:
    folder = cli.task(TASK)
    put(folder / "task.json", builders.agent_task())
    put(folder / "plan.json", builders.agent_plan())
    return folder


def test_good_folder_is_0_and_says_what_each_file_is(cli: Cli, task: Path):
    done = cli("validate", "--json")
    assert done.code == 0
    assert done.json["valid"] is True
    found = {row["path"]: (row["contract"], row["version"]) for row in done.json["files"]}
    assert found == {
        f"tasks/{TASK}/task.json": ("AgentTask", "1.0.0"),
        f"tasks/{TASK}/plan.json": ("AgentPlan", "1.0.0"),
    }
    assert "AgentPlan 1.0.0" in cli("validate").out


def test_finding_names_file_line_and_field_and_is_1(cli: Cli, task: Path):
    plan = builders.agent_plan().model_dump(mode="json", by_alias=True)
    plan["riskLevel"] = "tiny"
    put(task / "plan.json", json.dumps(plan, indent=1))
    done = cli("validate", "--json")
    assert done.code == 1
    (row,) = [row for row in done.json["files"] if not row["valid"]]
    (finding,) = row["findings"]
    assert finding["code"] == "INVALID_CONTRACT"
    assert [field["field"] for field in finding["fields"]] == ["riskLevel"]
    line = finding["line"]
    assert "riskLevel" in (task / "plan.json").read_text().splitlines()[line - 1]
    text = cli("validate").out
    assert f"plan.json:{line}" in text
    assert "riskLevel: must be" in text


def test_contradiction_inside_a_document_is_a_finding(cli: Cli, task: Path):
    result = builders.run_result().model_dump(mode="json", by_alias=True)
    result["commands"][0]["exitCode"] = None
    put(task / "test-result.json", result)
    done = cli("validate", "--json")
    assert done.code == 1
    codes = [finding["code"] for row in done.json["files"] for finding in row["findings"]]
    assert codes == ["PASSED_WITHOUT_EXIT_CODE"]


def test_ids_must_fit_their_place(cli: Cli, task: Path):
    put(task / "task.json", builders.agent_task(id="other"))
    put(task / "plan.json", builders.agent_plan(task_id="other"))
    put(task / "tool-requests" / "tool-9.json", builders.tool_request(request_id="tool-8"))
    done = cli("validate", "--json")
    assert done.code == 1
    found = {
        Path(row["path"]).name: row["findings"][0]["code"] for row in done.json["files"] if not row["valid"]
    }
    assert found == dict.fromkeys(("task.json", "plan.json", "tool-9.json"), "ID_MISMATCH")


def test_claims_evidence_and_temporary_files_are_no_contracts(cli: Cli, task: Path):
    put(task / "artifacts" / "summary.json", "{")
    put(task / "tool-requests" / ".tmp-1-2", "{")
    digest = "sha256:" + "0" * 64
    claim = {"requestId": "tool-1", "digest": digest, "claim": digest, "takenAt": "2026-07-21T09:00:00Z"}
    put(task / "consumptions" / "tool-1.json", claim)
    assert cli("validate").code == 0
    assert cli("validate", ".ai").code == 0


def test_unknown_and_misplaced_names_are_findings(cli: Cli, task: Path):
    put(task / "notes.json", "{}")
    put(task / "tool-requests" / "plan.json", builders.agent_plan())
    (task / "elsewhere.json").symlink_to("/etc/passwd")
    for words in ((), (f".ai/tasks/{TASK}/notes.json",)):
        done = cli("validate", *words, "--json")
        assert done.code == 1
        bad = {
            Path(row["path"]).name: row["findings"][0]["code"]
            for row in done.json["files"]
            if not row["valid"]
        }
        assert bad["notes.json"] == "UNKNOWN_NAME"
    assert set(bad) == {"notes.json"}
    bad = {Path(row["path"]).name for row in cli("validate", "--json").json["files"] if not row["valid"]}
    assert bad == {"notes.json", "plan.json", "elsewhere.json"}


def test_file_that_is_too_large_has_the_same_code_however_it_is_named(cli: Cli, task: Path):
    put(task / "review-result.json", b" " * (16 * 2**20 + 1))
    for words in ((), (task / "review-result.json",)):
        rows = [row for row in cli("validate", *words, "--json").json["files"] if not row["valid"]]
        assert [row["findings"][0]["code"] for row in rows] == ["UNREADABLE"]
        assert "review-result" not in rows[0]["findings"][0]["message"]


def test_every_finding_has_the_same_fields(cli: Cli, task: Path):
    put(task / "test-result.json", builders.run_result(commands=(builders.command_result(exit_code=None),)))
    put(task / "plan.json", {"taskId": TASK})
    found = [one for row in cli("validate", "--json").json["files"] for one in row["findings"]]
    assert {one["code"] for one in found} == {"INVALID_CONTRACT", "PASSED_WITHOUT_EXIT_CODE"}
    assert {tuple(one) for one in found} == {("code", "message", "line", "field", "fields", "nextStep")}


def test_given_paths_are_files_or_folders_anywhere(cli: Cli, task: Path):
    loose = put(cli.work / "x" / "plan.json", builders.agent_plan())
    envelope = {"schema": "AgentPlan", "version": "1.0.0", "payload": json.loads(loose.read_text())}
    put(cli.work / "x" / "any.json", envelope)
    assert cli("validate", "x", f".ai/tasks/{TASK}").code == 0
    put(cli.work / "x" / "bare.json", {"a": 1})
    done = cli("validate", "x/bare.json")
    assert done.code == 1
    assert "schema" in done.out
    assert cli("validate", "nowhere").code == 2


def test_hostile_files_end_in_findings_and_never_reach_the_terminal(cli: Cli, task: Path):
    put(task / "plan.json", '{"a": 1, "a": 2, "\\u001b]0;x": "\u202e"}')
    put(task / "escalations" / "deep.json", "[" * 100_000)
    put(task / "errors" / "nan.json", '{"code": NaN}')
    put(task / "handoffs" / "bytes.json", b"\xff\xfe")
    (task / "tool-requests").mkdir()
    os.mkfifo(task / "tool-requests" / "pipe.json")
    done = cli("validate")
    assert done.code == 1
    assert not set(done.out) & set("\x1b\x07\u202e\r")
    for name in ("plan.json", "deep.json", "nan.json", "bytes.json", "pipe.json"):
        assert name in done.out
    document = cli("validate", "--json")
    assert len([row for row in document.json["files"] if not row["valid"]]) == 5
    assert not set(document.out) & set("\x1b\x07\u202e")


def test_name_with_a_line_break_stays_on_one_line(cli: Cli):
    put(cli.work / "a\nok      b\x1b[2J.json", "{}")
    done = cli("validate", ".")
    assert done.code == 1
    assert not [line for line in done.out.splitlines() if line.startswith("ok ")]
    assert "\x1b" not in done.out


def test_fixtures_of_a_user(cli: Cli):
    folder = cli.work / "fixtures"
    put(folder / "valid" / "AgentTask--fine.json", builders.agent_task())
    broken = builders.agent_task().model_dump(mode="json", by_alias=True)
    del broken["title"]
    put(folder / "invalid" / "AgentTask--no-title.json", broken)
    put(
        folder / "invalid" / "AgentTask--no-title.expected.json",
        {"field": "title", "code": "INVALID_CONTRACT"},
    )
    done = cli("validate", "--fixtures", "fixtures", "--json")
    assert done.code == 0
    assert len(done.json["files"]) == 2

    put(folder / "invalid" / "AgentTask--no-title.expected.json", {"field": "id", "code": "INVALID_CONTRACT"})
    put(folder / "valid" / "AgentTask--worse.json", broken)
    put(folder / "invalid" / "AgentTask--alone.json", broken)
    put(folder / "valid" / "Nothing--x.json", "{}")
    done = cli("validate", "--fixtures", "fixtures")
    assert done.code == 1
    assert "title: INVALID_CONTRACT" in done.out
    assert "no AgentTask--alone.expected.json" in done.out
    assert len([line for line in done.out.splitlines() if line.startswith("invalid ")]) == 4
    assert cli("validate", "--fixtures", "src").code == 2


def test_own_fixtures_behave(cli: Cli):
    done = cli("validate", "--fixtures", Path(__file__).parents[2] / "contracts" / "fixtures")
    assert done.code == 0, done.out


def test_migrate_writes_beside_and_says_what_it_filled_in(cli: Cli):
    old = {"schema": "AgentPlan", "version": "0.1.0", "payload": {"taskId": "t", "filesToEdit": ["a.py"]}}
    path = put(cli.work / "plan.json", old)
    before = path.read_bytes()
    done = cli("migrate", "plan.json", "--to", "1.0.0", "--json")
    assert done.code == 0
    assert path.read_bytes() == before
    written = Path(done.json["written"])
    assert written.name == "plan.1.0.0.json"
    assert json.loads(written.read_text())["payload"]["riskLevel"] == "high"
    assert any("riskLevel high" in note for note in done.json["notes"])
    assert cli("validate", written).code == 0
    again = cli("migrate", "plan.json", "--to", "1.0.0")
    assert (again.code, "exists already" in again.err) == (1, True)
    newest = cli("migrate", "plan.json", "--json")
    assert newest.json["to"] == "2.0.0"
    assert newest.err == ""


def test_migrate_in_a_task_folder_says_that_only_one_of_the_two_has_a_place_there(cli: Cli, task: Path):
    done = cli("migrate", task / "plan.json")
    assert (done.code, "put it over plan.json" in done.err) == (0, True)
    assert "UNKNOWN_NAME" in cli("validate").out
    (task / "plan.2.0.0.json").replace(task / "plan.json")
    assert cli("validate").code == 0


@pytest.mark.parametrize(
    ("content", "to", "code"),
    [
        ('{"a": 1}', "1.0.0", 1),
        ("{", "1.0.0", 1),
        (None, "1.0.0", 2),
        (
            '{"schema": "AgentPlan", "version": "0.1.0", "payload": {"taskId": "t", "filesToEdit": []}}',
            "9.9.9",
            1,
        ),
        (
            '{"schema": "AgentPlan", "version": "0.1.0", "payload": {"taskId": "t", "filesToEdit": []}}',
            "0.0.1",
            1,
        ),
    ],
)
def test_migrate_refuses_with_one_line(cli: Cli, content: str | None, to: str, code: int):
    if content is not None:
        put(cli.work / "plan.json", content)
    done = cli("migrate", "plan.json", "--to", to)
    assert done.code == code
    assert done.err.count("\n") == 1
    assert [path.name for path in cli.work.glob("plan.*.json")] == []
