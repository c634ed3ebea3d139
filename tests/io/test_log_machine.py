"""Any order of recording, reading, forgetting and tampering: the log says what is so, or that it cannot."""

import shutil
import tempfile
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from ags_tui.core.checks.findings import Outcome
from ags_tui.core.decisions import Draft
from ags_tui.core.digests import digest
from ags_tui.core.log_state import LoggedEntry
from ags_tui.io.create_once import DISK, Disk
from ags_tui.io.keys import Keys
from ags_tui.io.log import LogNotIntact, NotAllowed, StaleRevision, read_log, record
from tests.io.log_child import no_links
from tests.logs import (
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

DISKS = (DISK, replace(DISK, link=no_links), replace(DISK, link=no_links, rename_new=no_links))
REQUESTS = ("t-1", "t-2")


class LogMachine(RuleBasedStateMachine):
    """A model of the log beside the real one."""

    def __init__(self) -> None:
        super().__init__()
        self.stack = ExitStack()
        self.place: Desk = desk(self.stack.enter_context(fast_folder()))
        self.rows: list[LoggedEntry] = []
        self.blocked: list[LoggedEntry] = []
        self.broken = False
        self.disk = DISK

    def teardown(self) -> None:
        self.stack.close()

    def write(self, draft: Draft) -> LoggedEntry | None:
        """Record as the model expects it; returns the entry, or None where it had to be refused."""
        place, current = self.place, draft.bound
        try:
            row = record(
                place.folder, draft, place.keys, place.places, now=NOW, current=current, disk=self.disk
            )
        except LogNotIntact:
            assert self.broken
            return None
        except StaleRevision as error:
            stale = error.actual
        else:
            return self.accept(draft, row)
        assert not self.broken
        assert draft.expected_sequence != len(self.rows)
        assert stale == len(self.rows)
        return None

    def accept(self, draft: Draft, row: LoggedEntry) -> LoggedEntry:
        """Add what was recorded to the model."""
        assert not self.broken
        assert draft.expected_sequence in (None, row.entry.sequence)
        assert row.entry.sequence == len(self.rows)
        self.rows.append(row)
        return row

    @initialize()
    def begin(self) -> None:
        self.write(baseline_draft())
        (self.place.folder / "tool-requests").mkdir()
        for name in REQUESTS:
            (self.place.folder / "tool-requests" / f"{name}.json").write_bytes(name.encode())

    @rule(disk=st.sampled_from(DISKS))
    def move_to_another_file_system(self, disk: Disk) -> None:
        self.disk = disk

    @rule(reason=st.text(max_size=20), via=st.sampled_from(["tui", "cli"]))
    def block(self, reason: str, via: str) -> None:
        row = self.write(block_draft(reason, via=via))
        if row is not None:
            self.blocked.append(row)

    @rule(number=st.integers(0, 8))
    def block_at(self, number: int) -> None:
        row = self.write(block_draft(expected_sequence=number))
        if row is not None:
            self.blocked.append(row)

    @precondition(lambda self: self.blocked)
    @rule(data=st.data())
    def lift(self, data: st.DataObject) -> None:
        block = data.draw(st.sampled_from(self.blocked))
        if self.write(Draft(TASK_ID, "block", "lifted", "task", block.digest)) is not None:
            self.blocked.remove(block)

    @rule(name=st.sampled_from(REQUESTS))
    def approve(self, name: str) -> None:
        self.write(approve_draft(name, name.encode()))

    @rule(name=st.sampled_from(REQUESTS), via=st.sampled_from(["tui", "cli"]))
    def deny(self, name: str, via: str) -> None:
        draft = Draft(TASK_ID, "tool-request", "denied", name, digest(name.encode()), via=via)  # type: ignore[arg-type]
        self.write(draft)

    @rule(verdict=st.sampled_from(["approved", "amended"]))
    def approve_by_script(self, verdict: str) -> None:
        draft = Draft(TASK_ID, "tool-request", verdict, "t-1", digest(b"t-1"), via="cli")
        try:
            self.write(draft)
        except NotAllowed:
            return
        raise AssertionError("a script approved")

    @rule()
    def restart(self) -> None:
        self.place = replace(self.place, keys=Keys.open(self.place.places))

    @rule()
    def read_on_another_machine(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            trust = Path(folder, "trust")
            trust.write_text(self.place.keys.export_trust())
            places = places_in(Path(folder))
            state = read_log(self.place.folder, Keys.open(places, trust=trust), places, disk=self.disk)
        assert self.broken or [row.digest for row in state.entries] == [row.digest for row in self.rows]

    @precondition(lambda self: not self.broken)
    @rule(data=st.data())
    def tamper(self, data: st.DataObject) -> None:
        """Change a byte, cut or take away a file; what was tampered with is never quietly repaired."""
        number = data.draw(st.integers(0, len(self.rows) - 1))
        path = self.place.log / f"{number:06d}.json"
        raw = path.read_bytes()
        at = data.draw(st.integers(0, len(raw) - 1))
        match data.draw(st.sampled_from(["change", "cut", "remove"])):
            case "change":
                path.write_bytes(raw[:at] + bytes([raw[at] ^ data.draw(st.integers(1, 255))]) + raw[at + 1 :])
            case "cut":
                path.write_bytes(raw[:at])
            case _:
                path.unlink()
        self.kept = (path, raw)
        self.broken = True

    @precondition(lambda self: self.broken)
    @rule()
    def restore(self) -> None:
        path, raw = self.kept
        path.write_bytes(raw)
        self.broken = False

    @rule()
    def forget_the_mark(self) -> None:
        if not self.broken:
            shutil.rmtree(self.place.places.state / "heads")
            read_log(self.place.folder, self.place.keys, self.place.places)

    @invariant()
    def the_log_says_what_was_recorded(self) -> None:
        place = self.place
        state = read_log(place.folder, place.keys, place.places, disk=self.disk)
        if self.broken:
            assert state.integrity is Outcome.FAILED
            return
        assert state.integrity is Outcome.PASSED
        assert list(state.entries) == self.rows
        assert all(row.counted for row in state.entries)
        assert list(state.blocks) == self.blocked
        assert state.next_sequence == len(self.rows)


TestLogMachine = LogMachine.TestCase
TestLogMachine.settings = settings(
    max_examples=50, stateful_step_count=20, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
