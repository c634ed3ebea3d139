"""Replay: what an intact log is, what counts, and what is in force."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ags_tui.core.checks.findings import Outcome, Severity
from ags_tui.core.digests import canonical, digest
from ags_tui.core.log_entries import LogFile
from ags_tui.core.log_rules import AFTER_TORN, RollbackMark, replay
from tests.logs import BASELINE, LOG_ID, TASK_ID, Chain, log_file


def codes(state) -> list[str]:
    return [finding.code for finding in state.findings]


def a_day() -> Chain:
    """A log with a bit of everything."""
    chain = Chain.begun()
    chain.observe("task.json", b"{}", text="{}")
    chain.observe("tool-requests/t-1.json", b"one")
    chain.add("tool-request", "approved", "t-1", digest(b"one"))
    chain.add("request", "consumed", "t-1", digest(b"one"))
    chain.add("block", "blocked", "task", reason="한 번 더 봐야 한다")
    return chain


# -- intact ----------------------------------------------------------------------------------------------


def test_no_files_are_an_empty_log():
    state = replay([], TASK_ID)
    assert (state.head_sequence, state.next_sequence, state.integrity) == (-1, 0, Outcome.PASSED)


def test_a_whole_chain_counts():
    chain = a_day()
    state = chain.state()
    assert state.integrity is Outcome.PASSED
    assert not state.findings
    assert all(row.counted for row in state.entries)
    assert (state.log_id, state.head_sequence, state.next_sequence) == (LOG_ID, 5, 6)
    assert state.head_digest == digest(chain.raws[-1])


def test_files_come_in_any_order():
    assert replay(list(reversed(a_day().files)), TASK_ID).integrity is Outcome.PASSED


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("sequence", 2, "carries the number 2"),
        ("task_id", "another", "another task"),
        ("log_id", "log-2", "another log"),
        ("previous_digest", None, "does not link"),
        ("previous_digest", digest(b"x"), "does not link"),
        ("data", {AFTER_TORN: {"sequence": 0, "digest": ""}}, "vouch"),
    ],
)
def test_a_signed_entry_in_the_wrong_place_is_tampering(field: str, value: Any, says: str):
    chain = Chain.begun()
    chain.add("block", "blocked", **{field: value})
    state = chain.state()
    assert state.integrity is Outcome.FAILED
    assert says in state.findings[0].message
    assert not state.blocks


def test_a_wrong_signature_is_tampering_and_what_follows_has_no_effect():
    chain = Chain.begun()
    chain.add("block", "blocked")
    chain.add("block", "lifted")
    files = chain.files
    files[1] = replace(files[1], signer="invalid")
    state = replay(files, TASK_ID)
    assert codes(state) == ["LOG_TAMPERED"]
    assert [row.counted for row in state.entries] == [True, False, False]


def test_an_unknown_key_is_unknown_and_does_not_count():
    chain = Chain.begun()
    chain.add("block", "blocked", key_id="somebody-else")
    chain.add("block", "blocked")
    state = chain.state()
    assert codes(state) == ["UNKNOWN_SIGNER"]
    assert state.integrity is Outcome.UNKNOWN
    assert [row.counted for row in state.entries] == [True, False, True]


def test_only_the_first_baseline_may_be_unsigned():
    chain = Chain()
    chain.add("baseline", "recorded", data=BASELINE, key_id="")
    state = chain.state()
    assert state.integrity is Outcome.PASSED
    assert state.baseline is not None
    assert not state.baseline.signed

    chain.add("baseline", "recorded", data=BASELINE, key_id="")
    assert chain.state().integrity is Outcome.FAILED


def test_an_unsigned_block_is_tampering():
    chain = Chain.begun()
    chain.add("block", "blocked", key_id="")
    assert codes(chain.state()) == ["LOG_TAMPERED"]


@pytest.mark.parametrize(
    "change",
    [
        lambda raw: raw + b"\n",
        lambda raw: raw[:-1] + b" \n",
        lambda raw: b"\xef\xbb\xbf" + raw,
        lambda raw: raw.replace(b'"version":"1.0.0"', b'"version": "1.0.0"'),
        lambda raw: raw.replace(b'"schema":"LogEntry",', b'"schema":"LogEntry","schema":"LogEntry",'),
        lambda raw: json.dumps(json.loads(raw), indent=1).encode() + b"\n",
        lambda raw: canonical(json.loads(raw)["payload"]) + b"\n",
        lambda raw: canonical({**json.loads(raw), "more": 1}) + b"\n",
        lambda raw: canonical({**json.loads(raw), "schema": "AgentTask"}) + b"\n",
        lambda raw: b"[" * 100_000 + b"\n",
        lambda raw: b"\n",
        lambda raw: b"null\n",
        lambda raw: b"\xff\xfe\n",
        lambda raw: raw.replace(b'"sequence":1', b'"sequence":' + b"9" * 5000),
    ],
)  # fmt: skip
def test_bytes_that_are_not_the_canonical_envelope_are_tampering(change):
    chain = Chain.begun()
    chain.add("block", "blocked")
    changed = change(chain.raws[1])
    assert changed != chain.raws[1]
    state = replay([chain.files[0], log_file("000001.json", changed)], TASK_ID, may_tear=True)
    assert codes(state) == ["LOG_TAMPERED"]


def test_a_newer_version_is_unknown():
    chain = Chain.begun()
    chain.add("block", "blocked")
    newer = canonical({**json.loads(chain.raws[1]), "version": "1.1.0"}) + b"\n"
    state = replay([chain.files[0], log_file("000001.json", newer)], TASK_ID)
    assert (codes(state), state.integrity) == (["UNKNOWN_VERSION"], Outcome.UNKNOWN)


@pytest.mark.parametrize(("unreadable", "outcome"), [(True, Outcome.UNKNOWN), (False, Outcome.FAILED)])
def test_a_fault_of_a_file(unreadable: bool, outcome: Outcome):
    files = a_day().files
    files[2] = LogFile(files[2].name, fault="Permission denied", unreadable=unreadable)
    state = replay(files, TASK_ID)
    assert state.integrity is outcome
    assert [row.counted for row in state.entries if row.entry.sequence > 2] == [unreadable] * 3


@pytest.mark.parametrize(
    ("name", "integrity"),
    [
        ("000001 (copy).json", Outcome.FAILED),
        ("1.json", Outcome.FAILED),
        ("0000001.json", Outcome.FAILED),
        ("000001.json~", Outcome.FAILED),
        ("000001.JSON", Outcome.FAILED),
        (".DS_Store", Outcome.PASSED),
        ("notes.txt", Outcome.PASSED),
    ],
)
def test_files_that_do_not_belong(name: str, integrity: Outcome):
    chain = a_day()
    state = replay([*chain.files, log_file(name, chain.raws[1])], TASK_ID)
    assert state.integrity is integrity
    assert len(state.findings) == 1
    assert name in state.findings[0].message
    assert len(state.entries) == 6


# -- tampering, by machine -------------------------------------------------------------------------------


@given(st.data())
def test_any_changed_byte_is_seen(data: st.DataObject):
    chain = a_day()
    number = data.draw(st.integers(0, len(chain.raws) - 1))
    raw = bytearray(chain.raws[number])
    at = data.draw(st.integers(0, len(raw) - 1))
    raw[at] ^= data.draw(st.integers(1, 255))
    files = chain.files
    files[number] = log_file(files[number].name, bytes(raw))
    assert replay(files, TASK_ID, rollback=chain.mark).integrity is Outcome.FAILED
    alone = replay(files, TASK_ID)
    # Without memory the last entry may only look like one of a stranger; it never counts.
    assert alone.integrity is not Outcome.PASSED
    assert not any(row.counted for row in alone.entries if row.entry.sequence == number)


@given(st.data())
def test_any_cut_is_seen(data: st.DataObject):
    chain = a_day()
    number = data.draw(st.integers(0, len(chain.raws) - 1))
    size = data.draw(st.integers(0, len(chain.raws[number]) - 1))
    files = chain.files
    files[number] = log_file(files[number].name, chain.raws[number][:size])
    assert replay(files, TASK_ID).integrity is Outcome.FAILED
    assert replay(files, TASK_ID, rollback=chain.mark, may_tear=True).integrity is Outcome.FAILED


@given(st.data())
def test_dropped_swapped_and_doubled_entries_are_seen(data: st.DataObject):
    chain = a_day()
    numbers = st.integers(0, len(chain.raws) - 1)
    order = list(range(len(chain.raws)))
    match data.draw(st.sampled_from(["drop", "swap", "double", "rename"])):
        case "drop":
            del order[data.draw(numbers)]
        case "swap":
            one, two = data.draw(st.tuples(numbers, numbers).filter(lambda pair: pair[0] != pair[1]))
            order[one], order[two] = order[two], order[one]
        case "double":
            order.insert(data.draw(numbers), data.draw(numbers))
        case _:
            order = order[data.draw(st.integers(1, len(order) - 1)) :]
    files = [log_file(f"{place:06d}.json", chain.raws[number]) for place, number in enumerate(order)]
    if order != list(range(len(chain.raws))):
        assert replay(files, TASK_ID, rollback=chain.mark).integrity is Outcome.FAILED
        if order != list(range(len(order))):
            assert replay(files, TASK_ID).integrity is Outcome.FAILED


@given(st.integers(0, 4))
def test_a_gap_is_seen(missing: int):
    files = a_day().files
    del files[missing]
    state = replay(files, TASK_ID)
    assert codes(state) == ["LOG_TAMPERED"]
    assert f"{missing:06d}.json is missing" in state.findings[0].message


@given(st.binary(max_size=300))
def test_foreign_bytes_never_raise_and_never_count(raw: bytes):
    chain = Chain.begun()
    state = replay([*chain.files, log_file("000001.json", raw)], TASK_ID, may_tear=None)
    assert state.integrity is not Outcome.PASSED
    assert len(state.entries) == 1


# -- torn ------------------------------------------------------------------------------------------------


def torn_chain(cut: int = 40) -> tuple[Chain, bytes]:
    chain = Chain.begun()
    chain.add("block", "blocked", reason="one")
    return chain, chain.make("block", "blocked", reason="two")[:cut]


@pytest.mark.parametrize("cut", [0, 1, 5, 40, 200, -1])
@pytest.mark.parametrize(
    ("may_tear", "outcome"), [(True, Outcome.PASSED), (False, Outcome.FAILED), (None, Outcome.UNKNOWN)]
)
def test_a_torn_last_file(cut: int, may_tear: bool | None, outcome: Outcome):
    chain, torn = torn_chain(cut)
    state = replay([*chain.files, log_file("000002.json", torn)], TASK_ID, may_tear=may_tear)
    assert state.integrity is outcome
    assert (state.next_sequence, state.head_digest) == (3, digest(torn))
    assert len(state.blocks) == 1
    assert state.torn == ((2,) if may_tear else ())


def test_blocks_of_zeros_after_a_power_cut_are_torn():
    chain, torn = torn_chain()
    for raw in (b"\0" * 512, torn + b"\0" * 100):
        assert replay([*chain.files, log_file("000002.json", raw)], TASK_ID, may_tear=True).torn == (2,)


def test_garbage_is_not_torn():
    chain, _ = torn_chain()
    state = replay([*chain.files, log_file("000002.json", b"hello")], TASK_ID, may_tear=True)
    assert state.integrity is Outcome.FAILED


def test_the_next_entry_vouches_for_what_lies_before_a_torn_one():
    chain, torn = torn_chain()
    whole = digest(chain.raws[-1])
    chain.raws.append(torn)
    chain.add("block", "blocked", reason="three", data={AFTER_TORN: {"sequence": 1, "digest": whole}})
    state = chain.state()
    assert (state.integrity, state.torn, state.next_sequence) == (Outcome.PASSED, (2,), 4)
    assert [row.entry.reason for row in state.blocks] == ["one", "three"]


def test_an_entry_before_a_torn_one_cannot_be_cut_off():
    chain, torn = torn_chain()
    whole = digest(chain.raws[-1])
    chain.raws.append(torn)
    chain.add("block", "blocked", data={AFTER_TORN: {"sequence": 1, "digest": whole}})
    files = chain.files
    files[1] = log_file("000001.json", chain.raws[1][:50])
    assert replay(files, TASK_ID, may_tear=True).integrity is Outcome.FAILED


def test_without_the_voucher_a_torn_entry_is_tampering():
    chain, torn = torn_chain()
    chain.raws.append(torn)
    chain.add("block", "blocked")
    assert chain.state(may_tear=True).integrity is Outcome.FAILED


# -- rollback --------------------------------------------------------------------------------------------


def test_a_shorter_other_or_missing_log_is_rolled_back():
    chain = a_day()
    mark = replace(chain.mark, place="/state/heads/log-1")
    assert replay(chain.files, TASK_ID, rollback=mark).integrity is Outcome.PASSED
    for files in (chain.files[:-1], chain.files[:1], []):
        state = replay(files, TASK_ID, rollback=mark)
        assert codes(state) == ["LOG_TAMPERED"]
        assert "/state/heads/log-1" in state.findings[0].message
    other = RollbackMark("log-9", 0, chain.mark.digest)
    assert codes(replay(chain.files, TASK_ID, rollback=other)) == ["LOG_TAMPERED"]
    forked = replace(mark, digest=digest(b"another last entry"))
    assert codes(replay(chain.files, TASK_ID, rollback=forked)) == ["LOG_TAMPERED"]


def test_a_longer_log_holds_the_mark():
    chain = a_day()
    mark = chain.mark
    chain.add("block", "blocked")
    assert replay(chain.files, TASK_ID, rollback=mark).integrity is Outcome.PASSED


# -- who may write what ----------------------------------------------------------------------------------

HUMAN = ("human", "human", "tui")
CLI = ("system", "human", "cli")
SYSTEM = ("system", "system", "runner")
RULE = ("system", "rule", "hook")
TIMEOUT = ("system", "timeout", "tui")
HUMAN_KEY_ELSEWHERE = ("human", "human", "cli")
MACHINE_WITH_HUMAN_KEY = ("human", "system", "tui")
EVERYBODY = (HUMAN, CLI, SYSTEM, RULE, TIMEOUT, HUMAN_KEY_ELSEWHERE, MACHINE_WITH_HUMAN_KEY)
BY_PROGRAM = {CLI, SYSTEM, RULE, TIMEOUT}

WHO = {
    ("baseline", "recorded"): BY_PROGRAM,
    ("baseline", "accepted"): {HUMAN},
    ("observation", "recorded"): BY_PROGRAM,
    **{(kind, "approved"): {HUMAN} for kind in ("tool-request", "edit", "plan", "spec")},
    **{(kind, "amended"): {HUMAN} for kind in ("tool-request", "edit", "plan", "spec")},
    **{(kind, "denied"): set(EVERYBODY) for kind in ("tool-request", "edit", "plan", "spec")},
    ("escalation", "answered"): {HUMAN},
    ("attest", "attested"): {HUMAN},
    ("attest", "withdrawn"): {HUMAN},
    ("block", "blocked"): set(EVERYBODY),
    ("block", "lifted"): {HUMAN},
    ("finalize", "finalized"): {HUMAN},
    ("finalize", "reopened"): {HUMAN},
    ("close", "closed"): {HUMAN},
    ("close", "reopened"): {HUMAN},
    ("rule", "created"): {HUMAN},
    ("rule", "revoked"): {HUMAN},
    ("trust", "trusted"): {HUMAN},
    ("trust", "distrusted"): {HUMAN},
    ("request", "consumed"): BY_PROGRAM,
    ("request", "expired"): BY_PROGRAM,
    ("request", "withdrawn"): BY_PROGRAM,
    ("request", "dismissed"): {HUMAN},
    ("restore", "done"): {HUMAN},
    ("interject", "done"): {HUMAN},
    ("block", "approved"): set(),
    ("finalize", "approved"): set(),
    ("observation", "approved"): set(),
}


@pytest.mark.parametrize("who", EVERYBODY, ids="-".join)
@pytest.mark.parametrize(("kind", "verdict"), WHO, ids=lambda value: value)
def test_whose_entry_counts(kind: str, verdict: str, who: tuple[str, str, str]):
    key, source, via = who
    chain = Chain.begun()
    chain.add(kind, verdict, key_id=f"{key}-key", source=source, via=via)
    state = chain.state()
    counts = who in WHO[kind, verdict]
    assert state.entries[-1].counted is counts
    assert state.integrity is Outcome.PASSED
    assert codes(state) == ([] if counts else ["ENTRY_WITHOUT_EFFECT"])
    assert all(finding.severity is Severity.WARNING for finding in state.findings)


def test_a_session_may_be_closed_from_the_command_line():
    chain = Chain()
    chain.add("close", "closed", key_id="system-key", via="cli", task_id="session-7")
    assert replay(chain.files, "session-7").closed is not None


# -- in force --------------------------------------------------------------------------------------------


def test_the_first_baseline_stays_until_a_human_accepts_another():
    chain = Chain.begun(head="1" * 40)
    again = chain.add("baseline", "recorded", data={**BASELINE, "head": "2" * 40})
    first = chain.state().baseline
    assert first is not None
    assert (first.commit, first.accepted, first.sequence) == ("1" * 40, False, 0)

    chain.add("baseline", "accepted", "baseline", again)
    second = chain.state().baseline
    assert second is not None
    assert (second.commit, second.accepted, second.sequence) == ("2" * 40, True, 1)


def test_a_late_or_unsigned_baseline_can_be_accepted_as_it_is():
    chain = Chain()
    chain.add("baseline", "recorded", data={**BASELINE, "late": True}, key_id="")
    before = chain.state().baseline
    chain.add("baseline", "accepted")
    after = chain.state().baseline
    assert before is not None
    assert after is not None
    assert (before.late, before.signed, before.accepted) == (True, False, False)
    assert (after.late, after.signed, after.accepted) == (True, False, True)


def test_a_baseline_can_be_accepted_with_new_facts():
    chain = Chain.begun()
    chain.add("baseline", "accepted", data={**BASELINE, "head": "3" * 40})
    baseline = chain.state().baseline
    assert baseline is not None
    assert (baseline.commit, baseline.accepted) == ("3" * 40, True)


def test_accepting_a_baseline_that_is_not_there_changes_nothing():
    chain = Chain.begun(late=True)
    chain.add("baseline", "accepted", "baseline", digest(b"some other entry"))
    baseline = chain.state().baseline
    assert baseline is not None
    assert not baseline.accepted


def test_the_files_of_a_baseline():
    chain = Chain.begun(
        files=[
            {"path": "a.py", "mode": "100644", "blob": "f" * 40, "digest": digest(b"a"), "kept": True},
            {
                "path": "bytes:%FF.py",
                "mode": "100755",
                "blob": "e" * 40,
                "digest": digest(b"b"),
                "kept": False,
            },
            {"path": "gone", "mode": "000000", "blob": "", "digest": "absent", "kept": False},
        ],
        hiding={".gitignore": digest(b"x")},
        hiddenBits=["skipped"],
    )
    baseline = chain.state().baseline
    assert baseline is not None
    assert set(baseline.files) == {"a.py", "\udcff.py", "gone"}
    assert baseline.files["a.py"].entry == ("100644", "f" * 40)
    assert baseline.files["a.py"].kept
    assert baseline.files["gone"].entry is None
    assert baseline.hidden_bits == ("skipped",)


@pytest.mark.parametrize(
    "data", [{}, {**BASELINE, "files": 3}, {**BASELINE, "files": [3]}, {**BASELINE, "head": 1}]
)
def test_baseline_facts_of_the_wrong_shape_are_no_baseline(data: dict[str, object]):
    chain = Chain()
    chain.add("baseline", "recorded", data=data)
    assert chain.state().baseline is None


def test_test_runs_are_kept_apart_from_contracts():
    chain = Chain.begun()
    chain.observe("plan.json", b"plan", treeDigest="sha256:" + "1" * 64)
    chain.observe("test-run/1", b"run", testRun=True, exitCode=0)
    state = chain.state()
    assert [seen.path for seen in state.observations] == ["plan.json"]
    assert state.observations[0].tree_digest == "sha256:" + "1" * 64
    assert [(seen.path, seen.data["exitCode"]) for seen in state.tests] == [("test-run/1", 0)]


def test_a_block_holds_until_it_is_lifted():
    chain = Chain.begun()
    first = chain.add("block", "blocked", reason="one")
    chain.add("block", "blocked", reason="two", key_id="system-key", via="cli")
    chain.add("block", "lifted", "task", first)
    assert [row.entry.reason for row in chain.state().blocks] == ["two"]
    chain.add("block", "lifted", key_id="system-key", via="cli")
    assert [row.entry.reason for row in chain.state().blocks] == ["two"]
    chain.add("block", "lifted")
    assert not chain.state().blocks


def test_an_attestation_can_be_withdrawn():
    chain = Chain.begun()
    chain.add("attest", "attested", "task#expectedBehavior/0", digest(b"a"))
    chain.add("attest", "attested", "task#requiredEvidence/2", digest(b"b"))
    chain.add("attest", "withdrawn", "task#expectedBehavior/0", digest(b"a"))
    assert list(chain.state().attested) == ["task#requiredEvidence/2"]


def test_the_last_answer_counts():
    chain = Chain.begun()
    chain.add("escalation", "answered", "e-1", digest(b"e"), data={"option": "a"})
    chain.add("escalation", "answered", "e-1", digest(b"e"), data={"option": "b"})
    chain.add("escalation", "answered", "e-1", digest(b"e"), data={"option": "c"}, key_id="system-key")
    assert chain.state().answered["e-1"].entry.data == {"option": "b"}


@pytest.mark.parametrize(("kind", "verdict"), [("finalize", "finalized"), ("close", "closed")])
def test_an_ended_task_can_be_reopened(kind: str, verdict: str):
    chain = Chain.begun()
    chain.add(kind, verdict)
    assert chain.state().frozen
    chain.add(kind, "reopened")
    assert not chain.state().frozen
