"""Real processes on one log: killed at every step, racing for every number."""

import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Generator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ags_tui.core.checks.findings import Outcome
from ags_tui.io import log as log_module
from ags_tui.io.create_once import DISK, Disk
from ags_tui.io.log import LogUnwritable, read_log, record
from tests.io.log_child import DISKS, no_links
from tests.logs import NOW, Desk, baseline_draft, block_draft, desk, fast_folder

TOP = Path(__file__).resolve().parents[2]
METHODS = {
    "link": DISK,
    "rename": replace(DISK, link=no_links),
    "exclusive": replace(DISK, link=no_links, rename_new=no_links),
}


@pytest.fixture
def begun() -> Generator[Desk]:
    """A task folder with its baseline on record."""
    with fast_folder() as folder:
        place = desk(folder)
        record(place.folder, baseline_draft(), place.keys, place.places, now=NOW, current=None)
        yield place


def child(place: Desk, action: str, *words: object) -> subprocess.Popen[str]:
    top = place.folder.parents[1]
    return subprocess.Popen(
        [sys.executable, "-m", "tests.io.log_child", action, str(top), *map(str, words)],
        cwd=TOP, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().rstrip("\n")


def kill(process: subprocess.Popen[str]) -> list[str]:
    """Kill -9; returns the whole lines that the process still got out."""
    process.send_signal(signal.SIGKILL)
    assert process.stdin is not None
    assert process.stdout is not None
    with process.stdin, process.stdout:
        rest = process.stdout.read()  # communicate would read past what readline has taken in advance
    process.wait(60)
    return [text for text in rest.split("\n")[:-1] if text]


def write(place: Desk, reason: str, disk: Disk) -> int:
    row = record(
        place.folder, block_draft(reason), place.keys, place.places, now=NOW, current=None, disk=disk
    )
    return row.entry.sequence


# -- killed ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_killed_at_any_moment_nothing_acknowledged_is_lost(begun: Desk, method: str):
    chance = random.Random(method)
    acknowledged: dict[int, str] = {}
    for _ in range(6):
        process = child(begun, "record", method)
        lines = [line(process) for _ in range(chance.randrange(1, 5))]
        lines += kill(process)
        acknowledged |= {int(words[0]): words[1] for words in map(str.split, lines)}
        state = read_log(begun.folder, begun.keys, begun.places, disk=METHODS[method])
        assert state.integrity is Outcome.PASSED, state.findings
        there = {row.entry.sequence: row.digest for row in state.entries if row.counted}
        assert acknowledged.items() <= there.items()
        assert len(there) + len(state.torn) == state.next_sequence
    assert len(acknowledged) >= 6


def dying(disk: Disk, step: int) -> Disk:
    """A disk whose user is killed just before its step-th call; writes take 150 bytes at a time."""
    left = [step]

    def mortal(call: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*arguments: Any) -> Any:
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            left[0] -= 1
            return call(*arguments)

        return wrapped

    def some(descriptor: int, data: bytes) -> int:
        return disk.write(descriptor, data[:150])

    return Disk(mortal(some), mortal(disk.sync), mortal(disk.link), mortal(disk.rename_new))


def in_child(action: Callable[[], object]) -> int:
    """Run an action in a forked process; returns how it ended, as ``os.waitpid`` says."""
    pid = os.fork()
    if pid == 0:
        try:
            action()
        finally:
            os._exit(0)
    return os.waitpid(pid, 0)[1]


@pytest.mark.parametrize("method", METHODS)
def test_killed_before_each_single_call_of_the_disk(begun: Desk, method: str):
    disk = METHODS[method]
    torn: set[int] = set()
    for step in range(100):
        before = read_log(begun.folder, begun.keys, begun.places, disk=disk)
        status = in_child(lambda: write(begun, f"step {step}", dying(disk, step)))  # noqa: B023
        after = read_log(begun.folder, begun.keys, begun.places, disk=disk)
        assert after.integrity is Outcome.PASSED, after.findings
        assert after.next_sequence - before.next_sequence in (0, 1)
        assert after.entries[: len(before.entries)] == before.entries
        torn.update(after.torn)
        assert write(begun, f"after step {step}", disk) == after.next_sequence
        if status == 0:
            break
        assert os.WTERMSIG(status) == signal.SIGKILL
    else:
        pytest.fail("it never came through")
    assert step >= 8
    assert bool(torn) is (method == "exclusive")
    assert read_log(begun.folder, begun.keys, begun.places).integrity is Outcome.PASSED


def test_killed_between_the_entry_and_its_mark(begun: Desk, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(log_module, "extend_mark", lambda *_: os.kill(os.getpid(), signal.SIGKILL))
    assert os.WTERMSIG(in_child(lambda: write(begun, "unmarked", DISK))) == signal.SIGKILL
    monkeypatch.undo()
    state = read_log(begun.folder, begun.keys, begun.places)
    assert (state.integrity, [row.entry.reason for row in state.blocks]) == (Outcome.PASSED, ["unmarked"])
    (begun.log / "000001.json").unlink()
    assert read_log(begun.folder, begun.keys, begun.places).integrity is Outcome.FAILED


def test_half_an_entry_belongs_to_its_writer_while_it_lives(begun: Desk, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("ags_tui.io.log_folder.LOCK_PATIENCE_S", 0.05)
    process = child(begun, "record", "half")
    assert line(process) == "half"
    disk = METHODS["exclusive"]
    with pytest.raises(LogUnwritable, match="another process"):
        write(begun, "too early", disk)
    kill(process)
    assert read_log(begun.folder, begun.keys, begun.places, disk=disk).torn == (1,)
    assert write(begun, "now", disk) == 2
    state = read_log(begun.folder, begun.keys, begun.places)
    assert (state.integrity, [row.entry.reason for row in state.blocks]) == (Outcome.PASSED, ["now"])


# -- racing ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("action", ["race", "race-without-locks"])
def test_of_two_instances_exactly_one_wins_each_number(begun: Desk, action: str):
    last = 40
    players = [child(begun, action, 1, last) for _ in range(2)]
    assert [line(player) for player in players] == ["ready", "ready"]
    for player in players:
        assert player.stdin is not None
        player.stdin.write("go\n")
        player.stdin.flush()
    won: dict[int, str] = {}
    lost: list[int] = []
    for player in players:
        for words in map(str.split, player.communicate(timeout=120)[0].splitlines()):
            assert words[0] in ("won", "lost"), words
            if words[0] == "won":
                assert int(words[1]) not in won
                won[int(words[1])] = words[2]
            else:
                lost.append(int(words[1]))
    assert sorted(won) == sorted(lost) == list(range(1, last))
    state = read_log(begun.folder, begun.keys, begun.places)
    assert state.integrity is Outcome.PASSED
    assert {row.entry.sequence: row.digest for row in state.entries[1:]} == won
    assert begun.names() == [f"{number:06d}.json" for number in range(last)]


def test_two_instances_that_block_at_once_both_hold(begun: Desk):
    """What may stand at any number is lost by nobody."""
    players = [child(begun, "record", "real") for _ in range(2)]
    acknowledged = [line(player) for player in players for _ in range(10)]
    acknowledged += [text for player in players for text in kill(player)]
    state = read_log(begun.folder, begun.keys, begun.places)
    assert state.integrity is Outcome.PASSED
    there = {f"{row.entry.sequence} {row.digest}" for row in state.entries}
    assert set(acknowledged) <= there
    assert len(acknowledged) == len(set(acknowledged))
    assert len({row.entry.reason.split("/")[0] for row in state.blocks}) == 2


def test_a_reader_beside_a_busy_writer_never_raises_an_alarm(begun: Desk):
    """The mark moves and files appear between the reader's own steps."""
    process = child(begun, "record", "real")
    seen = 0
    while seen < 60:
        state = read_log(begun.folder, begun.keys, begun.places)
        assert state.integrity is Outcome.PASSED, state.findings
        assert state.next_sequence >= seen
        seen = state.next_sequence
    kill(process)


def test_a_listing_that_misses_a_file_is_taken_again(begun: Desk, monkeypatch: pytest.MonkeyPatch):
    for number in range(3):
        write(begun, str(number), DISK)
    listings = [["000000.json", "000003.json"], ["000000.json", "000001.json", "000003.json"]]
    real = os.listdir
    monkeypatch.setattr(os, "listdir", lambda folder: listings.pop() if listings else real(folder))
    assert read_log(begun.folder, begun.keys, begun.places).next_sequence == 4
    assert not listings


def test_the_child_knows_the_same_disks():
    assert set(METHODS) < set(DISKS)
