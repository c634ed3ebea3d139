"""Classes of paths and the verdict over them."""

import unicodedata
from typing import Any

import pytest

from ags_tui.core import digests
from ags_tui.core.assessment import PathClass, ScopeReport, Verdict
from ags_tui.core.checks.findings import Outcome
from ags_tui.core.checks.ground import hiding_digest
from ags_tui.core.decisions import Bound
from ags_tui.core.log_state import LoggedEntry
from ags_tui.core.snapshot import Change
from tests import builders as make
from tests.core.checks.looking import claimed, facts, looked_at, of, rung

VIEW = "Sources/Auth/LoginView.swift"
PLAN_DIGEST = make.artifact(make.agent_plan(), "plan.json").digest


def scope(*entries: Change, **fields: Any) -> ScopeReport:
    return looked_at(change_set=make.changes(*entries), **fields).scope


def classes(report: ScopeReport) -> dict[str, str]:
    return {one.path: one.path_class.value for one in report.paths}


def plan_for(*edit: str, deny: tuple[str, ...] = (), **fields: Any) -> Any:
    return make.agent_plan(files_to_edit=edit, files_not_to_edit=deny, **fields)


def edited(path: str, text: str | None, verdict: str = "approved", **data: Any) -> LoggedEntry:
    """A decided edit that leaves these bytes."""
    raw = None if text is None else text.encode()
    facts = {
        "path": path,
        "effectiveDigest": "absent" if raw is None else digests.digest(raw),
        "effectiveBlob": "" if raw is None else digests.blob_id(raw),
    }
    return make.entry("tool-request", verdict, "tool-009", "sha256:" + "7" * 64, data={**facts, **data})


@pytest.mark.parametrize(
    ("entry", "path_class", "verdict"),
    [
        (make.change(make.MAPPER), "in-scope", Verdict.PASS),
        (make.change(make.MAPPER, None, "new"), "in-scope", Verdict.PASS),
        (make.change(make.MAPPER, "old", None), "in-scope", Verdict.PASS),
        (make.change(make.MAPPER, mode="100755", old_mode="100644"), "in-scope", Verdict.PASS),
        (make.change(VIEW), "unplanned", Verdict.NEEDS_APPROVAL),
        (make.change("DesignSystem/a/b.swift"), "excluded", Verdict.BLOCKED),
        (make.change("deep/er/NetworkClient.swift"), "excluded", Verdict.BLOCKED),
        (make.change("NetworkClient.swift/inner"), "excluded", Verdict.BLOCKED),
        (make.change(make.MAPPER, dirty_submodule=True), "ownership-unknown", Verdict.NEEDS_APPROVAL),
        (make.change(make.MAPPER, unsettled="filter lfs"), "ownership-unknown", Verdict.NEEDS_APPROVAL),
        (make.change(make.MAPPER, conflict="AA"), "in-scope", Verdict.INCONCLUSIVE),
        (make.change(".ai/notes.txt"), "unplanned", Verdict.NEEDS_APPROVAL),
        (make.change("caf\udce9.txt"), "unplanned", Verdict.NEEDS_APPROVAL),
    ],
    ids=lambda value: value.path.encode("utf-8", "replace").decode() if isinstance(value, Change) else None,
)
def test_a_single_change(entry: Change, path_class: str, verdict: Verdict):
    report = scope(entry)
    assert classes(report) == {entry.path: path_class}
    assert report.verdict is verdict


def test_precedence_of_the_verdict():
    stray, excluded = make.change(VIEW), make.change("DesignSystem/x")
    assert scope(make.change()).verdict is Verdict.PASS
    assert scope(make.change(), stray).verdict is Verdict.NEEDS_APPROVAL
    assert scope(stray, excluded).verdict is Verdict.BLOCKED
    late = looked_at(change_set=make.changes(stray, excluded), base=make.baseline(late=True))
    assert late.scope.verdict is Verdict.INCONCLUSIVE
    assert rung(late, 4).outcome is Outcome.UNKNOWN
    assert looked_at(plan=None).scope.verdict is Verdict.NOT_APPLICABLE
    assert looked_at(plan=None, base=make.baseline(late=True)).scope.verdict is Verdict.NOT_APPLICABLE


