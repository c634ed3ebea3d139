"""The hook as a process: what it imports, whom it asks, how it answers and how it fails."""

import json
import os
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ags_tui.agents import quick_road, wire
from ags_tui.agents.clients import deny_without_reading
from ags_tui.agents.decision_server import DecisionServer
from ags_tui.agents.events import Reply
from ags_tui.agents.sockets import folders, tree_name
from ags_tui.agents.wire import Caller
from ags_tui.core.sessions import SessionRecord
from ags_tui.io.places import Places
from ags_tui.io.sessions import make_session
from ags_tui.io.trees import tree_of
from tests.agents.transport import (
    HOOK,
    SAYS_WHY,
    WAIT_S,
    Judge,
    command,
    end,
    event,
    feed,
    finished,
    own_package,
    run,
    short_folder,
    socket_of,
    start,
    work_tree,
)
from tests.other_user import NOBODY, as_ordinary_user

AGENTS = ("claude-code", "codex", "gemini")


@pytest.fixture
def sockets() -> Iterator[Path]:
    with short_folder() as folder:
        yield folder


@pytest.fixture
def top(tmp_path: Path) -> Path:
    return work_tree(tmp_path)


@pytest.fixture
def judge() -> Judge:
    return Judge()


@pytest.fixture
def server(top: Path, sockets: Path, judge: Judge) -> Iterator[DecisionServer]:
    made = DecisionServer(top, judge, folder=sockets)
    made.start()
    assert made.serving
    yield made
    made.stop()


def denied(answer: tuple[int, bytes, bytes], agent: str = "claude-code") -> str:
    """The reason of a denial of a tool call; it must be whole."""
    code, out, err = answer
    assert code == 2, answer
    document = json.loads(out)
    if agent == "gemini":
        assert document["decision"] == "deny"
        reason = document["reason"]
    else:
        said = document["hookSpecificOutput"]
        assert (said["hookEventName"], said["permissionDecision"]) == ("PreToolUse", "deny")
        reason = said["permissionDecisionReason"]
    assert reason
    assert reason.encode() in err
    return reason


# the quick road


def test_it_loads_nothing_but_the_socket(top: Path, sockets: Path, judge: Judge, server: DecisionServer):
    program = (
        "import sys, posix\n"
        "before, leave = set(sys.modules), posix._exit\n"
        "def told(code):\n"
        "    posix.write(2, repr(sorted(set(sys.modules) - before)).encode())\n"
        "    leave(code)\n"
        "posix._exit = told\n"
        "path = sys.argv.pop(1)\n"
        "code = compile(open(path, 'rb').read(), path, 'exec')\n"
        "exec(code, {'__name__': '__main__', '__file__': path})\n"
    )
    words = [sys.executable, "-I", "-S", "-c", program, str(HOOK), "codex", "--sockets", str(sockets)]
    process = start(words, top)
    feed(process, event(top))
    judge.next().answer(Reply(0))
    assert finished(process) == (0, b"", b"['_socket']")


def test_the_constants_of_both_ends_are_equal():
    for name in ("WIRE", "MAX_PAYLOAD", "MAX_REPLY", "AGENTS"):
        assert getattr(quick_road, name) == getattr(wire, name)
    assert quick_road.folders(4711) == tuple(str(folder) for folder in folders(4711))


def test_both_places_are_looked_at(tmp_path, top, sockets):
    places = [sockets / "run", sockets / "tmp"]
    line = 'return f"/run/user/{user}/ags-tui", f"/tmp/ags-tui-{user}"'
    change = (line, f"return {str(places[0])!r}, {str(places[1])!r}")
    made = own_package(tmp_path, SAYS_WHY, changes=(change,))
    words = [word for word in command(made, sockets) if word not in ("--sockets", str(sockets))]
    assert why(run(words, top, event(top))) == "absent"
    judge = Judge()
    servers = [DecisionServer(top, judge, folder=place) for place in places]
    try:
        for server in reversed(servers):
            server.start()
            process = start(words, top)
            feed(process, event(top))
            judge.next().answer(Reply(0, b"found"))
            assert finished(process) == (0, b"found", b"")
        places[0].chmod(0o777)  # the second still answers, but what is wrong is said where none does
        servers[1].stop()
        assert why(run(words, top, event(top))) == "unsound"
    finally:
        for server in servers:
            server.stop()


