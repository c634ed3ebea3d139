import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given, settings

from ags_tui.core.contracts import registry
from ags_tui.core.contracts.errors import AgentError
from ags_tui.core.contracts.migrations import STEPS, Circumstances
from ags_tui.core.contracts.parse import Parsed, parse_contract
from ags_tui.core.contracts.plan import AgentPlan, AgentPlanV2
from ags_tui.core.contracts.tool_request import ToolRequestV2
from ags_tui.core.contracts.write import Migrated, migrate, to_bytes
from ags_tui.core.snapshot import LoadProblem
from tests.core.contracts.examples import FIXTURES, VALID, contract_of, documents

NOW = datetime(2026, 7, 20, 10, 0, 0, 250000, tzinfo=timezone(timedelta(hours=9)))
PLAN = (FIXTURES / "valid" / "AgentPlan--article-20-medium-risk-plan.json").read_bytes()
OLD_PLAN = (FIXTURES / "valid" / "AgentPlan--article-19-version-0.1.0.json").read_bytes()
REQUEST = (FIXTURES / "valid" / "ToolRequest--article-07-run-tests.json").read_bytes()
IN_A_TASK = Circumstances(task_id="login-error-message", now=NOW)


def read(data: bytes, contract: str) -> Any:
    parsed = parse_contract(data, contract=contract, artifact="x")
    assert isinstance(parsed, Parsed), parsed
    return parsed.document


def newer(
    data: bytes, contract: str | None, to: str | None = None, around: Circumstances = IN_A_TASK
) -> Migrated:
    result = migrate(data, contract=contract, artifact="x.json", to=to, around=around)
    assert isinstance(result, Migrated), result
    return result


def refused(
    data: bytes, contract: str | None, to: str | None, around: Circumstances = IN_A_TASK
) -> LoadProblem:
    result = migrate(data, contract=contract, artifact="x.json", to=to, around=around)
    assert isinstance(result, LoadProblem)
    return result


@pytest.mark.parametrize("path", VALID, ids=lambda path: path.stem)
def test_fixtures_come_back(path: Any):
    document = read(path.read_bytes(), contract_of(path))
    data = to_bytes(document)
    assert read(data, contract_of(path)) == document
    assert to_bytes(read(data, contract_of(path))) == data


@settings(max_examples=80, deadline=None)
@given(documents())
def test_any_document_comes_back(found: tuple[str, str, Any]):
    name, version, payload = found
    document = read(json.dumps({"schema": name, "version": version, "payload": payload}).encode(), name)
    assert read(to_bytes(document), name) == document
    if document.contract_version == registry.BARE_VERSION:
        assert read(to_bytes(document, envelope=False), name) == document


def test_the_form_on_disk():
    error = AgentError(code="MODEL_FAILURE", message="실패", retryable=True, next_action="stop")
    assert to_bytes(error, envelope=False).decode().splitlines(keepends=True) == [
        "{\n",
        '  "code": "MODEL_FAILURE",\n',
        '  "message": "실패",\n',
        '  "retryable": true,\n',
        '  "nextAction": "stop"\n',
        "}\n",
    ]
    assert list(json.loads(to_bytes(error))) == ["schema", "version", "payload"]


def test_times_are_written_in_utc():
    written = newer(REQUEST, "ToolRequest").data
    assert json.loads(written)["payload"]["createdAt"] == "2026-07-20T01:00:00.250000Z"
    assert read(written, "ToolRequest").created_at == NOW


def test_only_1_0_0_may_go_without_an_envelope():
    document = read(newer(PLAN, "AgentPlan").data, "AgentPlan")
    with pytest.raises(ValueError, match=r"2\.0\.0 needs an envelope"):
        to_bytes(document, envelope=False)


@pytest.mark.parametrize("value", [float("nan"), float("-inf"), 2**53, "\ud83d", 1e999])
def test_what_no_reader_takes_is_never_written(value: object):
    request = read(newer(REQUEST, "ToolRequest").data, "ToolRequest")
    with pytest.raises(ValueError):
        to_bytes(request.model_copy(update={"input": {"a": [value]}}))


