import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ags_tui.core.contracts import registry, schemas, validators
from ags_tui.core.contracts.parse import Parsed, _careful, _straight, parse_any, parse_contract
from ags_tui.core.contracts.plan import AgentPlan, AgentPlanV2
from ags_tui.core.contracts.strict_json import BOM
from ags_tui.core.contracts.tool_request import ToolRequest, ToolRequestV2
from ags_tui.core.digests import digest
from ags_tui.core.snapshot import LoadProblem
from tests.core.contracts.examples import (
    FIXTURES,
    INVALID,
    VALID,
    contract_of,
    documents,
    fits_schema,
    spoilt,
)

CASES = Path(__file__).parents[2] / "cases"
PLAN = json.loads((FIXTURES / "valid" / "AgentPlan--article-20-medium-risk-plan.json").read_bytes())


def plan(**changes: Any) -> bytes:
    return json.dumps(PLAN | changes, indent=1, ensure_ascii=False).encode()


def envelope(name: str, version: object, payload: object, **more: Any) -> bytes:
    return json.dumps({"schema": name, "version": version, "payload": payload} | more, indent=1).encode()


def refused(data: bytes, contract: str = "AgentPlan") -> LoadProblem:
    problem = parse_contract(data, contract=contract, artifact="plan.json")
    assert isinstance(problem, LoadProblem), problem
    assert problem.artifact == "plan.json"
    assert problem.digest == digest(data)
    assert problem.next_step
    return problem


def read(data: bytes, contract: str = "AgentPlan") -> Parsed:
    parsed = parse_contract(data, contract=contract, artifact="plan.json")
    assert isinstance(parsed, Parsed), parsed
    return parsed


def test_a_bare_plan_is_one_of_1_0_0():
    parsed = read(plan())
    assert isinstance(parsed.document, AgentPlan)
    assert (parsed.version, parsed.notes) == ("1.0.0", ())
    assert parsed.document.files_to_edit == ("AuthErrorMapper.swift", "LoginViewModelTests.swift")


def test_the_model_of_a_newer_version_is_also_one_of_the_older():
    newer = envelope("AgentPlan", "2.0.0", PLAN | {"allowedOperations": ["update"], "approvalPolicy": "plan"})
    document = read(newer).document
    assert isinstance(document, AgentPlanV2)
    assert isinstance(document, AgentPlan)
    assert issubclass(ToolRequestV2, ToolRequest)


@pytest.mark.parametrize("order", [("payload", "schema", "version"), ("version", "payload", "schema")])
@pytest.mark.parametrize("layout", [None, 4, "\t"])
def test_an_envelope_may_be_written_in_any_order(order: tuple[str, ...], layout: int | str | None):
    fields = {"schema": "AgentPlan", "version": "1.0.0", "payload": PLAN}
    assert (
        read(json.dumps({name: fields[name] for name in order}, indent=layout).encode()).document
        == read(plan()).document
    )


def test_a_byte_order_mark_is_accepted_and_noted():
    parsed = read(BOM + plan())
    assert parsed.notes == ("begins with a byte order mark",)
    assert parsed.document == read(plan()).document


def test_version_0_1_0_is_migrated_and_said():
    parsed = read(BOM + envelope("AgentPlan", "0.1.0", {"taskId": "t", "filesToEdit": ["a", "b", "a"]}))
    document = parsed.document
    assert isinstance(document, AgentPlan)
    assert parsed.version == "0.1.0"
    assert (document.risk_level, document.requires_human_approval) == ("high", True)
    assert [step.id for step in document.steps] == ["migrated"]
    assert (document.tests_to_run, document.files_to_edit) == ((), ("a", "b"))
    said = " ".join(parsed.notes)
    for part in (
        "byte order mark",
        "0.1.0 to 1.0.0",
        "riskLevel high",
        "requiresHumanApproval true",
        "testsToRun",
        "twice",
    ):
        assert part in said