@pytest.mark.parametrize(
    "reply",
    [
        Reply(0),
        Reply(0, b'{"a":"\xc3\xa9"}\n'),
        Reply(2, b'{"no":1}\n', "nein, weil …\n".encode()),
        Reply(1, b"", b"only this"),
    ],
)
def test_the_answer_of_the_server_is_written_as_it_is(top, sockets, judge, server, reply):
    process = start(command(HOOK, sockets, "--event", "PreToolUse", "--deadline", "77"), top / "src" / "deep")
    feed(process, event(top))
    asked = judge.next()
    assert asked.payload == event(top)
    assert asked.caller == Caller("claude-code", "PreToolUse", 77, "", process.pid)
    asked.answer(reply)
    assert finished(process) == (reply.exit_code, reply.stdout, reply.stderr)


def test_a_long_answer_waits_for_a_slow_reader(top, sockets, judge, server):
    process = start(command(HOOK, sockets), top)
    feed(process, event(top))
    out = b"x" * 3_000_000
    judge.next().answer(Reply(0, out, b"y" * 500_000))
    assert process.stdout is not None
    read = process.stdout.read(10)  # the pipe is full now, and the hook waits
    code, rest, err = finished(process)
    assert (code, read + rest, err) == (0, out, b"y" * 500_000)


@pytest.mark.parametrize("size", [2_000_000, 20_000_000])
def test_a_large_call_arrives_whole(top, sockets, judge, server, size):
    payload = bytes(range(256)) * (size // 256)
    process = start(command(HOOK, sockets), top)
    feed(process, payload)
    asked = judge.next()
    assert asked.payload == payload
    asked.answer(Reply(0, b"{}"))
    assert finished(process) == (0, b"{}", b"")


@pytest.mark.parametrize(
    "environment",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "cp932"},
        {"PYTHONPATH": "noise", "PYTHONWARNINGS": "always", "PYTHONDEVMODE": "1"},
        {"PYTHONSTARTUP": "noise/sitecustomize.py", "PYTHONINSPECT": "1", "PYTHONVERBOSE": "1"},
        {},
    ],
)
def test_no_environment_changes_what_is_asked_and_answered(top, sockets, judge, server, environment):
    (top / "noise").mkdir()
    (top / "noise" / "sitecustomize.py").write_text("print('noise')\n")
    payload = event(top, tool_input={"command": 'echo "日本語 表\\" é 🌤"'})
    answer = '{"reason":"日本語 表"}\n'.encode()
    process = start(command(HOOK, sockets), top, env=environment)
    feed(process, payload)
    asked = judge.next()
    assert asked.payload == payload
    asked.answer(Reply(0, answer))
    assert finished(process) == (0, answer, b"")


def test_the_task_of_the_environment_is_told_and_nothing_else_of_it(top, sockets, judge, server):
    told: list[str] = []
    for task in ("T-1", "two words", "x" * 200):
        process = start(command(HOOK, sockets), top, env={"AGS_TASK": task, "XDG_RUNTIME_DIR": "/nowhere"})
        feed(process, b"{}")
        asked = judge.next()
        told.append(asked.caller.task)
        asked.answer(Reply(0))
        assert finished(process)[0] == 0
    assert told == ["T-1", "", ""]


def test_parallel_calls_are_answered_in_any_order(top, sockets, judge, server):
    processes = {f"tu-{number}": start(command(HOOK, sockets), top) for number in (1, 2, 3)}
    for name, process in processes.items():
        feed(process, event(top, tool_use_id=name))
    asked = {json.loads(one.payload)["tool_use_id"]: one for one in (judge.next() for _ in processes)}
    assert server.waiting == 3
    for name in ("tu-3", "tu-1"):
        asked[name].answer(Reply(0, name.encode()))
        assert finished(processes[name]) == (0, name.encode(), b"")
    assert processes["tu-2"].poll() is None
    assert server.waiting == 1
    asked["tu-2"].answer(Reply(2, b"", b"no"))
    assert finished(processes["tu-2"]) == (2, b"", b"no")


def test_the_console_command_takes_the_same_road(top, sockets, judge, server):
    process = start([sys.executable, "-m", "ags_tui", "hook", "gemini", "--sockets", str(sockets)], top)
    feed(process, event(top))
    asked = judge.next()
    assert asked.caller.agent == "gemini"
    asked.answer(Reply(0, b"{}"))
    assert finished(process) == (0, b"{}", b"")


