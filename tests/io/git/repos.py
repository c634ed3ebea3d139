"""Real repositories for the tests: made by git with an environment of its own, looked at through the door."""

import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from ags_tui.core.digests import tree_digest
from ags_tui.core.snapshot import Change, Changes
from ags_tui.io.git import GitDoor
from ags_tui.io.git.opening import Limits

CASES = Path(__file__).resolve().parents[2] / "cases"
LIMITS = Limits(timeout_s=20)


def git(folder: Path | str, *arguments: str | bytes, check: bool = True, **variables: str) -> str:
    """Run git as a developer would, whatever configuration the machine has."""
    done = subprocess.run(
        ["git", *arguments],
        cwd=folder,
        env={
            "PATH": os.environ["PATH"],
            "HOME": "/nonexistent",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_AUTHOR_NAME": "T",
            "GIT_AUTHOR_EMAIL": "t@example.invalid",
            "GIT_COMMITTER_NAME": "T",
            "GIT_COMMITTER_EMAIL": "t@example.invalid",
            **variables,
        },
        capture_output=True,
        check=False,
    )
    if check and done.returncode:
        raise AssertionError(f"git {arguments} ended with {done.returncode}: {done.stderr.decode()}")
    return done.stdout.decode("utf-8", "surrogateescape").strip()


def make(folder: Path, *, algorithm: str = "sha1") -> Path:
    """Make a repository with one commit of three files."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main", f"--object-format={algorithm}")
    write(folder, "src/a.py", "one\n")
    write(folder, "src/b.py", "two\n")
    write(folder, "docs/d.md", "doc\n")
    commit(folder, "base")
    return folder


def write(folder: Path, path: str, text: str | bytes) -> Path:
    place = folder / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(text.encode() if isinstance(text, str) else text)
    return place


def commit(folder: Path, message: str = "more") -> str:
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", message)
    return head(folder)


def head(folder: Path) -> str:
    return git(folder, "rev-parse", "HEAD")


def build_case(name: str, target: Path) -> Path:
    """Build the state of a reported bug."""
    script = next(CASES.glob(f"{name}-*")) / "make.sh"
    target.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["sh", str(script), str(target)], check=True, capture_output=True)
    return target


def open_door(folder: Path, tmp: Path, **options: object) -> GitDoor:
    """Open a door with a home folder and a scratch folder of the test."""
    home = tmp / "home"
    home.mkdir(exist_ok=True)
    chosen = {"home": home, "scratch": tmp / "scratch", "limits": LIMITS, **options}
    return GitDoor.open(folder, **chosen)  # type: ignore[arg-type]


def by_path(changes: Changes) -> dict[str, Change]:
    assert not changes.unknown, changes.unknown
    return {change.path: change for change in changes.entries}


def as_committed(folder: Path, base: str, tmp: Path, *, leave_out: str = ".ai/") -> str:
    """Compute the tree digest another way: what ``git add -A`` in a copy would make of the work tree."""
    copy = tmp / "copy"
    if copy.exists():
        shutil.rmtree(copy)
    shutil.copytree(folder, copy, symlinks=True)
    index = str(tmp / "other-index")
    Path(index).unlink(missing_ok=True)
    if (copy / ".git" / "index").exists():
        shutil.copy(copy / ".git" / "index", index)
    git(copy, "add", "-A", GIT_INDEX_FILE=index)
    tree = git(copy, "write-tree", GIT_INDEX_FILE=index)
    said = subprocess.run(
        ["git", "diff-tree", "-r", "-z", "--no-renames", base, tree],
        cwd=copy,
        capture_output=True,
        check=True,
    ).stdout.split(b"\0")[:-1]
    return tree_digest(base, _lines(said, leave_out.encode()))


def _lines(said: list[bytes], leave_out: bytes) -> Iterable[tuple[bytes, str, str]]:
    for facts, path in zip(said[0::2], said[1::2], strict=True):
        _, mode, _, blob, _ = facts.decode().split(" ")
        if not path.startswith(leave_out):
            yield (path, mode, blob if mode != "000000" else "")
