"""Tests and sentences: claimed, observed, fresh or not."""

from typing import Any

import pytest

from ags_tui.core.assessment import Prose
from ags_tui.core.checks.claims import Claims
from ags_tui.core.checks.findings import Basis, Outcome, Severity
from ags_tui.core.checks.trees import entries_of, paths_between, tree_in
from ags_tui.core.contracts.results import FailedTest
from ags_tui.core.log_state import Observation
from ags_tui.core.snapshot import Changes
from tests import builders as make
from tests.core.checks.looking import claimed, facts, held, looked_at, of, rung

TREE = make.changes().tree_digest
OTHER = "sha256:" + "8" * 64
FAILED = make.run_result(status="failed", commands=(make.command_result(exit_code=1),))
NOT_RUN = make.run_result(
    status="not_run",
    commands=(make.command_result(exit_code=None),),
    environment_issues=("요청한 iOS Simulator가 설치되어 있지 않습니다.",),
)


def seventh(**fields: Any) -> tuple[Outcome, Basis]:
    row = rung(looked_at(**fields), 7)
    return row.outcome, row.basis


def run(exit_code: int | None = 0, tree: str = TREE, **fields: Any) -> Observation:
    return make.observed_run(tree, exit_code=exit_code, **fields)


@pytest.mark.parametrize(
    ("fields", "outcome", "basis"),
    [
        ({}, Outcome.PASSED, Basis.DECLARED),
        ({"tests": [run()]}, Outcome.PASSED, Basis.OBSERVED),
        ({"tests": [run()], "test": None}, Outcome.PASSED, Basis.OBSERVED),
        ({"tests": [run()], "test": FAILED}, Outcome.PASSED, Basis.OBSERVED),
        ({"tests": [run()], "test": NOT_RUN}, Outcome.PASSED, Basis.OBSERVED),
        ({"tests": [run()], "files": {"evidence": {}}}, Outcome.PASSED, Basis.OBSERVED),
        ({"tests": [run(1)]}, Outcome.FAILED, Basis.DECLARED),
        ({"tests": [run(1), run(0)]}, Outcome.PASSED, Basis.OBSERVED),
        ({"tests": [run(0), run(1)]}, Outcome.FAILED, Basis.DECLARED),
        ({"tests": [run(None)]}, Outcome.FAILED, Basis.DECLARED),
        ({"tests": [run(0, OTHER)], "test": None}, Outcome.FAILED, Basis.DECLARED),
        ({"tests": [run(0, OTHER)]}, Outcome.PASSED, Basis.DECLARED),
        ({"tests": [run(0, command="make")], "test": None}, Outcome.FAILED, Basis.DECLARED),
        ({"tests": [run(0, "")], "test": None}, Outcome.FAILED, Basis.DECLARED),
        ({"test": FAILED}, Outcome.FAILED, Basis.DECLARED),
        ({"test": NOT_RUN}, Outcome.FAILED, Basis.DECLARED),
        (
            {"test": make.run_result(failed_tests=(FailedTest(name="a", message="b"),))},
            Outcome.FAILED,
            Basis.DECLARED,
        ),
        ({"observed": False}, Outcome.UNKNOWN, Basis.DECLARED),
        ({"plan": None, "test": None}, Outcome.FAILED, Basis.DECLARED),
    ],
)
def test_tests(fields: dict[str, Any], outcome: Outcome, basis: Basis):
    assert seventh(**fields) == (outcome, basis)


def test_every_planned_command_must_run():
    plan = make.agent_plan(tests_to_run=(make.TEST_COMMAND, "make lint"))
    seen = looked_at(plan=plan)
    assert [one.message for one in held(seen, "NOT_RUN")] == ["make lint did not run. Run the tests."]
    both = looked_at(plan=plan, tests=[run(), run(command="make lint")])
    assert rung(both, 7).outcome is Outcome.PASSED


def test_without_a_test_plan_there_is_nothing_to_run_and_no_pass():
    seen = looked_at(plan=make.agent_plan(tests_to_run=()), test=None)
    assert rung(seen, 7).outcome is Outcome.NOT_APPLICABLE
    assert rung(seen, 3).outcome is Outcome.FAILED


