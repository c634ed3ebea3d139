"""Recording and reading one log on a real disk."""

import errno
import os
import stat
from collections.abc import Generator
from dataclasses import replace
from datetime import timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from ags_tui.core.checks.findings import Outcome
from ags_tui.core.decisions import Bound, Draft
from ags_tui.core.digests import digest
from ags_tui.core.log_entries import bound_of, path_of
from ags_tui.core.log_state import LoggedEntry, LogState
from ags_tui.io import log as log_module
from ags_tui.io.create_once import DISK, Disk
from ags_tui.io.keys import Keys
from ags_tui.io.log import (
    ChangedSinceShown,
    LogNotIntact,
    LogUnwritable,
    NotAllowed,
    StaleRevision,
    probe,
    read_log,
    record,
    verify,
)
from ags_tui.io.places import Places
from tests.logs import (
    BASELINE,
    NOW,
    TASK_ID,
    Desk,
    approve_draft,
    baseline_draft,
    block_draft,
    desk,
    fast_folder,
    places_in,
)

REQUEST = b'{"requestId": "t-1"}'


def write(place: Desk, draft: Draft, *, current: Bound | None = None, **options: Any) -> LoggedEntry:
    options = {"now": NOW, **options}
    return record(place.folder, draft, place.keys, place.places, current=current, **options)


def read(place: Desk, **options: Any) -> LogState:
    return read_log(place.folder, place.keys, place.places, **options)


@pytest.fixture
def tmp_path() -> Generator[Path]:
    """A log is synced at each step: in memory that is quick."""
    with fast_folder() as folder:
        yield folder


@pytest.fixture
def begun(tmp_path: Path) -> Desk:
    """A task folder with its baseline on record."""
    place = desk(tmp_path)
    write(place, baseline_draft())
    return place


def asked(place: Desk, raw: bytes = REQUEST) -> None:
    """The agent files a request."""
    (place.folder / "tool-requests").mkdir(exist_ok=True)
    (place.folder / "tool-requests" / "t-1.json").write_bytes(raw)


# -- the straight way ------------------------------------------------------------------------------------


def test_a_folder_without_a_log(tmp_path: Path):
    place = desk(tmp_path)
    state = read(place)
    assert (state.head_sequence, state.integrity) == (-1, Outcome.PASSED)
    assert not place.log.exists()


def test_what_was_recorded_is_read_again(begun: Desk):
    row = write(begun, block_draft("아직 안 된다"))
    state = read(begun)
    assert state.integrity is Outcome.PASSED
    assert state.entries[-1] == row
    assert (row.signer, row.counted, row.entry.sequence) == ("human", True, 1)
    assert begun.names() == ["000000.json", "000001.json"]
    raw = (begun.log / "000001.json").read_bytes()
    assert digest(raw) == row.digest == state.head_digest
    assert raw.endswith(b"}\n")
    assert "아직 안 된다" in raw.decode()


def test_each_entry_links_to_the_one_before(begun: Desk):
    rows = [write(begun, block_draft(str(number))) for number in range(3)]
    assert [row.entry.previous_digest for row in rows[1:]] == [row.digest for row in rows[:-1]]
    assert len({row.entry.log_id for row in rows}) == 1


def test_two_logs_have_different_ids(tmp_path: Path):
    rows = [write(desk(tmp_path, name), baseline_draft(name)) for name in ("a", "b")]
    assert rows[0].entry.log_id != rows[1].entry.log_id


def test_times_are_written_in_utc(begun: Desk):
    seoul = timezone(timedelta(hours=9))
    ends = (NOW + timedelta(hours=8)).astimezone(seoul)
    asked(begun)
    draft = replace(approve_draft("t-1", REQUEST), expires_at=ends)
    row = write(begun, draft, current=draft.bound, now=NOW.astimezone(seoul))
    text = (begun.log / "000001.json").read_text()
    assert '"decidedAt":"2026-07-21T09:00:00Z"' in text
    assert '"expiresAt":"2026-07-21T17:00:00Z"' in text
    assert row.entry.decided_at == NOW


