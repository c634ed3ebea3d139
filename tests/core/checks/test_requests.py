"""Requests: their states, what makes them malformed, how risky they are, what a human is told."""

from datetime import timedelta
from typing import Any

import pytest

from ags_tui.core import digests
from ags_tui.core.assessment import PathClass, Pending, PendingKind, RequestState, TaskAssessment
from ags_tui.core.checks.findings import Outcome
from ags_tui.core.checks.unseen import unseen_characters
from ags_tui.core.contracts.base import Contract
from ags_tui.core.contracts.human import EscalationOption
from ags_tui.core.contracts.tool_request import ProposedChange
from ags_tui.core.decisions import Bound
from ags_tui.core.snapshot import PolicyState
from ags_tui.view.asking import asking_rows
from ags_tui.view.decision import head_lines
from ags_tui.view.glyphs import UNICODE
from ags_tui.view.rows import plain
from tests import builders as make
from tests.core.checks.looking import claimed, item, item_ids, later, looked_at, of, rung

VIEW = "Sources/Auth/LoginView.swift"
PLAN_DIGEST = make.artifact(make.agent_plan(), "plan.json").digest
APPROVED_PLAN = make.entry("plan", "approved", "plan", PLAN_DIGEST, bound=Bound(plan=PLAN_DIGEST))


def asked(
    document: Contract, *, folder: str = "tool-requests", item_id: str = "tool-001", **fields: Any
) -> TaskAssessment:
    return looked_at(more={f"{folder}/{item_id}.json": document}, **fields)


def tool(**fields: Any) -> Contract:
    return make.tool_request(**fields)


def newer(**fields: Any) -> Contract:
    return make.tool_request_v2("tool-001", **fields)


def proposed(
    path: str = VIEW, before: str = "old text\n", after: str | None = "new text\n"
) -> ProposedChange:
    return ProposedChange(path=path, before=digests.digest(before.encode()), after=after)


def malformed(document: Contract, **fields: Any) -> str:
    return item(asked(document, **fields), "tool-001").malformed


@pytest.mark.parametrize(
    "document",
    [
        tool(tool="shell", command=None),
        tool(tool="shell", command=""),
        tool(tool="run_tests", command="   \n\t"),
        tool(tool="shell", command="\u200b\u2060"),
        tool(target_path=None),
        tool(target_path=" "),
        tool(target_path="."),
        tool(tool="external_api", target_path=None, command=None),
        tool(target_path="DesignSystem/x.swift"),
        newer(task_id="other"),
        newer(tool="shell", command="ls", input={"command": "rm -r x"}),
        newer(target_path=VIEW, input={"file_path": "/w/app/other.swift"}),
        newer(target_path=VIEW, proposed_change=proposed("other.swift")),
        newer(proposed_change=proposed(after="old text\n")),
        newer(proposed_change=None, input={}),
    ],
)
def test_requests_that_can_only_be_denied(document: Contract):
    assert malformed(document)


@pytest.mark.parametrize(
    "document",
    [
        tool(),
        tool(tool="shell", command="ls", target_path=None),
        tool(tool="external_api", command="GET /", target_path=None),
        tool(target_path="/w/app/Sources/Auth/LoginView.swift"),
        newer(),
        newer(input={"file_path": f"/w/app/{VIEW}"}),
        newer(proposed_change=proposed(after=None)),
        newer(proposed_change=None),
    ],
)
def test_requests_that_may_be_approved(document: Contract):
    assert malformed(document) == ""


def test_a_relative_path_of_the_input_counts_from_the_folder_of_the_call():
    below = {"cwd": "/w/app/Sources", "target_path": VIEW}
    assert malformed(newer(**below, input={"file_path": "Auth/LoginView.swift"})) == ""
    assert "another path" in malformed(newer(**below, input={"file_path": VIEW}))
    assert "another path" in malformed(newer(**below, input={"file_path": "../Auth/LoginView.swift"}))


