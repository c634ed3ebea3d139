"""Opening a repository: GitPython finds it, git confirms it, and neither runs anything."""

import os
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Literal

from ags_tui.io.git.failures import GitFailed, NotARepository
from ags_tui.io.git.run import Runner

if TYPE_CHECKING:
    from git import Repo as GitRepo

OPEN_TIMEOUT_S = 10.0
"""Seconds for each question while opening."""

Algorithm = Literal["sha1", "sha256"]
"""Object format of a repository."""

_environment_lock = threading.Lock()


@dataclass(frozen=True, slots=True, eq=False)
class Located:
    """A repository that was found and confirmed."""

    top: str
    """Absolute path of the work tree, links resolved."""
    git_dir: str
    """Absolute path of this work tree's git folder."""
    common_dir: str
    """Absolute path of the shared git folder."""
    algorithm: Algorithm
    """Object format."""
    python: "GitRepo"
    """GitPython's view of it."""

    @property
    def zero(self) -> str:
        """The id that stands for no object."""
        return "0" * (40 if self.algorithm == "sha1" else 64)

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

    Git is asked first: it knows ownership (``safe.directory``) and unknown extensions, and it runs under a
    time limit, which a library that reads prepared files in this process would not.

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
    facts = _ask(
        runner, folder, ["--is-bare-repository", "--is-inside-git-dir", "--show-object-format"], path
    )
    bare, inside, algorithm = [*facts.split("\n"), "", "", ""][:3]
    if bare == "true":
        raise NotARepository(
            f"{path} is a bare repository: it has no work tree to supervise; open a clone of it"
        )
    if inside == "true":
        raise NotARepository(f"{path} is inside a git folder; open the work tree")
    if algorithm not in ("sha1", "sha256"):
        raise NotARepository(f"{path}: object format {algorithm!r} is not supported")
    top = os.path.realpath(_ask(runner, folder, ["--show-toplevel"], path).removesuffix("\n"))
    python = _opened(top)
    git_dir, common_dir = os.path.realpath(python.git_dir), os.path.realpath(python.common_dir)
    confirmed = os.path.realpath(_ask(runner, folder, ["--absolute-git-dir"], path).removesuffix("\n"))
    if confirmed != git_dir or not (folder + os.sep).startswith(top.rstrip(os.sep) + os.sep):
        raise NotARepository(f"{path}: core.worktree makes git work in {top} instead; open that folder")
    return Located(top, git_dir, common_dir, algorithm, python)


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


def _ask(runner: Runner, folder: str, questions: list[str], path: str) -> str:
    try:
        said = runner.run(["rev-parse", *questions], folder=folder, timeout_s=OPEN_TIMEOUT_S).stdout
    except GitFailed as failure:
        raise NotARepository(_refusal(str(failure), path, runner.home)) from failure
    return os.fsdecode(said)


def _opened(top: str) -> "GitRepo":
    git = gitpython()
    try:
        with without_git_variables():
            return git.Repo(top, expand_vars=False)
    except (git.InvalidGitRepositoryError, git.NoSuchPathError, git.GitError) as error:
        raise NotARepository(
            f"{top} holds no repository of its own (does core.worktree point there?); "
            "open the folder with its .git"
        ) from error
    except (OSError, ValueError) as error:
        raise NotARepository(f"{top}: the repository cannot be read: {error}") from error


def _refusal(said: str, path: str, home: str) -> str:
    if "dubious ownership" in said:
        return (
            f"{path} belongs to another user, so git refuses it. If you trust it, run: "
            f"git config --global --add safe.directory {path} (with HOME={home})"
        )
    if "not a git repository" in said.lower():
        return f"{path} is not inside a git repository; run: git init"
    if "must be run in a work tree" in said:
        return f"{path} has no work tree to supervise"
    return f"{path}: {said}"