# somebody goes away


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_killed_hook_takes_its_question_back(top, sockets, judge, server, number):
    process = start(command(HOOK, sockets), top)
    feed(process, event(top))
    asked = judge.next()
    process.send_signal(number)
    assert finished(process) == (-number, b"", b"")
    assert asked.cancelled.wait(WAIT_S)


def test_an_interrupted_hook_denies(top, sockets, judge, server):
    process = start(command(HOOK, sockets), top)
    feed(process, event(top))
    asked = judge.next()
    process.send_signal(signal.SIGINT)
    assert "interrupted" in denied(finished(process))
    assert asked.cancelled.wait(WAIT_S)


def test_an_orphan_ends_without_a_word(top, sockets, judge, server):
    parent = "import subprocess, sys; subprocess.Popen(sys.argv[1:]).wait()"
    process = start([sys.executable, "-c", parent, *command(HOOK, sockets)], top)
    feed(process, event(top))
    asked = judge.next()
    assert asked.caller.pid != process.pid
    process.kill()
    assert asked.cancelled.wait(WAIT_S)
    assert finished(process)[1:] == (b"", b"")  # both pipes are closed: the orphan is gone, too


@pytest.mark.parametrize("agent", AGENTS)
def test_nobody_decides_in_time(top, sockets, judge, server, agent):
    process = start(command(HOOK, sockets, "--deadline", "0.5", agent=agent), top)
    feed(process, event(top))
    asked = judge.next()
    assert "nobody decided within 0.5 s" in denied(finished(process), agent)
    assert asked.cancelled.wait(WAIT_S)


def test_a_client_that_never_ends_its_call(top, sockets):
    process = start(command(HOOK, sockets, "--deadline=0.3"), top)
    try:
        assert process.stdout is not None
        assert b"deny" in process.stdout.read()
        assert process.wait(WAIT_S) == 2
    finally:
        end(process)


def test_a_killed_server_gives_no_verdict(tmp_path, top, sockets):
    program = (
        "import asyncio, sys, threading; from pathlib import Path\n"
        "from ags_tui.agents.decision_server import DecisionServer\n"
        "async def judge(*call): print('asked', flush=True); await asyncio.Event().wait()\n"
        "DecisionServer(Path(sys.argv[1]), judge, folder=Path(sys.argv[2])).start()\n"
        "print('ready', flush=True); threading.Event().wait()\n"
    )
    serving = start([sys.executable, "-c", program, str(top), str(sockets)], tmp_path)
    process = start(command(own_package(tmp_path, SAYS_WHY), sockets), top)
    try:
        assert serving.stdout is not None
        assert serving.stdout.readline() == b"ready\n"
        feed(process, event(top))
        assert serving.stdout.readline() == b"asked\n"
        serving.kill()
        assert finished(process)[:2] == (7, b"claude-code|no-verdict|%d|" % len(event(top)))
        again = run(command(tmp_path / "lib/ags_tui/agents/hook.py", sockets), top, event(top))
        assert again[:2] == (7, b"claude-code|stale|%d|" % len(event(top)))
    finally:
        end(process)
        end(serving)


# the slow road


def why(answer: tuple[int, bytes, bytes]) -> str:
    assert answer[0] == 7, answer
    return answer[1].decode().split("|")[1]


def test_without_a_server_it_judges_here(tmp_path, top, sockets):
    words = command(own_package(tmp_path, SAYS_WHY), sockets, "--event", "PreToolUse", agent="codex")
    answer = f"codex|absent|{len(event(top))}|--event PreToolUse".encode()
    assert run(words, top, event(top)) == (7, answer, b"judged here\n")


def test_an_agent_does_not_leave_the_server_of_its_session_by_changing_the_folder(
    tmp_path, top, sockets, judge, server
):
    places = Places(sockets / "state", sockets / "config")
    tree = tree_of(str(top), places)
    assert tree is not None
    make_session(tree, SessionRecord("s-0001", "T-1", str(top)), places)
    inner = top / "src" / "inner"
    (inner / ".git").mkdir(parents=True)
    process = start(command(HOOK, sockets), inner)
    feed(process, event(inner))
    judge.next().answer(Reply(0, b"found"))
    assert finished(process) == (0, b"found", b"")
    stranger = event(inner, session_id="s-0002")
    words = command(own_package(tmp_path, SAYS_WHY), sockets)
    assert why(run(words, inner, stranger)) == "absent"


