"""The fixtures: each behaves as its place says, and all examples of the article are among them."""

import json
from pathlib import Path

import pytest

from ags_tui.core.contracts import registry
from ags_tui.core.contracts.fixtures import check_fixture, fixture_name, judge_invalid, judge_valid
from ags_tui.core.contracts.parse import Parsed, _careful, _straight, parse_contract
from ags_tui.core.contracts.plan import PlanStep
from tests.core.contracts.examples import FIXTURES, INVALID, VALID, contract_of, expected_of

ARTICLE = {
    # section and example: behaviour (field and code, where it is refused)
    "AgentPlan--article-02-weak-steps": ("steps.0.inputFiles", "INVALID_CONTRACT"),
    "AgentTask--article-04-task": None,
    "AgentPlan--article-05-bad-plan": ("steps.0", "INVALID_CONTRACT"),
    "AgentPlan--article-05-good-steps-alone": ("taskId", "INVALID_CONTRACT"),
    "ImplementationResult--article-06-result": None,
    "ToolRequest--article-07-run-tests": None,
    "ToolRequest--article-07-edit-file": None,
    "AgentPlan--article-11-files-alone": ("steps", "INVALID_CONTRACT"),
    "ReviewResult--article-13-review": None,
    "TestResult--article-15-passed": None,
    "TestResult--article-15-not-run": None,
    "AgentHandoff--article-16-empty-steps": ("payload.steps", "INVALID_CONTRACT"),
    "AgentPlan--article-17-empty-payload": ("taskId", "INVALID_CONTRACT"),
    "AgentPlan--article-19-version-0.1.0": None,
    "AgentPlan--article-20-low-risk-plan": None,
    "AgentPlan--article-20-medium-risk-plan": None,
    "TestResult--article-20-test-result-passed": None,
    "AgentPlan--article-20-missing-files-to-edit": ("filesToEdit", "INVALID_CONTRACT"),
    "AgentPlan--article-20-unknown-risk-level": ("riskLevel", "INVALID_CONTRACT"),
    "AgentPlan--article-20-forbidden-extra-property": ("confidence", "INVALID_CONTRACT"),
    "TestResult--article-20-passed-without-exit-code": ("commands.0.exitCode", "PASSED_WITHOUT_EXIT_CODE"),
    "FinalReport--article-21-report": None,
    "AgentPlan--article-25-empty-object": ("filesToEdit", "INVALID_CONTRACT"),
    "AgentPlan--article-25-two-fields": ("taskId", "INVALID_CONTRACT"),
    "AgentError--article-26-policy-violation": None,
}


@pytest.mark.parametrize("path", VALID, ids=lambda path: path.stem)
def test_valid(path: Path):
    assert judge_valid(path.read_bytes(), contract_of(path)) == ""


@pytest.mark.parametrize("path", INVALID, ids=lambda path: path.stem)
def test_invalid(path: Path):
    assert judge_invalid(path.read_bytes(), contract_of(path), expected_of(path).read_bytes()) == ""


@pytest.mark.parametrize(("name", "refusal"), ARTICLE.items(), ids=list(ARTICLE))
def test_article(name: str, refusal: tuple[str, str] | None):
    path = FIXTURES / ("valid" if refusal is None else "invalid") / f"{name}.json"
    found = check_fixture(path.read_bytes(), contract_of(path))
    assert (refusal in found) if refusal else found == []


def test_every_article_fixture_is_listed():
    assert {path.stem for path in (*VALID, *INVALID) if "--article-" in path.name} == set(ARTICLE)


def test_the_good_steps_of_the_article_are_good_steps():
    data = (FIXTURES / "invalid" / "AgentPlan--article-05-good-steps-alone.json").read_bytes()
    steps = json.loads(data)["steps"]
    assert [PlanStep.model_validate_json(json.dumps(step)).id for step in steps] == [
        "inspect-mapping",
        "update-mapping",
    ]


def test_the_good_request_of_the_article_may_lack_its_id():
    path = FIXTURES / "valid" / "ImplementationResult--article-06-result.json"
    request = json.loads(path.read_bytes())["commandsRequested"][0]
    assert "requestId" not in request
    assert check_fixture(json.dumps(request).encode(), "ToolRequest") == [
        ("requestId", "INVALID_CONTRACT"),
        ("requiresApproval", "INVALID_CONTRACT"),
    ]


@pytest.mark.parametrize("kind", [VALID, INVALID], ids=["valid", "invalid"])
def test_every_contract_has_fixtures(kind: list[Path]):
    assert {contract_of(path) for path in kind} == set(registry.names())


def test_every_version_has_a_valid_fixture():
    seen: set[tuple[str, str]] = set()
    for path in VALID:
        parsed = parse_contract(path.read_bytes(), contract=contract_of(path), artifact=path.name)
        assert isinstance(parsed, Parsed)
        seen.add((contract_of(path), parsed.version))
    assert seen == {(name, version) for name in registry.names() for version in registry.versions(name)}


def test_no_file_of_the_folder_is_something_else():
    files = [path for kind in ("valid", "invalid") for path in (FIXTURES / kind).iterdir()]
    assert len(files) == len(VALID) + 2 * len(INVALID)


@pytest.mark.parametrize("path", [*VALID, *INVALID], ids=lambda path: path.stem)
def test_both_roads_say_the_same(path: Path):
    data, contract = path.read_bytes(), contract_of(path)
    careful = _careful(data, contract, path.name)
    assert _straight(data, contract) == (careful if isinstance(careful, Parsed) else None)


def test_every_contradiction_is_told():
    path = FIXTURES / "invalid" / "TestResult--passed-with-failure.json"
    assert check_fixture(path.read_bytes(), "TestResult") == [
        ("commands.0.exitCode", "PASSED_WITH_FAILURE"),
        ("failedTests", "PASSED_WITH_FAILURE"),
    ]


@pytest.mark.parametrize(
    "name",
    ["AgentPlan.json", "AgentPlan--.json", "Plan--x.json", "AgentPlan--x.expected.json", "AgentPlan--x.txt"],
)
def test_names_that_are_no_fixtures(name: str):
    assert fixture_name(name) is None


@pytest.mark.parametrize(
    ("expected", "says"),
    [
        (b'{"field": "riskLevel"}', "must be"),
        (b"[]", "must be"),
        (b"{", "not JSON"),
        (b'{"field": "riskLevel", "code": "UNKNOWN_VERSION"}', "found riskLevel: INVALID_CONTRACT"),
        (b'{"field": "taskId", "code": "INVALID_CONTRACT"}', "expected taskId: INVALID_CONTRACT"),
    ],
)
def test_a_wrong_expectation_is_said(expected: bytes, says: str):
    path = FIXTURES / "invalid" / "AgentPlan--article-20-unknown-risk-level.json"
    assert says in judge_invalid(path.read_bytes(), "AgentPlan", expected)


def test_an_invalid_fixture_that_is_valid_is_said():
    data = (FIXTURES / "valid" / "AgentTask--article-04-task.json").read_bytes()
    expected = b'{"field": "id", "code": "INVALID_CONTRACT"}'
    assert judge_invalid(data, "AgentTask", expected) == "expected id: INVALID_CONTRACT, found nothing wrong"


def test_a_valid_fixture_that_is_invalid_is_said():
    data = (FIXTURES / "invalid" / "AgentPlan--no-steps.json").read_bytes()
    assert judge_valid(data, "AgentPlan") == "steps: INVALID_CONTRACT"