def test_a_patch_names_the_file_that_is_shown():
    def patch(*names: str) -> dict[str, str]:
        files = "".join(f"*** Update File: {name}\n@@\n-a\n+b\n" for name in names)
        return {"command": f"*** Begin Patch\n{files}*** End Patch"}

    below = {"cwd": "/w/app/Sources", "target_path": VIEW}
    for named in ("Auth/LoginView.swift", f"/w/app/{VIEW}", "../Sources/./Auth/LoginView.swift"):
        assert malformed(newer(**below, input=patch("other", named))) == ""
    for named in (VIEW, f"/elsewhere/{VIEW}", "../Auth/LoginView.swift"):
        assert "patch of other files" in malformed(newer(**below, input=patch(named)))
    assert malformed(newer(**below, proposed_change=None, input=patch(VIEW))) == ""


def test_an_edit_of_other_bytes_than_those_on_disk_is_malformed():
    now = {"file_digests": {VIEW: digests.digest(b"somebody else wrote\n")}}
    assert "not as the agent saw it" in malformed(newer(), **now)
    assert malformed(newer(), file_digests={VIEW: digests.digest(b"new text\n")}) == ""


@pytest.mark.parametrize("name", ["plan", "task", "baseline", "finalize", "check.edit-0"])
def test_ids_of_our_own_questions_are_kept(name: str):
    seen = asked(make.tool_request(name), item_id=name)
    assert (
        "kept for questions"
        in next(one for one in seen.pending if one.artifact.startswith("tool-")).malformed
    )


@pytest.mark.parametrize(
    ("document", "fields", "risk"),
    [
        (tool(risk_level="low", tool="shell", command="ls", target_path=None), {}, "medium"),
        (tool(risk_level="low", target_path=make.MAPPER), {}, "medium"),
        (tool(risk_level="low", target_path=VIEW), {}, "high"),
        (tool(risk_level="low", target_path="/etc/passwd"), {}, "critical"),
        (tool(risk_level="low", target_path="../app-backup/a"), {}, "critical"),
        (tool(risk_level="low", target_path="DesignSystem/x"), {}, "critical"),
        (tool(risk_level="low", target_path=make.MAPPER), {"claims": claimed(make.MAPPER)}, "high"),
        (tool(risk_level="high", target_path=make.MAPPER), {}, "high"),
        (newer(risk_level="critical", tool="read_file"), {}, "critical"),
        (
            tool(risk_level="low", tool="read_file", target_path=make.MAPPER),
            {"task": make.agent_task(risk_level="high")},
            "high",
        ),
    ],
)
def test_risk_is_the_highest_of_all(document: Contract, fields: dict[str, Any], risk: str):
    seen = asked(document, **fields)
    pending = item(seen, "tool-001")
    assert pending.risk == risk
    assert any("The agent claims" in one for one in pending.warnings) is (pending.claimed_risk != risk)


@pytest.mark.parametrize(("name", "word"), [("call-1", "judged"), ("tool-001", "claimed")])
def test_the_risk_of_a_hooks_request_was_judged_not_claimed(name: str, word: str):
    request = make.tool_request_v2(name, target_path=VIEW, risk_level="low")
    pending = item(asked(request, item_id=name), name)
    assert (pending.risk, pending.claimed_risk) == ("high", "low")
    assert any("was judged low" in one for one in pending.warnings) is (word == "judged")
    assert any("agent claims low" in one for one in pending.warnings) is (word == "claimed")
    (title,) = (row.text for row in asking_rows(pending, None, 80, UNICODE, make.NOW) if row.key == "asking")
    assert f"high risk, {word} low" in title
    head = head_lines(pending, 100, UNICODE, make.NOW)[0]
    assert f"({word} low)" in plain(head)


def test_what_an_edit_is_bound_to():
    files = {VIEW: digests.digest(b"old text\n")}
    pending = item(asked(newer(), file_digests=files), "tool-001")
    assert pending.bound == Bound(pending.digest, PLAN_DIGEST, make.POLICY_DIGEST, files)
    assert dict(pending.facts) == {
        "path": VIEW,
        "proposedDigest": digests.digest(b"new text\n"),
        "effectiveDigest": digests.digest(b"new text\n"),
        "effectiveBlob": digests.blob_id(b"new text\n"),
    }
    assert (pending.path, pending.path_class) == (VIEW, PathClass.UNPLANNED)
    plain = item(
        asked(
            tool(tool="shell", command="sh run.sh", target_path=None), file_digests={"run.sh": files[VIEW]}
        ),
        "tool-001",
    )
    assert dict(plain.bound.files) == {"run.sh": files[VIEW]}
    assert dict(plain.facts) == {}


