"""Drafts: each may be recorded, carries what the log needs, and refuses what must not be decided."""

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from ags_tui.core import drafts
from ags_tui.core.assessment import Choice, PathClass, Pending, PendingKind, Prose
from ags_tui.core.checks.findings import Basis, Outcome
from ags_tui.core.decisions import Bound, Draft
from ags_tui.core.digests import digest
from ags_tui.core.log_authority import draft_refusal, signing_role
from tests.app.makers import NOW, TASK, agent_task, pending, plan, task_assessment, tool_request
from tests.app.test_decision_others import logged

APPROVED = [kind for kind in PendingKind if kind not in (PendingKind.ESCALATION, PendingKind.FINALIZATION)]
SEEN = drafts.Viewing(lines=10, total=12, tty="/dev/pts/1", focused=True)


def kind_of(kind: PendingKind, **changes: Any) -> Pending:
    return replace(pending(), kind=kind, **changes)


def all_drafts() -> list[Draft]:
    task = task_assessment(agent_task(), plan(), tool_request())
    sentence = Prose("task#expectedBehavior/0", "works", digest(b"w"), Outcome.UNKNOWN, Basis.HUMAN, "")
    asked = kind_of(PendingKind.ESCALATION, options=(Choice("a", "A", "then"),), allow_free_text=True)
    block = logged("block", "blocked", "wait")
    return [
        *(drafts.approve(kind_of(kind), SEEN) for kind in APPROVED),
        *(drafts.deny(kind_of(kind), "no") for kind in APPROVED if kind is not PendingKind.BASELINE),
        drafts.answer(asked, SEEN, option="a"),
        drafts.answer(asked, SEEN, text="both"),
        drafts.amend_plan(pending(path="a.py"), task, SEEN),
        drafts.attest(task, sentence, SEEN),
        drafts.attest(task, sentence, SEEN, withdraw=True),
        drafts.block(task, "wait"),
        drafts.lift(task, block, "go"),
        drafts.finalize(task, SEEN),
        drafts.close(task, "not needed"),
        drafts.reopen(task, "again"),
        drafts.dismiss(TASK, "tool-014", digest(b"x")),
    ]  # fmt: skip


def test_every_draft_is_one_that_the_log_takes_with_the_human_key() -> None:
    for draft in all_drafts():
        assert draft_refusal(draft) == "", draft
        assert signing_role(draft) == "human"
        assert draft.task_id == TASK
        json.dumps(dict(draft.data))


def test_an_approval_is_bound_to_what_was_shown() -> None:
    item = pending(facts={"path": "src/a.py", "effectiveDigest": digest(b"after"), "effectiveBlob": "b"})
    draft = drafts.approve(item, SEEN, expires_at=NOW + timedelta(hours=8), sequence=4)
    assert draft.bound is item.bound
    assert draft.subject_digest == item.digest
    assert draft.data == {
        "path": "src/a.py", "effectiveBlob": "b", "proposedDigest": item.digest,
        "effectiveDigest": digest(b"after"), "shownLines": 10, "totalLines": 12, "tty": "/dev/pts/1",
        "focused": True,
    }  # fmt: skip
    assert (draft.expires_at, draft.expected_sequence) == (NOW + timedelta(hours=8), 4)
    assert drafts.approve(item, SEEN).expires_at == item.expires_at


@pytest.mark.parametrize("kind", ["escalation", "finalization"])
def test_what_is_not_approved_is_refused(kind: str) -> None:
    with pytest.raises(ValueError, match="cannot be approved"):
        drafts.approve(kind_of(PendingKind(kind)), SEEN)


def test_a_malformed_item_is_refused_but_can_be_denied() -> None:
    item = pending(malformed="empty command")
    with pytest.raises(ValueError, match="cannot be approved"):
        drafts.approve(item, SEEN)
    assert drafts.deny(item, "no").verdict == "denied"


def test_a_baseline_is_accepted_not_approved() -> None:
    draft = drafts.approve(kind_of(PendingKind.BASELINE, item_id="baseline", facts={"head": "x"}), SEEN)
    assert (draft.kind, draft.verdict, draft.data["head"]) == ("baseline", "accepted", "x")
    assert "proposedDigest" not in draft.data


@pytest.mark.parametrize(
    ("free", "option", "text"),
    [(True, "z", ""), (True, "", ""), (True, "", "  "), (True, "a", "x"), (False, "", "x")],
)
def test_an_answer_is_one_option_or_allowed_words(free: bool, option: str, text: str) -> None:
    asked = kind_of(PendingKind.ESCALATION, options=(Choice("a", "A", ""),), allow_free_text=free)
    with pytest.raises(ValueError, match="does not take this answer"):
        drafts.answer(asked, SEEN, option=option, text=text)
    with pytest.raises(ValueError, match="does not take this answer"):
        drafts.answer(pending(), SEEN, option="a")


def test_an_amendment_names_the_path_and_leaves_the_plan_file_alone() -> None:
    task = task_assessment(agent_task(), plan())
    item = pending(
        path="src/\udcff.py", path_class=PathClass.UNPLANNED, bound=Bound(plan=digest(b"in force"))
    )
    draft = drafts.amend_plan(item, task, SEEN)
    assert draft.bound == Bound(plan=digest(b"in force"))
    assert draft.subject_digest == draft.data["proposedDigest"] == digest(b"in force")
    assert draft.data["path"] == "bytes:src/%FF.py"
    other = drafts.amend_plan(replace(item, path="b.py"), task, SEEN)
    assert other.data["effectiveDigest"] != draft.data["effectiveDigest"]
    for broken in (replace(item, path=None), item):
        without = task_assessment(agent_task()) if broken is item else task
        with pytest.raises(ValueError, match="no path that a plan could allow"):
            drafts.amend_plan(broken, without, SEEN)


def test_nothing_is_finalized_over_an_open_rung() -> None:
    with pytest.raises(ValueError, match="open conditions"):
        drafts.finalize(task_assessment(agent_task(), gate={"log": Outcome.UNKNOWN}), SEEN)


def test_finalization_is_bound_to_assessment_and_tree() -> None:
    task = task_assessment(agent_task(), plan())
    draft = drafts.finalize(task, SEEN)
    assert draft.subject_digest == draft.data["assessmentDigest"] == task.digest
    assert draft.data["treeDigest"] == digest(b"tree")
    assert draft.bound.plan == task.task.files.artifacts["plan.json"].digest
    assert draft.expected_sequence == 0


def test_attestation_names_sentence_and_tree() -> None:
    task = task_assessment(agent_task())
    sentence = Prose("task#requiredEvidence/2", "exit code", digest(b"e"), Outcome.UNKNOWN, Basis.HUMAN, "")
    draft = drafts.attest(task, sentence, SEEN)
    assert (draft.subject_id, draft.subject_digest) == ("task#requiredEvidence/2", digest(b"e"))
    assert draft.data["treeDigest"] == digest(b"tree")


def test_lifting_names_the_block() -> None:
    block = logged("block", "blocked", "wait")
    assert drafts.lift(task_assessment(agent_task()), block, "go").subject_digest == block.digest
