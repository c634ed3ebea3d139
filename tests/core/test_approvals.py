"""Is this approved, now, for exactly these bytes?"""

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ags_tui.core.assessment import RequestState
from ags_tui.core.checks.findings import Outcome
from ags_tui.core.decisions import Bound
from ags_tui.core.digests import digest
from ags_tui.core.log_rules import (
    ApprovalStatus,
    approval_status,
    bound_now,
    clock_findings,
    expiry,
    first_seen,
)
from tests import builders
from tests.logs import NOW, Chain

ONE, TWO = b'{"command": "one"}', b'{"command": "two"}'
LATER = NOW + timedelta(minutes=10)
BOUND = Bound(
    request=digest(ONE), plan=digest(b"plan"), policy=digest(b"policy"),
    files={"src/a.py": digest(b"a"), "new.py": "absent"},
)  # fmt: skip


def status(chain: Chain, raw: bytes = ONE, **fields: Any) -> ApprovalStatus:
    defaults: dict[str, Any] = {
        "kind": "tool-request", "subject_id": "t-1", "digest": digest(raw), "now": LATER, "bound_now": BOUND,
        "first_seen": NOW, "timeout_s": 3600,
    }  # fmt: skip
    return approval_status(chain.state(), **{**defaults, **fields})


def asked() -> Chain:
    chain = Chain.begun()
    chain.observe("tool-requests/t-1.json", ONE)
    return chain


def approved(**fields: Any) -> Chain:
    chain = asked()
    chain.add("tool-request", "approved", "t-1", digest(ONE), **{"bound": BOUND, **fields})
    return chain


# -- decisions -------------------------------------------------------------------------------------------


def test_nothing_decided_is_pending_until_its_time_is_over():
    found = status(asked())
    assert (found.state, found.entry, found.expires_at) == (
        RequestState.PENDING, None, NOW + timedelta(hours=1),
    )  # fmt: skip
    assert not found.in_force
    assert status(asked(), now=NOW + timedelta(hours=1)).state is RequestState.EXPIRED


def test_an_approval_of_these_bytes_is_in_force():
    found = status(approved(reason="fine"))
    assert found.in_force
    assert (found.state, found.reason) == (RequestState.APPROVED, "fine")


def test_an_approval_of_other_bytes_is_not():
    chain = approved()
    chain.observe("tool-requests/t-1.json", TWO)
    found = status(chain, TWO)
    assert (found.state, found.changed) == (RequestState.CHANGED, ("request",))
    assert not found.in_force


@pytest.mark.parametrize(("kind", "subject"), [("edit", "t-1"), ("tool-request", "t-2"), ("plan", "t-1")])
def test_an_approval_of_something_else_is_not(kind: str, subject: str):
    assert status(approved(), kind=kind, subject_id=subject).state is RequestState.PENDING


def test_an_approval_with_the_system_key_is_not():
    assert status(approved(key_id="system-key", via="cli")).state is RequestState.PENDING


def test_the_last_decision_about_these_bytes_counts():
    chain = approved()
    chain.add("tool-request", "denied", "t-1", digest(ONE), reason="no", key_id="system-key", via="cli")
    found = status(chain)
    assert (found.state, found.reason) == (RequestState.DENIED, "no")
    chain.add("tool-request", "approved", "t-1", digest(ONE), bound=BOUND)
    assert status(chain).in_force


def test_a_denial_of_other_bytes_leaves_the_new_ones_pending():
    chain = asked()
    chain.add("tool-request", "denied", "t-1", digest(ONE))
    chain.observe("tool-requests/t-1.json", TWO)
    assert status(chain, TWO).state is RequestState.PENDING


def test_a_denial_outlives_everything():
    chain = asked()
    chain.add("tool-request", "denied", "t-1", digest(ONE))
    chain.add("request", "expired", "t-1", digest(ONE))
    assert status(chain, now=NOW + timedelta(days=9)).state is RequestState.DENIED