def test_warnings_name_what_cannot_be_seen_and_where_it_leads():
    seen = asked(tool(tool="shell", command="ls \u202egnp.exe", target_path=None))
    assert any("RIGHT-TO-LEFT OVERRIDE" in one for one in item(seen, "tool-001").warnings)
    link = make.change("Sources/out", None, "../Tests", mode="120000", link_target="../Tests")
    through = asked(tool(target_path="Sources/out/x.swift"), change_set=make.changes(link))
    assert item(through, "tool-001").path == "Tests/x.swift"
    assert any("through a link to Tests/x.swift" in one for one in item(through, "tool-001").warnings)
    away = make.change("Sources/out", None, "/etc", mode="120000", link_target="/etc", link_escapes=True)
    outside = asked(tool(target_path="Sources/out/passwd"), change_set=make.changes(away))
    assert item(outside, "tool-001").risk == "critical"
    assert "The path leads out of the work tree." in item(outside, "tool-001").warnings


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("plain text, ok\n\ttab", ()),
        ("한글과 émoji 🎉", ()),
        ("a\u200bb", ("ZERO WIDTH SPACE",)),
        ("a\x1b[2Jb", ("U+001B",)),
        ("a\rb", ("U+000D",)),
        ("a\xa0b\u3164", ("NO-BREAK SPACE", "HANGUL FILLER")),
        ("\ud800", ("U+D800",)),
        ("a\ufe0fa\ufe0f", ("VARIATION SELECTOR-16",)),
        ("\U000e0041", ("TAG LATIN CAPITAL LETTER A",)),
    ],
)
def test_unseen_characters(text: str, names: tuple[str, ...]):
    assert unseen_characters(text) == names


# -- states ------------------------------------------------------------------------------------------------


def status(document: Contract, **fields: Any) -> RequestState:
    return asked(document, **fields).requests[0].state


def decided(document: Contract, verdict: str, **fields: Any) -> Any:
    digest = make.artifact(document, "tool-requests/tool-001.json").digest
    bound = fields.pop("bound", Bound(request=digest, plan=PLAN_DIGEST, policy=make.POLICY_DIGEST))
    return make.entry("tool-request", verdict, "tool-001", digest, bound=bound, sequence=20, **fields)


def test_states():
    request = tool()
    digest = make.artifact(request, "tool-requests/tool-001.json").digest
    assert status(request) is RequestState.PENDING
    assert status(request, entries=[decided(request, "approved")]) is RequestState.APPROVED
    assert status(request, entries=[decided(request, "denied")]) is RequestState.DENIED
    assert status(tool(reason="other"), entries=[decided(request, "approved")]) is RequestState.CHANGED
    stranger = decided(request, "approved", counted=False)
    assert status(request, entries=[stranger]) is RequestState.PENDING
    taken = make.entry("request", "consumed", "tool-001", digest, source="system", sequence=21)
    assert status(request, entries=[decided(request, "approved"), taken]) is RequestState.CONSUMED
    gone = make.entry("request", "dismissed", "tool-001", digest, sequence=21)
    assert status(request, entries=[gone]) is RequestState.DISMISSED


def test_an_approval_is_bound_to_plan_policy_and_files():
    request = tool()
    digest = make.artifact(request, "tool-requests/tool-001.json").digest
    files = {VIEW: digests.digest(b"a")}
    row = decided(request, "approved", bound=Bound(digest, PLAN_DIGEST, make.POLICY_DIGEST, files))
    assert status(request, entries=[row], file_digests=files) is RequestState.APPROVED
    assert (
        status(request, entries=[row], file_digests=files, policy=PolicyState("sha256:" + "4" * 64))
        is RequestState.CHANGED
    )
    assert status(request, entries=[row], file_digests={VIEW: digests.digest(b"b")}) is RequestState.CHANGED
    changed = asked(request, entries=[row], file_digests=files, plan=make.agent_plan(summary="another"))
    assert item(changed, "tool-001").warnings[0] == "Changed since it was approved: plan."


