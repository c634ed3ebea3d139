"""Whether a newer plan or task allows more or demands less: each way of doing so, and what is harmless."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ags_tui.core.checks.coverage import Coverage
from ags_tui.core.checks.loosening import loosened_plan, loosened_task
from ags_tui.core.globs import compile_patterns
from tests import builders as make

OLD_V1 = make.agent_plan(
    files_to_edit=("src/**", "docs/a.md"), files_not_to_edit=("src/secret/**", "Makefile")
)
STEPS = make.agent_plan().steps
OLD_V2 = make.agent_plan_v2(allowed_operations=("create", "update"), approval_policy="plan")

LOOSER: list[tuple[str, dict[str, Any]]] = [
    ("filesToEdit adds docs/b.md", {"files_to_edit": ("src/**", "docs/a.md", "docs/b.md")}),
    ("filesToEdit adds docs/*.md", {"files_to_edit": ("src/**", "docs/*.md")}),
    ("filesToEdit adds **/a.py", {"files_to_edit": ("**/a.py",)}),
    ("filesToEdit adds a.md", {"files_to_edit": ("a.md",)}),
    ("filesToEdit adds srcx/**", {"files_to_edit": ("srcx/**",)}),
    ("filesNotToEdit drops src/secret/**", {"files_not_to_edit": ("Makefile",)}),
    ("filesNotToEdit drops Makefile", {"files_not_to_edit": ("src/secret/**", "src/Makefile")}),
    ("filesNotToEdit drops src/secret/**", {"files_not_to_edit": ("src/secret/*", "Makefile")}),
    ("testsToRun drops", {"tests_to_run": ("make test",)}),
    ("riskLevel falls from medium to low", {"risk_level": "low"}),
    ("stopConditions drops", {"stop_conditions": ()}),
    ("steps drops add-tests", {"steps": STEPS[:2]}),
    ("steps add-tests has another validation", {
        "steps": (*STEPS[:2], make.plan_step("add-tests", validation="looks fine")),
    }),
    ("taskId becomes other", {"task_id": "other"}),
]  # fmt: skip
HARMLESS: list[dict[str, Any]] = [
    {},
    {"files_to_edit": ("src/a.py",)},
    {"files_to_edit": ("src/lib/**", "src/*.py", "src/x/[ab].py", "src/")},
    {"files_to_edit": ("./docs/a.md",)},
    {"files_to_edit": ("src/**", "docs/a.md", "..", "/etc/passwd", "**")},
    {"files_not_to_edit": ("src/**", "Makefile", "more")},
    {"files_not_to_edit": ("src/", "Makefile")},
    {"tests_to_run": (make.TEST_COMMAND, "make lint")},
    {"risk_level": "high", "requires_human_approval": True},
    {"stop_conditions": (*make.agent_plan().stop_conditions, "more")},
    {"summary": "in other words", "files_to_read": ("everything/**",)},
    {"steps": (*make.agent_plan().steps, make.plan_step("one-more"))},
]


@pytest.mark.parametrize(("reason", "fields"), LOOSER, ids=[reason for reason, _ in LOOSER])
def test_each_way_of_loosening_a_plan_is_named(reason: str, fields: dict[str, Any]):
    new = OLD_V1.model_copy(update=fields)
    assert any(one.startswith(reason) for one in loosened_plan(OLD_V1, new)), loosened_plan(OLD_V1, new)


@pytest.mark.parametrize("fields", HARMLESS, ids=str)
def test_narrowing_is_free(fields: dict[str, Any]):
    assert loosened_plan(OLD_V1, OLD_V1.model_copy(update=fields)) == ()


def test_approval_and_operations():
    asks = make.agent_plan(requires_human_approval=True)
    assert loosened_plan(asks, make.agent_plan()) == ("requiresHumanApproval becomes false",)
    assert loosened_plan(make.agent_plan(), asks) == ()
    more = make.agent_plan_v2(allowed_operations=("create", "update", "delete"), approval_policy="none")
    assert loosened_plan(OLD_V2, more) == (
        "allowedOperations adds delete",
        "approvalPolicy falls from plan to none",
    )
    assert loosened_plan(more, OLD_V2) == ()
    assert "allowedOperations adds rename" in loosened_plan(OLD_V2, make.agent_plan())
    assert loosened_plan(make.agent_plan(), OLD_V2) == ()


def test_case_counts_only_where_the_file_system_says_so():
    new = OLD_V1.model_copy(
        update={"files_to_edit": ("SRC/**",), "files_not_to_edit": ("src/SECRET/**", "makefile")}
    )
    assert loosened_plan(OLD_V1, new, ignore_case=True) == ()
    assert len(loosened_plan(OLD_V1, new)) == 3


def test_a_bare_name_and_its_path_are_the_same():
    bare = OLD_V1.model_copy(update={"files_to_edit": ("a.py",)})
    spelled = OLD_V1.model_copy(update={"files_to_edit": ("lib/a.py",)})
    assert loosened_plan(bare, spelled, resolved={"a.py": "lib/a.py"}) == ()
    assert loosened_plan(bare, spelled) == ("filesToEdit adds lib/a.py",)
    assert loosened_plan(spelled, bare, resolved={"a.py": "lib/a.py"}) == ("filesToEdit adds a.py",)


@pytest.mark.parametrize(
    ("reason", "fields"),
    [
        ("expectedBehavior drops", {"expected_behavior": ()}),
        ("forbiddenChanges drops NetworkClient 수정", {"forbidden_changes": ("NetworkClient 조금 수정",)}),
        ("requiredEvidence drops", {"required_evidence": ("수정된 파일 목록",)}),
        ("riskLevel falls", {"risk_level": "low"}),
        ("title becomes another text", {"title": "something else"}),
        ("description becomes another text", {"description": "do less"}),
        ("category becomes another text", {"category": "documentation"}),
        ("id becomes another text", {"id": "other"}),
    ],
)
def test_each_way_of_weakening_a_task_is_named(reason: str, fields: dict[str, Any]):
    assert any(one.startswith(reason) for one in loosened_task(make.agent_task(), make.agent_task(**fields)))


def test_a_stricter_task_is_free():
    old = make.agent_task()
    more = {
        "expected_behavior": (*old.expected_behavior, "more"),
        "forbidden_changes": ("more", *old.forbidden_changes),
        "required_evidence": (*old.required_evidence, "more"),
        "risk_level": "high",
    }
    assert loosened_task(old, make.agent_task(**more)) == ()


SEGMENT = st.sampled_from(["a", "b", "ab", "*", "**", "a*", "?", "[ab]", "B"])
PATTERN = st.lists(SEGMENT, min_size=1, max_size=4).map("/".join)
PATTERNS = st.lists(PATTERN, max_size=4, unique=True).map(tuple)
PATH = st.lists(st.sampled_from(["a", "b", "ab", "abc", "B", "x"]), min_size=1, max_size=4).map("/".join)


@settings(deadline=None)
@given(old=PATTERNS, new=PATTERNS, path=PATH, ignore_case=st.booleans())
def test_what_is_called_covered_allows_nothing_more(
    old: tuple[str, ...], new: tuple[str, ...], path: str, ignore_case: bool
):
    """No path is allowed by the new list alone when every pattern of it was called covered."""
    coverage = Coverage(old, side="allow", ignore_case=ignore_case)
    if all(coverage.covers(one) for one in new):
        allows = compile_patterns(new, side="allow", ignore_case=ignore_case).match(path)
        assert allows is None or compile_patterns(old, side="allow", ignore_case=ignore_case).match(path)


@settings(deadline=None)
@given(old=PATTERNS, new=PATTERNS, path=PATH, ignore_case=st.booleans())
def test_what_is_called_covered_excludes_nothing_less(
    old: tuple[str, ...], new: tuple[str, ...], path: str, ignore_case: bool
):
    coverage = Coverage(new, side="deny", ignore_case=ignore_case)
    if all(coverage.covers(one) for one in old):
        denies = compile_patterns(old, side="deny", ignore_case=ignore_case).match(path)
        assert denies is None or compile_patterns(new, side="deny", ignore_case=ignore_case).match(path)
