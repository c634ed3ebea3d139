"""Real hooks, the real TUI in a terminal, a human at its keys; and the pieces of that which stand alone."""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

import ags_tui
from ags_tui.agents.sockets import server_folder, tree_name
from ags_tui.cli.beside import BesideAgents
from ags_tui.core.policy.calls import ToolCall
from ags_tui.core.rule_making import Widening, base_of, rule_for
from ags_tui.core.session_calls import calls_of
from ags_tui.core.tree_rules import remember, revoke, trust_policy
from ags_tui.io.keys import Keys
from ags_tui.io.places import Places
from ags_tui.io.session_move import move_sessions
from ags_tui.io.session_reads import SessionNews
from tests.agents.judging import SESSION, TASK, Desk
from tests.agents.test_offline import hook as offline_hook
from tests.agents.test_reconcile import call as transcript_call
from tests.agents.test_reconcile import transcript
from tests.cli.conftest import Cli
from tests.cli.test_tui_start import Terminal

HOOK = Path(ags_tui.__file__).parent / "agents" / "hook.py"


class Human(Terminal):
    """Somebody at the keys."""

    def press(self, keys: str) -> None:
        self.process.write(keys.encode())

    def press_until(self, keys: str, text: str) -> None:
        """Press again and again until a text is there: keys right after a dialog are dropped."""
        end = time.monotonic() + 40
        while text not in "\n".join(self.screen.display):
            assert time.monotonic() < end, "\n".join(self.screen.display)
            self.press(keys)
            pause = time.monotonic() + 5
            while time.monotonic() < pause and text not in "\n".join(self.screen.display):
                self.read()

    def commit(self, key: str, title: str) -> None:
        """Press a deciding key until its screen is gone: the guard drops what comes with other keys."""
        end = time.monotonic() + 40
        while title in "\n".join(self.screen.display):
            assert time.monotonic() < end, "\n".join(self.screen.display)
            self.press(key)
            pause = time.monotonic() + 1
            while time.monotonic() < pause and title in "\n".join(self.screen.display):
                self.read()


class Client:
    """A client's hooks in one work tree."""

    def __init__(self, cli: Cli) -> None:
        self.cli = cli
        self.running: list[subprocess.Popen[bytes]] = []

    def ask(self, call_id: str, command: str) -> "subprocess.Popen[bytes]":
        payload = {
            "session_id": SESSION, "transcript_path": "/t.jsonl", "cwd": str(self.cli.work),
            "hook_event_name": "PreToolUse", "prompt_id": "p1", "permission_mode": "default",
            "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": call_id,
        }  # fmt: skip
        state, config = str(self.cli.folder / "state"), str(self.cli.folder / "config")
        hook = subprocess.Popen(
            [sys.executable, "-I", "-S", str(HOOK), "claude-code", "--state", state, "--config", config],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={"PATH": os.environ["PATH"], "HOME": str(self.cli.folder)},
        )  # fmt: skip
        self.running.append(hook)
        assert hook.stdin is not None
        hook.stdin.write(json.dumps(payload).encode())
        hook.stdin.close()
        return hook

    @staticmethod
    def answer(hook: "subprocess.Popen[bytes]") -> tuple[int, str, str]:
        assert hook.stdout is not None
        said = json.loads(hook.stdout.read())["hookSpecificOutput"]
        return hook.wait(40), said["permissionDecision"], said["permissionDecisionReason"]


@pytest.fixture
def client(cli: Cli) -> Iterator[Client]:
    made = Client(cli)
    yield made
    for hook in made.running:
        hook.kill()
        for pipe in (hook.stdout, hook.stderr):
            assert pipe is not None
            pipe.close()
        hook.wait()


def entries(cli: Cli, call_id: str) -> list[tuple[str, str]]:
    """What the log of the session's task says about the request of a call."""
    folder = next((cli.folder / "state" / "trees").glob(f"*/ai/tasks/{TASK}/log"))
    rows = [json.loads(path.read_bytes())["payload"] for path in sorted(folder.glob("*.json"))]
    return [(row["kind"], row["verdict"]) for row in rows if row["subject"]["id"] == f"call-{call_id}"]