def test_requests_end_by_themselves():
    request = newer(expires_at=later(minutes=5))
    assert status(request, now=later(minutes=4)) is RequestState.PENDING
    assert status(request, now=later(minutes=5)) is RequestState.EXPIRED
    seen = make.observation(
        "tool-requests/tool-001.json", make.artifact(tool(), "x").digest, observed_at=later(minutes=-59)
    )
    assert status(tool(), observations=[seen], now=make.NOW) is RequestState.PENDING
    old = asked(tool(), observations=[seen], now=later(minutes=2))
    assert old.requests[0].state is RequestState.EXPIRED
    assert not old.pending or "tool-001" not in item_ids(old)
    assert rung(old, 5).outcome is Outcome.PASSED
    quick = PolicyState(make.POLICY_DIGEST, request_timeout_s=60)
    assert status(tool(), observations=[seen], policy=quick) is RequestState.EXPIRED


def test_a_clock_that_went_back_expires_nothing_and_is_told():
    request = newer(expires_at=later(minutes=-30))
    row = make.entry("block", "lifted", decided_at=later(minutes=10))
    seen = asked(request, entries=[row])
    assert seen.requests[0].state is RequestState.PENDING
    assert of(seen, "CLOCK_WENT_BACK")


def test_a_request_whose_file_is_gone():
    digest = "sha256:" + "6" * 64
    seen = make.observation("tool-requests/tool-007.json", digest)
    assert [(one.item_id, one.state) for one in looked_at(observations=[seen]).requests] == [
        ("tool-007", RequestState.WITHDRAWN)
    ]
    row = make.entry("tool-request", "denied", "tool-007", digest, reason="no")
    (left,) = looked_at(observations=[seen], entries=[row]).requests
    assert (left.state, left.reason) == (RequestState.DENIED, "no")


@pytest.mark.parametrize(
    ("document", "fields", "state"),
    [
        (
            tool(tool="run_tests", command=make.TEST_COMMAND, target_path=None, risk_level="low"),
            {},
            RequestState.NOT_NEEDED,
        ),
        (
            tool(tool="run_tests", command="make all", target_path=None, risk_level="low"),
            {},
            RequestState.PENDING,
        ),
        (tool(tool="read_file", target_path=VIEW), {}, RequestState.NOT_NEEDED),
        (tool(tool="read_file", target_path="/etc/passwd"), {}, RequestState.PENDING),
        (tool(target_path=make.MAPPER), {}, RequestState.PENDING),
        (tool(target_path=make.MAPPER), {"entries": [APPROVED_PLAN]}, RequestState.NOT_NEEDED),
        (tool(target_path=VIEW), {"entries": [APPROVED_PLAN]}, RequestState.PENDING),
        (
            tool(target_path=make.MAPPER, risk_level="high"),
            {"entries": [APPROVED_PLAN]},
            RequestState.PENDING,
        ),
        (
            tool(tool="shell", command="ls", target_path=None),
            {"entries": [APPROVED_PLAN]},
            RequestState.PENDING,
        ),
        (
            tool(tool="read_file", target_path=VIEW),
            {"policy": PolicyState(make.POLICY_DIGEST, problems=(make.load_problem("policy.toml"),))},
            RequestState.PENDING,
        ),
    ],
)
def test_an_agent_that_asks_for_no_approval_is_believed_only_where_a_rule_agrees(
    document: Contract, fields: dict[str, Any], state: RequestState
):
    quiet = document.model_copy(update={"requires_approval": False})
    assert status(quiet, **fields) is state
    if state is RequestState.NOT_NEEDED:
        assert status(document, **fields) is RequestState.PENDING


# -- approvals and escalations -----------------------------------------------------------------------------