def test_both_ends_of_a_rename():
    plan = plan_for("src/**")
    out = scope(*make.rename("src/a.py", "docs/a.py"), plan=plan)
    assert classes(out) == {"src/a.py": "in-scope", "docs/a.py": "unplanned"}
    into = scope(*make.rename("docs/a.py", "src/a.py"), plan=plan)
    assert classes(into) == {"docs/a.py": "unplanned", "src/a.py": "in-scope"}


@pytest.mark.parametrize(
    ("allowed", "passes"),
    [(("rename",), True), (("create", "delete"), True), (("create",), False), (("update", "delete"), False)],
)
def test_operations_of_a_rename(allowed: tuple[str, ...], passes: bool):
    plan = make.agent_plan_v2(files_to_edit=("src/**",), files_not_to_edit=(), allowed_operations=allowed)
    report = scope(*make.rename("src/a.py", "src/b.py"), plan=plan)
    assert (report.verdict is Verdict.PASS) is passes


def test_a_bare_name_stands_for_one_path_only():
    plan = plan_for("README.md", "Mapper.swift")
    names = {"README.md": ("README.md", "docs/README.md"), "Mapper.swift": ("src/Mapper.swift",)}
    changed = [
        make.change(path) for path in ("README.md", "docs/README.md", "src/Mapper.swift", "Mapper.swift")
    ]
    report = scope(*changed, plan=plan, bare_names=names)
    assert dict(report.resolved) == {"README.md": "README.md", "Mapper.swift": "src/Mapper.swift"}
    assert {path for path, kind in classes(report).items() if kind == "in-scope"} == {
        "README.md",
        "src/Mapper.swift",
    }


def test_a_bare_name_of_a_new_file():
    plan = plan_for("New.swift")
    one = scope(make.change("a/New.swift", None, "x"), plan=plan)
    assert classes(one) == {"a/New.swift": "in-scope"}
    both = make.changes(make.change("a/New.swift", None, "x"), make.change("b/New.swift", None, "x"))
    two = looked_at(change_set=both, plan=plan)
    assert set(classes(two.scope).values()) == {"unplanned"}
    assert of(two, "AMBIGUOUS_PATTERN")
    known = scope(
        make.change("a/New.swift", None, "x"), plan=plan, bare_names={"New.swift": ("x/New.swift",)}
    )
    assert classes(known) == {"a/New.swift": "unplanned"}


def test_names_shown_at_the_approval_are_kept():
    plan = plan_for("New.swift")
    digest = make.artifact(plan, "plan.json").digest
    row = make.entry(
        "plan",
        "approved",
        "plan",
        digest,
        bound=Bound(plan=digest),
        data={"resolved": {"New.swift": "b/New.swift"}},
    )
    report = scope(
        make.change("a/New.swift", None, "x"), make.change("b/New.swift", None, "x"), plan=plan, entries=[row]
    )
    assert classes(report) == {"a/New.swift": "unplanned", "b/New.swift": "in-scope"}


def test_case_as_the_repository_says():
    plan = plan_for("src/A.py", deny=("SECRET/**",))
    entries = (make.change("src/a.py"), make.change("secret/x"))
    assert classes(scope(*entries, plan=plan)) == {"secret/x": "unplanned", "src/a.py": "unplanned"}
    folded = scope(*entries, plan=plan, repo=make.repo(ignore_case=True))
    assert classes(folded) == {"secret/x": "excluded", "src/a.py": "in-scope"}


def test_unicode_forms_of_a_name_are_one():
    plan = plan_for("src/café.py")
    assert scope(make.change(unicodedata.normalize("NFD", "src/café.py")), plan=plan).verdict is Verdict.PASS


# -- what was there before ---------------------------------------------------------------------------------


def test_what_was_dirty_and_is_the_same_is_nobodys():
    base = make.baseline(files={VIEW: make.baseline_file(VIEW, "mine")})
    report = scope(make.change(), make.change(VIEW, "old", "mine"), base=base)
    assert classes(report)[VIEW] == "preexisting-untouched"
    assert report.verdict is Verdict.PASS
    assert report.reason == "1 in plan, 1 dirty before start"
    excluded = make.baseline(files={"DesignSystem/x": make.baseline_file("DesignSystem/x", "mine")})
    assert scope(make.change("DesignSystem/x", "old", "mine"), base=excluded).verdict is Verdict.PASS


