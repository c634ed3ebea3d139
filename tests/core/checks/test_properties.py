"""What must hold for every task, whatever is in it."""

from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ags_tui.core.assessment import TaskAssessment, Verdict
from ags_tui.core.checks.findings import Finding, Outcome, Severity, join_outcomes, outcome_of
from ags_tui.core.snapshot import Change
from tests import builders as make
from tests.core.checks.looking import claimed, looked_at

RANK = {
    Verdict.NOT_APPLICABLE: 0,
    Verdict.PASS: 1,
    Verdict.NEEDS_APPROVAL: 2,
    Verdict.BLOCKED: 3,
    Verdict.INCONCLUSIVE: 4,
}
PATHS = st.sampled_from(
    [
        "src/a.py",
        "src/b.py",
        "src/deep/c.py",
        "docs/a.md",
        "vendor/x",
        "README.md",
        "lib/README.md",
        "Package.swift",
        "src/NetworkClient.swift",
        "other/y",
        ".gitignore",
        "src/link",
    ]
)
TEXTS = st.sampled_from([None, "old", "new", "other"])


@st.composite
def a_change(draw: st.DrawFn) -> Change:
    old = draw(TEXTS)
    new = draw(TEXTS.filter(lambda text: text != old)) if old is not None else draw(TEXTS.filter(bool))
    return make.change(
        draw(PATHS),
        old,
        new,
        link_escapes=draw(st.booleans()) and new is not None,
        dirty_submodule=draw(st.integers(0, 9)) == 0,
        unsettled=draw(st.sampled_from(["", "", "", "filter"])),
    )


CHANGES = st.lists(a_change(), max_size=6, unique_by=lambda change: change.path)
PATTERNS = st.lists(
    st.sampled_from(
        ["src/**", "src/a.py", "docs/*", "README.md", "src/NetworkClient.swift", "**", "vendor/"]
    ),
    max_size=3,
    unique=True,
).map(tuple)


@st.composite
def a_task(draw: st.DrawFn) -> dict[str, Any]:
    """Fields of a task that is broken in some ways."""
    fields: dict[str, Any] = {
        "plan": make.agent_plan(files_to_edit=draw(PATTERNS), files_not_to_edit=draw(PATTERNS)),
        "bare_names": {
            "README.md": draw(st.sampled_from([(), ("lib/README.md",), ("README.md", "lib/README.md")]))
        },
        "claims": claimed(*draw(st.sampled_from([(), ("other/**",), ("src/b.py",)]))),
    }
    breaks: dict[str, Any] = {
        "review": None,
        "test": None,
        "implementation": None,
        "base": make.baseline(late=True),
        "attested": False,
        "observed": False,
        "entries": [make.entry("block", "blocked")],
        "files": {"problems": (make.load_problem("handoffs/h.json"),)},
        "baseline_relation": "missing",
        "report": make.final_report(),
    }
    for name in draw(st.lists(st.sampled_from(sorted(breaks)), max_size=3, unique=True)):
        fields[name] = breaks[name]
    return fields


def seen(fields: dict[str, Any], entries: list[Change]) -> TaskAssessment:
    changes = make.changes(*entries) if entries else make.no_changes()
    return looked_at(**fields, change_set=changes)


@settings(deadline=None)
@given(fields=a_task(), entries=CHANGES, more=a_change())
def test_one_more_change_never_improves_a_verdict(
    fields: dict[str, Any], entries: list[Change], more: Change
):
    if any(one.path == more.path for one in entries):
        return
    before, after = seen(fields, entries), seen(fields, [*entries, more])
    assert RANK[after.scope.verdict] >= RANK[before.scope.verdict]