def test_a_human_approves_denies_and_leaves_while_a_hook_waits(cli: Cli, client: Client) -> None:
    human = Human(cli)
    try:
        human.until("NEEDS YOU")
        socket = server_folder(os.geteuid()) / f"{tree_name(cli.work)}.sock"
        _wait(socket.exists)

        first = client.ask("one", "npm ci")
        human.until("npm ci")
        human.until("claude-code")
        human.press_until("a", "Approve this request?")
        human.until("✔ ^o approve once")
        human.commit("\x0f", "Approve this request?")
        code, decision, reason = client.answer(first)
        assert (code, decision) == (0, "allow")
        assert "approved in ags-tui by" in reason
        assert entries(cli, "one") == [("tool-request", "approved"), ("request", "consumed")]

        second = client.ask("two", "npm install left-pad")
        human.until("left-pad")
        human.press_until("d", "Deny with a reason")
        human.press("too much\r")
        human.until("^o or Enter to deny")
        human.commit("\r", "Deny with a reason")
        code, decision, reason = client.answer(second)
        assert (code, decision) == (2, "deny")
        assert "a human denied it: too much" in reason

        third = client.ask("three", "npm publish")
        human.until("npm publish")
        human.press_until("q", "1 call waits; leaving answers them as when_absent: deny. q again to leave")
        human.press("q")
        assert human.end() == 0
        code, decision, reason = client.answer(third)
        assert (code, decision) == (2, "deny")
        assert "Nobody is at ags-tui" in reason
        assert ("request", "withdrawn") in entries(cli, "three")
        log = cli("log", TASK).out
        assert "withdrawn  call-three  ags-tui was left; the call was denied (when_absent)" in log
        assert not (cli.work / ".ai").exists()
    finally:
        human.process.close(force=True)


def _wait(fact: Callable[[], bool]) -> None:
    end = time.monotonic() + 40
    while not fact():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)


class Ears:
    """Hears nothing of interest."""

    def __init__(self) -> None:
        self.alarms: list[str] = []
        self.answers = 0

    def asked(self, agent: str, at: datetime) -> None:
        del agent, at

    def answered(self) -> None:
        self.answers += 1

    def alarm(self, text: str) -> None:
        self.alarms.append(text)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    made = Desk(tmp_path)
    made.open()
    return made


def beside(desk: Desk) -> BesideAgents:
    return BesideAgents(desk.work, desk.places, lambda: Keys.open(desk.places), sockets=desk.folder / "run")


async def test_rules_and_trust_are_recorded_in_the_log_of_the_work_tree_and_count(desk: Desk) -> None:
    await desk.ask(desk.bash("c1", "ls"))
    port = beside(desk)
    (seen,) = port.sessions()
    assert [(call.state, call.source) for call in calls_of(seen.lines)] == [("allow", "built-in")]
    assert port.sessions() is port.sessions()

    now = datetime.now(UTC)
    call = ToolCall("shell", "Bash", "npm ci", cwd=str(desk.work), agent="claude-code")
    verdict = port.try_line("npm ci")
    assert verdict.decision == "ask"
    base = base_of(call, verdict, port._rules_of().ground(""))  # pyright: ignore[reportPrivateUsage]
    rule = rule_for(base, Widening(), now)
    assert port.preview(base, rule).verdict.decision == "allow"
    port.record(remember(port.key, rule, preview=0, call={"command": "npm ci"}))
    assert [one.rule.rule_id for one in port.rules().remembered] == [rule.rule.rule_id]
    assert port.try_line("npm ci").decision == "allow"
    assert (await desk.ask(desk.bash("c2", "npm ci"))).exit_code == 0
    assert desk.verdicts("c2") == [("allow", "remembered")]

    port.record(revoke(port.key, rule, "done"))
    assert port.try_line("npm ci").decision == "ask"
    assert not list(desk.work.rglob("*.json"))


async def test_trust_is_in_exact_bytes(desk: Desk) -> None:
    policy = Path(desk.tree.root) / "policy.toml"
    policy.parent.mkdir(parents=True, exist_ok=True)
    policy.write_text('[[rule]]\nid = "t"\ndecision = "allow"\ntool = "shell"\ncommand = "npm ci"\n')
    port = beside(desk)
    rules = port.rules()
    assert rules.repository is not None
    assert (rules.trusted, rules.repository_text) == (False, policy.read_bytes())
    assert port.try_line("npm ci").decision == "ask"

    port.record(trust_policy(port.key, rules.repository.digest, str(policy)))
    assert port.rules().trusted
    assert port.try_line("npm ci").decision == "allow"
    policy.write_text(policy.read_text() + "# one byte more\n")
    assert not port.rules().trusted
    assert port.try_line("npm ci").decision == "ask"


