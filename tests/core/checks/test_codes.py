"""Every code that the checks give: the least that brings it about, and a task that is free of it."""

from collections.abc import Callable
from typing import Any

import pytest

from ags_tui.core import digests
from ags_tui.core.assessment import TaskAssessment
from ags_tui.core.checks.findings import Outcome, Severity
from ags_tui.core.contracts.review import ScopeCheck
from ags_tui.core.decisions import Bound
from ags_tui.core.snapshot import PolicyState
from tests import builders as make
from tests.core.checks.looking import claimed, looked_at, of, rung

Red = tuple[str, int, str, Callable[[], TaskAssessment]]
TREE = make.changes().tree_digest
OTHER = make.changes(make.change(make.MAPPER, "old", "other")).tree_digest
VIEW = "Sources/Auth/LoginView.swift"


def red(**fields: Any) -> Callable[[], TaskAssessment]:
    return lambda: looked_at(**fields)


def seen_plan(**fields: Any) -> dict[str, Any]:
    """A task whose first plan was the default one, while plan.json now holds another."""
    first = make.artifact(make.agent_plan(), "plan.json")
    now = make.artifact(make.agent_plan(**fields), "plan.json")
    return {
        "plan": make.agent_plan(**fields),
        "recorded": {first.digest: make.agent_plan()},
        "observations": [
            make.observation("plan.json", first.digest, sequence=1),
            make.observation("plan.json", now.digest, sequence=2),
        ],
    }


def seen_task(**fields: Any) -> dict[str, Any]:
    first = make.artifact(make.agent_task(), "task.json")
    now = make.artifact(make.agent_task(**fields), "task.json")
    return {
        "task": make.agent_task(**fields),
        "recorded": {first.digest: make.agent_task()},
        "observations": [
            make.observation("task.json", first.digest, sequence=1),
            make.observation("task.json", now.digest, sequence=2),
        ],
    }


def fixed(path: str, allowed: tuple[str, ...]) -> dict[str, Any]:
    """A review that asks for one fix, and a fix that touched a path."""
    review = make.review_result(
        verdict="needs_changes",
        issues=(make.review_issue(),),
        required_fixes=(make.required_fix(allowed_files=allowed),),
    )
    fix = make.implementation_result(changed_files=(make.changed_file(path, reason="review-001"),))
    before = make.changes()
    after = make.changes(
        make.change(make.MAPPER), make.change(make.MAPPER_TESTS), make.change(path, "old", "fixed")
    )
    rows = [[c.path, c.new.mode, c.new.blob] for c in before.entries if c.new]
    more = [[c.path, c.new.mode, c.new.blob] for c in after.entries if c.new]
    plan = make.agent_plan(files_to_edit=(make.MAPPER, make.MAPPER_TESTS, path))
    digest = {
        name: make.artifact(one, name).digest
        for name, one in (("review-result.json", review), ("fix-result.json", fix))
    }
    return {
        "review": review,
        "fix": fix,
        "change_set": after,
        "plan": plan,
        "observations": [
            make.observation(
                "review-result.json",
                digest["review-result.json"],
                before.tree_digest,
                sequence=5,
                data={"entries": rows},
            ),
            make.observation(
                "fix-result.json",
                digest["fix-result.json"],
                after.tree_digest,
                sequence=6,
                data={"entries": more},
            ),
        ],
    }


def edited_after(implementation_tree: str, review_tree: str) -> dict[str, Any]:
    work = make.artifact(make.implementation_result(), "implementation-result.json").digest
    review = make.artifact(make.review_result(), "review-result.json").digest
    return {
        "observations": [
            make.observation("implementation-result.json", work, implementation_tree, sequence=3),
            make.observation("review-result.json", review, review_tree, sequence=4),
        ]
    }


