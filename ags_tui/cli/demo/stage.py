"""Builds what the demo plays in: a scratch repository, tasks with baselines, throw-away keys and settings."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from ags_tui.cli.demo import program, project
from ags_tui.cli.demo.desk import Layout
from ags_tui.cli.failures import UsageProblem
from ags_tui.core.contracts.task import AgentTask
from ags_tui.io.init_folder import init_folder
from ags_tui.io.places import Places
from ags_tui.io.settings import DEFAULT_ROOT
from ags_tui.io.workspace import Workspace

_IDENTITY = ("-c", "user.name=demo", "-c", "user.email=demo@localhost", "-c", "commit.gpgsign=false")


def choose_folder(given: Path | None) -> Path:
    """The folder to play in: a new one, or a given one that does not exist or is empty.

    Raises:
        UsageProblem: The given folder holds something, or cannot be made.
    """
    if given is None:
        return Path(tempfile.mkdtemp(prefix="ags-tui-demo-")).resolve()
    try:
        given.mkdir(parents=True, exist_ok=True)
        held = next(given.iterdir(), None)
    except OSError as error:
        raise UsageProblem(f"--dir {given}: {error.strerror or error}; name a new folder") from error
    if held is not None:
        raise UsageProblem(f"--dir {given}: holds {held.name} already; name a new or an empty folder")
    return given.resolve()


def set_stage(top: Path, language: str) -> Workspace:
    """Build everything inside ``top`` and open it.

    Args:
        top: An empty folder.
        language: Key of ``TEXTS``.
    """
    layout = Layout(top)
    layout.language.write_text(f"{language}\n", encoding="utf-8")
    texts = layout.texts
    for path, text in program.files(texts).items():
        target = layout.repository / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    _git(layout.repository, "init", "--quiet", "--initial-branch=main")
    _git(layout.repository, "add", "--all")
    _git(layout.repository, *_IDENTITY, "commit", "--quiet", "--message", "The shop before the change")
    _git(layout.repository, "switch", "--quiet", "--create", "fix/login-error")
    places = Places(state=layout.state, config=layout.config)
    init_folder(layout.repository / DEFAULT_ROOT)
    workspace = Workspace.open(layout.repository, places=places)
    (top / "trusted-keys").write_text(workspace.keys.export_trust(), encoding="utf-8")
    for task in (project.task(texts), project.SIDE_TASK):
        workspace.new_task(AgentTask.model_validate(task, strict=False))
    return workspace


@contextmanager
def agents(top: Path, speed: float) -> Generator["subprocess.Popen[bytes]"]:
    """The agents, playing while the block runs; what is left of them is ended afterwards.

    Args:
        top: Folder of the demo.
        speed: How many times faster than for a human viewer.
    """
    words = [sys.executable, "-I", "-m", "ags_tui.cli.demo.director", str(top), str(1 / speed)]
    with subprocess.Popen(
        words,
        cwd=top,  # the folder in which the human started it may go away
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as director:
        try:
            yield director
        finally:
            with suppress(ProcessLookupError):  # the piece may be over
                os.killpg(director.pid, signal.SIGTERM)
            director.wait()


def _git(repository: Path, *words: str) -> None:
    """Run git as the owner of the scratch repository, without the user's own configuration."""
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(repository),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    subprocess.run(
        ["git", "-C", str(repository), *words], env=environment, check=True, capture_output=True, timeout=60
    )
