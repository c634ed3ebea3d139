"""The decision server: many calls at once, its seat, what others do to its socket, and its end."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ags_tui.agents import connection as connections
from ags_tui.agents import sockets
from ags_tui.agents.connection import Judge as JudgeType
from ags_tui.agents.decision_server import THREADS, DecisionServer
from ags_tui.agents.events import Reply
from ags_tui.agents.room import MOST_WAITING, SMALL, Room
from ags_tui.agents.serve import in_thread, serving
from ags_tui.agents.sockets import Seat, SocketUnusable, make_folder, server_folder
from ags_tui.agents.wire import Caller, head_of, reply_bytes
from tests.agents.transport import (
    HOOK,
    WAIT_S,
    Alarms,
    Judge,
    command,
    end,
    event,
    feed,
    finished,
    short_folder,
    socket_of,
    start,
    work_tree,
)
from tests.other_user import NOBODY

SWEEP_S = 0.02


@pytest.fixture
def folder() -> Iterator[Path]:
    with short_folder() as made:
        yield made / "own"


@pytest.fixture
def top(tmp_path: Path) -> Path:
    return work_tree(tmp_path)


@pytest.fixture
def running() -> Iterator[list[DecisionServer]]:
    """What a test has started; stopped after it."""
    started: list[DecisionServer] = []
    yield started
    for server in started:
        server.stop()


def started(running, top: Path, folder: Path, judge: JudgeType, alarms: Alarms) -> DecisionServer:
    server = DecisionServer(top, judge, folder=folder, on_alarm=alarms, sweep_s=SWEEP_S)
    running.append(server)
    server.start()
    return server


def connected(place: Path) -> socket.socket:
    made = socket.socket(socket.AF_UNIX)
    made.connect(str(place))  # waits where many others do
    made.settimeout(WAIT_S)
    return made


def whole(connection: socket.socket) -> bytes:
    """Everything until the server closes."""
    parts: list[bytes] = []
    while part := connection.recv(1 << 16):
        parts.append(part)
    return b"".join(parts)


def ask(place: Path, payload: bytes = b"{}", *, agent: str = "codex", name: str = "PreToolUse") -> bytes:
    with connected(place) as connection:
        connection.sendall(head_of(Caller(agent, name), len(payload)) + payload)
        return whole(connection)


def until(fact) -> None:
    """Wait for what another thread does."""
    pause = threading.Event()
    for _ in range(int(WAIT_S / 0.01)):
        if fact():
            return
        pause.wait(0.01)
    raise AssertionError("it has not become true")


async def yes(caller: Caller, agent: str, payload: bytes) -> Reply:
    del caller, agent, payload
    return Reply(0, b"yes")


YES = reply_bytes(Reply(0, b"yes"))


def test_it_answers_and_tells_who_has_asked(top, folder, running):
    told: list[tuple[str, datetime]] = []
    now = datetime(2026, 1, 1, tzinfo=UTC)
    server = DecisionServer(
        top, yes, folder=folder, clock=lambda: now, on_call=lambda agent, at: told.append((agent, at))
    )
    running.append(server)
    server.start()
    assert ask(socket_of(folder, top)) == YES
    assert told == [("codex", now)]
    assert server.waiting == 0
    assert folder.stat().st_mode & 0o777 == 0o700
    assert socket_of(folder, top).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("error", [ValueError("x"), MemoryError(), SystemExit(0), KeyboardInterrupt()])
def test_a_judge_that_fails_denies_and_the_server_goes_on(top, folder, running, error):
    alarms = Alarms()
    failing = [error]

    async def judge(caller: Caller, agent: str, payload: bytes) -> Reply:
        if failing:
            raise failing.pop()
        return await yes(caller, agent, payload)

    server = started(running, top, folder, judge, alarms)
    answer = ask(socket_of(folder, top))
    assert answer.startswith(b"AGS1 2 ")
    assert b'"permissionDecision":"deny"' in answer
    assert type(error).__name__ in alarms.next()
    assert ask(socket_of(folder, top)) == YES
    assert server.waiting == 0


def test_what_goes_wrong_in_the_loop_is_an_alarm_and_not_written(top, folder, running, capfd):
    alarms = Alarms()

    async def judge(caller: Caller, agent: str, payload: bytes) -> Reply:
        asyncio.get_running_loop().call_exception_handler({"message": "no descriptor is free"})
        return Reply(0, b"yes")

    started(running, top, folder, judge, alarms)
    assert ask(socket_of(folder, top)) == YES
    assert "no descriptor is free" in alarms.next()
    assert capfd.readouterr() == ("", "")


def test_a_screen_that_fails_denies_nothing(top, folder, running):
    def broken(*told: object) -> None:
        raise RuntimeError("the app is closing")

    server = DecisionServer(
        top,
        yes,
        folder=folder,
        on_alarm=broken,
        on_call=broken,
        clock=lambda: datetime.now(UTC),
        sweep_s=SWEEP_S,
    )
    running.append(server)
    server.start()
    place = socket_of(folder, top)
    assert ask(place) == YES
    place.unlink()
    until(place.exists)
    assert ask(place) == YES


def test_many_calls_wait_at_once(top, folder, running):
    judge = Judge()
    server = started(running, top, folder, judge, Alarms())
    waiting = [connected(socket_of(folder, top)) for _ in range(200)]
    try:
        for number, connection in enumerate(waiting):
            payload = b"%d" % number
            connection.sendall(head_of(Caller("codex"), len(payload)) + payload)
        asked = [judge.next() for _ in waiting]
        assert server.waiting == len(waiting)
        for one in reversed(asked):
            one.answer(Reply(0, one.payload))
        for number, connection in enumerate(waiting):
            assert whole(connection).endswith(b"\n%d" % number)
    finally:
        for connection in waiting:
            connection.close()


def test_an_answer_that_is_none_denies(top, folder, running):
    async def judge(caller: Caller, agent: str, payload: bytes) -> Reply:
        return Reply(256)

    started(running, top, folder, judge, Alarms())
    assert ask(socket_of(folder, top)).startswith(b"AGS1 2 ")


def test_too_long_a_call_is_read_to_its_end_and_denied(top, folder, running, monkeypatch):
    monkeypatch.setattr(connections, "MAX_PAYLOAD", 1000)
    started(running, top, folder, yes, Alarms())
    assert b"longer than 1000 bytes" in ask(socket_of(folder, top), b"x" * 1_000_000)
    assert ask(socket_of(folder, top), b"x" * 1000) == YES


@pytest.mark.parametrize(
    "sent",
    [
        *(b"GET / HTTP/1.1\r\n\r\n", b"AGS1 vim - 2 \n{}", b"AGS1 codex - x \n{}", b"AGS1 codex\n", b"\n"),
        *(b"x" * 5000, b"AGS1 codex - 1 \n{}", b"\xff\xfe\n"),
    ],
)
def test_what_is_no_call_gets_no_verdict(top, folder, running, sent):
    started(running, top, folder, yes, Alarms())
    with connected(socket_of(folder, top)) as connection:
        connection.sendall(sent)
        with suppress(ConnectionResetError):  # the server has closed with some of it unread
            assert whole(connection) == b""
    assert ask(socket_of(folder, top)) == YES


def test_a_call_in_pieces(top, folder, running):
    judge = Judge()
    started(running, top, folder, judge, Alarms())
    with connected(socket_of(folder, top)) as connection:
        for byte in head_of(Caller("codex"), 3) + b"{ }":
            connection.sendall(bytes([byte]))
        asked = judge.next()
        assert asked.payload == b"{ }"
        assert asked.caller == Caller("codex", pid=os.getpid())
        asked.answer(Reply(0))
        assert whole(connection) == b"AGS1 0 0 0\n"


def test_half_a_call_is_not_judged_and_holds_nothing(top, folder, running):
    judge = Judge()
    server = started(running, top, folder, judge, Alarms())
    with connected(socket_of(folder, top)) as half:
        half.sendall(head_of(Caller("codex"), 5) + b"{")
        with connected(socket_of(folder, top)) as other:
            other.sendall(head_of(Caller("codex"), 2) + b"[]")
            asked = judge.next()
            assert asked.payload == b"[]"
            assert server.waiting == 1
            asked.answer(Reply(0))
            assert whole(other) == b"AGS1 0 0 0\n"


def test_a_caller_that_goes_away_takes_only_its_own_call_back(top, folder, running):
    judge = Judge()
    server = started(running, top, folder, judge, Alarms())
    with connected(socket_of(folder, top)) as stays:
        stays.sendall(head_of(Caller("codex"), 2) + b"[]")
        kept = judge.next()
        with connected(socket_of(folder, top)) as goes:
            goes.sendall(head_of(Caller("codex"), 2) + b"{}")
            gone = judge.next()
        assert gone.cancelled.wait(WAIT_S)
        until(lambda: server.waiting == 1)
        assert not kept.cancelled.is_set()
        kept.answer(Reply(3))
        assert whole(stays) == b"AGS1 3 0 0\n"


def test_a_quick_answer_does_not_wait_for_slow_disks(top, folder, running):
    disk = threading.Event()
    slow = in_thread(lambda caller, agent, payload: Reply(4) if disk.wait(WAIT_S) else Reply(5))

    async def judge(caller: Caller, agent: str, payload: bytes) -> Reply:
        return await (slow if payload == b"slow" else yes)(caller, agent, payload)

    server = started(running, top, folder, judge, Alarms())
    waiting = [connected(socket_of(folder, top)) for _ in range(THREADS + 2)]
    try:
        for connection in waiting:
            connection.sendall(head_of(Caller("codex"), 4) + b"slow")
        until(lambda: server.waiting == THREADS + 2)
        assert ask(socket_of(folder, top)) == YES
        disk.set()
        assert {whole(connection) for connection in waiting} == {b"AGS1 4 0 0\n"}
    finally:
        disk.set()
        for connection in waiting:
            connection.close()


def test_stopping_cancels_what_is_judged_and_ends_what_waits(top, folder, running):
    judge = Judge()
    server = started(running, top, folder, judge, Alarms())
    with connected(socket_of(folder, top)) as connection:
        connection.sendall(head_of(Caller("codex"), 2) + b"{}")
        asked = judge.next()
        server.stop()
        assert asked.cancelled.is_set()
        assert whole(connection) == b""
    assert not socket_of(folder, top).exists()
    assert not server.serving
    server.stop()
    server.start()
    assert server.serving


# the seat


def test_a_second_server_takes_over_when_the_first_ends(top, folder, running):
    first = started(running, top, folder, Judge(), Alarms())
    second = started(running, top, folder, yes, Alarms())
    assert (first.serving, second.serving) == (True, False)
    first.stop()
    until(lambda: second.serving)
    assert ask(socket_of(folder, top)) == YES


def test_a_killed_server_leaves_a_socket_that_the_next_replaces(tmp_path, top, folder, running):
    program = (
        "import sys, threading; from pathlib import Path\n"
        "from ags_tui.agents.decision_server import DecisionServer\n"
        "s = DecisionServer(Path(sys.argv[1]), print, folder=Path(sys.argv[2])); s.start()\n"
        "print(s.serving, flush=True); threading.Event().wait()\n"
    )
    other = start([sys.executable, "-c", program, str(top), str(folder)], tmp_path)
    try:
        assert other.stdout is not None
        assert other.stdout.readline() == b"True\n"
        watching = started(running, top, folder, yes, Alarms())
        assert not watching.serving
        other.send_signal(signal.SIGKILL)
        other.wait(WAIT_S)
        until(lambda: watching.serving)
        assert ask(socket_of(folder, top)) == YES
    finally:
        end(other)


def test_a_stale_lock_file_and_a_stale_file_are_no_hindrance(top, folder, running):
    folder.mkdir(0o700)
    socket_of(folder, top).with_suffix(".lock").write_text("4711")
    socket_of(folder, top).write_text("no socket")
    assert started(running, top, folder, yes, Alarms()).serving
    assert ask(socket_of(folder, top)) == YES


def removed(place: Path) -> None:
    place.unlink()


def replaced(place: Path) -> None:
    place.unlink()
    with socket.socket(socket.AF_UNIX) as squatter:
        squatter.bind(str(place))
        place.chmod(0o600)


def opened(place: Path) -> None:
    place.chmod(0o666)


def folder_opened(place: Path) -> None:
    place.parent.chmod(0o777)


def folder_removed(place: Path) -> None:
    for found in place.parent.iterdir():
        found.unlink()
    place.parent.rmdir()


def lock_replaced(place: Path) -> None:
    place.with_suffix(".lock").unlink()
    place.with_suffix(".lock").write_text("")


@pytest.mark.parametrize("deed", [removed, replaced, opened, folder_opened, folder_removed, lock_replaced])
def test_what_is_done_to_the_socket_is_an_alarm_and_put_right(top, folder, running, deed):
    alarms, judge = Alarms(), Judge()
    server = started(running, top, folder, judge, alarms)
    place = socket_of(folder, top)
    with connected(place) as connection:
        connection.sendall(head_of(Caller("codex"), 2) + b"{}")
        asked = judge.next()
        before = os.lstat(place).st_ino, os.lstat(folder).st_mode
        deed(place)
        assert "listens there again" in alarms.next()
        until(lambda: server.serving)
        now = os.lstat(place)
        assert (now.st_mode & 0o777, os.lstat(folder).st_mode) == (0o600, before[1])
        asked.answer(Reply(3))  # what was asked before is answered all the same
        assert whole(connection) == b"AGS1 3 0 0\n"
    with connected(place) as connection:
        connection.sendall(head_of(Caller("codex"), 2) + b"[]")
        judge.next().answer(Reply(4))
        assert whole(connection) == b"AGS1 4 0 0\n"


def test_a_work_tree_that_is_made_anew_is_served_again(tmp_path, top, folder, running):
    server = started(running, top, folder, yes, Alarms())
    old = socket_of(folder, top)
    top.rename(tmp_path / "old")
    new = work_tree(tmp_path)
    place = socket_of(folder, new)
    assert place != old
    until(lambda: place.exists() and server.serving)
    assert ask(place) == YES
    assert not old.exists()


def test_no_folder_to_listen_in(tmp_path, top, folder, running):
    alarms = Alarms()
    folder.symlink_to(tmp_path)
    server = started(running, top, folder, yes, alarms)
    assert not server.serving
    assert "is no folder" in alarms.next()
    folder.unlink()
    until(lambda: server.serving)
    assert ask(socket_of(folder, top)) == YES


def test_a_folder_of_another_user_is_left_alone(folder):
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    folder.mkdir(0o700)
    os.chown(folder, NOBODY, NOBODY)
    with pytest.raises(SocketUnusable, match="belongs to user"):
        make_folder(folder, os.geteuid())


def test_an_open_folder_is_closed_and_said(folder):
    folder.mkdir()
    folder.chmod(0o755)
    assert "was open to other users" in make_folder(folder, os.geteuid())
    assert make_folder(folder, os.geteuid()) == ""


def test_a_path_that_is_too_long_for_a_socket(top, folder, running):
    alarms = Alarms()
    server = started(running, top, folder / ("x" * 80), yes, alarms)
    assert "cannot be made" in alarms.next()  # its parent is not there
    server.stop()
    folder.mkdir(0o700)
    server = started(running, top, folder / ("x" * 80), yes, alarms)
    assert "longer than" in alarms.next()
    assert not server.serving


def test_the_real_places_leave_room_for_the_longest_names():
    longest = f"{2**64 - 1}-{2**64 - 1}"
    for place in sockets.folders(2**32 - 1):
        seat = Seat(place, longest, 0)
        assert len(os.fsencode(seat.path)) + len(".new") < sockets.MAX_PATH
    assert server_folder(2**32 - 2) == Path(f"/tmp/ags-tui-{2**32 - 2}")


def test_a_process_of_another_user_is_not_heard(tmp_path, top, folder, running):
    if os.geteuid() != 0:
        pytest.skip("only root can play two users")
    alarms = Alarms()
    server = DecisionServer(top, yes, folder=folder, on_alarm=alarms)
    running.append(server)
    server.start()
    program = (
        "import os, socket, sys\n"
        "s = socket.socket(socket.AF_UNIX); os.chdir(sys.argv[1]); os.setuid(65534); s.connect(sys.argv[2])\n"
        "try: s.sendall(b'AGS1 codex - 2 \\n{}'); print(s.recv(100))\n"
        "except (BrokenPipeError, ConnectionResetError): print(b'')\n"
    )
    folder.chmod(0o711)
    socket_of(folder, top).chmod(0o666)
    words = [sys.executable, "-c", program, str(folder), socket_of(folder, top).name]
    done = subprocess.run(words, capture_output=True, check=False)
    assert done.stdout == b"b''\n", done.stderr
    assert f"user {NOBODY}" in alarms.next()


def test_a_child_does_not_keep_the_seat(top, folder, running):
    server = started(running, top, folder, yes, Alarms())
    child = subprocess.Popen(["cat"], stdin=subprocess.PIPE, close_fds=False)
    try:
        server.stop()
        seat = Seat(folder, socket_of(folder, top).stem, os.geteuid())
        assert seat.take()
        seat.leave()
    finally:
        child.communicate()


# composed


def test_serving_gives_way_to_hooks_while_it_lasts(top, folder):
    sys.setswitchinterval(0.005)  # two servers that end in another order than begun leave theirs behind
    before = sys.getswitchinterval()
    with serving(top, yes, on_alarm=Alarms(), on_call=lambda agent, at: None, folder=folder) as server:
        assert server.serving
        assert sys.getswitchinterval() < before
        process = start(command(HOOK, folder), top)
        feed(process, event(top))
        assert finished(process) == (0, b"yes", b"")
    assert sys.getswitchinterval() == before
    assert not socket_of(folder, top).exists()


def test_it_has_a_loop_of_its_own(top, folder, running):
    """A loop that is busy does not hold a hook up."""

    async def main() -> None:
        started(running, top, folder, yes, Alarms())
        assert ask(socket_of(folder, top)) == YES  # blocks this loop

    asyncio.run(main())


# room


def call_of(size: int) -> bytes:
    return head_of(Caller("codex", "PreToolUse"), size)


def test_large_calls_wait_for_room_and_small_ones_do_not(top, folder, running):
    judge = Judge()
    server = started(running, top, folder, judge, Alarms())
    server.room = Room(large=1_500_000)
    place, size = socket_of(folder, top), 1_000_000
    with connected(place) as first, connected(place) as second, connected(place) as small:
        first.sendall(call_of(size) + b"1" * size)
        held = judge.next()
        second.setblocking(False)
        sent = 0
        with suppress(BlockingIOError):  # nobody reads it now
            sent = second.send(call_of(size) + b"2" * size)
        small.sendall(call_of(2) + b"{}")
        quick = judge.next()
        assert quick.payload == b"{}"
        quick.answer(Reply(3))
        assert whole(small) == b"AGS1 3 0 0\n"
        assert server.waiting == 1
        held.answer(Reply(4))
        assert whole(first) == b"AGS1 4 0 0\n"
        second.settimeout(WAIT_S)
        second.sendall((call_of(size) + b"2" * size)[sent:])
        later = judge.next()
        assert later.payload == b"2" * size
        later.answer(Reply(5))
        assert whole(second) == b"AGS1 5 0 0\n"


def test_a_call_that_finds_no_room_in_time_is_read_away_and_denied(top, folder, running, monkeypatch):
    monkeypatch.setattr(connections, "WAITING_S", 0.01)
    judge = Judge()
    server = started(running, top, folder, judge, Alarms())
    server.room = Room(large=1_500_000)
    place, size = socket_of(folder, top), 1_000_000
    with connected(place) as first:
        first.sendall(call_of(size) + b"1" * size)
        held = judge.next()
        denied = ask(place, b"2" * size)
        assert denied.startswith(b"AGS1 2 ")
        assert b"too many large calls" in denied
        held.answer(Reply(0))
        assert whole(first) == b"AGS1 0 0 0\n"
    with connected(place) as gone:
        gone.sendall(call_of(size) + b"3")
    with connected(place) as third:
        third.sendall(call_of(size) + b"4" * size)
        judge.next().answer(Reply(6))  # what went away has given its room back
        assert whole(third) == b"AGS1 6 0 0\n"


def test_room_is_given_in_turn_and_back():
    room, let = Room(small=10, large=SMALL + 10), list[str]()
    assert room.enter("a", 6, lambda: let.append("a"))
    assert room.enter("b", 6, lambda: let.append("b"))
    assert room.enter("c", 1, lambda: let.append("c"))
    assert room.enter("L", SMALL + 5, lambda: let.append("L"))
    assert let == ["a", "L"]
    room.leave("b")  # it waits no longer
    assert let == ["a", "L", "c"]
    room.leave("a")
    room.leave("a")
    assert room.enter("d", 10, lambda: let.append("d"))
    assert "d" not in let
    room.leave("c")
    assert let[-1] == "d"
    assert sum(room.enter(number, 1, lambda: None) for number in range(MOST_WAITING + 5)) == MOST_WAITING