@settings(deadline=None)
@given(fields=a_task(), entries=CHANGES)
def test_what_is_not_known_never_passes(fields: dict[str, Any], entries: list[Change]):
    found = seen(fields, entries)
    for row in found.gate.conditions:
        assert not (row.outcome is Outcome.PASSED and any(one.unknown for one in row.findings)), row
        assert not (
            row.outcome is Outcome.PASSED and any(one.severity is Severity.ERROR for one in row.findings)
        ), row
    open_rungs = any(row.outcome in (Outcome.FAILED, Outcome.UNKNOWN) for row in found.gate.conditions)
    assert (found.gate.outcome is Outcome.PASSED) is (not open_rungs)
    assert bool(found.gate.headline) is open_rungs
    unknown = seen({**fields, "log": {"integrity": Outcome.UNKNOWN}}, entries)
    assert unknown.gate.outcome is not Outcome.PASSED


@settings(deadline=None)
@given(fields=a_task(), entries=CHANGES)
def test_every_error_belongs_to_a_condition_that_does_not_pass(fields: dict[str, Any], entries: list[Change]):
    found = seen(fields, entries)
    by_finding = {one: row for row in found.gate.conditions for one in row.findings}
    for one in found.findings:
        if one.severity is Severity.ERROR or one.unknown:
            assert by_finding[one].outcome in (Outcome.FAILED, Outcome.UNKNOWN), one


@settings(deadline=None)
@given(fields=a_task(), entries=CHANGES, data=st.data())
def test_the_order_of_changes_does_not_matter(
    fields: dict[str, Any], entries: list[Change], data: st.DataObject
):
    if not entries:
        return
    changes = make.changes(*entries)
    mixed = replace(changes, entries=tuple(data.draw(st.permutations(changes.entries))))
    one, other = looked_at(**fields, change_set=changes), looked_at(**fields, change_set=mixed)
    assert one.digest == other.digest
    assert one.scope.verdict is other.scope.verdict
    assert [row.outcome for row in one.gate.conditions] == [row.outcome for row in other.gate.conditions]


FINDINGS = st.lists(
    st.builds(
        Finding,
        code=st.just("X"),
        message=st.just("x"),
        severity=st.sampled_from(Severity),
        unknown=st.booleans(),
    )
)


@settings(deadline=None)
@given(findings=FINDINGS, data=st.data())
def test_the_order_of_findings_does_not_matter(findings: list[Finding], data: st.DataObject):
    assert outcome_of(findings) is outcome_of(data.draw(st.permutations(findings)))


@settings(deadline=None)
@given(findings=FINDINGS, more=FINDINGS)
def test_more_findings_never_improve_an_outcome(findings: list[Finding], more: list[Finding]):
    rank = [Outcome.PASSED, Outcome.UNKNOWN, Outcome.FAILED]
    assert rank.index(outcome_of([*findings, *more])) >= rank.index(outcome_of(findings))


@settings(deadline=None)
@given(outcomes=st.lists(st.sampled_from(Outcome)), more=st.sampled_from(Outcome))
def test_joined_outcomes(outcomes: list[Outcome], more: Outcome):
    rank = [Outcome.NOT_APPLICABLE, Outcome.PASSED, Outcome.UNKNOWN, Outcome.FAILED]
    assert rank.index(join_outcomes([*outcomes, more])) >= rank.index(join_outcomes(outcomes))


@settings(max_examples=50, deadline=None)
@given(
    sentence=st.text(max_size=40),
    path=st.text(min_size=1, max_size=30).filter(lambda text: "\0" not in text),
    reason=st.text(max_size=40),
)
def test_no_text_of_an_agent_breaks_the_checks(sentence: str, path: str, reason: str):
    task = make.agent_task(
        forbidden_changes=(sentence,), required_evidence=(sentence,), expected_behavior=(sentence,)
    )
    plan = make.agent_plan(
        files_to_edit=(path,),
        files_not_to_edit=(path + "x",),
        tests_to_run=(sentence,),
        stop_conditions=(sentence,),
    )
    work = make.implementation_result(
        changed_files=(make.changed_file(path, reason=reason),), not_changed=(path,)
    )
    request = make.tool_request(target_path=path, command=sentence, reason=reason)
    found = looked_at(
        task=task,
        plan=plan,
        implementation=work,
        change_set=make.changes(make.change(path)),
        report=make.final_report(changed_files=(path,), summary=reason),
        more={"tool-requests/tool-001.json": request},
    )
    assert found.gate.outcome is Outcome.FAILED