@pytest.mark.parametrize(
    ("changes", "line", "field", "message"),
    [
        ({"riskLevel": "extreme"}, 4, "riskLevel", "must be 'low', 'medium' or 'high', not 'extreme'"),
        ({"riskLevel": ["low"]}, 4, "riskLevel", "must be 'low', 'medium' or 'high', not a list"),
        ({"taskId": ""}, 2, "taskId", "must not be empty"),
        ({"summary": 7}, 3, "summary", "must be text, not a number"),
        ({"steps": []}, 19, "steps", "needs at least 1 entry"),
        ({"filesToEdit": ["a", "b", "a"]}, 10, "filesToEdit", "names an entry twice: a"),
        ({"filesToEdit": [1]}, 11, "filesToEdit.0", "must be text, not a number"),
        ({"filesToEdit": "a"}, 10, "filesToEdit", "must be a list, not text"),
        ({"requiresHumanApproval": 0}, None, "requiresHumanApproval", "must be true or false, not a number"),
        ({"testsToRun": None}, None, "testsToRun", "must be a list, not null"),
        ({"steps": [{"id": "a"}]}, 20, "steps.0.action", "is required but missing"),
        ({"note": 1}, None, "note", "is not a field of this contract"),
        ({"task_id": "x"}, None, "task_id", "is not a field of this contract"),
    ],
)
def test_wrong_fields(changes: dict[str, Any], line: int | None, field: str, message: str):
    problem = refused(plan(**changes))
    assert problem.code == "INVALID_CONTRACT"
    assert (problem.field, problem.fields[0]) == (field, (field, message))
    assert problem.message.startswith(f"{field} {message}")
    if line is not None:
        assert problem.line == line
    else:
        written = plan(**changes).decode().splitlines()
        assert problem.line is not None
        assert f'"{field}"' in written[problem.line - 1]


def test_all_wrong_fields_are_listed():
    steps = [PLAN["steps"][0], PLAN["steps"][1] | {"owner": "me", "action": 1}]
    problem = refused(plan(riskLevel="x", steps=steps, extra=True, stopConditions=[1, "a", 2]))
    assert {field for field, _message in problem.fields} == {
        "riskLevel", "steps.1.action", "steps.1.owner", "extra", "stopConditions.0", "stopConditions.2",
    }  # fmt: skip
    assert "(and 5 more)" in problem.message


def test_a_missing_field_is_a_line_of_the_object_around_it():
    problem = refused(envelope("AgentPlan", "1.0.0", {name: PLAN[name] for name in PLAN if name != "taskId"}))
    assert (problem.field, problem.line) == ("taskId", 4)


def test_in_an_envelope_fields_are_those_of_the_contract():
    problem = refused(envelope("AgentPlan", "1.0.0", PLAN | {"riskLevel": "x"}))
    assert (problem.field, problem.line) == ("riskLevel", 7)


@pytest.mark.parametrize(
    ("data", "code", "field", "says"),
    [
        (envelope("AgentPlan", "1.5.0", PLAN), "UNKNOWN_VERSION", "version", "0.1.0, 1.0.0, 2.0.0"),
        (envelope("AgentPlan", "1", PLAN), "UNKNOWN_VERSION", "version", "'1'"),
        (envelope("AgentPlan", 1.5, PLAN), "INVALID_CONTRACT", "version", "must be text"),
        (
            envelope("AgentTask", "1.0.0", PLAN),
            "INVALID_CONTRACT",
            "schema",
            "'AgentTask', and AgentPlan belongs",
        ),
        (envelope("agentPlan", "1.0.0", PLAN), "INVALID_CONTRACT", "schema", "'agentPlan'"),
        (envelope("AgentPlan", "1.0.0", PLAN, by="x"), "INVALID_CONTRACT", "by", "not a field"),
        (
            envelope("AgentPlan", "1.0.0", "PLAN"),
            "INVALID_CONTRACT",
            "payload",
            "must be an object, not text",
        ),
        (b'{"version": "1.0.0", "payload": {}}', "INVALID_CONTRACT", "schema", "missing"),
        (b'{"schema": "AgentPlan"}', "INVALID_CONTRACT", "version", "missing"),
        (b"[]", "INVALID_CONTRACT", "", "must be an object, not a list"),
        (b"null", "INVALID_CONTRACT", "", "must be an object, not null"),
    ],
)
def test_wrong_envelopes(data: bytes, code: str, field: str, says: str):
    problem = refused(data)
    assert (problem.code, problem.field) == (code, field)
    assert says in problem.message


