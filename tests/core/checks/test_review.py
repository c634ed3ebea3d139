"""Review, its verdict, its fixes."""

from typing import Any

import pytest

from ags_tui.core.checks.findings import Outcome, Severity
from ags_tui.core.checks.fixes import answered
from ags_tui.core.checks.trees import entries_of
from ags_tui.core.contracts.review import ScopeCheck, SecurityCheck, TestCheck
from ags_tui.core.snapshot import Changes
from tests import builders as make
from tests.core.checks.looking import claimed, facts, held, looked_at, of, rung

FIXED = make.implementation_result(
    changed_files=(make.changed_file(make.MAPPER, reason="review-001: 분리했다."),)
)
ASKS = {"issues": (make.review_issue(),), "required_fixes": (make.required_fix(),)}
VIEW = "Sources/Auth/LoginView.swift"


@pytest.mark.parametrize(
    ("fields", "codes"),
    [
        ({}, set()),
        ({"issues": (make.review_issue(severity="low"), make.review_issue("r2", "medium"))}, set()),
        ({"issues": (make.review_issue(severity="critical"),)}, {"UNRESOLVED_ISSUE", "VERDICT_CONTRADICTS"}),
        (ASKS, {"FIX_MISSING", "VERDICT_CONTRADICTS"}),
        ({"verdict": "needs_changes", **ASKS}, {"FIX_MISSING", "UNRESOLVED_ISSUE"}),
        ({"verdict": "needs_changes"}, {"VERDICT_CONTRADICTS"}),
        ({"verdict": "blocked"}, {"UNRESOLVED_ISSUE"}),
        ({"test_check": TestCheck(passed=False, missing_cases=("timeout",))}, {"VERDICT_CONTRADICTS"}),
        ({"test_check": TestCheck(passed=True, missing_cases=("timeout",))}, {"VERDICT_CONTRADICTS"}),
        ({"scope_check": ScopeCheck(passed=True, unexpected_files=(VIEW,))}, {"VERDICT_CONTRADICTS"}),
        ({"security_check": SecurityCheck(passed=True, findings=("a key",))}, {"VERDICT_CONTRADICTS"}),
    ],
)
def test_verdicts(fields: dict[str, Any], codes: set[str]):
    seen = looked_at(review=make.review_result(**fields))
    assert {one.code for one in rung(seen, 6).findings if one.severity is Severity.ERROR} == codes
    assert (rung(seen, 6).outcome is Outcome.PASSED) is (not codes)


def test_a_fix_answers_by_naming_the_issue():
    for reason, right in (
        ("review-001: done", True),
        ("fixes (review-001)", True),
        ("review-0011", False),
        ("xreview-001", False),
        ("review", False),
        ("", False),
    ):
        fix = make.implementation_result(changed_files=(make.changed_file(reason=reason),))
        assert answered(fix, "review-001") is right, reason
    assert not answered(None, "review-001")


def test_an_answered_fix_and_issue_are_closed():
    review = make.review_result(
        issues=(make.review_issue(severity="high"),), required_fixes=(make.required_fix(),)
    )
    seen = looked_at(review=review, fix=FIXED)
    assert rung(seen, 6).outcome is Outcome.PASSED, rung(seen, 6).findings


def test_a_fix_does_not_answer_the_review_that_came_after_it():
    review = make.review_result(verdict="needs_changes", **ASKS)
    digest = {
        "review-result.json": make.artifact(review, "review-result.json").digest,
        "fix-result.json": make.artifact(FIXED, "fix-result.json").digest,
    }
    tree = make.changes().tree_digest

    def seen(review_at: int, fix_at: int) -> bool:
        rows = [
            make.observation("review-result.json", digest["review-result.json"], tree, sequence=review_at),
            make.observation("fix-result.json", digest["fix-result.json"], tree, sequence=fix_at),
        ]
        return bool(held(looked_at(review=review, fix=FIXED, observations=rows), "FIX_MISSING"))

    assert seen(review_at=9, fix_at=8)
    assert not seen(review_at=8, fix_at=9)


def test_a_scope_that_git_shows_to_be_broken_contradicts_the_reviewer():
    seen = looked_at(change_set=make.changes(make.change("DesignSystem/x")))
    assert [one.artifact for one in of(seen, "CLAIM_CONTRADICTS_OBSERVATION")] == ["review-result.json"]