@pytest.mark.parametrize("place", ["deleted", "elsewhere"])
def test_the_payload_names_the_work_tree_where_the_process_stands_in_none(
    top, sockets, judge, server, tmp_path, place
):
    there = tmp_path / "there"
    there.mkdir()
    starter = (
        "import os, sys\n"
        "if sys.argv[1] == 'deleted': os.rmdir(os.getcwd())\n"
        "os.execv(sys.argv[2], sys.argv[2:])"
    )
    process = start([sys.executable, "-I", "-c", starter, place, *command(HOOK, sockets)], there)
    feed(process, event(top / "src"))
    judge.next().answer(Reply(0, b"found"))
    assert finished(process) == (0, b"found", b"")


def test_a_folder_that_may_not_be_looked_into(tmp_path, sockets):
    with short_folder() as shared:
        hidden = work_tree(shared)
        words = as_ordinary_user(command(own_package(shared, SAYS_WHY), sockets), shared, hidden)
        if os.geteuid() == 0:
            hidden.chmod(0o000)
            assert why(run(words, hidden, event(hidden))) == "absent"
        else:
            pytest.skip("the process could not be started there")


OUTSIDE = "import posix\nposix.write(1, b'noise')\nprint('more noise', flush=True)\n"
FAILURES = {
    "no module": ("", "ModuleNotFoundError: No module named 'ags_tui.agents.offline'"),
    "broken module": ("import nothing_of_that_name", "ModuleNotFoundError"),
    "not Python": ("def run(:", "SyntaxError"),
    "memory": ("def run(*a): raise MemoryError", "MemoryError"),
    "interrupt": ("def run(*a): raise KeyboardInterrupt", "KeyboardInterrupt"),
    "recursion": ("def run(*a): return run(*a)", "RecursionError"),
    "exit": ("import sys\ndef run(*a): sys.exit(0)", "SystemExit"),
    "no tuple": ("def run(*a): return None", "TypeError"),
    "text": ("def run(*a): return 0, '{}', b''", "TypeError"),
    "no exit code": ("def run(*a): return 256, b'{}', b''", "ValueError"),
    "noise": (OUTSIDE + "def run(*a): raise OSError('disk \"full\" \\n\\x1b[31m')", "OSError: disk ?full?"),
}


@pytest.mark.parametrize("failure", FAILURES)
def test_whatever_fails_is_a_denial(tmp_path, top, sockets, failure):
    agent = AGENTS[len(failure) % 3]
    code, error = FAILURES[failure]
    words = command(own_package(tmp_path, code), sockets, agent=agent)
    assert f"ags-tui failed ({error}" in denied(run(words, top, event(top)), agent)


def test_a_judgement_that_takes_too_long_is_a_denial(tmp_path, top, sockets):
    slow = own_package(tmp_path, OUTSIDE + "import time\ndef run(*a): time.sleep(600)")
    process = start(command(slow, sockets, "--deadline", "0.5", agent="gemini"), top)
    feed(process, event(top))
    assert "nobody decided within 0.5 s" in denied(finished(process), "gemini")


def test_noise_goes_to_stderr_and_the_answer_is_one_document(tmp_path, top, sockets):
    words = command(own_package(tmp_path, OUTSIDE + "def run(*a): return 0, b'{}', b'.'"), sockets)
    code, out, err = run(words, top, event(top))
    assert (code, out) == (0, b"{}")
    assert b"more noise" in err


def test_the_environment_brings_no_code_in(tmp_path, top, sockets):
    evil = tmp_path / "evil"
    (evil / "ags_tui" / "agents").mkdir(parents=True)
    home = (
        evil / ".local" / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
    )
    home.mkdir(parents=True)
    for place in (evil, home, top):
        for name in ("sitecustomize.py", "usercustomize.py", "json.py"):
            (place / name).write_text("import os; os._exit(0)\n")
    (evil / "ags_tui" / "__init__.py").write_text("import os; os._exit(0)\n")
    environment = {
        "PYTHONPATH": str(evil),
        "HOME": str(evil),
        "PYTHONHOME": str(evil),
        "PYTHONUSERBASE": str(evil / ".local"),
    }
    words = command(own_package(tmp_path, SAYS_WHY), sockets)
    assert why(run(words, top, event(top), env=environment)) == "absent"


