"""What goes on record by itself, and that nothing does twice."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from ags_tui.core.checks.findings import Outcome
from ags_tui.core.contracts.base import Contract
from ags_tui.core.decisions import Bound, Draft
from ags_tui.core.digests import digest
from ags_tui.core.log_authority import draft_refusal
from ags_tui.core.observations import due, waiting_evidence
from ags_tui.core.snapshot import Changes, Consumption, LoadProblem, Snapshot, TaskSnapshot
from tests import builders
from tests.logs import NOW, Chain

TOKEN = digest(b"token")
PATH = "tool-requests/tool-002.json"
SOON = NOW + timedelta(minutes=1)
LATE = NOW + timedelta(days=1)


def request(**fields: Any) -> Contract:
    return builders.tool_request_v2(**{"claim": TOKEN, **fields})


def snapshot_of(
    chain: Chain, documents: Mapping[str, Contract] | None = None, **files: Any
) -> tuple[TaskSnapshot, Snapshot]:
    """A task whose folder holds these contracts and whose log is the chain."""
    named = {PATH: request()} if documents is None else documents
    task = TaskSnapshot(
        files=builders.task_files(named, **files), log=chain.state(), changes=builders.changes()
    )
    return task, builders.snapshot(task)


def drafts(
    chain: Chain, documents: Mapping[str, Contract] | None = None, *, now: Any = SOON, **files: Any
) -> list[Draft]:
    task, snapshot = snapshot_of(chain, documents, **files)
    return list(due(task, snapshot, now))


def write(chain: Chain, found: list[Draft]) -> None:
    """Put drafts into the log, as io would."""
    for draft in found:
        assert not draft_refusal(draft)
        chain.add(
            draft.kind, draft.verdict, draft.subject_id, draft.subject_digest,
            data=dict(draft.data), source=draft.source, via=draft.via, human=False,
        )  # fmt: skip


def what(found: list[Draft]) -> list[tuple[str, str, str]]:
    return [(draft.kind, draft.verdict, draft.subject_id) for draft in found]


def digest_of(chain: Chain, path: str = PATH) -> str:
    return snapshot_of(chain)[0].files.artifacts[path].digest


def asked() -> Chain:
    chain = Chain.begun()
    write(chain, drafts(chain))
    return chain


def approved(**fields: Any) -> Chain:
    chain = asked()
    chain.add("tool-request", "approved", "tool-002", digest_of(chain), **fields)
    return chain


def claim(chain: Chain, **fields: Any) -> dict[str, Consumption]:
    defaults: dict[str, Any] = {
        "request_id": "tool-002", "digest": digest_of(chain), "claim": TOKEN, "taken_at": SOON,
    }  # fmt: skip
    return {"tool-002": Consumption(**{**defaults, **fields})}


TAKEN = [("request", "consumed", "tool-002")]
EXPIRED = [("request", "expired", "tool-002")]
WITHDRAWN = [("request", "withdrawn", "tool-002")]
SEEN = [("observation", "recorded", PATH)]


# -- when nothing is due ---------------------------------------------------------------------------------


def test_nothing_before_the_baseline():
    assert drafts(Chain()) == []


def test_nothing_on_a_log_that_was_tampered_with():
    chain = Chain.begun()
    chain.add("block", "blocked", key_id="")
    assert chain.state().integrity is Outcome.FAILED
    assert drafts(chain) == []


def test_nothing_on_a_log_that_a_stranger_signed():
    chain = Chain.begun()
    chain.add("observation", "recorded", PATH, digest(b"other"), key_id="stranger")
    assert chain.state().integrity is Outcome.UNKNOWN
    assert drafts(chain) == []


@pytest.mark.parametrize("end", [("finalize", "finalized"), ("close", "closed")])
def test_nothing_on_a_frozen_task(end: tuple[str, str]):
    chain = Chain.begun()
    chain.add(*end)
    assert drafts(chain) == []


# -- what appeared ---------------------------------------------------------------------------------------


def test_each_new_contract_is_observed_once_with_the_tree_of_the_moment():
    chain = Chain.begun()
    documents = {"task.json": builders.agent_task(), "plan.json": builders.agent_plan(), PATH: request()}
    found = drafts(chain, documents)
    assert what(found) == [("observation", "recorded", path) for path in sorted(documents)]
    tree = builders.changes().tree_digest
    assert all(draft.data["treeDigest"] == tree and draft.data["valid"] for draft in found)
    assert {draft.subject_id: draft.data["contract"] for draft in found} == {
        "task.json": "AgentTask", "plan.json": "AgentPlan", PATH: "ToolRequest",
    }  # fmt: skip
    write(chain, found)
    assert drafts(chain, documents) == []


def test_a_new_version_is_observed_and_an_old_one_that_returns_is_not():
    chain = Chain.begun()
    first = {"plan.json": builders.agent_plan()}
    second = {"plan.json": builders.agent_plan(summary="wider")}
    write(chain, drafts(chain, first))
    found = drafts(chain, second)
    assert what(found) == [("observation", "recorded", "plan.json")]
    write(chain, found)
    assert drafts(chain, first) == []


def test_the_text_of_task_plan_and_review_is_kept_exactly():
    kept = {
        "task.json": builders.agent_task(),
        "plan.json": builders.agent_plan(),
        "review-result.json": builders.review_result(),
    }
    documents: dict[str, Contract] = {**kept, PATH: request()}
    task, snapshot = snapshot_of(Chain.begun(), documents)
    texts = {draft.subject_id: draft.data.get("text") for draft in due(task, snapshot, SOON)}
    assert texts[PATH] is None
    for path in kept:
        text = texts[path]
        assert text is not None
        assert digest(text.encode()) == task.files.artifacts[path].digest


def test_results_keep_what_had_changed_by_then():
    found = drafts(Chain.begun(), {"review-result.json": builders.review_result()})
    paths = [entry[0] for entry in found[0].data["entries"]]
    assert paths == [builders.MAPPER, builders.MAPPER_TESTS]


def test_without_git_the_tree_is_left_open():
    task, snapshot = snapshot_of(Chain.begun())
    for changes in (None, builders.changes(unknown="git failed")):
        blind = TaskSnapshot(files=task.files, log=task.log, changes=changes)
        assert [draft.data["treeDigest"] for draft in due(blind, snapshot, SOON)] == [""]


def problem(
    code: str = "INVALID_CONTRACT", artifact: str = "plan.json", raw: bytes | None = b"{}"
) -> LoadProblem:
    return LoadProblem(code, "wrong", artifact, digest=None if raw is None else digest(raw))


def test_an_invalid_version_is_observed_once_as_invalid():
    chain = Chain.begun()
    problems = (problem(), problem())
    found = drafts(chain, {}, problems=problems)
    assert what(found) == [("observation", "recorded", "plan.json")]
    assert (found[0].data["valid"], found[0].data["contract"], "text" in found[0].data) == (
        False,
        "AgentPlan",
        False,
    )
    write(chain, found)
    assert drafts(chain, {}, problems=problems) == []
    assert len(drafts(chain, {}, problems=(problem(raw=b"[]"),))) == 1


@pytest.mark.parametrize(
    "files",
    [
        {"problems": (problem("BEING_WRITTEN"),)},
        {"problems": (problem(),), "being_written": ("plan.json",)},
        {"problems": (problem(raw=None),)},
        {"problems": (problem(artifact="notes.txt"),)},
        {"problems": (problem(artifact="log/000001.json"),)},
    ],
)
def test_what_is_half_written_unreadable_or_no_contract_is_not_observed(files: dict[str, Any]):
    assert drafts(Chain.begun(), {}, **files) == []


# -- on which tree ---------------------------------------------------------------------------------------

RESULTS: dict[str, Contract] = {
    "implementation-result.json": builders.implementation_result(),
    "fix-result.json": builders.implementation_result(),
    "review-result.json": builders.review_result(),
    "test-result.json": builders.run_result(),
}
CHANGES = builders.changes()
TREE = CHANGES.tree_digest


def seen_at(
    chain: Chain,
    documents: Mapping[str, Contract],
    age: float,
    *,
    changes: Changes | None = CHANGES,
) -> list[Draft]:
    """What is due where all files were written so many seconds before the reading."""
    files = builders.task_files(documents)
    then = NOW.timestamp() - age
    artifacts = {path: replace(one, modified_at=then) for path, one in files.artifacts.items()}
    found = TaskSnapshot(files=replace(files, artifacts=artifacts), log=chain.state(), changes=changes)
    return list(due(found, builders.snapshot(found), SOON))


@pytest.mark.parametrize("path", RESULTS)
@pytest.mark.parametrize(
    ("age", "tree"), [(0, TREE), (1.9, TREE), (2.0, TREE), (2.1, ""), (86400, ""), (-2.1, ""), (-1e9, "")]
)
def test_the_tree_of_an_old_file_is_not_known(path: str, age: float, tree: str):
    found = seen_at(Chain.begun(), {path: RESULTS[path]}, age)
    assert [draft.data["treeDigest"] for draft in found] == [tree]
    assert ("entries" in found[0].data) == bool(tree)


@pytest.mark.parametrize("age", [-0.001, -1.9, -2.0])
def test_what_was_written_during_the_reading_waits_for_the_next(age: float):
    assert seen_at(Chain.begun(), RESULTS, age) == []


@pytest.mark.parametrize(("age", "waits"), [(-1.0, True), (-2.1, False), (0.0, False), (5.0, False)])
def test_evidence_written_during_the_reading_asks_for_another(age: float, waits: bool):
    files = builders.task_files({"task.json": builders.agent_task(), **RESULTS})
    then = NOW.timestamp() - age
    artifacts = {path: replace(one, modified_at=then) for path, one in files.artifacts.items()}
    task = TaskSnapshot(files=replace(files, artifacts=artifacts), log=Chain.begun().state())
    found = waiting_evidence(builders.snapshot(task))
    assert found == ((frozenset({task.task_id}), then) if waits else (frozenset(), None))


def test_the_text_of_old_terms_is_kept_all_the_same():
    documents = {"task.json": builders.agent_task(), "plan.json": builders.agent_plan()}
    found = seen_at(Chain.begun(), documents, 86400)
    assert [draft.data["treeDigest"] for draft in found] == ["", ""]
    assert all(draft.data["text"] for draft in found)


@pytest.mark.parametrize("path", RESULTS)
def test_evidence_of_an_unknown_tree_that_is_written_again_is_observed_again_once(path: str):
    chain = Chain.begun()
    documents = {path: RESULTS[path]}
    write(chain, seen_at(chain, documents, 86400))
    assert seen_at(chain, documents, 86400) == []
    assert seen_at(chain, documents, 0.1, changes=None) == []
    assert seen_at(chain, documents, 0.1, changes=builders.changes(unknown="git failed")) == []
    again = seen_at(chain, documents, 0.1)
    assert [draft.data["treeDigest"] for draft in again] == [TREE]
    write(chain, again)
    assert seen_at(chain, documents, 0.1) == []
    assert seen_at(chain, documents, 0.1, changes=builders.changes(tree_digest=digest(b"other"))) == []


def test_requests_and_terms_are_observed_once_whatever_is_known_of_the_tree():
    documents = {"task.json": builders.agent_task(), "plan.json": builders.agent_plan(), PATH: request()}
    chain = Chain.begun()
    write(chain, seen_at(chain, documents, 86400))
    assert seen_at(chain, documents, 0.1) == []


# -- taken -----------------------------------------------------------------------------------------------


def test_a_claim_takes_an_approval_once():
    chain = approved()
    found = drafts(chain, consumptions=claim(chain))
    assert what(found) == TAKEN
    assert (found[0].source, found[0].data["claim"]) == ("system", TOKEN)
    write(chain, found)
    assert drafts(chain, consumptions=claim(chain)) == []


@pytest.mark.parametrize("wrong", [{"claim": digest(b"guessed")}, {"digest": digest(b"another version")}])
def test_a_wrong_claim_takes_nothing(wrong: dict[str, str]):
    chain = approved()
    assert drafts(chain, consumptions=claim(chain, **wrong)) == []


def test_a_claim_of_what_is_not_approved_takes_nothing():
    chain = asked()
    assert drafts(chain, consumptions=claim(chain)) == []
    chain.add("tool-request", "approved", "tool-002", digest_of(chain), key_id="system-key", via="cli")
    assert drafts(chain, consumptions=claim(chain)) == []
    chain.add("tool-request", "denied", "tool-002", digest_of(chain))
    assert drafts(chain, consumptions=claim(chain)) == []


def test_a_request_without_a_claim_is_taken_by_nobody():
    chain = Chain.begun()
    for document in (request(claim=None), builders.tool_request("tool-002")):
        documents: dict[str, Contract] = {PATH: document}
        write(chain, drafts(chain, documents))
        now = snapshot_of(chain, documents)[0].files.artifacts[PATH].digest
        chain.add("tool-request", "approved", "tool-002", now)
        assert drafts(chain, documents, consumptions=claim(chain, digest=now)) == []


def test_work_that_was_approved_may_have_changed_its_file_before_the_claim_is_seen():
    chain = asked()
    chain.add(
        "tool-request",
        "approved",
        "tool-002",
        digest_of(chain),
        bound=Bound(files={"a.py": digest(b"before")}),
    )
    assert what(drafts(chain, consumptions=claim(chain))) == TAKEN


def test_a_claim_within_the_time_counts_even_if_it_is_seen_later():
    chain = approved()
    assert what(drafts(chain, consumptions=claim(chain), now=LATE)) == TAKEN
    assert what(drafts(chain, consumptions=claim(chain, taken_at=LATE), now=LATE)) == EXPIRED


def test_an_answer_is_taken_too():
    path = "escalations/esc-001.json"
    documents: dict[str, Contract] = {path: builders.escalation("esc-001")}
    chain = Chain.begun()
    write(chain, drafts(chain, documents))
    now = snapshot_of(chain, documents)[0].files.artifacts[path].digest
    chain.add("escalation", "answered", "esc-001", now, data={"option": "a"})
    taken = {"esc-001": Consumption("esc-001", now, TOKEN, SOON)}
    assert what(drafts(chain, documents, consumptions=taken)) == [("request", "consumed", "esc-001")]


# -- expired ---------------------------------------------------------------------------------------------


def test_a_request_expires_once():
    chain = asked()
    assert drafts(chain, now=SOON) == []
    found = drafts(chain, now=LATE)
    assert what(found) == EXPIRED
    assert found[0].source == "timeout"
    write(chain, found)
    assert drafts(chain, now=LATE) == []


def test_an_approval_that_nobody_took_expires():
    assert what(drafts(approved(), now=LATE)) == EXPIRED
    assert drafts(approved(expires_at=LATE + timedelta(days=1)), now=LATE) == []


def test_what_is_denied_or_taken_does_not_expire():
    chain = asked()
    chain.add("tool-request", "denied", "tool-002", digest_of(chain))
    assert drafts(chain, now=LATE) == []
    taken = approved()
    write(taken, drafts(taken, consumptions=claim(taken)))
    assert drafts(taken, now=LATE) == []


def test_the_time_runs_from_the_first_observation_not_from_what_the_agent_writes():
    documents: dict[str, Contract] = {PATH: request(created_at=LATE, expires_at=LATE + timedelta(days=9))}
    chain = Chain.begun()
    write(chain, drafts(chain, documents))
    seen = chain.clock
    assert drafts(chain, documents, now=seen + timedelta(seconds=3599)) == []
    assert what(drafts(chain, documents, now=seen + timedelta(seconds=3600))) == EXPIRED


def test_a_clock_that_went_back_expires_nothing():
    documents: dict[str, Contract] = {PATH: request(expires_at=NOW - timedelta(days=2))}
    chain = Chain.begun()
    write(chain, [draft for draft in drafts(chain, documents) if draft.kind == "observation"])
    assert drafts(chain, documents, now=NOW - timedelta(days=1)) == []
    chain.add(
        "tool-request", "approved", "tool-002", snapshot_of(chain, documents)[0].files.artifacts[PATH].digest
    )
    assert drafts(chain, documents, now=NOW - timedelta(days=1)) == []
    assert what(drafts(chain, documents, now=chain.clock)) == EXPIRED


def test_approval_requests_and_escalations_expire_too():
    documents: dict[str, Contract] = {
        "approval-requests/apr-001.json": builders.approval_request("apr-001"),
        "escalations/esc-001.json": builders.escalation("esc-001"),
    }
    chain = Chain.begun()
    write(chain, drafts(chain, documents))
    assert what(drafts(chain, documents, now=LATE)) == [
        ("request", "expired", "apr-001"), ("request", "expired", "esc-001"),
    ]  # fmt: skip


# -- withdrawn -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [asked, approved])
def test_a_request_whose_file_is_gone_is_withdrawn_once(make: Any):
    chain = make()
    found = drafts(chain, {})
    assert what(found) == WITHDRAWN
    assert found[0].subject_digest == digest_of(chain)
    write(chain, found)
    assert drafts(chain, {}) == []


def test_a_withdrawn_request_that_returns_is_observed_again_and_can_be_withdrawn_again():
    chain = asked()
    write(chain, drafts(chain, {}))
    found = drafts(chain)
    assert what(found) == SEEN
    write(chain, found)
    assert drafts(chain) == []
    assert what(drafts(chain, {})) == WITHDRAWN


@pytest.mark.parametrize(
    "files",
    [
        {"being_written": (PATH,)},
        {"problems": (problem("BEING_WRITTEN", PATH),)},
        {"problems": (problem("INVALID_JSON", PATH, None),)},
        {"problems": (problem("UNREADABLE", "tool-requests", None),)},
        {"problems": (problem("UNREADABLE", "", None),)},
    ],
)
def test_a_file_that_cannot_be_read_now_is_not_withdrawn(files: dict[str, Any]):
    assert drafts(asked(), {}, **files) == []


@pytest.mark.parametrize("verdict", ["denied", "consumed", "expired", "dismissed"])
def test_what_is_settled_is_not_withdrawn(verdict: str):
    chain = approved()
    kind = "tool-request" if verdict == "denied" else "request"
    chain.add(kind, verdict, "tool-002", digest_of(chain))
    assert drafts(chain, {}) == []


def test_other_contracts_that_vanish_are_not_requests():
    chain = Chain.begun()
    write(chain, drafts(chain, {"plan.json": builders.agent_plan()}))
    assert drafts(chain, {}) == []


def test_everything_at_once_reaches_a_rest():
    """However often it is asked, the drafts of one state of the disk run dry after one recording."""
    documents: dict[str, Contract] = {
        "task.json": builders.agent_task(),
        PATH: request(expires_at=NOW - timedelta(days=1)),
        "escalations/esc-001.json": builders.escalation("esc-001"),
    }
    chain = approved()
    found = drafts(chain, documents, problems=(problem(),), now=LATE)
    assert ("observation", "recorded", "plan.json") in what(found)
    write(chain, found)
    assert drafts(chain, documents, problems=(problem(),), now=LATE) == []
