"""A later entry vouches for earlier ones: what is skipped, and that nobody gets anything past it."""

import errno
import json
import os
from collections.abc import Callable, Generator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
import rfc8785
from hypothesis import given, settings
from hypothesis import strategies as st

from ags_tui.core.checks.findings import Outcome
from ags_tui.core.decisions import Draft
from ags_tui.core.digests import digest
from ags_tui.core.log_entries import LogFile, encode_entry, glance, read_entry, signed_bytes
from ags_tui.core.log_rules import replay
from ags_tui.core.log_state import LogState, Signer
from ags_tui.io.create_once import DISK, Disk
from ags_tui.io.keys import Keys
from ags_tui.io.log import LogNotIntact, LogUnwritable, read_log, record, verify
from ags_tui.io.log_signers import with_signers
from tests.logs import NOW, TASK_ID, Chain, Desk, baseline_draft, block_draft, desk, fast_folder, places_in

STRANGER = "ed25519-" + "0" * 32


def write(place: Desk, draft: Draft, *, disk: Disk = DISK) -> bytes:
    """Record with the keys of a desk; the bytes of the entry."""
    row = record(place.folder, draft, place.keys, place.places, now=NOW, current=None, disk=disk)
    return (place.log / f"{row.entry.sequence:06d}.json").read_bytes()


def observation(number: int) -> Draft:
    """What this program saw."""
    return Draft(
        TASK_ID, "observation", "recorded", "task.json", digest(b"%d" % number), source="system",
        data={"valid": True, "treeDigest": "", "number": number},
    )  # fmt: skip


@pytest.fixture
def tmp_path() -> Generator[Path]:
    """A log is synced at each step: in memory that is quick."""
    with fast_folder() as folder:
        yield folder


def colleague(top: Path) -> Desk:
    """Somebody else who writes into the same log, on another machine."""
    places = places_in(top / "colleague")
    return Desk(top / "tasks" / TASK_ID, Keys.open(places), places)


def trusting(top: Path, other: Desk) -> Keys:
    """The own keys, and those of the colleague trusted beside them."""
    trusted = places_in(top).config_folder() / "trusted-keys"
    trusted.write_text(other.keys.export_trust())
    trusted.chmod(0o600)
    return Keys.open(places_in(top))


def long_log(top: Path) -> tuple[Desk, Desk]:
    """A log by human and system of two machines."""
    mine = desk(top)
    write(mine, baseline_draft())
    theirs = colleague(top)
    mine = replace(mine, keys=trusting(top, theirs))
    for number, place in enumerate((mine, theirs, mine, mine)):
        write(place, observation(number))
        write(place, block_draft(f"reason {number}"))
    return mine, theirs


def raws_of(place: Desk) -> list[bytes]:
    return [path.read_bytes() for path in sorted(place.log.iterdir())]


def put(place: Desk, raws: list[bytes]) -> None:
    """Make these bytes the log, as who may write into the repository can."""
    for path in place.log.iterdir():
        path.unlink()
    for number, raw in enumerate(raws):
        (place.log / f"{number:06d}.json").write_bytes(raw)


def files_of(raws: list[bytes]) -> list[LogFile]:
    return [LogFile(f"{number:06d}.json", raw) for number, raw in enumerate(raws)]


def payload_of(raw: bytes) -> dict[str, Any]:
    return json.loads(raw)["payload"]


def raw_of(payload: dict[str, Any]) -> bytes:
    return rfc8785.dumps({"schema": "LogEntry", "version": "1.0.0", "payload": payload}) + b"\n"


def rechained(raws: list[bytes], begin: int, sign: Callable[[dict[str, Any]], str] | None) -> list[bytes]:
    """Link all entries behind one anew; signatures stay, or are made by who has a key."""
    new = list(raws)
    for number in range(begin, len(new)):
        payload = payload_of(new[number])
        payload["previousDigest"] = digest(new[number - 1]) if number else None
        if sign is not None:
            payload["signature"] = sign(payload)
        new[number] = raw_of(payload)
    return new


def resigned(keys: Keys) -> Callable[[dict[str, Any]], str]:
    """Sign as the system with its key, leaving what others signed as it is."""

    def sign(payload: dict[str, Any]) -> str:
        if payload["keyId"] != keys.key_id("system"):
            return payload["signature"]
        unsigned = {name: value for name, value in payload.items() if name != "signature"}
        return keys.sign("system", rfc8785.dumps(unsigned))[1]

    return sign