@pytest.mark.parametrize("agent", AGENTS)
def test_a_denial_without_reading_has_the_form_of_the_adapter(agent):
    for name in ("BeforeTool",) if agent == "gemini" else ("PreToolUse", "PermissionRequest"):
        wanted = deny_without_reading(agent, "because", name)
        assert quick_road.denial(agent, name, b"", "because")[:2] == (wanted.exit_code, wanted.stdout)


@pytest.mark.parametrize("name", ["Stop", "SubagentStop", "AfterAgent"])
def test_a_stop_is_refused_once(name):
    first = b'{"stop_hook_active":false,"last_assistant_message":"\\"stop_hook_active\\":true"}'
    code, out, _ = quick_road.denial("codex", name, first, "because")
    assert (code, json.loads(out)) == (2, {"decision": "block", "reason": "because"})
    for again in (b'{"stop_hook_active":true}', b'{"stop_hook_active": true}'):
        assert quick_road.denial("codex", name, again, "because") == (0, b"", b"because\n")
        assert quick_road.denial("codex", "PreToolUse", again, "because")[0] == 2


def test_what_is_over_is_not_denied():
    assert quick_road.denial("codex", "PostToolUse", b"", "because") == (0, b"", b"because\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "usage"),
        (["vim"], "usage"),
        (["codex", "--deadline", "soon"], "--deadline"),
        (["codex", "--deadline=nan"], "--deadline"),
        (["codex", "--deadline"], "--deadline"),
    ],
)
def test_wrong_arguments_deny_after_all_was_read(top, words, said):
    code, _, err = run([sys.executable, "-I", "-S", str(HOOK), *words], top, b"x" * 300_000)
    assert code == 2
    assert said in err.decode()


def test_a_call_that_is_too_long_is_read_to_its_end_and_denied(tmp_path, top, sockets):
    small = (("MAX_PAYLOAD = 64 * 1024 * 1024", "MAX_PAYLOAD = 100_000"),)
    words = command(own_package(tmp_path, SAYS_WHY, changes=small), sockets)
    assert "longer than 100000 bytes" in denied(run(words, top, b"x" * 2_000_000))


@pytest.mark.parametrize(
    "damage", ["def main(:", "raise MemoryError", "main = 1", "def main(words): 1 / 0", None]
)
def test_a_hook_that_cannot_start_denies_after_all_was_read(tmp_path, top, sockets, damage):
    made = own_package(tmp_path, SAYS_WHY)
    if damage is None:
        made.with_name("quick_road.py").unlink()
    else:
        made.with_name("quick_road.py").write_text(damage)
    code, out, err = run(command(made, sockets), top, b"x" * 300_000)
    assert (code, out) == (2, b"")
    assert b"could not start" in err


# descriptors


def closed(words: list[str], descriptors: str) -> list[str]:
    return ["/bin/sh", "-c", f'exec "$@" {descriptors}', "sh", *words]


def test_closed_stdin_is_a_denial(top, sockets):
    code, out, err = run(closed(command(HOOK, sockets), "<&-"), top, b"")
    assert "wrote nothing" in denied((code, out, err))


@pytest.mark.parametrize("to", [">&-", ">/dev/full"])
def test_an_answer_that_cannot_be_written_is_a_denial(top, sockets, judge, server, to):
    if "full" in to and not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    process = start(closed(command(HOOK, sockets), to), top)
    feed(process, event(top))
    judge.next().answer(Reply(0, b'{"updatedInput":{}}'))
    code, out, err = finished(process)
    assert (code, out) == (2, b"")
    assert b"could not be written" in err


def test_nobody_reads_the_answer(top, sockets, judge, server):
    read, write = os.pipe()
    process = start(command(HOOK, sockets), top, stdout=write)
    os.close(write)
    feed(process, event(top))
    asked = judge.next()
    os.close(read)
    asked.answer(Reply(0, b"{}"))
    assert finished(process)[0] == 2


@pytest.mark.parametrize(("agent", "wanted"), [("claude-code", 2), ("codex", 0), ("gemini", 0)])
def test_without_stderr_the_document_denies(top, sockets, judge, server, agent, wanted):
    process = start(closed(command(HOOK, sockets, agent=agent), "2>&-"), top)
    feed(process, event(top))
    judge.next().answer(Reply(2, b'{"decision":"deny"}', b"because"))
    assert finished(process) == (wanted, b'{"decision":"deny"}', b"")