def test_entries_may_be_read_by_everybody_but_keep_the_umask(begun: Desk):
    old = os.umask(0o027)
    try:
        write(begun, block_draft())
    finally:
        os.umask(old)
    assert stat.S_IMODE((begun.log / "000001.json").stat().st_mode) == 0o640


def test_foreign_text_is_kept_whatever_it_is(begun: Desk):
    path = b"caf\xe9/\xff.py".decode("utf-8", "surrogateescape")
    draft = block_draft(f"see {path} \x1b[31m [/]", data={"path": path, "nested": [{"\udcff": ("a", 1)}]})
    row = write(begun, replace(draft, bound=Bound(files={path: "absent"})))
    state = read(begun)
    assert state.integrity is Outcome.PASSED
    assert state.entries[-1] == row
    assert path_of(row.entry.data["path"]) == path
    assert dict(bound_of(row.entry).files) == {path: "absent"}


# -- who may write what ----------------------------------------------------------------------------------


def test_the_human_key_signs_only_what_a_human_did_in_the_tui(begun: Desk):
    assert write(begun, block_draft()).signer == "human"
    assert write(begun, block_draft(via="cli")).signer == "system"
    denial = Draft(TASK_ID, "tool-request", "denied", "t-1", digest(REQUEST), via="cli")
    assert write(begun, denial).signer == "system"
    assert write(begun, replace(denial, source="rule", rule_id="r-1", via="hook")).signer == "system"


@pytest.mark.parametrize(
    ("source", "via"), [("human", "cli"), ("human", "mcp"), ("rule", "hook"), ("system", "tui")]
)
@pytest.mark.parametrize(
    ("kind", "verdict"),
    [
        ("tool-request", "approved"), ("plan", "amended"), ("escalation", "answered"), ("attest", "attested"),
        ("block", "lifted"), ("finalize", "finalized"), ("close", "closed"), ("request", "dismissed"),
    ],
)  # fmt: skip
def test_only_the_safe_direction_is_scriptable(begun: Desk, kind: str, verdict: str, source: Any, via: Any):
    draft = Draft(TASK_ID, kind, verdict, "x", "", source=source, via=via)
    with pytest.raises(NotAllowed):
        write(begun, draft, current=draft.bound)
    assert begun.names() == ["000000.json"]


@pytest.mark.parametrize(
    "draft",
    [
        Draft(TASK_ID, "tool-request", "perhaps", "x", ""),
        Draft(TASK_ID, "gossip", "recorded", "x", ""),
        Draft(TASK_ID, "observation", "recorded", "x", "", source="human", via="tui"),
        block_draft(task_id="another-task"),
    ],
)
def test_what_would_not_count_is_not_written(begun: Desk, draft: Draft):
    with pytest.raises(NotAllowed):
        write(begun, draft)
    assert begun.names() == ["000000.json"]


def test_nothing_is_approved_unless_it_was_hashed_again(begun: Desk):
    asked(begun)
    with pytest.raises(NotAllowed, match="not hashed again"):
        write(begun, approve_draft("t-1", REQUEST), current=None)


def test_a_locked_human_key_is_said(begun: Desk):
    begun.keys.set_passphrase("words")
    locked = replace(begun, keys=Keys.open(begun.places))
    with pytest.raises(LogUnwritable, match="passphrase"):
        write(locked, block_draft())
    assert write(locked, block_draft(via="cli")).signer == "system"


def test_a_baseline_without_a_reachable_key_is_unsigned(tmp_path: Path):
    place = desk(tmp_path)
    trust = tmp_path / "trust"
    trust.write_text(place.keys.export_trust())
    sandbox = replace(place, keys=Keys.open(places_in(tmp_path / "sandbox"), trust=trust))
    row = write(sandbox, baseline_draft(via="cli"))
    assert (row.signer, row.entry.key_id, row.entry.signature) == ("none", "", "")
    with pytest.raises(LogUnwritable, match="no system key"):
        write(sandbox, Draft(TASK_ID, "observation", "recorded", "x", "", source="system", via="cli"))
    state = read(place)
    assert state.baseline is not None
    assert (state.integrity, state.baseline.signed) == (Outcome.PASSED, False)