@pytest.mark.parametrize("path", [VIEW, make.MAPPER])
def test_what_was_dirty_and_changed_since_overlaps(path: str):
    base = make.baseline(files={path: make.baseline_file(path, "mine")})
    report = scope(make.change(path, "old", "ours"), base=base)
    assert classes(report) == {path: "preexisting-overlap"}
    assert report.reason == "1 dirty before and changed"
    assert report.verdict is Verdict.NEEDS_APPROVAL


def test_work_that_was_undone_overlaps_too():
    base = make.baseline(files={VIEW: make.baseline_file(VIEW, "mine")})
    report = scope(make.change(), base=base)
    assert classes(report)[VIEW] == "preexisting-overlap"
    assert next(one.change for one in report.paths if one.path == VIEW) is None
    gone = make.baseline(files={VIEW: make.baseline_file(VIEW, None)})
    assert classes(scope(make.change(VIEW, "old", None), base=gone))[VIEW] == "preexisting-untouched"


def test_a_mode_that_changed_since_overlaps():
    base = make.baseline(files={VIEW: make.baseline_file(VIEW, "mine")})
    report = scope(make.change(VIEW, "old", "mine", mode="100755", old_mode="100644"), base=base)
    assert classes(report)[VIEW] == "preexisting-overlap"


# -- other tasks -------------------------------------------------------------------------------------------


def test_another_tasks_file_is_never_blocked_and_never_red():
    seen = looked_at(
        change_set=make.changes(make.change(), make.change("DesignSystem/x"), make.change("theirs/y")),
        claims=claimed("DesignSystem/**", "theirs/y"),
    )
    assert seen.scope.verdict is Verdict.NEEDS_APPROVAL
    assert {one.path_class for one in seen.scope.paths} == {PathClass.IN_SCOPE, PathClass.OWNERSHIP_UNKNOWN}
    assert rung(seen, 4).outcome is Outcome.UNKNOWN
    owners = {one.path: one.owner for one in seen.scope.paths}
    assert owners == {make.MAPPER: "", "DesignSystem/x": "other-task", "theirs/y": "other-task"}


def test_ones_own_claim_is_ones_own():
    seen = looked_at(claims=claimed(make.MAPPER, task_id=make.TASK_ID))
    assert seen.scope.verdict is Verdict.PASS


def test_foreign_changes_are_asked_about_once_nothing_else_is_open():
    change_set = make.changes(make.change(), make.change(make.MAPPER_TESTS), make.change("theirs/y"))
    last = looked_at(change_set=change_set, claims=claimed("theirs/y"))
    assert [one.path for one in last.pending] == ["theirs/y"]
    early = looked_at(change_set=change_set, claims=claimed("theirs/y"), review=None)
    assert not early.pending


# -- approvals ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entry", "row", "approved"),
    [
        (make.change(VIEW, "old", "new"), edited(VIEW, "new"), True),
        (make.change(VIEW, "old", "new"), edited(VIEW, "other"), False),
        (make.change(VIEW, "old", "new"), edited("other.swift", "new"), False),
        (make.change(VIEW, "old", "new"), edited(VIEW, "new", "denied"), False),
        (make.change(VIEW, "old", None), edited(VIEW, None), True),
        (make.change(VIEW, "old", None), edited(VIEW, ""), False),
        (make.change(VIEW, None, "new"), edited(VIEW, "new"), True),
        (make.change(VIEW, None, "new", mode="100755"), edited(VIEW, "new"), False),
        (make.change(VIEW, None, "new", mode="100755"), edited(VIEW, "new", effectiveMode="100755"), True),
        (make.change(VIEW, "old", "new", mode="100755", old_mode="100644"), edited(VIEW, "new"), False),
        (make.change(VIEW, None, "/etc", mode="120000", link_escapes=True), edited(VIEW, "/etc"), False),
        (make.change(VIEW, "old", "new", unsettled="filter"), edited(VIEW, "new"), False),
        (make.change("DesignSystem/x", "old", "new"), edited("DesignSystem/x", "new"), False),
    ],
)  # fmt: skip
def test_an_approved_edit_approves_exactly_its_bytes(entry: Change, row: LoggedEntry, approved: bool):
    report = scope(entry, entries=[row])
    assert report.paths[0].approved is approved
    assert (report.verdict is Verdict.PASS) is approved