def wish(**fields: Any) -> TaskAssessment:
    around = {name: fields.pop(name) for name in ("plan", "entries", "review") if name in fields}
    document = make.approval_request("approval-001", **fields)
    return asked(document, folder="approval-requests", item_id="approval-001", **around)


def test_a_wish_for_the_plan_takes_the_place_of_our_question():
    plan = make.agent_plan(requires_human_approval=True)
    digest = make.artifact(plan, "plan.json").digest
    seen = wish(plan=plan, digest=digest)
    assert item_ids(seen) == ["approval-001"]
    pending = item(seen, "approval-001")
    assert (pending.kind, pending.bound.plan) == (PendingKind.PLAN, digest)
    assert pending.title == plan.summary
    row = make.entry("plan", "approved", "plan", digest, bound=Bound(plan=digest))
    settled = wish(plan=plan, digest=digest, entries=[row])
    assert settled.requests[0].state is RequestState.NOT_NEEDED
    other = wish(plan=plan, digest="sha256:" + "2" * 64)
    assert sorted(item_ids(other)) == ["approval-001", "plan"]
    assert "another version" in item(other, "approval-001").malformed


def test_a_wish_to_finalize_does_not_hold_its_own_gate():
    digest = "sha256:" + "1" * 64
    ready = wish(kind="finalize", digest=digest, requested_by="reporter")
    assert ready.gate.outcome is Outcome.PASSED
    assert [(one.item_id, one.asked_by) for one in ready.pending] == [("finalize", "reporter")]
    early = wish(kind="finalize", digest=digest, review=None)
    assert "conditions of the gate are open" in item(early, "approval-001").malformed


def test_a_wish_for_an_edit():
    digest = digests.digest(b"wanted")
    pending = item(wish(kind="edit", path=VIEW, digest=digest), "approval-001")
    assert (pending.kind, pending.path, pending.risk) == (PendingKind.EDIT, VIEW, "high")
    assert pending.facts["effectiveDigest"] == digest
    assert item(wish(kind="edit", path=None, digest=digest), "approval-001").malformed
    assert item(wish(kind="edit", path="../x", digest=digest), "approval-001").malformed
    assert item(wish(kind="edit", path="DesignSystem/x", digest=digest), "approval-001").malformed


def question(**fields: Any) -> Pending:
    document = make.escalation("esc-001", **fields)
    return item(asked(document, folder="escalations", item_id="esc-001"), "esc-001")


def test_escalations():
    plain = question()
    assert [one.id for one in plain.options] == ["narrow", "wide"]
    assert plain.malformed == ""
    assert question(options=(), allow_free_text=True).malformed == ""
    assert question(options=()).malformed
    twice = EscalationOption(id="a", label="A", consequence="")
    assert question(options=(twice, twice)).malformed
    assert question(task_id="other").malformed
    assert question(question=" ").malformed


def test_an_answered_escalation_holds_nothing():
    document = make.escalation("esc-001")
    digest = make.artifact(document, "e").digest
    row = make.entry("escalation", "answered", "esc-001", digest, data={"option": "narrow"})
    seen = asked(document, folder="escalations", item_id="esc-001", entries=[row])
    assert seen.requests[0].state is RequestState.ANSWERED
    assert seen.gate.outcome is Outcome.PASSED


@pytest.mark.parametrize(
    ("action", "asks"), [("human", True), ("stop", True), ("retry", False), ("planner", False)]
)
def test_errors_of_agents_are_routed(action: str, asks: bool):
    document = make.agent_error(next_action=action)
    seen = asked(document, folder="errors", item_id="e1")
    assert ("check.error-e1" in item_ids(seen)) is asks
    assert (rung(seen, 5).outcome is Outcome.FAILED) is asks
    row = make.entry(
        "escalation",
        "answered",
        "check.error-e1",
        make.artifact(document, "e").digest,
        data={"option": "continue"},
    )
    after = asked(document, folder="errors", item_id="e1", entries=[row])
    assert rung(after, 5).outcome is Outcome.PASSED


