"""Runs ``ags-tui`` as a real process on real repositories, with throw-away state and settings."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.cli.zygote import Zygote

TOP = Path(__file__).resolve().parents[2]

GIT = (
    "git", "-c", "user.name=Test", "-c", "user.email=test@example.invalid", "-c", "commit.gpgsign=false",
    "-c", "init.defaultBranch=main",
)  # fmt: skip


@dataclass(frozen=True)
class Done:
    """How a process ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        document = json.loads(self.out)
        assert document["version"] == 1
        return document


@dataclass
class Cli:
    """The command in one folder with one set of throw-away folders."""

    folder: Path
    work: Path
    zygote: Zygote
    environment: dict[str, str] = field(default_factory=dict[str, str])
    started: list["subprocess.Popen[bytes]"] = field(default_factory=list["subprocess.Popen[bytes]"])

    def arguments(self, *words: str | Path) -> list[str]:
        own = ("--state", str(self.folder / "state"), "--config", str(self.folder / "config"))
        return [sys.executable, "-m", "ags_tui", *own, *map(str, words)]  # first: words may hold ``--``

    def env(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL", "TMPDIR") if name in os.environ}
        return {**kept, "PYTHONPATH": str(TOP), "HOME": str(self.folder), "TERM": "xterm", **self.environment}

    def __call__(self, *words: str | Path, stdin: str | bytes = b"", cwd: Path | None = None) -> Done:
        """Run a command in a process of its own, forked from one that has imported everything."""
        data = stdin.encode() if isinstance(stdin, str) else stdin
        code, out, err = self.zygote.run(self.arguments(*words)[3:], cwd or self.work, self.env(), data)
        return Done(code, out.decode(), err.decode())

    def exec(self, *words: str | Path, stdin: str | bytes = b"") -> Done:
        """Run a command from the very start, as a shell would."""
        return self.raw(self.arguments(*words), stdin=stdin)

    def raw(self, arguments: list[str], *, stdin: str | bytes = b"", cwd: Path | None = None) -> Done:
        done = subprocess.run(
            arguments,
            input=stdin.encode() if isinstance(stdin, str) else stdin,
            cwd=cwd or self.work,
            env=self.env(),
            capture_output=True,
            timeout=60,
            check=False,
        )
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    def start(self, *words: str | Path) -> "subprocess.Popen[bytes]":
        process = subprocess.Popen(
            self.arguments(*words),
            cwd=self.work,
            env=self.env(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.started.append(process)
        return process

    def git(self, *words: str) -> str:
        done = subprocess.run(
            [*GIT, *words], cwd=self.work, env={"PATH": os.environ["PATH"], "HOME": str(self.folder)},
            capture_output=True, check=True,
        )  # fmt: skip
        return done.stdout.decode()

    @property
    def root(self) -> Path:
        return self.work / ".ai"

    def task(self, task_id: str) -> Path:
        return self.root / "tasks" / task_id


@pytest.fixture(scope="session")
def zygote() -> Iterator[Zygote]:
    """One for all tests of a worker."""
    made = Zygote(TOP)
    yield made
    made.end()


@pytest.fixture
def cli(tmp_path: Path, zygote: Zygote) -> Iterator[Cli]:
    """The command in a repository with one commit."""
    work = tmp_path / "repo"
    work.mkdir()
    made = Cli(tmp_path, work, zygote)
    made.git("init", "-q")
    (work / "src").mkdir()
    (work / "src" / "app.py").write_text("print('hello')\n")
    (work / "README.md").write_text("# app\n")
    made.git("add", ".")
    made.git("commit", "-q", "-m", "first")
    yield made
    for process in made.started:
        if process.poll() is None:
            process.kill()
        process.communicate()