def test_a_bare_document_of_another_version_is_told_to_put_on_its_envelope():
    newer = refused(plan(allowedOperations=["update"], approvalPolicy="plan"))
    assert '"version": "2.0.0", "payload": {...}}' in newer.next_step
    assert '"version": "0.1.0"' in refused(b'{"taskId": "t", "filesToEdit": []}').next_step
    assert "schema.json" in refused(plan(extra=1)).next_step


def test_any_contract_needs_an_envelope():
    parsed = parse_any(envelope("AgentPlan", "1.0.0", PLAN), "x.json")
    assert isinstance(parsed, Parsed)
    assert isinstance(parsed.document, AgentPlan)
    bare = parse_any(plan(), "x.json")
    assert isinstance(bare, LoadProblem)
    assert (bare.field, bare.code) == ("schema", "INVALID_CONTRACT")
    unknown = parse_any(envelope("Plan", "1.0.0", PLAN), "x.json")
    assert isinstance(unknown, LoadProblem)
    assert "one of AgentTask, AgentPlan" in unknown.message


def test_a_contract_that_does_not_exist_reads_nothing():
    assert refused(plan(), "Plan").code == "UNKNOWN_VERSION"


@pytest.mark.parametrize(
    ("changes", "code", "field"),
    [
        ({"payload": PLAN | {"steps": []}}, "INVALID_CONTRACT", "payload.steps"),
        ({"payload": PLAN | {"steps": [{}]}}, "INVALID_CONTRACT", "payload.steps.0.id"),
        ({"payload": PLAN | {"x": 1}}, "INVALID_CONTRACT", "payload.x"),
        ({"payloadType": "LogEntry"}, "INVALID_CONTRACT", "payloadType"),
        ({"payloadType": ""}, "INVALID_CONTRACT", "payloadType"),
        ({"contractVersion": "1.1.0"}, "UNKNOWN_VERSION", "contractVersion"),
        ({"contractVersion": "0.1.0"}, "INVALID_CONTRACT", "payload.summary"),
    ],
)
@pytest.mark.parametrize("enveloped", [False, True])
def test_the_payload_of_a_handoff(changes: dict[str, Any], code: str, field: str, enveloped: bool):
    handoff = json.loads((FIXTURES / "valid" / "AgentHandoff--plan.json").read_bytes()) | changes
    data = envelope("AgentHandoff", "1.0.0", handoff) if enveloped else json.dumps(handoff, indent=1).encode()
    problem = refused(data, "AgentHandoff")
    assert (problem.code, field in dict(problem.fields)) == (code, True)
    assert problem.line is not None
    assert problem.line > (4 if enveloped else 1)


def test_duplicate_scope_in_a_plan_is_refused_with_its_line():
    problem = refused(plan().replace(b'"filesToEdit": [', b'"filesToEdit": ["**"],\n "filesToEdit": ['))
    assert (problem.code, problem.field, problem.line) == ("INVALID_JSON", "filesToEdit", 11)


def test_fields_that_a_request_does_not_show_are_refused_by_name():
    given = json.loads((CASES / "141-extra-fields" / "extra.json").read_bytes())
    request = {
        "requestId": given["request_id"],
        "tool": given["tool"],
        "command": given["input"]["command"],
        "reason": "test",
        "riskLevel": "low",
        "requiresApproval": False,
    }
    read(json.dumps(request).encode(), "ToolRequest")
    hidden = {"run_as": given["run_as"], "sandbox": given["sandbox"], "env": given["input"]["env"]}
    problem = refused(json.dumps(request | hidden).encode(), "ToolRequest")
    assert [field for field, _message in problem.fields] == ["run_as", "sandbox", "env"]