def test_an_approval_that_does_not_count_approves_nothing():
    row = make.entry(
        "tool-request", "approved", "t", "", counted=False, data=dict(edited(VIEW, "new").entry.data)
    )
    assert scope(make.change(VIEW, "old", "new"), entries=[row]).verdict is Verdict.NEEDS_APPROVAL
    tampered = scope(
        make.change(VIEW, "old", "new"), entries=[edited(VIEW, "new")], log={"integrity": Outcome.FAILED}
    )
    assert tampered.verdict is Verdict.NEEDS_APPROVAL


def test_the_last_word_about_a_request_counts():
    rows = [edited(VIEW, "new"), edited(VIEW, "new", "denied")]
    assert scope(make.change(VIEW, "old", "new"), entries=rows).verdict is Verdict.NEEDS_APPROVAL


def test_the_file_itself_counts_where_git_stores_other_bytes():
    row = make.entry(
        "edit", "approved", "e", "", data={"path": VIEW, "effectiveDigest": digests.digest(b"a\r\n")}
    )
    now: dict[str, Any] = {"file_digests": {VIEW: digests.digest(b"a\r\n")}}
    assert scope(make.change(VIEW, "old", "a\n"), entries=[row], **now).verdict is Verdict.PASS
    commit = looked_at(
        change_set=make.changes(make.change(VIEW, "old", "a\n"), target="c" * 40), entries=[row], **now
    )
    assert commit.scope.verdict is Verdict.NEEDS_APPROVAL


def amended(path: str, plan: str = PLAN_DIGEST) -> LoggedEntry:
    return make.entry("plan", "amended", "plan", plan, bound=Bound(plan=plan), data={"path": path})


def test_an_amendment_allows_a_path_whatever_it_holds():
    for entry in (make.change(VIEW), make.change(VIEW, None, "x"), make.change(VIEW, "old", None)):
        assert scope(entry, entries=[amended(VIEW)]).verdict is Verdict.PASS
    dirty = make.baseline(files={VIEW: make.baseline_file(VIEW)})
    assert scope(make.change(VIEW), entries=[amended(VIEW)], base=dirty).verdict is Verdict.PASS
    foreign = looked_at(
        change_set=make.changes(make.change(VIEW)), entries=[amended(VIEW)], claims=claimed(VIEW)
    )
    assert foreign.scope.verdict is Verdict.PASS


def test_an_amendment_has_bounds():
    assert (
        scope(make.change("DesignSystem/x"), entries=[amended("DesignSystem/x")]).verdict is Verdict.BLOCKED
    )
    other = "sha256:" + "3" * 64
    assert scope(make.change(VIEW), entries=[amended(VIEW, other)]).verdict is Verdict.NEEDS_APPROVAL
    link = make.change(VIEW, None, "/etc", mode="120000", link_escapes=True)
    assert scope(link, entries=[amended(VIEW)]).verdict is Verdict.NEEDS_APPROVAL


def test_each_edit_must_be_approved_where_the_plan_says_so():
    plan = make.agent_plan_v2(approval_policy="each-edit")
    digest = make.artifact(plan, "plan.json").digest
    approval = make.entry("plan", "approved", "plan", digest, bound=Bound(plan=digest))
    entry = make.change(make.MAPPER, "old", "new")
    asked = looked_at(change_set=make.changes(entry), plan=plan, entries=[approval])
    assert asked.scope.verdict is Verdict.NEEDS_APPROVAL
    assert [one.path for one in of(asked, "MISSING_APPROVAL")] == [make.MAPPER]
    row = edited(make.MAPPER, "new")
    assert scope(entry, plan=plan, entries=[approval, row]).verdict is Verdict.PASS


# -- prose -------------------------------------------------------------------------------------------------