def decided(verdict: str, holds: str, *, effective: str = "approved text\n") -> dict[str, Any]:
    """A decided edit of a file that the plan does not name, and what the file holds now."""
    request = make.tool_request_v2(target_path=VIEW)
    digest = make.artifact(request, "tool-requests/tool-002.json").digest
    before, proposed = digests.digest(b"old text\n"), digests.digest(b"new text\n")
    data = {"path": VIEW, "proposedDigest": proposed}
    if verdict == "approved":
        data |= {"effectiveDigest": digests.digest(effective.encode())}
    row = make.entry(
        "tool-request",
        verdict,
        "tool-002",
        digest,
        data=data,
        bound=Bound(request=digest, files={VIEW: before}),
    )
    return {
        "more": {"tool-requests/tool-002.json": request},
        "entries": [row],
        "file_digests": {VIEW: digests.digest(holds.encode())},
        "change_set": make.changes(make.change(make.MAPPER), make.change(VIEW, "old text\n", holds)),
    }


RED: list[Red] = [
    # contract
    ("INVALID_CONTRACT", 1, "plan broken", red(plan=None, files={"problems": (make.load_problem(),)})),
    (
        "INVALID_JSON",
        1,
        "no JSON",
        red(files={"problems": (make.load_problem("handoffs/h.json", "INVALID_JSON"),)}),
    ),
    (
        "UNKNOWN_VERSION",
        1,
        "newer",
        red(files={"problems": (make.load_problem("plan.json", "UNKNOWN_VERSION"),)}),
    ),
    (
        "ID_MISMATCH",
        3,
        "plan of another task",
        red(plan=None, more={"plan.json": make.agent_plan(task_id="other")}),
    ),
    ("OUT_OF_ORDER", 2, "review without result", red(implementation=None)),
    ("NOT_COMPLETED", 2, "blocked", red(implementation=make.implementation_result(status="blocked"))),
    ("BEING_WRITTEN", 1, "half a file", red(files={"being_written": ("errors/e.json",)})),
    (
        "RETRY_EXHAUSTED",
        1,
        "twice invalid",
        red(
            observations=[
                make.observation("plan.json", digests.digest(b"1"), valid=False, sequence=1),
                make.observation("plan.json", digests.digest(b"2"), valid=False, sequence=2),
            ]
        ),
    ),
    # policy
    ("FORBIDDEN_FILE", 3, "literal", red(task=make.agent_task(forbidden_changes=(make.MAPPER,)))),
    ("FORBIDDEN_FILE", 3, "excluded by itself", red(plan=make.agent_plan(files_not_to_edit=("Sources/**",)))),
    (
        "FORBIDDEN_TEXT_MATCH",
        3,
        "prose",
        red(task=make.agent_task(forbidden_changes=("AuthErrorMapper 수정",))),
    ),
    (
        "STOP_CONDITION",
        3,
        "planned path",
        red(plan=make.agent_plan(stop_conditions=("AuthErrorMapper 수정이 필요하면 중단",))),
    ),
    (
        "MISSING_APPROVAL",
        3,
        "article",
        red(task=make.agent_task(risk_level="high"), plan=make.agent_plan(risk_level="high")),
    ),
    ("MISSING_APPROVAL", 3, "asked", red(plan=make.agent_plan(requires_human_approval=True))),
    ("MISSING_TEST_PLAN", 3, "no tests", red(plan=make.agent_plan(tests_to_run=()))),
    ("RISK_LOWERED", 3, "low plan", red(plan=make.agent_plan(risk_level="low"))),
    (
        "PLAN_WIDENED",
        3,
        "one file more",
        red(**seen_plan(files_to_edit=(make.MAPPER, make.MAPPER_TESTS, VIEW))),
    ),
    ("TASK_WEAKENED", 3, "less evidence", red(**seen_task(required_evidence=()))),
    (
        "OVERBROAD_PATTERN",
        3,
        "everything",
        red(plan=make.agent_plan(files_to_edit=("**", make.MAPPER, make.MAPPER_TESTS))),
    ),
    (
        "DEPENDENCY_CHANGE",
        3,
        "planned manifest",
        red(plan=make.agent_plan(files_to_edit=(make.MAPPER, make.MAPPER_TESTS, "Package.swift"))),
    ),
    (
        "DEPENDENCY_CHANGE",
        4,
        "changed manifest",
        red(
            plan=make.agent_plan(files_to_edit=("Sources/**", "Tests/**")),
            change_set=make.changes(make.change("Sources/Package.swift")),
        ),
    ),
    (
        "OPERATION_NOT_ALLOWED",
        4,
        "delete",
        red(
            plan=make.agent_plan_v2(allowed_operations=("update",)),
            change_set=make.changes(make.change(make.MAPPER, "old", None)),
        ),
    ),
    (
        "UNKNOWN_STEP",
        3,
        "step",
        red(implementation=make.implementation_result(executed_steps=("no-such-step",))),
    ),
    (
        "STEP_MISSING",
        3,
        "step",
        red(implementation=make.implementation_result(executed_steps=("add-tests",))),
    ),
    ("REVIEWER_EDITED", 6, "tree moved", red(**edited_after(OTHER, TREE))),
    ("FIX_OUT_OF_BOUNDS", 6, "other file", red(**fixed(VIEW, (make.MAPPER,)))),
    (
        "AMBIGUOUS_PATTERN",
        3,
        "two files",
        red(
            plan=make.agent_plan(files_to_edit=("Mapper.swift", make.MAPPER, make.MAPPER_TESTS)),
            bare_names={"Mapper.swift": ("a/Mapper.swift", "b/Mapper.swift")},
        ),
    ),
    ("DEAD_PATTERN", 3, "home", red(plan=make.agent_plan(files_not_to_edit=("~/secret/**",)))),
    # scope
    ("EXCLUDED_FILE", 4, "denied", red(change_set=make.changes(make.change("DesignSystem/Button.swift")))),
    ("UNPLANNED_FILE", 4, "stray", red(change_set=make.changes(make.change(VIEW)))),
    (
        "PREEXISTING_OVERLAP",
        4,
        "mine too",
        red(base=make.baseline(files={make.MAPPER: make.baseline_file(make.MAPPER)})),
    ),
    ("OWNERSHIP_UNKNOWN", 4, "theirs", red(claims=claimed(make.MAPPER))),
    (
        "CLAIMED_NOT_CHANGED",
        4,
        "claim",
        red(implementation=make.implementation_result(changed_files=(make.changed_file(VIEW),))),
    ),
    ("CHANGED_NOT_CLAIMED", 4, "silence", red(implementation=make.implementation_result(changed_files=()))),
    (
        "NOT_CHANGED_VIOLATED",
        4,
        "untrue",
        red(implementation=make.implementation_result(not_changed=("Sources/**",))),
    ),
    (
        "LINK_ESCAPES",
        4,
        "link",
        red(
            change_set=make.changes(
                make.change(make.MAPPER, None, "/etc", mode="120000", link_target="/etc", link_escapes=True)
            )
        ),
    ),
    ("HIDING_RULES_CHANGED", 4, "ignore", red(repo=make.repo(hiding={".gitignore": digests.digest(b"*")}))),
    ("HIDING_RULES_CHANGED", 4, "bits", red(repo=make.repo(hidden_bits=(VIEW,)))),
    ("LATE_BASELINE", 4, "late", red(base=make.baseline(late=True))),
    ("UNSIGNED_BASELINE", 4, "unsigned", red(base=make.baseline(signed=False))),
    ("NO_BASELINE", 4, "none", red(base=None)),
    ("BASELINE_LOST", 4, "rebased", red(baseline_relation="not-ancestor")),
    ("BASELINE_LOST", 4, "shallow", red(baseline_relation="missing")),
    ("GIT_UNKNOWN", 4, "damaged", red(change_set=make.changes(unknown="index is damaged"))),
    ("GIT_UNKNOWN", 4, "merging", red(repo=make.repo(operation="merge"))),
    # evidence
    (
        "PASSED_WITHOUT_EXIT_CODE",
        7,
        "no code",
        red(test=make.run_result(commands=(make.command_result(exit_code=None),))),
    ),
    ("PASSED_WITHOUT_EXIT_CODE", 7, "no command", red(test=make.run_result(commands=()))),
    (
        "PASSED_WITH_FAILURE",
        7,
        "code 1",
        red(test=make.run_result(commands=(make.command_result(exit_code=1),))),
    ),
    ("NOT_RUN", 7, "nobody ran it", red(test=None)),
    (
        "NOT_RUN",
        7,
        "says so",
        red(test=make.run_result(status="not_run", commands=(make.command_result(exit_code=None),))),
    ),
    (
        "TEST_FAILED",
        7,
        "says so",
        red(test=make.run_result(status="failed", commands=(make.command_result(exit_code=1),))),
    ),
    ("TEST_FAILED", 7, "seen", red(tests=[make.observed_run(TREE, exit_code=3)])),
    ("MISSING_ARTIFACT", 7, "no log", red(files={"evidence": {}})),
    ("MISSING_ARTIFACT", 6, "no review", red(review=None)),
    (
        "COMMAND_NOT_PLANNED",
        7,
        "other",
        red(test=make.run_result(commands=(make.command_result(), make.command_result("make all")))),
    ),
    (
        "STALE_EVIDENCE",
        7,
        "other tree",
        red(
            observations=[
                make.observation(
                    "test-result.json", make.artifact(make.run_result(), "test-result.json").digest, OTHER
                )
            ]
        ),
    ),
    (
        "STALE_EVIDENCE",
        6,
        "other tree",
        red(
            observations=[
                make.observation(
                    "review-result.json",
                    make.artifact(make.review_result(), "review-result.json").digest,
                    OTHER,
                )
            ]
        ),
    ),
    ("UNOBSERVED_EVIDENCE", 7, "never seen", red(observed=False)),
    ("REQUIRED_EVIDENCE_MISSING", 8, "nobody attested", red(attested=False)),
    ("CLAIM_CONTRADICTS_OBSERVATION", 7, "seen to fail", red(tests=[make.observed_run(TREE, exit_code=1)])),
    # review
    (
        "UNRESOLVED_ISSUE",
        6,
        "high",
        red(review=make.review_result(issues=(make.review_issue(severity="high"),))),
    ),
    (
        "FIX_MISSING",
        6,
        "open",
        red(
            review=make.review_result(
                verdict="needs_changes", issues=(make.review_issue(),), required_fixes=(make.required_fix(),)
            )
        ),
    ),
    (
        "VERDICT_CONTRADICTS",
        6,
        "checks",
        red(review=make.review_result(scope_check=ScopeCheck(passed=False, unexpected_files=(VIEW,)))),
    ),
    # requests
    ("PENDING_REQUEST", 5, "waits", red(more={"tool-requests/tool-001.json": make.tool_request()})),
    ("APPLIED_DIFFERS", 5, "other text", red(**decided("approved", "smuggled\n"))),
    ("DENIED_BUT_APPLIED", 5, "all the same", red(**decided("denied", "new text\n"))),
    ("AGENT_ERROR", 5, "stops", red(more={"errors/e1.json": make.agent_error(next_action="stop")})),
    # gate
    ("HUMAN_BLOCK", 10, "blocked", red(entries=[make.entry("block", "blocked", reason="wait for legal")])),
    ("LOG_TAMPERED", 11, "broken", red(log={"integrity": Outcome.FAILED})),
    ("UNKNOWN_SIGNER", 11, "stranger", red(log={"integrity": Outcome.UNKNOWN})),
    ("REPORT_CONTRADICTS", 12, "other files", red(report=make.final_report(changed_files=(make.MAPPER,)))),
]

