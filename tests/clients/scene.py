"""A real client in a scratch repository, started by ``ags-tui run``, with a human beside it or nobody."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from ags_tui.agents.connect.clients import CLIENTS as CONNECTED
from ags_tui.agents.connect.clients import wanted
from ags_tui.agents.connect.command import HookCommand, installed_command
from ags_tui.agents.connect.entries import put_in
from ags_tui.agents.live import LiveJudge
from ags_tui.agents.serve import serving
from ags_tui.core.activity import ActivityLine
from ags_tui.core.assessment import Pending
from ags_tui.core.checks.assess import assess
from ags_tui.core.drafts import Viewing, answer, approve, deny
from ags_tui.io.activity import lines_of
from ags_tui.io.places import Places
from ags_tui.io.trees import Tree, opt_in, tree_at
from ags_tui.io.workspace import Workspace
from tests.clients.drive import SERVERS, WORDS, Desk, Run, Started, client_environment, lay_gemini_settings
from tests.clients.install import CLIENTS
from tests.clients.servers import Call, ModelServer, Say, Turn
from tests.leftovers import Process, mentioning

T = TypeVar("T")

SEEN = Viewing(lines=10, total=10, tty="/dev/pts/9")
WAIT_S = 30.0
"""How long a fact may take on a busy machine; nothing waits so long when all is well."""
DONE: Turn = (Say("done"),)


def until(fact: Callable[[], T | None], what: str = "it") -> T:
    """Wait for a fact."""
    end = time.monotonic() + WAIT_S
    while time.monotonic() < end:
        found = fact()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError(f"{what} did not happen")


@dataclass
class Scene:
    """A repository, a home, throw-away state; one client."""

    folder: Path
    agent: str
    desk: Desk = field(init=False)
    started: list[Started] = field(default_factory=list[Started])

    def __post_init__(self) -> None:
        self.desk = Desk.lay(self.folder)
        self.places = Places(self.folder / "state", self.folder / "config")
        if self.agent == "gemini":
            lay_gemini_settings(self.desk)
            self.connect()

    @property
    def repo(self) -> Path:
        return self.desk.repo

    @property
    def program(self) -> Path:
        return CLIENTS[self.agent].path

    @property
    def tree(self) -> Tree:
        found = tree_at(str(self.repo), self.places)
        assert found is not None
        return found

    def shell(self, line: str) -> Call:
        """A shell call as the model of this client writes it."""
        match self.agent:
            case "claude-code":
                return Call("Bash", {"command": line, "description": "x"})
            case "codex":
                return Call("exec_command", {"cmd": line})
            case _:
                return Call("run_shell_command", {"command": line, "description": "x"})

    def new_file(self, path: str, text: str) -> Call:
        """A call that writes a new file of whole lines."""
        match self.agent:
            case "claude-code":
                return Call("Write", {"file_path": str(self.repo / path), "content": text})
            case "codex":
                lines = "".join(f"+{line}\n" for line in text.removesuffix("\n").split("\n"))
                return Call("apply_patch", f"*** Begin Patch\n*** Add File: {path}\n{lines}*** End Patch\n")
            case _:
                return Call("write_file", {"file_path": str(self.repo / path), "content": text})

    @property
    def free(self) -> tuple[str, ...]:
        """Arguments with which the client itself lets its calls run; the others are started so anyway."""
        return ("--allowedTools", "Bash") if self.agent == "claude-code" else ()

    def ags(self, *words: str | Path) -> list[str]:
        """Words of an ``ags-tui`` command."""
        own = ("--state", self.places.state, "--config", self.places.config)
        return [sys.executable, "-I", "-m", "ags_tui", *map(str, (*own, *words))]

    def environment(self, server: ModelServer) -> dict[str, str]:
        return client_environment(self.agent, self.desk, server)

    def command(self, *words: str | Path) -> "subprocess.CompletedProcess[str]":
        """Run an ``ags-tui`` command to its end."""
        return subprocess.run(
            self.ags(*words), cwd=self.repo, env=self.desk.environment(),
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=120,
        )  # fmt: skip

    def connect(self) -> None:
        done = self.command("connect", self.agent, "--home", self.desk.home, "--yes")
        assert done.returncode == 0, done.stderr

    def check(self) -> dict[str, dict[str, str]]:
        """What ``connect --check`` says, by area."""
        done = self.command(
            "connect", self.agent, "--home", self.desk.home, "--client", self.program, "--check", "--json"
        )
        return {row["area"]: row for row in json.loads(done.stdout)["checks"]}

    @contextmanager
    def model(self, *script: Turn) -> Generator[ModelServer]:
        """The model, with what it will say."""
        with SERVERS[self.agent](script) as server:
            yield server

    def start(self, server: ModelServer, *options: str, words: Sequence[str] = ()) -> Started:
        """Start the client as a user would: ``ags-tui run AGENT -- …``."""
        before = self.ags("run", self.agent, *options, "--client", self.program, "--")
        return self._started([*before, *WORDS[self.agent], *words], self.environment(server))

    def _started(self, words: list[str], environment: dict[str, str]) -> Started:
        made = Started(words, self.desk, environment)
        self.started.append(made)
        return made

    def end(self) -> None:
        """Leave nothing running, also where a test failed."""
        for one in self.started:
            if one.process.returncode is None:
                one.kill()
                one.process.communicate()

    def start_with_hook(self, server: ModelServer, script: Path) -> Started:
        """Start the client with another script in place of the hook, for which it waits two seconds."""
        held = wanted(CONNECTED[self.agent], replace(self.hook, script=str(script)))
        words = self.free
        path = self.desk.home / CONNECTED[self.agent].settings
        path.parent.mkdir(exist_ok=True)
        environment = self.environment(server)
        text = put_in(path.read_text() if path.exists() else "", held)
        path.write_text(re.sub(r'("timeout": )\d+', rf"\g<1>{2000 if self.agent == 'gemini' else 2}", text))
        if self.agent == "codex":
            words = ("--dangerously-bypass-hook-trust",)
        return self._started([str(self.program), *WORDS[self.agent], *words], environment)

    def start_by_hand(self, server: ModelServer, *, free: bool = False, words: Sequence[str] = ()) -> Started:
        """Start the client as if there were no ags-tui.

        Args:
            server: The model.
            free: Whether the client itself lets its calls run.
            words: Further arguments.
        """
        words = (*(self.free if free else ()), *words)
        return self._started([str(self.program), *WORDS[self.agent], *words], self.environment(server))

    @property
    def hook(self) -> HookCommand:
        """The hook as it is installed."""
        return installed_command(self.agent, self.places)

    def run(self, server: ModelServer, *options: str) -> Run:
        """The same to its end."""
        return self.start(server, *options).end()

    @contextmanager
    def human(self) -> Generator["Human"]:
        """Someone at ags-tui: the decision server of this work tree, and decisions with the human key."""
        opt_in(str(self.repo), self.places)
        judge = LiveJudge(self.tree, self.places)
        alarms: list[str] = []
        with serving(self.repo, judge, on_alarm=alarms.append, on_call=lambda _agent, _at: None):
            yield Human(self, judge)
        assert alarms == []

    def lines(self) -> list[ActivityLine]:
        """All that is on record of all sessions, in its order."""
        sessions = (self.places.state / "activity").glob("*.jsonl")
        lines = (line for path in sessions for line in lines_of(self.places, path.stem))
        return sorted(lines, key=lambda line: line.at)

    def hooks(self) -> list[Process]:
        """Hook processes of this scene that run now."""
        own = mentioning((str(self.places.state),))
        return [one for one in own if one.command.startswith(f"{self.hook.python} -I -S {self.hook.script} ")]

    def kill_hook(self) -> None:
        """Kill the hook that waits, as an out-of-memory killer would."""
        for one in until(self.hooks, "a waiting hook"):
            os.kill(one.number, signal.SIGKILL)


class Human:
    """Sees what the TUI would show, and decides it."""

    def __init__(self, scene: Scene, judge: LiveJudge) -> None:
        self.judge = judge
        self.workspace = Workspace.open(scene.repo, root=Path(scene.tree.root), places=scene.places)

    def look(self) -> list[Pending]:
        """What waits for a human."""
        snapshot = self.workspace.read()
        while self.workspace.observe(snapshot, datetime.now(UTC)):
            snapshot = self.workspace.read()
        return list(assess(snapshot, datetime.now(UTC)).pending)

    def asked(self, word: str) -> Pending:
        """Wait for the request that says so."""
        return until(
            lambda: next((one for one in self.look() if word in self.text(one)), None), f"asking for {word!r}"
        )

    def text(self, item: Pending) -> str:
        """All text of a request, as its file holds it."""
        file = self.workspace.folder(item.task_id) / item.artifact
        return f"{item.item_id} {file.read_text() if item.artifact else ''}"

    def proposed(self, item: Pending) -> str:
        """The text that a file would have."""
        file = self.workspace.folder(item.task_id) / item.artifact
        return json.loads(file.read_bytes())["payload"]["proposedChange"]["after"]

    def findings(self, task_id: str) -> list[str]:
        """Codes of what is found in a task."""
        tasks = assess(self.workspace.read(), datetime.now(UTC)).tasks
        return [one.code for task in tasks if task.task_id == task_id for one in task.findings]

    def approve(self, item: Pending) -> None:
        self.workspace.record(approve(item, SEEN))

    def deny(self, item: Pending, reason: str) -> None:
        self.workspace.record(deny(item, reason))

    def answer(self, item: Pending, option: str) -> None:
        self.workspace.record(answer(item, SEEN, option=option))