def test_what_was_built_past_the_model_is_never_written():
    plan = read(PLAN, "AgentPlan")
    with pytest.raises(ValueError, match="steps needs at least 1 entry"):
        to_bytes(plan.model_copy(update={"steps": ()}))


def test_0_1_0_to_1_0_0():
    result = newer(OLD_PLAN, "AgentPlan", "1.0.0")
    assert (result.contract, result.version) == ("AgentPlan", "1.0.0")
    assert json.loads(result.data)["version"] == "1.0.0"
    document = read(result.data, "AgentPlan")
    assert type(document) is AgentPlan
    assert document.risk_level == "high"
    assert any("riskLevel high" in note for note in result.notes)


def test_1_0_0_to_2_0_0():
    result = newer(PLAN, "AgentPlan", "2.0.0")
    document = read(result.data, "AgentPlan")
    assert isinstance(document, AgentPlanV2)
    assert document.allowed_operations == ("create", "update", "delete", "rename")
    assert document.approval_policy == "none"
    assert (
        document.model_dump(exclude={"allowed_operations", "approval_policy"})
        == read(PLAN, "AgentPlan").model_dump()
    )


def test_the_newest_version_is_the_default_and_all_steps_are_taken():
    result = newer(OLD_PLAN, None)
    assert result.version == "2.0.0"
    assert [note for note in result.notes if note.startswith("migrated")] == [
        "migrated from AgentPlan 0.1.0 to 1.0.0",
        "migrated from AgentPlan 1.0.0 to 2.0.0",
    ]
    assert read(result.data, "AgentPlan").requires_human_approval is True


def test_a_tool_request_takes_its_task_and_times_from_around():
    document = read(newer(REQUEST, "ToolRequest").data, "ToolRequest")
    assert isinstance(document, ToolRequestV2)
    assert (document.task_id, document.created_at.astimezone(UTC)) == (
        "login-error-message",
        NOW.astimezone(UTC),
    )
    assert document.expires_at - document.created_at == timedelta(hours=1)
    assert document.input == {"command": document.command}


@pytest.mark.parametrize("around", [Circumstances(), Circumstances(task_id="t"), Circumstances(now=NOW)])
def test_a_tool_request_without_a_task_folder_stays(around: Circumstances):
    problem = refused(REQUEST, "ToolRequest", "2.0.0", around)
    assert problem.code == "NOT_MIGRATABLE"
    assert "names its task and times" in problem.message


@pytest.mark.parametrize(
    ("data", "to", "code", "says"),
    [
        (PLAN, "0.1.0", "NOT_MIGRATABLE", "upward only"),
        (OLD_PLAN, "0.1.0", "NOT_MIGRATABLE", "is AgentPlan 0.1.0 already"),
        (PLAN, "1.0.0", "NOT_MIGRATABLE", "is AgentPlan 1.0.0 already"),
        (PLAN, "7.0.0", "UNKNOWN_VERSION", "known are: 0.1.0, 1.0.0, 2.0.0"),
        (PLAN, "new", "UNKNOWN_VERSION", "AgentPlan new is unknown"),
        (b"{}", "2.0.0", "INVALID_CONTRACT", "taskId"),
        (b"{", "2.0.0", "INVALID_JSON", "not JSON"),
    ],
)
def test_refusals(data: bytes, to: str, code: str, says: str):
    problem = refused(data, "AgentPlan", to)
    assert problem.code == code
    assert says in problem.message


def test_downward_from_the_newest_is_refused_too():
    assert "upward only" in refused(newer(PLAN, "AgentPlan").data, "AgentPlan", "1.0.0").message


def test_without_a_place_the_envelope_must_tell():
    assert refused(PLAN, None, None).field == "schema"


def test_every_version_but_the_newest_has_a_way_up():
    older = {(name, version) for name in registry.names() for version in registry.versions(name)[:-1]}
    assert set(STEPS) == older
    assert all(to in registry.versions(name) for (name, _version), (to, _step) in STEPS.items())