def test_all_closed_still_finds_the_server(top, sockets, judge, server):
    process = start(closed(command(HOOK, sockets), ">&- 2>&-"), top)
    feed(process, event(top))
    asked = judge.next()
    assert asked.payload == event(top)
    asked.answer(Reply(0, b"not into the socket"))
    assert finished(process) == (2, b"", b"")


# what is not sound


def listening(place: Path, mode: int = 0o600) -> socket.socket:
    made = socket.socket(socket.AF_UNIX)
    made.bind(str(place))
    place.chmod(mode)
    made.listen()
    return made


@pytest.mark.parametrize(
    "case",
    [
        *("open folder", "linked folder", "foreign folder"),
        *("open socket", "linked socket", "foreign socket", "no socket"),
    ],
)
def test_a_socket_that_is_not_sound_is_not_asked(tmp_path, top, sockets, case):
    if case.startswith("foreign") and os.geteuid() != 0:
        pytest.skip("only root can give files away")
    folder = sockets / "own"
    folder.mkdir(0o700)
    place = socket_of(folder, top)
    if case == "linked socket":
        squatter = listening(sockets / "s")
        place.symlink_to(sockets / "s")
    else:
        squatter = listening(place, 0o666 if case == "open socket" else 0o600)
    with squatter:
        if case == "no socket":
            place.unlink()
            place.write_text("")
        elif case == "open folder":
            folder.chmod(0o755)
        elif case == "linked folder":
            (sockets / "link").symlink_to(folder)
            folder = sockets / "link"
        elif case == "foreign folder":  # as a squatter makes it in /tmp
            os.chown(folder, NOBODY, NOBODY)
        elif case == "foreign socket":
            os.chown(place, NOBODY, NOBODY)
        answer = run(command(own_package(tmp_path, SAYS_WHY), folder), top, event(top))
        assert why(answer) == "unsound"
        assert answer[2].startswith(b"ags-tui: ")
        assert answer[2].endswith(b"judged here\n")
        squatter.setblocking(False)
        with pytest.raises(BlockingIOError):
            squatter.accept()


@pytest.mark.parametrize(
    "reply",
    [
        *(b"", b"x" * 100, b"AGS2 0 0 0\n", b"AGS1 0 0\n", b"AGS1 256 0 0\n", b"AGS1 0 -1 1\n"),
        *(b"AGS1 0 2 0\n{", b"AGS1 0 0 0\nmore", b"AGS1 0 99999999999 0\n{}"),
    ],
)
def test_half_an_answer_is_no_verdict(tmp_path, top, sockets, reply):
    with listening(socket_of(sockets, top)) as rogue:
        process = start(command(own_package(tmp_path, SAYS_WHY), sockets), top)
        feed(process, event(top))
        connection, _ = rogue.accept()
        with connection:
            received = b""
            while not received.endswith(event(top)):
                received += connection.recv(1 << 16)
            connection.sendall(reply)
        assert why(finished(process)) == "no-verdict"


def test_a_server_of_another_user_is_not_asked(tmp_path, top, sockets):
    if os.geteuid() != 0:
        pytest.skip("only root can play two users")
    program = (
        "import os, socket, sys\n"
        "s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); os.chmod(sys.argv[1], 0o600)\n"
        "os.setuid(65534); s.listen(); print('ready', flush=True)\n"
        "c = s.accept()[0]; print(c.recv(9)); c.recv(9)\n"
    )
    rogue = start([sys.executable, "-c", program, str(socket_of(sockets, top))], tmp_path)
    try:
        assert rogue.stdout is not None
        assert rogue.stdout.readline() == b"ready\n"
        answer = run(command(own_package(tmp_path, SAYS_WHY), sockets), top, event(top))
        assert why(answer) == "unsound"
        assert b"another user" in answer[2]
        assert rogue.stdout.readline() == b"b''\n"
    finally:
        end(rogue)


def test_the_name_of_the_tree_is_that_of_the_server(top):
    assert quick_road.tree_of(os.fsencode(top / "src" / "deep")) == tree_name(top)
    (top / "src" / ".git").write_text("gitdir: elsewhere\n")
    assert quick_road.tree_of(os.fsencode(top / "src" / "deep")) == tree_name(top / "src")
    (top / "src" / "deep" / ".git").symlink_to("nothing")
    assert quick_road.tree_of(os.fsencode(top / "src" / "deep")) == tree_name(top / "src")