# -- what it is bound to ---------------------------------------------------------------------------------


def test_an_approval_of_the_bytes_on_disk(begun: Desk):
    asked(begun)
    (begun.folder / "plan.json").write_bytes(b"plan")
    bound = Bound(digest(REQUEST), digest(b"plan"), digest(b"policy"), {"a.py": digest(b"a")})
    row = write(begun, approve_draft("t-1", REQUEST, bound=bound), current=bound)
    assert bound_of(row.entry) == bound


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda bound: replace(bound, request=digest(b"v2")), ("request",)),
        (lambda bound: replace(bound, plan=digest(b"v2")), ("plan",)),
        (lambda bound: replace(bound, policy=digest(b"v2")), ("policy",)),
        (lambda bound: replace(bound, files={"a.py": "absent"}), ("a.py",)),
        (lambda bound: replace(bound, files={}, plan=None), ("plan", "a.py")),
    ],
)
def test_what_the_caller_finds_changed_is_refused(begun: Desk, change: Any, what: tuple[str, ...]):
    asked(begun)
    (begun.folder / "plan.json").write_bytes(b"plan")
    bound = Bound(digest(REQUEST), digest(b"plan"), digest(b"policy"), {"a.py": digest(b"a")})
    with pytest.raises(ChangedSinceShown) as caught:
        write(begun, approve_draft("t-1", REQUEST, bound=bound), current=change(bound))
    assert caught.value.what == what
    assert begun.names() == ["000000.json"]


@pytest.mark.parametrize("change", ["rewritten", "removed", "linked"])
def test_a_request_that_changed_under_the_caller_is_refused(begun: Desk, change: str):
    """The caller hashed the shown bytes; since then the agent wrote others."""
    asked(begun)
    draft = approve_draft("t-1", REQUEST)
    file = begun.folder / "tool-requests" / "t-1.json"
    match change:
        case "rewritten":
            file.write_bytes(REQUEST.replace(b"t-1", b"t-1 ") + b"\n")
        case "removed":
            file.unlink()
        case _:
            file.rename(begun.folder / "elsewhere")
            file.symlink_to(begun.folder / "elsewhere")
    with pytest.raises(ChangedSinceShown) as caught:
        write(begun, draft, current=draft.bound)
    assert caught.value.what == ("request",)


def test_a_plan_that_changed_under_the_caller_is_refused(begun: Desk):
    asked(begun)
    (begun.folder / "plan.json").write_bytes(b"plan 2")
    bound = Bound(request=digest(REQUEST), plan=digest(b"plan 1"))
    with pytest.raises(ChangedSinceShown) as caught:
        write(begun, approve_draft("t-1", REQUEST, bound=bound), current=bound)
    assert caught.value.what == ("plan",)


def test_a_plan_is_approved_by_its_own_bytes(begun: Desk):
    (begun.folder / "plan.json").write_bytes(b"plan")
    bound = Bound(request=digest(b"plan"), plan=digest(b"plan"))
    draft = Draft(TASK_ID, "plan", "approved", "plan", digest(b"plan"), bound=bound)
    write(begun, draft, current=bound)
    (begun.folder / "plan.json").write_bytes(b"plan 2")
    with pytest.raises(ChangedSinceShown):
        write(begun, draft, current=bound)


def test_a_denial_is_never_refused_because_something_changed(begun: Desk):
    asked(begun, b"version 2")
    bound = Bound(request=digest(REQUEST), plan=digest(b"plan 1"), files={"a.py": digest(b"a")})
    denial = Draft(TASK_ID, "tool-request", "denied", "t-1", digest(REQUEST), bound=bound)
    assert write(begun, denial, current=Bound()).counted


def test_a_denial_needs_no_hashing(begun: Desk):
    denial = Draft(TASK_ID, "tool-request", "denied", "t-1", digest(REQUEST), reason="no")
    assert write(begun, denial).counted


# -- revisions -------------------------------------------------------------------------------------------