# -- bounds of a fix ---------------------------------------------------------------------------------------


def fixed(
    path: str, *, allowed: tuple[str, ...], later: Changes | None = None, kept: bool = True, **fields: Any
) -> list[str]:
    """Paths that a fix touched out of bounds: it changed ``path`` after the review."""
    review = make.review_result(
        verdict="needs_changes",
        issues=(make.review_issue(),),
        required_fixes=(make.required_fix(allowed_files=allowed),),
    )
    before = make.changes()
    after = make.changes(
        *(one for one in before.entries if one.path != path), make.change(path, "old", "fixed")
    )
    rows = [
        make.observation(
            name,
            make.artifact(document, name).digest,
            tree.tree_digest,
            sequence=number,
            data={"entries": entries_of(tree)} if kept else {},
        )
        for number, (name, document, tree) in enumerate(
            (("review-result.json", review, before), ("fix-result.json", FIXED, after)), start=5
        )
    ]
    seen = looked_at(review=review, fix=FIXED, observations=rows, change_set=later or after, **fields)
    return [one.path or "?" for one in of(seen, "FIX_OUT_OF_BOUNDS")]


@pytest.mark.parametrize(
    ("path", "allowed", "outside"),
    [
        (make.MAPPER, (make.MAPPER,), []),
        (make.MAPPER, ("AuthErrorMapper.swift",), []),
        (make.MAPPER, ("Sources/**",), []),
        (make.MAPPER, (make.MAPPER_TESTS,), [make.MAPPER]),
        (make.MAPPER, (), [make.MAPPER]),
        (VIEW, (make.MAPPER,), [VIEW]),
        (VIEW, ("**",), [VIEW]),
    ],
)
def test_bounds(path: str, allowed: tuple[str, ...], outside: list[str]):
    assert fixed(path, allowed=allowed) == outside


def test_what_was_restored_or_belongs_to_others_is_not_the_fixers():
    assert fixed(VIEW, allowed=(make.MAPPER,), later=make.changes()) == []
    assert fixed(VIEW, allowed=(make.MAPPER,), claims=claimed(VIEW)) == []


def test_without_the_trees_the_bounds_are_unknown():
    assert fixed(make.MAPPER, allowed=(make.MAPPER,), kept=False) == ["?"]


def test_a_fix_that_was_never_seen_is_unknown():
    review = make.review_result(issues=(make.review_issue(),), required_fixes=(make.required_fix(),))
    seen = looked_at(review=review, fix=FIXED, observed=False)
    assert rung(seen, 6).outcome is Outcome.UNKNOWN
    assert "fix-result.json" in {one.artifact for one in of(seen, "UNOBSERVED_EVIDENCE")}


# -- reviewers that edit -----------------------------------------------------------------------------------


def reviewed(
    before: Changes, at_review: Changes, *, kept: bool = True, **fields: Any
) -> list[tuple[str | None, bool]]:
    work, review = make.implementation_result(), make.review_result()
    rows = [
        make.observation(
            name,
            make.artifact(document, name).digest,
            tree.tree_digest,
            sequence=number,
            data={"entries": entries_of(tree)} if kept else {},
        )
        for number, (name, document, tree) in enumerate(
            (("implementation-result.json", work, before), ("review-result.json", review, at_review)), start=5
        )
    ]
    seen = looked_at(observations=rows, change_set=at_review, **fields)
    return [(one.path, one.unknown) for one in of(seen, "REVIEWER_EDITED")]


def test_a_tree_that_moved_before_the_review():
    base = make.changes()
    more = make.changes(*base.entries, make.change("theirs/x"))
    assert reviewed(base, base) == []
    assert reviewed(base, more) == [("theirs/x", False)]
    assert reviewed(base, more, claims=claimed("theirs/x")) == []
    assert reviewed(base, more, kept=False) == [(None, True)]


def test_a_review_without_a_result_before_it_accuses_nobody():
    digest = make.artifact(make.review_result(), "review-result.json").digest
    rows = [make.observation("review-result.json", digest, make.changes().tree_digest, sequence=0)]
    assert not of(looked_at(observations=rows), "REVIEWER_EDITED")
    assert facts().observed("review-result.json") is not None