def told(state: LogState) -> dict[str, object]:
    """All that a state says."""
    return {one.name: getattr(state, one.name) for one in fields(state)}


def both_ways(
    raws: list[bytes], keys: Keys, *, verified: str = "", may_tear: bool | None = False
) -> tuple[LogState, LogState]:
    """The log read with and without vouching."""
    quick, slow = (
        with_signers(files_of(raws), keys, whole=whole, verified=verified) for whole in (False, True)
    )
    return replay(quick, TASK_ID, may_tear=may_tear), replay(slow, TASK_ID, may_tear=may_tear)


def mark_of(place: Desk) -> Path:
    """The mark against rollback of its log."""
    (mark,) = (path for path in (place.places.state / "heads").iterdir() if path.is_file())
    return mark


def looked_at(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Key ids of the signatures that are looked at from now on."""
    seen: list[str] = []
    signer = Keys.signer

    def counted(self: Keys, key_id: str, signature: str, payload: bytes) -> Signer:
        seen.append(key_id)
        return signer(self, key_id, signature, payload)

    monkeypatch.setattr(Keys, "signer", counted)
    return seen


# -- what is skipped -------------------------------------------------------------------------------------


def test_only_the_newest_entry_of_each_own_key_is_verified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    mine, theirs = long_log(tmp_path)
    mark_of(mine).unlink()
    seen = looked_at(monkeypatch)
    state = read_log(mine.folder, mine.keys, mine.places)
    assert (state.integrity, len(state.entries)) == (Outcome.PASSED, 9)
    assert all(row.counted for row in state.entries)
    own = sorted(mine.keys.key_id(role) for role in ("human", "system"))
    others = sorted(theirs.keys.key_id(role) for role in ("human", "system"))
    assert sorted(seen) == sorted(own + others)  # of the colleague's there are two, and each is looked at


def test_verify_and_a_trust_file_and_a_new_entry_look_at_every_signature(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    mine, theirs = long_log(tmp_path)
    trust = tmp_path / "trust"
    trust.write_text(mine.keys.export_trust() + theirs.keys.export_trust())
    judge = Keys.open(mine.places, trust=trust)
    assert judge.vouching == frozenset()
    seen = looked_at(monkeypatch)
    assert verify(mine.folder, mine.keys, mine.places).integrity is Outcome.PASSED
    assert len(seen) == 9
    seen.clear()
    assert read_log(mine.folder, judge, places_in(tmp_path / "ci")).integrity is Outcome.PASSED
    assert len(seen) == 9
    seen.clear()
    write(mine, observation(9))
    assert len(seen) == 9


def test_a_torn_entry_ends_what_is_vouched_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    disk = replace(DISK, link=refuse, rename_new=refuse)
    mine = desk(tmp_path)
    write(mine, baseline_draft())
    raw = write(mine, observation(1))
    (mine.log / "000002.json").write_bytes(raw[:200])
    write(mine, observation(2), disk=disk)
    write(mine, observation(3))
    mark_of(mine).unlink()
    seen = looked_at(monkeypatch)
    state = read_log(mine.folder, mine.keys, mine.places)
    assert (state.integrity, state.torn) == (Outcome.PASSED, (2,))
    assert len(seen) == 2  # the newest entry, and the newest before the torn one


def test_a_sealed_mark_stands_in_for_the_newest_system_entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    mine, theirs = long_log(tmp_path)
    seen = looked_at(monkeypatch)
    state = read_log(mine.folder, mine.keys, mine.places)
    assert state.integrity is Outcome.PASSED
    others = [theirs.keys.key_id(role) for role in ("human", "system")]
    assert sorted(seen) == sorted([mine.keys.key_id("human"), *others])
    write(theirs, observation(9))
    seen.clear()
    assert read_log(mine.folder, mine.keys, mine.places).integrity is Outcome.PASSED
    assert sorted(seen) == sorted([mine.keys.key_id("human"), *others, others[1]])


# -- what nobody gets past it ----------------------------------------------------------------------------


def test_a_human_entry_that_the_system_key_covers_is_verified_by_its_own_key(tmp_path: Path):
    mine, _ = long_log(tmp_path)
    raws = raws_of(mine)
    last = max(n for n, raw in enumerate(raws) if payload_of(raw)["keyId"] == mine.keys.key_id("human"))
    write(mine, observation(7))
    raws = raws_of(mine)
    altered = payload_of(raws[last])
    altered["reason"] = "never said"
    for signature in (altered["signature"], payload_of(raws[2])["signature"], "ed25519:" + "A" * 86 + "=="):
        altered["signature"] = signature
        raws[last] = raw_of(altered)
        forged = rechained(raws, last + 1, resigned(mine.keys))
        quick, slow = both_ways(forged, mine.keys)
        assert told(quick) == told(slow)
        assert quick.integrity is Outcome.FAILED
        assert "its signature is wrong" in quick.findings[0].message
        put(mine, forged)
        with pytest.raises(LogNotIntact):
            write(mine, observation(8))


def test_a_forged_own_entry_between_is_found_by_the_broken_link(tmp_path: Path):
    mine, _ = long_log(tmp_path)
    raws = raws_of(mine)
    for number, raw in enumerate(raws[:-1]):
        payload = payload_of(raw)
        payload["reason"] = "never said"
        quick, slow = both_ways([*raws[:number], raw_of(payload), *raws[number + 1 :]], mine.keys)
        assert told(quick) == told(slow)
        assert quick.integrity is Outcome.FAILED


@pytest.mark.parametrize("made", ["newer", "unreadable"])
def test_nothing_is_signed_over_what_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made: str
):
    """Else: forge an entry, hide it while the next one is signed, show it again, and be vouched for."""
    mine = desk(tmp_path)
    write(mine, baseline_draft())
    write(mine, observation(1))
    forged = payload_of(raws_of(mine)[1])
    forged.update(sequence=2, previousDigest=digest(raws_of(mine)[1]), reason="never seen")
    raw = raw_of(forged)
    if made == "newer":
        raw = raw.replace(b'"version":"1.0.0"', b'"version":"9.0.0"')
    cover = {**forged, "sequence": 3, "previousDigest": digest(raw), "keyId": STRANGER}
    (mine.log / "000002.json").write_bytes(raw)
    (mine.log / "000003.json").write_bytes(raw_of(cover))
    with monkeypatch.context() as patch:
        if made == "unreadable":
            real = os.open

            def opened(path: Any, *args: Any, **options: Any) -> int:
                if path == "000002.json":
                    raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
                return real(path, *args, **options)

            patch.setattr(os, "open", opened)
        assert read_log(mine.folder, mine.keys, mine.places).integrity is Outcome.UNKNOWN
        with pytest.raises(LogUnwritable, match=r"entry 2: .*nothing can follow what cannot be read"):
            write(mine, observation(4))
    assert len(raws_of(mine)) == 4


def test_a_key_that_is_not_trusted_vouches_for_nothing(tmp_path: Path):
    mine, theirs = long_log(tmp_path)
    raws = raws_of(mine)
    stranger = Keys.open(places_in(tmp_path / "elsewhere"))
    quick, slow = both_ways(raws, stranger)
    assert told(quick) == told(slow)
    assert {row.signer for row in quick.entries} == {"unknown"}
    alone = Keys.open(theirs.places)
    quick, slow = both_ways(raws, alone)
    assert told(quick) == told(slow)
    assert [row.signer for row in quick.entries].count("unknown") == 7


def test_a_key_in_another_role_gives_that_role_to_all_its_entries(tmp_path: Path):
    """A key that is trusted for the system only signs no human entry, however old."""
    mine, _ = long_log(tmp_path)
    human = mine.keys.trusted[mine.keys.key_id("human")]
    trust = tmp_path / "trust"
    trust.write_text(replace(human, role="system").line + "\n")
    state = replay(
        with_signers(files_of(raws_of(mine)), Keys.open(mine.places, trust=trust), whole=False), TASK_ID
    )
    assert {row.signer for row in state.entries} == {"system", "unknown"}


def seal_again(place: Desk, **changes: object) -> None:
    """Write into the mark, as who can write into the state directory."""
    mark = json.loads(mark_of(place).read_bytes())
    mark_of(place).write_text(json.dumps({**mark, **changes}))


@pytest.mark.parametrize("seal", ["", "00", "é\ud800", 7, None, "theirs", "of another entry"])
def test_a_seal_that_this_machine_did_not_make_stands_for_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seal: object
):
    mine, theirs = long_log(tmp_path)
    raws = raws_of(mine)
    forged = payload_of(raws[-2])
    assert forged["keyId"] == mine.keys.key_id("system")
    forged["reason"] = "never said"
    put(mine, [*raws[:-2], raw_of(forged)])
    head = digest(raw_of(forged))
    known = {"theirs": theirs.keys.seal(head), "of another entry": mine.keys.seal(digest(raws[-1]))}
    seal_again(mine, sequence=forged["sequence"], digest=head, seal=known.get(str(seal), seal))
    state = read_log(mine.folder, mine.keys, mine.places)
    assert told(state) == told(verify(mine.folder, mine.keys, mine.places))
    assert (state.integrity, state.entries[-1].signer) == (Outcome.FAILED, "invalid")


def test_a_genuine_seal_says_nothing_about_other_bytes_or_about_human_entries(tmp_path: Path):
    mine, _ = long_log(tmp_path)
    raws = raws_of(mine)
    for number in range(len(raws)):
        forged = payload_of(raws[number])
        forged["reason"] = "never said"
        new = [*raws[:number], raw_of(forged), *raws[number + 1 :]]
        put(mine, rechained(new, number, resigned(mine.keys)))
        last = raws_of(mine)[-1]
        seal_again(mine, digest=digest(last), seal=mine.keys.seal(digest(raws[-1])))
        state = read_log(mine.folder, mine.keys, mine.places)
        assert told(state) == told(verify(mine.folder, mine.keys, mine.places))
        assert state.integrity is Outcome.FAILED


def test_a_log_in_doubt_is_not_sealed(tmp_path: Path):
    mine, theirs = long_log(tmp_path)
    (mine.places.config / "trusted-keys").unlink()
    doubting = Keys.open(mine.places)
    write(replace(mine, keys=doubting), observation(9))
    assert "seal" not in json.loads(mark_of(mine).read_bytes())
    assert "seal" not in json.loads(mark_of(theirs).read_bytes())
    assert read_log(mine.folder, doubting, mine.places).integrity is Outcome.UNKNOWN


def test_only_who_has_the_system_key_can_seal(tmp_path: Path):
    places = places_in(tmp_path)
    keys = Keys.open(places)
    seal = keys.seal("sha256:1")
    assert keys.sealed("sha256:1", seal)
    assert Keys.open(places).seal("sha256:1") == seal
    assert not keys.sealed("sha256:2", seal)
    assert not keys.sealed("sha256:1", "")
    trust = tmp_path / "trust"
    trust.write_text(keys.export_trust())
    judge = Keys.open(places, trust=trust)
    assert judge.seal("sha256:1") == ""
    assert not judge.sealed("sha256:1", "")
    assert not judge.sealed("sha256:1", seal)
    (places.state / "keys" / "system.key").unlink()
    assert not Keys.open(places).sealed("sha256:1", seal)


# -- compared with whole verification --------------------------------------------------------------------


@pytest.fixture(scope="module")
def sample() -> Generator[tuple[list[bytes], Desk, Desk]]:
    """The bytes of a log that is right, and who wrote it."""
    with fast_folder() as top:
        mine, theirs = long_log(top)
        write(mine, observation(9))
        yield raws_of(mine), mine, theirs


def tampered(raws: list[bytes], data: st.DataObject, mine: Desk) -> list[bytes]:
    """Do one thing to the files that their writer did not."""
    new = list(raws)
    what = data.draw(st.sampled_from(["flip", "cut", "swap", "drop", "copy", "field", "stolen", "blank"]))
    place = data.draw(st.integers(0, len(new) - 1))
    other = data.draw(st.integers(0, len(new) - 1))
    if what == "flip" and new[place]:
        at = data.draw(st.integers(0, len(new[place]) - 1))
        other_byte = bytes([new[place][at] ^ data.draw(st.integers(1, 255))])
        new[place] = new[place][:at] + other_byte + new[place][at + 1 :]
    elif what == "cut":
        new[place] = new[place][: data.draw(st.integers(0, len(new[place])))]
    elif what == "swap":
        new[place], new[other] = new[other], new[place]
    elif what == "drop":
        del new[place]
    elif what == "copy":
        new.insert(place, new[other])
    elif what == "blank":
        new[place] = new[place].replace(b',"', b', "', 1)
    else:
        new[place] = altered(new[place], data, mine)
        if what == "stolen":  # who has the system key signs all that is the system's anew
            new = rechained_where_readable(new, 0, resigned(mine.keys))
        elif data.draw(st.booleans()):
            new = rechained_where_readable(new, place + 1, None)
    return new or raws


def altered(raw: bytes, data: st.DataObject, mine: Desk) -> bytes:
    if read_entry(raw).entry is None:
        return raw
    payload = payload_of(raw)
    field = data.draw(st.sampled_from(["reason", "keyId", "signature", "sequence", "taskId", "data"]))
    ids = [mine.keys.key_id("human"), mine.keys.key_id("system"), STRANGER, ""]
    payload[field] = {
        "reason": "never said",
        "keyId": data.draw(st.sampled_from(ids)),
        "signature": data.draw(st.sampled_from(["", "ed25519:AAAA", payload["signature"][:-1]])),
        "sequence": data.draw(st.integers(0, 12)),
        "taskId": "other-task",
        "data": {"signature": "x", "z": [',"signature":', "é🙂"]},
    }[field]
    return raw_of(payload)


def rechained_where_readable(
    raws: list[bytes], begin: int, sign: Callable[[dict[str, Any]], str] | None
) -> list[bytes]:
    if any(read_entry(raw).entry is None for raw in raws[begin:]):
        return raws
    return rechained(raws, begin, sign)


@given(data=st.data())
@settings(max_examples=250)
def test_whatever_was_done_to_the_files_both_ways_say_the_same(
    data: st.DataObject, sample: tuple[list[bytes], Desk, Desk]
):
    raws, mine, theirs = sample
    new = raws
    for _ in range(data.draw(st.integers(1, 3))):
        new = tampered(new, data, mine)
    keys = data.draw(st.sampled_from([mine.keys, theirs.keys, Keys.open(mine.places, create=False)]))
    tear = data.draw(st.sampled_from([False, True, None]))
    # what a seal says of a digest stays true, whatever the files are now
    verified = data.draw(st.sampled_from(["", *map(digest, raws)])) if keys is not theirs.keys else ""
    quick, slow = both_ways(new, keys, verified=verified, may_tear=tear)
    assert told(quick) == told(slow)


# -- one entry -------------------------------------------------------------------------------------------

NASTY = st.text(st.sampled_from('",\\:{}[]x signature subject é🙂\x7f\n'), max_size=12)


@given(reason=NASTY, subject=NASTY, name=NASTY, value=NASTY, key=NASTY, sign=NASTY)
def test_what_is_signed_is_the_payload_without_its_signature(
    reason: str, subject: str, name: str, value: str, key: str, sign: str
):
    data = {name: value, "signature": {"subject": ',"signature":"', name: [value, 1, 1.5, None]}}
    entry = entry_with(reason=reason, subject_id=subject or "x", data=data)
    entry = entry.model_copy(update={"signature": sign, "key_id": key})
    raw = encode_entry(entry)
    read = read_entry(raw)
    assert read.entry == glance(raw)
    unsigned = {name: value for name, value in payload_of(raw).items() if name != "signature"}
    assert read.signed == rfc8785.dumps(unsigned) == signed_bytes(entry)


def entry_with(*, subject_id: str, **options: Any) -> Any:
    chain = Chain.begun()
    found = read_entry(chain.make("block", "blocked", subject_id, **options)).entry
    assert found is not None
    return found


@pytest.mark.parametrize("cut", [b'{"payload":', b',"schema":"LogEntry","version":"1.0.0"}\n'])
def test_a_glance_takes_no_other_envelope(cut: bytes):
    raw = Chain.begun().raws[0]
    assert glance(raw) == read_entry(raw).entry
    assert glance(raw.replace(cut, cut.replace(b":", b" :", 1))) is None
    assert glance(raw.replace(b'"sequence":0', b'"sequence":-1')) is None