WARNINGS = {"CLAIMED_NOT_CHANGED", "CHANGED_NOT_CLAIMED", "COMMAND_NOT_PLANNED"}
"""Codes that are told and hold nothing."""


@pytest.mark.parametrize(("code", "number", "why", "build"), RED, ids=[f"{r[0]}-{r[2]}" for r in RED])
def test_code_is_given_and_holds_its_condition(
    code: str, number: int, why: str, build: Callable[[], TaskAssessment]
):
    assessment = build()
    findings = of(assessment, code)
    assert findings, [(one.code, one.message) for one in assessment.findings]
    assert all(one.message for one in findings)
    condition = rung(assessment, number)
    own = [one for one in condition.findings if one.code == code]
    assert own, condition
    if code in WARNINGS:
        assert {one.severity for one in own} == {Severity.WARNING}
        assert condition.outcome is Outcome.PASSED
    else:
        assert any(one.unknown or one.severity is Severity.ERROR for one in own)
        assert condition.outcome in (Outcome.FAILED, Outcome.UNKNOWN)
        assert assessment.gate.outcome is not Outcome.PASSED


@pytest.mark.parametrize("code", sorted({row[0] for row in RED}))
def test_a_finished_task_is_free_of_the_code(code: str):
    assessment = looked_at(report=make.final_report())
    assert not of(assessment, code)
    assert assessment.gate.outcome is Outcome.PASSED


