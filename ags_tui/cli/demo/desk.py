"""What a scripted agent works with: files of the scratch repository and the agent side of ``ags-tui``."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from ags_tui.cli.demo.texts import TEXTS, Texts
from ags_tui.core.digests import digest
from ags_tui.core.seen import entry_of

POLL_S = 0.1
"""Seconds between two looks into the log while something is waited for."""

NOTICED_S = 30.0
"""Seconds after which an agent goes on even where nobody noticed that it strayed: no TUI may be open."""

_REACTIONS = frozenset({"edit", "block", "plan", "restore"})
"""Kinds of human entries that answer a file outside the plan."""


class Asked(NamedTuple):
    """Something that waits for the human."""

    id: str
    """``TASK/ID``."""
    claim: str
    """Token with which this agent, and no other, takes the decision."""


class Layout(NamedTuple):
    """Folders of a demo."""

    top: Path
    """The folder that the demo created."""

    @property
    def repository(self) -> Path:
        """The scratch repository."""
        return self.top / "shop"

    @property
    def state(self) -> Path:
        """Throw-away state and keys."""
        return self.top / "state"

    @property
    def config(self) -> Path:
        """Throw-away settings."""
        return self.top / "config"

    @property
    def language(self) -> Path:
        """Names the language of the play."""
        return self.top / "language"

    @property
    def texts(self) -> Texts:
        """What is read in the play."""
        return TEXTS[self.language.read_text(encoding="utf-8").strip()]

    @property
    def journal(self) -> Path:
        """What the agents said, line by line."""
        return self.top / "agents.log"

    def command(self, *words: str) -> list[str]:
        """An ``ags-tui`` call on this demo."""
        own = ["--state", str(self.state), "--config", str(self.config)]
        return [sys.executable, "-I", "-m", "ags_tui", "-C", str(self.repository), *own, *words]


class Desk:
    """The place of one agent at one task."""

    def __init__(self, top: Path, task_id: str, agent: str, pace: float) -> None:
        """Sit down.

        Args:
            top: Folder of the demo.
            task_id: Task folder.
            agent: Name under which the agent asks.
            pace: Seconds are multiplied by it; 0 does not wait.
        """
        self.layout = Layout(top)
        self.task_id = task_id
        self.agent = agent
        self.pace = pace
        self.texts = self.layout.texts
        self._log: dict[str, dict[str, Any]] = {}

    def on_task(self, task_id: str, agent: str) -> "Desk":
        """The same place at another task."""
        return Desk(self.layout.top, task_id, agent, self.pace)

    @property
    def folder(self) -> Path:
        """The task folder."""
        return self.layout.repository / ".ai" / "tasks" / self.task_id

    def pause(self, seconds: float) -> None:
        """Give the viewer time to look."""
        time.sleep(seconds * self.pace)

    def say(self, occasion: str, about: object = "") -> None:
        """Leave a line in the journal, then give the viewer time.

        Args:
            occasion: Key of ``Texts.says``.
            about: Path or number in it.
        """
        with self.layout.journal.open("a", encoding="utf-8") as journal:
            journal.write(f"{self.agent}: {self.texts.says[occasion].format(about)}\n")
        self.pause(1)

    def read_file(self, path: str) -> str:
        """Text of a file of the repository."""
        return (self.layout.repository / path).read_text(encoding="utf-8")

    def write_file(self, path: str, text: str) -> None:
        """Write a file of the repository."""
        target = self.layout.repository / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        self.pause(1)

    def write_contract(self, name: str, document: dict[str, Any], *, indent: int = 2) -> None:
        """Write a contract of the task in one step, as a careful agent does."""
        target = self.folder / name
        temporary = self.folder / f".tmp-{os.getpid()}-0"
        text = json.dumps(document, ensure_ascii=False, indent=indent) + "\n"
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(target)
        self.pause(1)

    def write_evidence(self, name: str, document: dict[str, Any]) -> None:
        """Write a result and touch nothing until the log holds it together with the tree of that moment.

        On a busy machine it can be seen too late to say which tree it speaks of. It is written again then,
        as other bytes, to tell the two apart in the log.
        """
        for indent in range(2, 10):
            self.write_contract(name, document, indent=indent)
            mine = digest((self.folder / name).read_bytes())
            seen = None
            while seen is None:
                time.sleep(POLL_S)
                seen = self._seen_with_tree(name, mine)
            if seen:
                return

    def request_edit(self, path: str, *, after: str, reason: str, risk: str) -> Asked:
        """Ask for an edit of a file."""
        words = ["--tool", "edit_file", "--path", path, "--after", after, "--reason", reason, "--risk", risk]
        return self._ask("request", *words)

    def request_command(self, command: str, *, reason: str, risk: str) -> Asked:
        """Ask to run a command."""
        words = ["--tool", "run_tests", "--command", command, "--reason", reason, "--risk", risk]
        return self._ask("request", *words)

    def escalate(self, question: str, options: dict[str, tuple[str, str]]) -> str:
        """Ask the human and wait; returns the id of the chosen option, or the words of the answer."""
        words = ["--question", question, "--risk", "medium", "--free-text"]
        for name, (label, consequence) in options.items():
            words += ["--option", f"{name}={label}::{consequence}"]
        asked = self._ask("escalate", *words)
        done = self._call("--json", "wait", asked.id, "--claim", asked.claim, "--timeout", "3600")
        if done.returncode:
            raise SystemExit(f"{self.agent}: nobody answered: {done.stderr}")
        effective = json.loads(done.stdout)["effective"]
        return str(effective.get("optionId") or effective.get("option") or effective.get("text"))

    def wait(self, asked: Asked) -> bool:
        """Wait for a decision; True where it was approved, and then this agent has taken the approval."""
        done = self._call("--json", "wait", asked.id, "--claim", asked.claim, "--timeout", "3600")
        return done.returncode == 0

    def wait_for_plan(self) -> None:
        """Wait until the human has approved exactly the plan that lies in the task folder."""
        mine = digest((self.folder / "plan.json").read_bytes())
        self.say("plan-waits")
        while not self._plan_approved(mine):
            time.sleep(POLL_S)

    def stand(self, path: str, seconds: float) -> str:
        """Leave a file outside the plan as it is until that was noticed and the viewer had time to look.

        Args:
            path: The file.
            seconds: How long it stands where nobody decides anything.

        Returns:
            ``restored``, ``kept`` or ``takes-back`` by what the viewer did, ``asks-first`` where nothing.
        """
        stands = self.read_file(path)
        noticed = self._until(lambda: self._outside(path), NOTICED_S)
        after = noticed or len(self._entries())
        ends = time.monotonic() + seconds * self.pace
        while time.monotonic() < ends:
            if self.read_file(path) != stands:
                return "restored"
            for entry in self._entries()[after:]:
                if entry["actor"]["source"] == "human" and entry["kind"] in _REACTIONS:
                    return "kept" if entry["verdict"] in ("approved", "amended") else "takes-back"
            time.sleep(POLL_S)
        return "asks-first"

    def _outside(self, path: str) -> int:
        """How many entries the log has, where it says that a path is outside the plan; else 0."""
        entries = self._entries()
        said = [entry_of(entry["data"]) for entry in entries if entry["kind"] == "observation"]
        last = next((one for one in reversed(said) if one is not None), None)
        return len(entries) if last is not None and path in last.now.names else 0

    def _until(self, fact: Callable[[], int], seconds: float) -> int:
        ends = time.monotonic() + seconds
        while not (found := fact()) and time.monotonic() < ends:
            time.sleep(POLL_S)
        return found

    def run_tests(self, command: str) -> tuple[int, int, str]:
        """Run the tests for real.

        Returns:
            Exit code, milliseconds, and the log's path relative to the task folder.
        """
        artifact = "artifacts/tests.log"
        target = self.folder / artifact
        target.parent.mkdir(parents=True, exist_ok=True)
        started = time.monotonic()
        with target.open("wb") as log:
            done = subprocess.run(
                ["/bin/sh", "-c", command],
                cwd=self.layout.repository,
                stdout=log,
                stderr=subprocess.STDOUT,
                env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
                check=False,
            )
        return done.returncode, int((time.monotonic() - started) * 1000), artifact

    def _plan_approved(self, mine: str) -> bool:
        return any(
            entry["kind"] == "plan" and entry["verdict"] == "approved" and entry["subject"]["digest"] == mine
            for entry in self._entries()
        )

    def _seen_with_tree(self, name: str, mine: str) -> bool | None:
        """Tell whether the log knows which tree a file speaks of; None where it has not seen the file yet."""
        for entry in self._entries():
            if entry["kind"] == "observation" and entry["subject"] == {"id": name, "digest": mine}:
                return bool(entry["data"].get("treeDigest"))
        return None

    def _entries(self) -> list[dict[str, Any]]:
        """Entries of the task's log, in order; their files are created once and never change."""
        for path in sorted((self.folder / "log").glob("[0-9]*.json")):
            if path.name not in self._log:
                try:
                    self._log[path.name] = json.loads(path.read_bytes())["payload"]
                except ValueError:  # a file system without links: it is being written
                    break
        return list(self._log.values())

    def _ask(self, command: str, *words: str) -> Asked:
        done = self._call("--json", command, "--task", self.task_id, "--agent", self.agent, *words)
        if done.returncode:
            raise SystemExit(f"{self.agent}: {done.stderr}")
        document = json.loads(done.stdout)
        return Asked(document["id"], document["claim"])

    def _call(self, *words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            self.layout.command(*words), capture_output=True, text=True, encoding="utf-8", check=False
        )