def test_the_raw_input_of_a_request_keeps_every_field():
    given = json.loads((CASES / "141-extra-fields" / "hook-stdin.json").read_bytes())["tool_input"]
    data = (FIXTURES / "valid" / "ToolRequest--2.0.0-command.json").read_bytes()
    value = json.loads(data)
    value["payload"]["input"] = given
    document = read(json.dumps(value).encode(), "ToolRequest").document
    assert isinstance(document, ToolRequestV2)
    assert document.input == given


@pytest.mark.parametrize("levels", [400, 100_000])
def test_deep_tool_input_is_refused(levels: int):
    data = b'{"requestId":"r-1","input":' + b'{"a":' * levels + b"1" + b"}" * levels + b"}"
    assert "deeper than 100" in refused(data, "ToolRequest").message


@pytest.mark.parametrize(
    "time",
    ["2026-07-20T10:00:00+09:00", "2026-07-20T01:00:00Z", "2026-07-19T23:30:00.000000-01:30"],
)
def test_times_are_points_in_time(time: str):
    handoff = json.loads((FIXTURES / "valid" / "AgentHandoff--plan.json").read_bytes()) | {"createdAt": time}
    document: Any = read(json.dumps(handoff).encode(), "AgentHandoff").document
    assert document.created_at.isoformat(sep="T") in (
        time,
        time.replace("Z", "+00:00"),
        time.replace(".000000", ""),
    )
    assert document.created_at.timestamp() == 1784509200.0


@pytest.mark.parametrize(
    "time",
    [
        "2026-07-20T10:00:00", "2026-07-20 10:00:00Z", "2026-07-20T10:00Z", "2026-07-20t10:00:00z",
        "2026-07-20", "1784509200", 1784509200, "2026-07-20T10:00:00+0900", "2026-02-30T10:00:00Z",
        "2026-07-20T24:00:00Z", "0001-01-01T00:00:00+10:00", "2026-07-20T10:00:00Z\n",
        "２026-07-20T10:00:00Z", None,
    ],
)  # fmt: skip
def test_what_is_no_time(time: object):
    handoff = json.loads((FIXTURES / "valid" / "AgentHandoff--plan.json").read_bytes()) | {"createdAt": time}
    assert refused(json.dumps(handoff).encode(), "AgentHandoff").field == "createdAt"


MANY = 60_000
SPOILS = {
    "missing in steps": (b'{"steps":[' + b"{}," * MANY + b"{}]}", 100),
    "unknown fields": (b"{" + b",".join(b'"%d":1' % number for number in range(MANY)) + b"}", 100),
    "wrong entries": (plan(filesToEdit=[1] * MANY), 1),
    "wrong steps": (plan(steps=[dict.fromkeys(PLAN["steps"][0], 1)] * 2000), 5),
    "lists for text": (plan(summary=[[]] * MANY), 1),
}


@pytest.mark.parametrize(("data", "count"), SPOILS.values(), ids=list(SPOILS))
def test_a_large_file_cannot_drive_up_the_number_of_errors(data: bytes, count: int):
    assert len(data) > validators.BOUNDED_FROM
    assert len(refused(data).fields) == count


def test_a_large_file_is_judged_like_a_small_one():
    files = [f"src/{number}.py" for number in range(10_000)]
    assert len(plan(filesToEdit=files)) > validators.BOUNDED_FROM
    document: Any = read(plan(filesToEdit=files)).document
    assert document.files_to_edit == tuple(files)
    assert refused(plan(filesToEdit=files, extra=1)).fields == (("extra", "is not a field of this contract"),)
    assert refused(plan(filesToEdit=[*files, files[0]])).field == "filesToEdit"
    step = PLAN["steps"][0] | {"owner": 1}
    assert refused(plan(filesToEdit=files, steps=[step])).field == "steps.0.owner"
    assert refused(plan(filesToEdit=files, steps=["step"])).fields == (
        ("steps.0", "must be an object, not text"),
    )
    assert (
        refused(envelope("AgentPlan", "1.0.0", PLAN | {"filesToEdit": files, "riskLevel": 1})).field
        == "riskLevel"
    )