def test_what_was_asked_first_is_first_among_equals():
    rows = {f"tool-requests/t{n}.json": make.tool_request(f"t{n}", target_path=VIEW) for n in range(3)}
    rows["tool-requests/low.json"] = make.tool_request("low", tool="shell", command="ls", target_path=None)
    seen = [
        make.observation(
            path, make.artifact(one, path).digest, observed_at=make.NOW - timedelta(minutes=minutes)
        )
        for (path, one), minutes in zip(rows.items(), (5, 9, 7, 30), strict=True)
    ]
    assessment = looked_at(more=rows, observations=seen)
    assert item_ids(assessment) == ["t1", "t2", "t0", "low"]


# -- applied against a verdict -----------------------------------------------------------------------------


def applied(
    verdict: str, holds: str, *, plan_approved: bool = False, path: str = VIEW, **data: Any
) -> set[str]:
    document = newer(target_path=path, proposed_change=proposed(path))
    digest = make.artifact(document, "x").digest
    facts = {
        "path": path,
        "proposedDigest": digests.digest(b"new text\n"),
        "effectiveDigest": digests.digest(b"new text\n"),
    }
    bound = Bound(request=digest, files={path: digests.digest(b"old text\n")})
    rows = [
        make.entry(
            "tool-request", verdict, "tool-001", digest, data={**facts, **data}, bound=bound, sequence=20
        )
    ]
    rows += [APPROVED_PLAN] if plan_approved else []
    seen = asked(
        document,
        entries=rows,
        file_digests={path: digests.digest(holds.encode())},
        change_set=make.changes(make.change(path, "old text\n", holds)),
    )
    return {one.code for one in seen.findings} & {"APPLIED_DIFFERS", "DENIED_BUT_APPLIED"}


def test_what_happened_is_held_against_the_verdict():
    amended: dict[str, Any] = {"effectiveDigest": digests.digest(b"human text\n")}
    assert applied("approved", "new text\n") == set()
    assert applied("approved", "old text\n") == set()
    assert applied("approved", "smuggled\n") == {"APPLIED_DIFFERS"}
    assert applied("amended", "human text\n", **amended) == set()
    assert applied("amended", "new text\n", **amended) == {"APPLIED_DIFFERS"}
    assert applied("denied", "new text\n") == {"DENIED_BUT_APPLIED"}
    assert applied("denied", "old text\n") == set()
    assert applied("denied", "third text\n") == set()


def test_inside_an_approved_plan_later_edits_are_free_and_a_no_is_a_no():
    inside: dict[str, Any] = {"plan_approved": True, "path": make.MAPPER}
    assert applied("approved", "later\n", **inside) == set()
    assert applied("approved", "later\n", path=make.MAPPER) == {"APPLIED_DIFFERS"}
    assert applied("denied", "new text\n", **inside) == {"DENIED_BUT_APPLIED"}
    amended: dict[str, Any] = {"effectiveDigest": digests.digest(b"human text\n")}
    assert applied("amended", "new text\n", **inside, **amended) == {"APPLIED_DIFFERS"}


def test_an_expired_request_holds_nothing_unless_it_happened():
    document = newer(expires_at=later(minutes=-1))
    change_set = make.changes(make.change(VIEW, "old text\n", "new text\n"))
    happened = asked(document, change_set=change_set, file_digests={VIEW: digests.digest(b"new text\n")})
    assert of(happened, "DENIED_BUT_APPLIED")
    quiet = asked(document, file_digests={VIEW: digests.digest(b"old text\n")})
    assert rung(quiet, 5).outcome is Outcome.PASSED


def test_a_commit_is_compared_by_what_it_holds():
    document = newer()
    digest = make.artifact(document, "x").digest
    row = make.entry("tool-request", "denied", "tool-001", digest, data={"path": VIEW})
    held = make.changes(make.change(VIEW, "old text\n", "new text\n"), target="c" * 40)
    assert of(asked(document, entries=[row], change_set=held), "DENIED_BUT_APPLIED")
    other = make.changes(make.change(VIEW, "old text\n", "other"), target="c" * 40)
    files = {VIEW: digests.digest(b"new text\n")}
    assert not of(asked(document, entries=[row], change_set=other, file_digests=files), "DENIED_BUT_APPLIED")