def test_an_amendment_approves_a_call_but_not_a_plan():
    chain = asked()
    chain.add("tool-request", "amended", "t-1", digest(ONE), bound=BOUND)
    assert status(chain).in_force
    chain.add("plan", "amended", "plan", digest(b"plan"), bound=Bound(plan=digest(b"plan")))
    assert status(chain, b"plan", kind="plan", subject_id="plan").state is RequestState.PENDING


def test_an_answer_depends_on_the_question_alone():
    chain = Chain.begun()
    chain.add("escalation", "answered", "t-1", digest(ONE), bound=BOUND, data={"option": "a"})
    found = status(chain, kind="escalation", bound_now=Bound(), now=NOW + timedelta(days=2))
    assert (found.state, found.in_force, found.expires_at) == (RequestState.ANSWERED, True, None)
    assert status(chain, TWO, kind="escalation").state is RequestState.CHANGED


# -- what it is bound to ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("now", "changed"),
    [
        (Bound(digest(TWO), BOUND.plan, BOUND.policy, BOUND.files), ("request",)),
        (Bound(BOUND.request, digest(b"other"), BOUND.policy, BOUND.files), ("plan",)),
        (Bound(BOUND.request, None, BOUND.policy, BOUND.files), ("plan",)),
        (Bound(BOUND.request, BOUND.plan, digest(b"other"), BOUND.files), ("policy",)),
        (Bound(BOUND.request, BOUND.plan, BOUND.policy, {"src/a.py": digest(b"a")}), ("new.py",)),
        (
            Bound(BOUND.request, BOUND.plan, BOUND.policy, {"src/a.py": "absent", "new.py": digest(b"")}),
            ("new.py", "src/a.py"),
        ),
        (Bound(), ("request", "plan", "policy", "new.py", "src/a.py")),
    ],
)
def test_what_changed_is_named(now: Bound, changed: tuple[str, ...]):
    found = status(approved(), bound_now=now)
    assert (found.state, found.changed) == (RequestState.CHANGED, changed)
    assert all(name in found.reason for name in changed)


def test_what_it_was_not_bound_to_may_change():
    files = {**BOUND.files, "other.py": digest(b"o")}
    assert status(approved(), bound_now=Bound(BOUND.request, BOUND.plan, BOUND.policy, files)).in_force
    assert status(approved(bound=Bound(request=digest(ONE)))).in_force


def test_a_path_that_is_not_utf8_is_compared_too():
    path = b"caf\xe9.py".decode("utf-8", "surrogateescape")
    chain = approved(bound=Bound(files={path: digest(b"a")}))
    assert status(chain, bound_now=Bound(files={path: digest(b"a")})).in_force
    assert status(chain, bound_now=Bound(files={path: digest(b"b")})).changed == (path,)


def test_the_digests_of_now_come_from_the_snapshot():
    task = builders.task_snapshot(file_digests={"src/a.py": digest(b"a")})
    found = bound_now(task, request="r", policy="p")
    assert found == Bound("r", task.files.artifacts["plan.json"].digest, "p", {"src/a.py": digest(b"a")})
    assert bound_now(builders.task_snapshot(plan=None), request=None, policy="p").plan is None


# -- an intact log ---------------------------------------------------------------------------------------


def test_nothing_is_approved_by_a_log_that_is_not_intact():
    chain = approved()
    chain.add("block", "blocked", key_id="a-stranger")
    assert chain.state().integrity is Outcome.UNKNOWN
    assert status(chain).state is RequestState.PENDING
    chain.raws[0] = chain.raws[0].replace(b'"late":false', b'"late":true ')
    assert chain.state().integrity is Outcome.FAILED
    assert not status(chain).in_force


def test_a_denial_holds_whatever_the_rest_of_the_log_is():
    chain = asked()
    chain.add("tool-request", "denied", "t-1", digest(ONE))
    chain.add("block", "blocked", key_id="a-stranger")
    assert status(chain).state is RequestState.DENIED