@given(st.binary(max_size=200), st.sampled_from(registry.names()))
def test_any_bytes_are_read_or_refused(data: bytes, contract: str):
    assert isinstance(parse_contract(data, contract=contract, artifact="x"), Parsed | LoadProblem)


@settings(max_examples=80, deadline=None)
@given(documents(), st.booleans(), st.booleans())
def test_whatever_fits_a_schema_is_read(found: tuple[str, str, Any], ascii_only: bool, enveloped: bool):
    name, version, payload = found
    assert fits_schema(name, version, payload)
    value = {"schema": name, "version": version, "payload": payload} if enveloped else payload
    data = json.dumps(value, ensure_ascii=ascii_only).encode()
    if enveloped or version == registry.BARE_VERSION:
        assert read(data, name).version == version
        assert _straight(data, name) == _careful(data, name, "x")


@settings(max_examples=200, deadline=None)
@given(spoilt())
def test_models_and_schemas_agree_on_spoilt_documents(found: tuple[str, str, Any]):
    name, version, payload = found
    data = json.dumps({"schema": name, "version": version, "payload": payload}).encode()
    parsed = parse_contract(data, contract=name, artifact="x")
    assert isinstance(parsed, Parsed) == fits_schema(name, version, payload), parsed
    assert (_straight(data, name) is not None) == isinstance(parsed, Parsed)
    if isinstance(parsed, LoadProblem):
        assert all(message for _field, message in parsed.fields)
        assert parsed.line is not None


FRAGMENTS = [
    b"", b'"', b"\\", b"\\ud83d", b"\\ud83d\\ude00", b"\\u0000", b"NaN", b"-Infinity", b"1e999",
    b"9007199254740992", b"-0", b"[", b"]", b"{", b"}", b",", b":", b"[" * 101, b"null", b'"a":1,"a":2,',
    b'"schema":', b'"version":"2.0.0",', b"\xed\xa0\xbd", b"\xff", b"\x00", b"\x7f",
    b"\xef\xbb\xbf", b"\n", b"//",
]  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(st.data(), st.sampled_from([*VALID, *INVALID]), st.sampled_from(FRAGMENTS))
def test_the_straight_road_takes_nothing_that_the_careful_one_refuses(
    data: st.DataObject, path: Path, part: bytes
):
    whole, contract = path.read_bytes(), contract_of(path)
    start = data.draw(st.integers(0, len(whole)))
    spoilt_bytes = whole[:start] + part + whole[data.draw(st.integers(start, min(start + 9, len(whole)))) :]
    straight, careful = _straight(spoilt_bytes, contract), _careful(spoilt_bytes, contract, path.name)
    assert straight == (careful if isinstance(careful, Parsed) else None)


@pytest.mark.parametrize(
    "part",
    [
        '"\\ud83d": 1',
        '"a": "\\udc00"',
        '"a": ["\\ud83d\\ud83d"]',
        '"a": 1e400',
        '"a": 9007199254740993',
    ],
)
def test_free_input_is_strict_too(part: str):
    data = (FIXTURES / "valid" / "ToolRequest--2.0.0-command.json").read_bytes()
    spoilt_bytes = data.replace(b'"input": {', b'"input": {' + part.encode() + b",")
    assert _straight(spoilt_bytes, "ToolRequest") is None
    assert refused(spoilt_bytes, "ToolRequest").code == "INVALID_JSON"


def test_schemas_name_all_fields_that_models_read():
    for name in registry.names():
        for version in registry.versions(name):
            model = registry.model_for(name, version)
            assert model is not None
            assert set(schemas.schema(name, version)["properties"]) == set(validators.shape(model))