def test_every_code_of_the_formats_is_among_them():
    listed = """
    INVALID_JSON INVALID_CONTRACT UNKNOWN_VERSION ID_MISMATCH OUT_OF_ORDER BEING_WRITTEN
    RETRY_EXHAUSTED FORBIDDEN_FILE FORBIDDEN_TEXT_MATCH STOP_CONDITION MISSING_APPROVAL
    MISSING_TEST_PLAN RISK_LOWERED PLAN_WIDENED TASK_WEAKENED OVERBROAD_PATTERN DEPENDENCY_CHANGE
    OPERATION_NOT_ALLOWED UNKNOWN_STEP STEP_MISSING REVIEWER_EDITED FIX_OUT_OF_BOUNDS
    AMBIGUOUS_PATTERN DEAD_PATTERN EXCLUDED_FILE UNPLANNED_FILE PREEXISTING_OVERLAP
    OWNERSHIP_UNKNOWN CLAIMED_NOT_CHANGED CHANGED_NOT_CLAIMED NOT_CHANGED_VIOLATED LINK_ESCAPES
    HIDING_RULES_CHANGED LATE_BASELINE GIT_UNKNOWN PASSED_WITHOUT_EXIT_CODE PASSED_WITH_FAILURE
    NOT_RUN MISSING_ARTIFACT COMMAND_NOT_PLANNED STALE_EVIDENCE UNOBSERVED_EVIDENCE
    REQUIRED_EVIDENCE_MISSING CLAIM_CONTRADICTS_OBSERVATION UNRESOLVED_ISSUE FIX_MISSING
    VERDICT_CONTRADICTS PENDING_REQUEST APPLIED_DIFFERS DENIED_BUT_APPLIED HUMAN_BLOCK LOG_TAMPERED
    UNKNOWN_SIGNER REPORT_CONTRADICTS
    """
    assert set(listed.split()) <= {row[0] for row in RED}


def test_problems_of_policy_and_root_are_told_for_all_tasks():
    from ags_tui.core.checks.assess import assess

    policy = PolicyState(
        digest=make.POLICY_DIGEST, problems=(make.load_problem("policy.toml", "INVALID_POLICY"),)
    )
    whole = assess(
        make.snapshot(policy=policy, problems=(make.load_problem("tasks/T-1", "ID_MISMATCH"),)), make.NOW
    )
    assert {one.code for one in whole.findings} == {"INVALID_POLICY", "ID_MISMATCH"}