# -- ends ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("verdict", "state"),
    [
        ("consumed", RequestState.CONSUMED),
        ("expired", RequestState.EXPIRED),
        ("withdrawn", RequestState.WITHDRAWN),
        ("dismissed", RequestState.DISMISSED),
    ],
)
def test_how_a_request_ends(verdict: str, state: RequestState):
    for chain in (asked(), approved()):
        chain.add("request", verdict, "t-1", digest(TWO))
        assert status(chain).state in (RequestState.PENDING, RequestState.APPROVED)
        chain.add("request", verdict, "t-1", digest(ONE))
        assert status(chain).state is state


def test_a_taken_approval_can_be_given_again():
    chain = approved()
    chain.add("request", "consumed", "t-1", digest(ONE))
    chain.add("tool-request", "approved", "t-1", digest(ONE), bound=BOUND)
    assert status(chain).in_force


def test_an_approval_after_the_end_has_no_effect():
    chain = asked()
    chain.add("request", "expired", "t-1", digest(ONE))
    chain.add("tool-request", "approved", "t-1", digest(ONE), bound=BOUND)
    assert status(chain).state is RequestState.EXPIRED


def test_a_withdrawn_request_that_is_seen_again_waits_again():
    chain = asked()
    chain.add("request", "withdrawn", "t-1", digest(ONE))
    assert status(chain).state is RequestState.WITHDRAWN
    chain.observe("tool-requests/t-1.json", ONE)
    assert status(chain).state is RequestState.PENDING


def test_an_agent_cannot_end_a_request_with_its_own_key():
    chain = approved()
    chain.add("request", "dismissed", "t-1", digest(ONE), key_id="system-key")
    assert status(chain).in_force


# -- time ------------------------------------------------------------------------------------------------


def test_an_approval_ends_with_the_request_unless_the_human_chose_otherwise():
    hour = NOW + timedelta(hours=1)
    assert status(approved(), now=hour - timedelta(seconds=1)).in_force
    assert status(approved(), now=hour).state is RequestState.EXPIRED
    longer = approved(expires_at=NOW + timedelta(hours=8))
    assert status(longer, now=hour).in_force
    assert status(longer, now=NOW + timedelta(hours=8)).state is RequestState.EXPIRED
    shorter = approved(expires_at=NOW + timedelta(minutes=5))
    assert status(shorter).state is RequestState.EXPIRED


def test_what_has_no_end_by_policy_does_not_expire():
    assert status(approved(), timeout_s=None, now=NOW + timedelta(days=400)).in_force


moments = st.integers(-10_000, 10_000).map(lambda seconds: NOW + timedelta(seconds=seconds))


@given(st.none() | moments, st.none() | moments)
def test_an_agent_can_only_shorten(created_at: Any, expires_at: Any):
    ends = expiry(NOW, 3600, created_at=created_at, expires_at=expires_at)
    assert ends is not None
    assert ends <= NOW + timedelta(seconds=3600)
    if expires_at is not None:
        assert ends <= expires_at


def test_an_absurd_timeout_ends_at_once():
    assert expiry(NOW, 10**15) == NOW


def test_a_clock_that_went_back_expires_nothing_and_is_said():
    chain = approved(expires_at=NOW + timedelta(minutes=30))
    state = chain.state()
    assert clock_findings(state, chain.clock - timedelta(seconds=60)) == ()
    back = chain.clock - timedelta(seconds=61)
    assert [finding.code for finding in clock_findings(state, back)] == ["CLOCK_WENT_BACK"]
    past: dict[str, Any] = {"expires_at": NOW - timedelta(hours=2), "now": NOW - timedelta(hours=1)}
    assert status(asked(), **past).state is RequestState.PENDING


def test_the_clock_cannot_bring_an_approval_back():
    chain = approved()
    chain.add("request", "expired", "t-1", digest(ONE))
    assert status(chain, now=NOW - timedelta(days=1)).state is RequestState.EXPIRED


def test_the_first_observation_starts_the_clock():
    chain = asked()
    begun = chain.clock
    chain.observe("tool-requests/t-1.json", ONE)
    assert first_seen(chain.state(), digest(ONE)) == begun
    assert first_seen(chain.state(), digest(TWO)) is None