def test_prose_holds_what_a_pattern_would_allow():
    plan = plan_for("Sources/**")
    seen = looked_at(change_set=make.changes(make.change("Sources/Net/NetworkClient.swift")), plan=plan)
    assert seen.scope.verdict is Verdict.NEEDS_APPROVAL
    assert [one.path for one in of(seen, "FORBIDDEN_TEXT_MATCH")] == ["Sources/Net/NetworkClient.swift"]
    assert seen.scope.paths[0].why == "task.forbiddenChanges: NetworkClient 수정"


def test_a_plan_that_names_the_path_and_was_approved_settles_prose():
    for pattern, passes in (("Sources/Net/NetworkClient.swift", True), ("Sources/**", False)):
        plan = plan_for(pattern)
        digest = make.artifact(plan, "plan.json").digest
        row = make.entry("plan", "approved", "plan", digest, bound=Bound(plan=digest))
        report = scope(make.change("Sources/Net/NetworkClient.swift"), plan=plan, entries=[row])
        assert (report.verdict is Verdict.PASS) is passes


def test_a_forbidden_path_is_excluded():
    task = make.agent_task(forbidden_changes=("Sources/Auth/**", "secrets.env"))
    seen = looked_at(
        change_set=make.changes(make.change(make.MAPPER), make.change("deep/secrets.env")), task=task
    )
    assert seen.scope.verdict is Verdict.BLOCKED
    assert {one.path for one in of(seen, "FORBIDDEN_FILE") if one.artifact == ""} == {
        make.MAPPER,
        "deep/secrets.env",
    }


# -- ground ------------------------------------------------------------------------------------------------


def test_changed_hiding_rules_are_accepted_exactly():
    hiding = {".gitignore": digests.digest(b"*.log")}
    repo = make.repo(hiding=hiding)
    seen = looked_at(repo=repo)
    assert seen.scope.verdict is Verdict.INCONCLUSIVE
    item = next(one for one in seen.pending if one.item_id == "baseline")
    assert item.facts["hiding"] == hiding
    assert item.digest == hiding_digest(facts(repo=repo))
    row = make.entry("baseline", "accepted", "baseline", item.digest)
    assert looked_at(repo=repo, entries=[row]).scope.verdict is Verdict.PASS
    more = make.repo(hiding={**hiding, ".git/info/exclude": digests.digest(b"x")})
    assert looked_at(repo=more, entries=[row]).scope.verdict is Verdict.INCONCLUSIVE


def test_rules_that_hide_less_are_told_and_bits_that_are_cleared_are_not():
    base = make.baseline(hiding={".gitignore": digests.digest(b"*")}, hidden_bits=("a",))
    assert looked_at(base=base, repo=make.repo()).scope.verdict is Verdict.INCONCLUSIVE
    same = make.repo(hiding=dict(base.hiding))
    assert looked_at(base=base, repo=same).scope.verdict is Verdict.PASS


def test_a_gitignore_that_the_plan_allows_is_looked_at_all_the_same():
    plan = plan_for(".gitignore", "src/**")
    seen = looked_at(
        plan=plan,
        change_set=make.changes(make.change(".gitignore")),
        bare_names={".gitignore": (".gitignore",)},
        repo=make.repo(hiding={".gitignore": digests.digest(b"new")}),
    )
    assert seen.scope.verdict is Verdict.INCONCLUSIVE
    assert classes(seen.scope) == {".gitignore": "in-scope"}


def test_what_a_human_accepted_is_ground():
    for base in (make.baseline(late=True, accepted=True), make.baseline(signed=False, accepted=True)):
        assert looked_at(base=base).scope.verdict is Verdict.PASS


def test_a_merge_does_not_touch_a_commit():
    repo = make.repo(operation="merge", conflicts=(("a", "UU"),))
    assert looked_at(repo=repo).scope.verdict is Verdict.INCONCLUSIVE
    entry = (make.change(), make.change(make.MAPPER_TESTS))
    assert (
        looked_at(repo=repo, change_set=make.changes(*entry, target="c" * 40)).scope.verdict is Verdict.PASS
    )


def test_nothing_known_is_not_nothing_changed():
    for change_set in (None, make.changes(unknown="damaged index"), make.changes(tree_digest="")):
        seen = looked_at(change_set=change_set, baseline_relation="ancestor")
        assert seen.scope.verdict is Verdict.INCONCLUSIVE
        assert seen.gate.outcome is not Outcome.PASSED
