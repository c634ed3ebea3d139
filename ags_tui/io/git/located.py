"""Finding a repository: git says where it is, under a time limit.

GitPython is opened later, with the first object that is read.
"""

import os
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Literal

from ags_tui.io.git.failures import GitFailed, NotARepository
from ags_tui.io.git.run import Runner
from ags_tui.io.plain_files import NotPlain, read_plain

OPEN_TIMEOUT_S = 10.0
"""Seconds for each question while opening."""

Algorithm = Literal["sha1", "sha256"]
"""Object format of a repository."""

_QUESTIONS = (
    "--is-inside-git-dir",
    "--show-object-format",
    "--path-format=absolute",
    "--absolute-git-dir",
    "--git-common-dir",
    "--show-toplevel",
)
_NO_WORK_TREE = "must be run in a work tree"
_GIT_FILE = b"gitdir: "
_GIT_FILE_LIMIT = 64 * 1024

_environment_lock = threading.Lock()


@dataclass(frozen=True, slots=True, eq=False)
class Located:
    """A repository that was found."""

    top: str
    """Absolute path of the work tree, links resolved."""
    git_dir: str
    """Absolute path of this work tree's git folder."""
    common_dir: str
    """Absolute path of the shared git folder."""
    algorithm: Algorithm
    """Object format."""

    def missing(self) -> str:
        """Say what of the repository is gone; empty where it is all there."""
        for what, place in (
            ("the work tree", self.top),
            (".git", os.path.join(self.top, ".git")),
            ("its git folder", self.git_dir),
            ("its HEAD", os.path.join(self.git_dir, "HEAD")),
            ("its objects", os.path.join(self.common_dir, "objects")),
        ):
            if not os.path.lexists(place):
                return f"the repository is gone: {what} is missing ({place})"
        return ""


def locate(path: str, runner: Runner) -> Located:
    """Find the repository that holds a folder.

    Git is asked, since it knows ownership (``safe.directory``) and unknown extensions, and since a prepared
    file that never ends would stop a library in this process for ever.

    Args:
        path: a folder or file in the work tree.
        runner: starts git.

    Raises:
        NotARepository: there is none that can be supervised; the message says why.
    """
    folder = os.path.realpath(path)
    if not os.path.exists(folder):
        raise NotARepository(f"{path} does not exist")
    folder = folder if os.path.isdir(folder) else os.path.dirname(folder)
    inside, algorithm, git_dir, common_dir, top = _answers(runner, folder, path)
    if inside == "true":
        raise NotARepository(f"{path} is inside a git folder; open the work tree")
    if algorithm not in ("sha1", "sha256"):
        raise NotARepository(f"{path}: object format {algorithm!r} is not supported")
    located = Located(
        os.path.realpath(top), os.path.realpath(git_dir), os.path.realpath(common_dir), algorithm
    )
    within = (folder + os.sep).startswith(located.top.rstrip(os.sep) + os.sep)
    if not within or _leads_to(located.top) != located.git_dir:
        raise NotARepository(
            f"{path}: core.worktree makes git work in {located.top} instead, which has another .git or none"
        )
    return located


@contextmanager
def without_git_variables() -> Generator[None]:
    """Take ``GIT_*`` out of this process's environment for a moment: GitPython reads it and knows no other
    way.
    """
    with _environment_lock:
        taken = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith("GIT_")}
        try:
            yield
        finally:
            os.environ.update(taken)


@cache
def gitpython() -> ModuleType:
    """Import GitPython without letting it run anything.

    Its import starts whatever ``GIT_PYTHON_GIT_EXECUTABLE`` names to ask for the version. Here that is a name
    that does not exist, which it is told to accept silently: no process starts. Its own git commands are
    never used.
    """
    with without_git_variables():
        os.environ["GIT_PYTHON_GIT_EXECUTABLE"] = "/nonexistent/git"
        os.environ["GIT_PYTHON_REFRESH"] = "quiet"
        try:
            import git
        finally:
            for name in ("GIT_PYTHON_GIT_EXECUTABLE", "GIT_PYTHON_REFRESH"):
                with suppress(KeyError):
                    del os.environ[name]
    return git


def _answers(runner: Runner, folder: str, path: str) -> list[str]:
    """Ask all questions at once; one by one only where a line feed in a path mixes the answers up."""
    wanted = [question for question in _QUESTIONS if not question.startswith("--path-format")]
    try:
        said = _ask(runner, folder, _QUESTIONS).split("\n")
        if len(said) == len(wanted):
            return said
        return [_ask(runner, folder, ("--path-format=absolute", question)) for question in wanted]
    except GitFailed as failure:
        raise NotARepository(_refusal(str(failure), runner, folder, path)) from failure


def _ask(runner: Runner, folder: str, questions: tuple[str, ...]) -> str:
    said = runner.run(["rev-parse", *questions], folder=folder, timeout_s=OPEN_TIMEOUT_S).stdout
    return os.fsdecode(said).removesuffix("\n")


def _leads_to(top: str) -> str:
    """Return the git folder that a work tree's ``.git`` is or names; empty where there is none."""
    place = os.path.join(top, ".git")
    if os.path.isdir(place):
        return os.path.realpath(place)
    try:
        text = read_plain(Path(place), limit=_GIT_FILE_LIMIT, follow=True)
    except (FileNotFoundError, NotPlain):
        return ""
    named = os.fsdecode(text.removeprefix(_GIT_FILE).rstrip(b"\r\n"))
    return os.path.realpath(os.path.join(top, named))


def _refusal(said: str, runner: Runner, folder: str, path: str) -> str:
    if "dubious ownership" in said:
        return (
            f"{path} belongs to another user, so git refuses it. If you trust it, run: "
            f"git config --global --add safe.directory {path} (with HOME={runner.home})"
        )
    if "not a git repository" in said.lower():
        return f"{path} is not inside a git repository; run: git init"
    if _NO_WORK_TREE in said:
        with suppress(GitFailed):
            if _ask(runner, folder, ("--is-bare-repository",)) == "true":
                return f"{path} is a bare repository: it has no work tree to supervise; open a clone of it"
        return f"{path} is inside a git folder; open the work tree"
    return f"{path}: {said}"
