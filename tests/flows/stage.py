"""A stage for whole flows: agents write files, processes of the command run, a human decides with the key."""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from subprocess import CalledProcessError
from typing import Any

from ags_tui.core.assessment import Assessment, TaskAssessment
from ags_tui.core.checks.assess import assess
from ags_tui.core.contracts.base import Contract
from tests import builders
from tests.cli.conftest import Cli, Done
from tests.cli.human import Human
from tests.cli.zygote import Zygote

TASK = "login-error-message"
MAPPER = "Sources/Auth/AuthErrorMapper.swift"
TESTS = "Tests/LoginViewModelTests.swift"
VIEW = "Sources/Auth/LoginView.swift"
REPOSITORY = "Sources/Auth/AuthRepository.swift"
BASE: Mapping[str, str] = {
    MAPPER: "raw server error\n",
    TESTS: "no test\n",
    VIEW: "label\n",
    REPOSITORY: "repository\n",
    "Sources/Net/NetworkClient.swift": "client\n",
    "DesignSystem/Button.swift": "button\n",
    "Tests/run.sh": "set -e\necho running\ngrep -q friendly Sources/Auth/AuthErrorMapper.swift\n"
    "grep -q test_timeout Tests/LoginViewModelTests.swift\necho 2 passed\n",
}
COMMAND = "sh Tests/run.sh"


@dataclass
class Stage:
    """One repository with its agents, its human and its processes."""

    cli: Cli
    human: Human

    @property
    def work(self) -> Path:
        """The work tree."""
        return self.cli.work

    def folder(self, task_id: str = TASK) -> Path:
        """A task folder."""
        return self.cli.task(task_id)

    def git(self, *words: str) -> str:
        """Git, as a developer runs it."""
        return self.cli.git(*words)

    def git_may_fail(self, *words: str) -> None:
        """Git, where it is no matter whether it can do that now."""
        with suppress(CalledProcessError):
            self.git(*words)

    def edit(self, path: str, text: str | None) -> None:
        """An agent edits a file of the work tree; None deletes it."""
        place = self.work / path
        if text is None:
            place.unlink()
            return
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def write(self, path: str, document: Contract | Mapping[str, Any] | bytes, task_id: str = TASK) -> None:
        """An agent writes a contract file, as agents do: beside it first, then in its place."""
        place = self.folder(task_id) / path
        place.parent.mkdir(parents=True, exist_ok=True)
        part = place.parent / ".tmp-1-1"
        part.write_bytes(raw_of(document))
        part.rename(place)

    def age(self, path: str, seconds: float, task_id: str = TASK) -> None:
        """Let a file have been written some time ago."""
        place = self.folder(task_id) / path
        then = place.stat().st_mtime - seconds
        os.utime(place, (then, then))

    def new_task(self, task_id: str = TASK, *words: str) -> None:
        """A small task with its baseline, by the command."""
        done = self.cli(
            "task", "new", task_id, "--id", task_id, "--description", "d", "--risk", "low", *words
        )
        assert done.code == 0, done.err

    def plan(self, *edits: str, task_id: str = TASK, **fields: Any) -> None:
        """An agent writes a small plan."""
        self.write("plan.json", small_plan(task_id, *edits, **fields), task_id)

    def bare(self, *words: str) -> Done:
        """A command with nothing but these words."""
        code, out, err = self.cli.zygote.run(list(words), self.work, self.cli.env(), b"")
        return Done(code, out.decode(), err.decode())

    # -- what is shown -----------------------------------------------------------------------------------

    def look(self) -> Assessment:
        """What the screen shows, after it recorded what is due."""
        return self.human.look()

    def task(self, task_id: str = TASK) -> TaskAssessment:
        """One task of it."""
        return self.human.task(task_id)

    def only_read(self) -> Assessment:
        """What the screen shows, with nothing recorded."""
        return assess(self.human.workspace.read(), datetime.now(UTC))

    def gate(self, task_id: str = TASK, *words: str) -> Done:
        """The command, by a process."""
        done = self.cli("gate", task_id, "--json", *words)
        assert "tasks" in done.json, (done.out, done.err)
        return done

    def gate_code(self, task_id: str = TASK, *words: str) -> tuple[int, str]:
        """Exit code and headline."""
        done = self.gate(task_id, *words)
        return done.code, done.json["tasks"][0]["gate"]["headline"]


def begin(top: Path, zygote: Zygote) -> Stage:
    """Make a repository with one commit."""
    work = top / "repo"
    work.mkdir()
    cli = Cli(top, work, zygote)
    cli.git("init", "-q")
    for path, text in BASE.items():
        (work / path).parent.mkdir(parents=True, exist_ok=True)
        (work / path).write_text(text)
    cli.git("add", ".")
    cli.git("commit", "-q", "-m", "first")
    return Stage(cli, Human(cli))


def raw_of(document: Contract | Mapping[str, Any] | bytes) -> bytes:
    """The bytes of a contract file."""
    if isinstance(document, bytes):
        return document
    if isinstance(document, Contract):
        return builders.contract_bytes(document)
    return json.dumps(document, ensure_ascii=False).encode()


def small_plan(task_id: str, *edits: str, **fields: Any) -> Contract:
    """A plan of one step without tests."""
    defaults: dict[str, Any] = {
        "task_id": task_id, "risk_level": "low", "files_to_read": (), "files_to_edit": edits or (MAPPER,),
        "files_not_to_edit": (), "steps": (builders.plan_step("one", input_files=()),), "tests_to_run": (),
        "requires_human_approval": False, "stop_conditions": (),
    }  # fmt: skip
    return builders.agent_plan(**{**defaults, **fields})