def test_a_log_that_has_grown_is_a_stale_revision(begun: Desk):
    shown = read(begun).next_sequence
    write(begun, block_draft("somebody else"))
    with pytest.raises(StaleRevision) as caught:
        write(begun, block_draft(expected_sequence=shown))
    assert (caught.value.expected, caught.value.actual) == (1, 2)
    assert len(begun.names()) == 2
    assert write(begun, block_draft(expected_sequence=2)).entry.sequence == 2


def test_a_number_from_the_future_is_stale_too(begun: Desk):
    with pytest.raises(StaleRevision):
        write(begun, block_draft(expected_sequence=7))


def racing_disk(place: Desk, times: int) -> Disk:
    """A disk on which another process always takes the number first, this many times."""
    left = [times]

    def link(source: str, target: str, folder: int) -> None:
        if left[0]:
            left[0] -= 1
            write(place, block_draft("the other one"), disk=DISK)
        DISK.link(source, target, folder)

    return replace(DISK, link=link)


def test_the_slower_one_is_told(begun: Desk, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("fcntl.flock", refuse(errno.ENOLCK))
    with pytest.raises(StaleRevision) as caught:
        write(begun, block_draft("mine", expected_sequence=1), disk=racing_disk(begun, 1))
    assert (caught.value.expected, caught.value.actual) == (1, 2)
    assert [row.entry.reason for row in read(begun).blocks] == ["the other one"]
    assert begun.names() == ["000000.json", "000001.json"]


def test_what_may_stand_anywhere_takes_the_next_number(begun: Desk, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("fcntl.flock", refuse(errno.ENOLCK))
    row = write(begun, block_draft("mine"), disk=racing_disk(begun, 3))
    assert row.entry.sequence == 4
    assert read(begun).integrity is Outcome.PASSED


def test_an_answer_that_got_lost_on_the_network_is_recognised(begun: Desk):
    """The link was made, but the server's answer was lost and the retry says EEXIST."""

    def link(source: str, target: str, folder: int) -> None:
        DISK.link(source, target, folder)
        raise FileExistsError(errno.EEXIST, "exists", target)

    row = write(begun, block_draft(), disk=replace(DISK, link=link))
    assert read(begun).entries[-1] == row


def test_a_log_that_is_held_too_long_is_said(begun: Desk, monkeypatch: pytest.MonkeyPatch):
    import fcntl

    monkeypatch.setattr("ags_tui.io.log_folder.LOCK_PATIENCE_S", 0.05)
    holder = os.open(begun.log, os.O_RDONLY)
    fcntl.flock(holder, fcntl.LOCK_EX)
    try:
        with pytest.raises(LogUnwritable, match="another process"):
            write(begun, block_draft())
    finally:
        os.close(holder)
    assert write(begun, block_draft()).entry.sequence == 1


# -- tampering -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("at", [0, 1, 2])
def test_nothing_is_added_to_a_log_that_was_tampered_with(begun: Desk, at: int):
    write(begun, block_draft("one"))
    write(begun, block_draft("two"))
    path = begun.log / f"{at:06d}.json"
    path.write_bytes(path.read_bytes().replace(b"human", b"hunan"))
    if at == 0:
        path.write_bytes(path.read_bytes().replace(b"late", b"Late"))
    state = read(begun)
    assert state.integrity is Outcome.FAILED
    assert state.findings[0].artifact == f"log/{at:06d}.json"
    with pytest.raises(LogNotIntact) as caught:
        write(begun, block_draft())
    assert caught.value.findings[0].code == "LOG_TAMPERED"


def test_a_forged_entry_is_seen(begun: Desk, tmp_path: Path):
    """An agent writes a well-formed, well-linked approval with a key of its own."""
    forger = desk(tmp_path / "agent")
    forged = replace(forger, folder=begun.folder, places=places_in(tmp_path / "agent"))
    asked(begun)
    draft = approve_draft("t-1", REQUEST)
    write(forged, draft, current=draft.bound)
    state = read(begun)
    assert state.integrity is Outcome.UNKNOWN
    assert [finding.code for finding in state.findings] == ["UNKNOWN_SIGNER"]
    assert not state.entries[-1].counted


@pytest.mark.parametrize("kind", ["link", "file", "folder of a link"])
def test_a_log_that_is_no_folder(begun: Desk, kind: str):
    begun.log.rename(begun.folder / "moved")
    match kind:
        case "link":
            begun.log.symlink_to(begun.folder / "moved")
        case "file":
            begun.log.write_text("no folder")
        case _:
            begun.folder.rename(begun.folder.with_name("real"))
            begun.folder.symlink_to(begun.folder.with_name("real"))
    state = read(begun)
    assert state.integrity is Outcome.FAILED
    assert state.findings[0].code == "LOG_TAMPERED"
    with pytest.raises(LogUnwritable, match="link or a file"):
        write(begun, block_draft())


def test_entries_that_are_links_pipes_or_folders(begun: Desk):
    write(begun, block_draft())
    entry = begun.log / "000001.json"
    kept = begun.folder / "kept"
    entry.rename(kept)
    for make in (lambda: entry.symlink_to(kept), lambda: os.mkfifo(entry), entry.mkdir):
        make()
        state = read(begun)
        assert state.integrity is Outcome.FAILED
        assert not state.blocks
        entry.rmdir() if entry.is_dir() else entry.unlink()


def test_a_huge_entry_is_not_read(begun: Desk):
    with (begun.log / "000001.json").open("wb") as stream:
        stream.truncate(1 << 40)
    state = read(begun)
    assert state.integrity is Outcome.FAILED
    assert "larger than" in state.findings[0].message


def test_an_extra_file_is_said_and_disturbs_nothing(begun: Desk):
    (begun.log / "notes.txt").write_text("hello")
    (begun.log / ".tmp-1-1").write_text("half")
    state = read(begun)
    assert (state.integrity, [finding.code for finding in state.findings]) == (
        Outcome.PASSED, ["LOG_EXTRA_FILE"],
    )  # fmt: skip
    assert write(begun, block_draft()).entry.sequence == 1


# -- rollback --------------------------------------------------------------------------------------------


def test_a_log_that_lost_its_end_was_rolled_back(begun: Desk):
    write(begun, block_draft())
    (begun.log / "000001.json").unlink()
    state = read(begun)
    assert [finding.code for finding in state.findings] == ["LOG_TAMPERED"]
    assert "rolled back" in state.findings[0].message
    with pytest.raises(LogNotIntact):
        write(begun, block_draft())


def test_a_log_that_vanished_is_missed(begun: Desk):
    for path in begun.log.iterdir():
        path.unlink()
    begun.log.rmdir()
    assert "missing" in read(begun).findings[0].message
    with pytest.raises(LogNotIntact):
        write(begun, baseline_draft())


def test_a_log_begun_anew_is_another_one(begun: Desk, tmp_path: Path):
    for path in begun.log.iterdir():
        path.unlink()
    fresh = replace(begun, places=places_in(tmp_path / "other-state"))
    write(fresh, baseline_draft())
    assert "another log" in read(begun).findings[0].message
    assert read(fresh).integrity is Outcome.PASSED


def test_a_log_with_another_end_is_seen(begun: Desk, tmp_path: Path):
    """Somebody with the right keys but another memory writes another history."""
    row = write(begun, block_draft("one"))
    (begun.log / "000001.json").unlink()
    forgetful = replace(begun, places=Places(tmp_path / "empty", begun.places.config))
    write(forgetful, block_draft("two"))
    assert f"entry {row.entry.sequence} is not the one" in read(begun).findings[0].message


def test_the_mark_follows_a_log_that_others_extended(begun: Desk, tmp_path: Path):
    """A crash between entry and mark, or a colleague's machine: the mark is behind the entries on disk."""
    elsewhere = replace(begun, places=Places(tmp_path / "elsewhere", begun.places.config))
    for number in range(3):
        write(elsewhere, block_draft(str(number)))
    assert read(begun).integrity is Outcome.PASSED
    (begun.log / "000003.json").unlink()
    assert read(begun).integrity is Outcome.FAILED


def test_a_stranger_cannot_move_the_mark(begun: Desk, tmp_path: Path):
    stranger = replace(desk(tmp_path / "agent"), folder=begun.folder)
    write(stranger, block_draft("mine"))
    assert read(begun).integrity is Outcome.UNKNOWN
    (begun.log / "000001.json").unlink()
    assert read(begun).integrity is Outcome.PASSED


def test_what_was_decided_after_a_stranger_is_remembered_too(begun: Desk, tmp_path: Path):
    stranger = replace(desk(tmp_path / "agent"), folder=begun.folder)
    write(stranger, block_draft("theirs"))
    write(begun, block_draft("mine"))
    assert read(begun).integrity is Outcome.UNKNOWN
    (begun.log / "000002.json").unlink()
    assert read(begun).integrity is Outcome.FAILED


def test_a_moved_task_folder_keeps_its_memory(begun: Desk):
    write(begun, block_draft())
    target = begun.folder.parent.parent / "moved" / TASK_ID
    target.parent.mkdir()
    begun.folder.rename(target)
    moved = replace(begun, folder=target)
    assert read(moved).integrity is Outcome.PASSED
    (target / "log" / "000001.json").unlink()
    assert read(moved).integrity is Outcome.FAILED


@pytest.mark.parametrize("damage", [b"", b"{}", b"[" * 100_000, b"\xff", b'{"logId": 3}'])
def test_a_damaged_mark_is_forgotten(begun: Desk, damage: bytes):
    for path in (begun.places.state / "heads").rglob("*"):
        if path.is_file():
            path.write_bytes(damage)
    assert read(begun).integrity is Outcome.PASSED


# -- reading elsewhere -----------------------------------------------------------------------------------


def test_verifying_needs_public_keys_alone(begun: Desk, tmp_path: Path):
    write(begun, block_draft())
    trust = tmp_path / "trust"
    trust.write_text(begun.keys.export_trust())
    nowhere = places_in(tmp_path / "ci")
    keys = Keys.open(nowhere, trust=trust)
    state = verify(begun.folder, keys)
    assert (state.integrity, len(state.entries)) == (Outcome.PASSED, 2)
    assert verify(begun.folder, keys, nowhere).integrity is Outcome.PASSED
    assert not nowhere.state.exists()
    assert verify(begun.folder, Keys({})).integrity is Outcome.UNKNOWN


def test_verify_moves_no_mark(begun: Desk, tmp_path: Path):
    elsewhere = replace(begun, places=Places(tmp_path / "elsewhere", begun.places.config))
    write(elsewhere, block_draft())
    assert verify(begun.folder, begun.keys, begun.places).integrity is Outcome.PASSED
    (begun.log / "000001.json").unlink()
    assert verify(begun.folder, begun.keys, begun.places).integrity is Outcome.PASSED


def test_reading_works_on_a_state_directory_that_cannot_be_written(begun: Desk):
    (begun.places.state / "heads").rename(begun.places.state / "old")
    (begun.places.state / "heads").write_text("a file is in the way")
    assert read(begun).integrity is Outcome.PASSED
    assert write(begun, block_draft()).entry.sequence == 1
    assert read(begun).integrity is Outcome.PASSED


# -- disks that fail -------------------------------------------------------------------------------------


def refuse(number: int):
    def call(*_: object) -> Any:
        raise OSError(number, os.strerror(number))

    return call


NO_LINKS = replace(DISK, link=refuse(errno.EPERM))
NEITHER = replace(NO_LINKS, rename_new=refuse(errno.ENOSYS))


@pytest.mark.parametrize("number", [errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK])
@pytest.mark.parametrize("rename", ["works", "refused"])
def test_without_hard_links(begun: Desk, number: int, rename: str):
    disk = replace(DISK, link=refuse(number))
    if rename == "refused":
        disk = replace(disk, rename_new=refuse(number))
    rows = [write(begun, block_draft(str(count)), disk=disk) for count in range(3)]
    assert [row.entry.sequence for row in rows] == [1, 2, 3]
    assert read(begun).integrity is Outcome.PASSED
    assert begun.names() == [f"{count:06d}.json" for count in range(4)]


@pytest.mark.parametrize("disk", [DISK, NO_LINKS, NEITHER], ids=["link", "rename", "exclusive"])
def test_a_number_is_never_overwritten(begun: Desk, disk: Disk):
    from ags_tui.io.create_once import create_once

    before = (begun.log / "000000.json").read_bytes()
    folder = os.open(begun.log, os.O_RDONLY)
    try:
        with pytest.raises(FileExistsError):
            create_once(folder, "000000.json", b"other", disk=disk)
    finally:
        os.close(folder)
    assert (begun.log / "000000.json").read_bytes() == before
    assert begun.names() == ["000000.json"]


@pytest.mark.parametrize(("disk", "method"), [(DISK, "link"), (NO_LINKS, "rename"), (NEITHER, "exclusive")])
def test_which_way_holds_can_be_asked(begun: Desk, disk: Disk, method: str):
    assert probe(begun.log, disk=disk) == method
    assert begun.names() == ["000000.json"]


@pytest.mark.parametrize(
    ("number", "says"),
    [
        (errno.ENOSPC, "disk is full"), (errno.EDQUOT, "disk is full"), (errno.EROFS, "read-only"),
        (errno.EACCES, "may not write"), (errno.EIO, "disk failed"), (errno.ENODEV, "nothing was recorded"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("call", ["write", "sync", "link"])
def test_a_disk_that_refuses_is_said_and_leaves_nothing(begun: Desk, call: str, number: int, says: str):
    with pytest.raises(LogUnwritable, match=says):
        write(begun, block_draft(), disk=replace(DISK, **{call: refuse(number)}))
    assert begun.names() == ["000000.json"]
    assert write(begun, block_draft()).entry.sequence == 1


def test_a_disk_that_fills_up_in_the_middle_leaves_nothing(begun: Desk):
    """Also where the number itself is opened: a half entry is taken away again."""
    room = [2500]

    def some(descriptor: int, data: bytes) -> int:
        if not room[0]:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        part = data[: min(100, room[0])]
        room[0] -= len(part)
        return os.write(descriptor, part)

    with pytest.raises(LogUnwritable, match="disk is full"):
        write(begun, block_draft("x" * 1000), disk=replace(NEITHER, write=some))
    assert not room[0]
    assert begun.names() == ["000000.json"]


def test_a_folder_that_is_not_confirmed_is_said(begun: Desk):
    """The entry is there, but may be lost with the power."""

    def sync(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        os.fsync(descriptor)

    with pytest.raises(LogUnwritable, match="was written, but the disk did not confirm it"):
        write(begun, block_draft(), disk=replace(DISK, sync=sync))
    assert len(read(begun).blocks) == 1


def test_a_file_system_that_cannot_sync_folders_is_taken_as_it_is(begun: Desk):
    def sync(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))

    assert write(begun, block_draft(), disk=replace(DISK, sync=sync)).entry.sequence == 1


def test_a_task_folder_that_is_not_there(tmp_path: Path):
    place = desk(tmp_path)
    place.folder.rmdir()
    with pytest.raises(LogUnwritable, match="nothing was recorded"):
        write(place, block_draft())
    assert read(place).head_sequence == -1


def test_what_has_no_canonical_form_is_refused(begun: Desk):
    for data in ({"n": 1 << 60}, {"n": float("nan")}, {"n": object()}, {"n": b"bytes"}):
        with pytest.raises(LogUnwritable, match="cannot be written"):
            write(begun, block_draft(data=data))
    with pytest.raises(LogUnwritable, match="cannot be written"):
        write(begun, Draft(TASK_ID, "block", "blocked", "task", "not a digest"))
    assert begun.names() == ["000000.json"]


def test_an_entry_that_nobody_would_read_is_refused(begun: Desk):
    with pytest.raises(LogUnwritable, match="larger than"):
        write(begun, block_draft("x" * (16 << 20)))
    assert begun.names() == ["000000.json"]


def test_the_last_number(begun: Desk, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(log_module, "LAST_SEQUENCE", 1)
    write(begun, block_draft())
    with pytest.raises(LogUnwritable, match="full"):
        write(begun, block_draft())


# -- torn ------------------------------------------------------------------------------------------------


def tear(place: Desk, number: int = 1, size: int = 60) -> Path:
    """What a crash leaves where a number is opened before it is filled."""
    write(place, block_draft("never finished"))
    path = place.log / f"{number:06d}.json"
    path.write_bytes(path.read_bytes()[:size])
    for mark in (place.places.state / "heads").rglob("*"):
        if mark.is_file():
            mark.unlink()
    return path


@pytest.mark.parametrize("size", [0, 1, 60])
def test_a_torn_entry_keeps_its_number_and_decides_nothing(begun: Desk, size: int):
    torn = tear(begun, size=size)
    state = read(begun, disk=NEITHER)
    assert (state.integrity, state.torn, state.next_sequence) == (Outcome.PASSED, (1,), 2)
    assert not state.blocks

    row = write(begun, block_draft("again"), disk=NEITHER)
    assert row.entry.previous_digest == digest(torn.read_bytes())
    after = read(begun)
    assert (after.integrity, after.torn) == (Outcome.PASSED, (1,))
    assert [block.entry.reason for block in after.blocks] == ["again"]


def test_where_nothing_tears_a_torn_entry_is_tampering(begun: Desk):
    tear(begun)
    for disk in (DISK, NO_LINKS):
        assert read(begun, disk=disk).integrity is Outcome.FAILED
    with pytest.raises(LogNotIntact):
        write(begun, block_draft())


def test_an_acknowledged_entry_that_was_cut_is_tampering_everywhere(begun: Desk):
    write(begun, block_draft(), disk=NEITHER)
    path = begun.log / "000001.json"
    path.write_bytes(path.read_bytes()[:60])
    assert read(begun, disk=NEITHER).integrity is Outcome.FAILED


def test_a_torn_entry_in_a_folder_that_cannot_be_tried_is_unknown(begun: Desk):
    tear(begun)
    assert read(begun, disk=replace(NEITHER, write=refuse(errno.EROFS))).integrity is Outcome.UNKNOWN


def test_a_first_entry_can_tear_too(tmp_path: Path):
    place = desk(tmp_path)
    place.log.mkdir()
    (place.log / "000000.json").write_bytes(b'{"payload":{"actor"')
    row = write(place, baseline_draft(), disk=NEITHER)
    state = read(place)
    assert (row.entry.sequence, state.integrity, state.torn) == (1, Outcome.PASSED, (0,))
    assert state.baseline is not None


def test_without_locks_a_fresh_torn_entry_is_left_to_its_writer(begun: Desk, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("fcntl.flock", refuse(errno.ENOLCK))
    path = tear(begun)
    os.utime(path, (NOW.timestamp(), NOW.timestamp()))
    with pytest.raises(LogUnwritable, match="still being written"):
        write(begun, block_draft(), disk=NEITHER, now=NOW + timedelta(seconds=9))
    assert write(begun, block_draft(), disk=NEITHER, now=NOW + timedelta(seconds=11)).entry.sequence == 2


# -- temporary files -------------------------------------------------------------------------------------


def test_our_old_temporary_files_are_swept(begun: Desk):
    for name, age in ((".tmp-1-1", 3700), (".tmp-1-2", 3500), (".tmp-x-1", 9000), ("000000.json", 9000)):
        path = begun.log / name
        if not path.exists():
            path.write_text("half")
        os.utime(path, (NOW.timestamp() - age, NOW.timestamp() - age))
    write(begun, block_draft())
    assert begun.names() == [".tmp-1-2", ".tmp-x-1", "000000.json", "000001.json"]


def test_a_temporary_name_that_is_taken_is_passed_over(begun: Desk):
    for number in range(2000):
        (begun.log / f".tmp-{os.getpid()}-{number}").touch()
    assert write(begun, block_draft()).entry.sequence == 1
    assert read(begun).integrity is Outcome.PASSED


def test_baseline_facts_come_back_from_disk(tmp_path: Path):
    place = desk(tmp_path)
    files = [{"path": "a.py", "mode": "100644", "blob": "f" * 40, "digest": digest(b"a"), "kept": True}]
    write(place, baseline_draft(data={**BASELINE, "files": files, "late": True}))
    baseline = read(place).baseline
    assert baseline is not None
    assert (baseline.late, baseline.signed, list(baseline.files)) == (True, True, ["a.py"])