def test_a_command_that_was_claimed_twice_counts_by_its_worse_end():
    claim = make.run_result(commands=(make.command_result(exit_code=1), make.command_result(exit_code=0)))
    assert seventh(test=claim)[0] is Outcome.FAILED


def test_a_claim_of_failure_that_was_seen_to_pass_is_told():
    seen = looked_at(tests=[run()], test=FAILED)
    assert {one.severity for one in of(seen, "CLAIM_CONTRADICTS_OBSERVATION")} == {Severity.WARNING}
    assert seen.gate.outcome is Outcome.PASSED
    unsaid = of(looked_at(tests=[run()], test=NOT_RUN), "CLAIM_CONTRADICTS_OBSERVATION")
    assert ["claimed no exit code, seen 0" in one.message for one in unsaid] == [True]


def test_unknown_never_passes_for_a_tree_without_a_digest():
    seen = looked_at(change_set=make.changes(tree_digest=""), tests=[run(0, "")])
    assert rung(seen, 7).outcome is not Outcome.PASSED


# -- freshness and other tasks -----------------------------------------------------------------------------


def moved(path: str) -> tuple[Changes, Observation]:
    """The tests were claimed before another path changed."""
    before = make.changes()
    after = make.changes(*before.entries, make.change(path))
    digest = make.artifact(make.run_result(), "test-result.json").digest
    seen = make.observation(
        "test-result.json", digest, before.tree_digest, data={"entries": entries_of(before)}
    )
    return after, seen


@pytest.mark.parametrize(
    ("claims", "outcome"), [(claimed("theirs/**"), Outcome.UNKNOWN), (claimed("else/**"), Outcome.FAILED)]
)
def test_evidence_that_only_another_task_made_old_is_unknown(claims: Claims, outcome: Outcome):
    change_set, seen = moved("theirs/x")
    assessment = looked_at(change_set=change_set, observations=[seen], claims=claims)
    assert rung(assessment, 7).outcome is outcome
    assert {one.unknown for one in of(assessment, "STALE_EVIDENCE")} == {outcome is Outcome.UNKNOWN}


def test_without_the_old_tree_nobody_can_say_whose_change_it_is():
    change_set, seen = moved("theirs/x")
    bare = make.observation(seen.path, seen.digest, seen.tree_digest)
    assessment = looked_at(change_set=change_set, observations=[bare], claims=claimed("theirs/**"))
    assert rung(assessment, 7).outcome is Outcome.FAILED


def test_trees_are_read_back_and_damage_is_not_taken_for_one():
    changes = make.changes(
        make.change("a", "x", None), make.change("caf\udce9"), make.change("b", mode="100755")
    )
    rows = entries_of(changes)
    assert rows is not None
    one = make.observation("r", OTHER, "t1", data={"entries": rows})
    assert tree_in(one) == {path: (mode, blob) for path, mode, blob in rows}
    assert paths_between(one, make.observation("r", OTHER, "t2", data={"entries": rows[1:]})) == ("a",)
    assert paths_between(one, make.observation("r", OTHER, "t1")) == ()
    for damaged in (None, "text", [["a", "b"]], [["a", "b", 3]], {"a": "b"}):
        assert paths_between(one, make.observation("r", OTHER, "t2", data={"entries": damaged})) is None
    assert entries_of(make.changes(unknown="damaged")) is None
    assert entries_of(make.changes(*(make.change(f"f{n}") for n in range(2001)))) is None


# -- sentences ---------------------------------------------------------------------------------------------


def prose(sentence: str, **fields: Any) -> Prose:
    task = make.agent_task(required_evidence=(sentence,), expected_behavior=())
    return looked_at(task=task, attested=False, **fields).gate.prose[0]