async def test_the_call_behind_a_request_is_found(desk: Desk) -> None:
    asked = desk.start(desk.bash("c1", "npm ci && npm test"))
    (item,) = await desk.human.pending()
    base = beside(desk).base(item.task_id, item.item_id)
    assert base is not None
    assert base.call.command == "npm ci && npm test"
    assert [target.what for target in base.targets] == ["npm ci", "npm test"]
    assert beside(desk).base(item.task_id, "call-none") is None
    await desk.human.deny("no")
    await asked


def test_a_call_that_another_process_answers_is_told(desk: Desk) -> None:
    """Its hook finds no server here: what it writes down wakes the screen all the same."""
    assert offline_hook(desk, desk.bash("a", "ls")).returncode == 0
    news = SessionNews(desk.tree, desk.places)
    assert [news.moved(), news.moved()] == [False, False]
    port, ears = beside(desk), Ears()
    port.start(ears)
    try:
        _wait(lambda: port.serving)
        assert offline_hook(desk, desk.bash("b", "pwd")).returncode == 0
        _wait(lambda: ears.answers > 0)
    finally:
        port.stop()
    assert [news.moved(), news.moved()] == [True, False]
    other = desk.bash("c", "ls").replace(SESSION.encode(), b"another-session")
    assert offline_hook(desk, other).returncode == 0
    assert [news.moved(), news.moved()] == [True, False]
    assert offline_hook(desk, other).returncode == 0
    assert [news.moved(), news.moved()] == [True, False]


def test_the_seat_goes_to_the_second_when_the_first_ends(desk: Desk) -> None:
    first, second = beside(desk), beside(desk)
    first.start(Ears())
    second.start(Ears())
    try:
        _wait(lambda: first.serving)
        assert not second.serving
        first.stop()
        _wait(lambda: second.serving)
    finally:
        first.stop()
        second.stop()


def test_a_client_that_works_here_without_hooks_is_an_alarm(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ags_tui.cli.beside.FIRST_LOOK_S", 0.01)
    monkeypatch.setattr("ags_tui.agents.transcript_watch.LOOK_S", 0.05)
    path = transcript(desk, "stranger")
    path.write_bytes(transcript_call("c1", session="stranger", cwd=str(desk.work)))
    ears, homes = Ears(), (str(desk.folder / "home"),)
    port = BesideAgents(
        desk.work, desk.places, lambda: Keys.open(desk.places), sockets=desk.folder / "run", homes=homes
    )
    port.start(ears)
    try:
        _wait(lambda: bool(ears.alarms))
    finally:
        port.stop()
    assert [text.partition(" works")[0] for text in ears.alarms] == ["claude-code session stranger"]
    assert "ags-transcripts" not in [thread.name for thread in threading.enumerate()]


def test_a_state_folder_that_cannot_be_written_is_an_alarm(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    blocked = tmp_path / "file"
    blocked.write_text("")
    port = BesideAgents(
        desk.work, Places(blocked / "state", blocked / "config"), lambda: Keys.open(desk.places)
    )
    ears = Ears()
    port.start(ears)
    assert len(ears.alarms) == 1
    assert "hooks are not answered here" in ears.alarms[0]
    assert not port.serving
    port.stop()


def test_tasks_of_sessions_move_into_the_repository_and_nothing_is_overwritten(tmp_path: Path) -> None:
    own, root = tmp_path / "own", tmp_path / "repo" / ".ai"
    for name in ("session-a", "session-b"):
        (own / "tasks" / name / "log").mkdir(parents=True)
        (own / "tasks" / name / "log" / "000000.json").write_text(name)
    (root / "tasks" / "session-b").mkdir(parents=True)
    assert move_sessions(own, root) == ("session-a",)
    assert (root / "tasks/session-a/log/000000.json").read_text() == "session-a"
    assert (own / "tasks/session-b/log/000000.json").read_text() == "session-b"
    assert "tasks/session-*" in (root / ".gitignore").read_text()
    assert move_sessions(tmp_path / "nothing", root) == ()