@pytest.mark.parametrize(
    "sentence",
    [
        "수정된 파일 목록",
        "변경된 파일",
        "변경 파일 목록",
        "Changed files",
        "list of changed files",
        "modified files list.",
        "실행한 테스트 명령",
        "실행한 테스트 명령어",
        "test commands",
        "commands run",
        "Test commands that were run",
        "테스트 종료 코드",
        "종료 코드",
        "exit codes",
        "Exit code",
        "test exit codes",
        "exit codes of the tests",
        "미실행 테스트 사유",
        "실행하지 않은 테스트의 이유",
        "reasons for tests not run",
        "Reasons for skipped tests",
        "why tests were not run",
    ],
)
def test_known_sentences_are_computed(sentence: str):
    """What git shows is observed; what only the tester says ran stays a claim until it is seen to run."""
    seen_here = "file" in sentence.casefold() or "파일" in sentence
    row = prose(sentence)
    assert (row.outcome, row.basis) == (Outcome.PASSED, Basis.OBSERVED if seen_here else Basis.DECLARED), row
    assert row.reason.endswith("as the tester claims.") is not seen_here
    row = prose(sentence, tests=(make.observed_run(TREE),))
    assert (row.outcome, row.basis) == (Outcome.PASSED, Basis.OBSERVED), row


@pytest.mark.parametrize(
    "sentence",
    [
        "변경된 파일 목록과 스크린샷",
        "changed files and a screenshot",
        "no changed files",
        "exit codes of the linter",
        "스크린샷",
        "performance numbers",
        "",
        "test commands approved by security",
        "변경된 파일이 없다",
    ],
)
def test_other_sentences_are_attested(sentence: str):
    row = prose(sentence)
    assert (row.outcome, row.basis) == (Outcome.UNKNOWN, Basis.HUMAN), row


@pytest.mark.parametrize(
    ("sentence", "fields", "outcome"),
    [
        ("테스트 종료 코드", {"test": None}, Outcome.FAILED),
        ("테스트 종료 코드", {"test": NOT_RUN}, Outcome.FAILED),
        ("실행한 테스트 명령", {"test": None}, Outcome.FAILED),
        ("실행한 테스트 명령", {"test": NOT_RUN}, Outcome.PASSED),
        ("미실행 테스트 사유", {"test": None}, Outcome.FAILED),
        ("미실행 테스트 사유", {"test": NOT_RUN}, Outcome.PASSED),
        ("수정된 파일 목록", {"change_set": make.changes(unknown="damaged")}, Outcome.UNKNOWN),
    ],
)
def test_what_facts_answer(sentence: str, fields: dict[str, Any], outcome: Outcome):
    assert prose(sentence, **fields).outcome is outcome


def test_an_attestation_is_for_one_tree_and_one_wording():
    seen = looked_at()
    assert {one.basis for one in seen.gate.prose if one.prose_id.startswith("task#expected")} == {Basis.HUMAN}
    task = make.agent_task()
    old = make.attestations(task, OTHER)
    stale = looked_at(attested=False, entries=old)
    assert all(one.stale for one in stale.gate.prose if one.prose_id.startswith("task#expected"))
    assert rung(stale, 8).outcome is Outcome.UNKNOWN
    other = make.agent_task(expected_behavior=("another sentence", *task.expected_behavior[1:]))
    reworded = looked_at(attested=False, entries=make.attestations(task, TREE), task=other)
    first, second = (one for one in reworded.gate.prose if one.prose_id.startswith("task#expected"))
    assert (first.outcome, second.outcome) == (Outcome.UNKNOWN, Outcome.PASSED)
    assert not first.stale


def test_nothing_is_attested_by_a_log_that_was_tampered_with():
    seen = looked_at(log={"integrity": Outcome.FAILED})
    assert rung(seen, 8).outcome is Outcome.UNKNOWN


def test_a_tree_that_nobody_knows_is_attested_by_nobody():
    unknown = make.changes(unknown="damaged", tree_digest="")
    rows = make.attestations(make.agent_task(), "")
    assert rung(looked_at(change_set=unknown, attested=False, entries=rows), 8).outcome is Outcome.UNKNOWN
    assert facts(change_set=unknown).tree == ""


def test_a_fix_may_update_what_the_task_has_created():
    created = make.change("a.py", old=None)
    fix = make.implementation_result(
        changed_files=(make.changed_file("a.py", "updated"),), executed_steps=(), status="completed"
    )
    seen = looked_at(change_set=make.changes(created), fix=fix)
    assert not [one for one in seen.findings if one.path == "a.py" and "CONTRADICTS" in one.code]
    seen = looked_at(change_set=make.changes(created), implementation=fix)
    assert [one for one in seen.findings if one.path == "a.py" and "CONTRADICTS" in one.code]
