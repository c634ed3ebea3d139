"""The gate in git: ``pre-commit`` and ``pre-push`` hooks that an agent does not talk its way past.

A hook that is there already goes first: it is moved aside, called by ours, and moved back at the end.
"""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from ags_tui.agents.connect.settings_files import CannotConnect, Proposal, read_settings, replace_file
from ags_tui.io.own_hooks import HOOKS, KEPT, MARK, hook_text
from ags_tui.io.places import Places

_MODE = 0o755

RECIPE = """\
In CI, from a job that the change itself cannot edit, on the merge result and with both branches fetched:

  base=refs/remotes/origin/main
  git show "$base:.ci/trusted-keys" > "$RUNNER_TEMP/keys"
  ags-tui verify --trust "$RUNNER_TEMP/keys" --base "$base"
  ags-tui gate --tree HEAD --trust "$RUNNER_TEMP/keys" --base "$base"

The lines for .ci/trusted-keys: ags-tui config keys
"""
"""What a human puts into CI: git hooks can be skipped (--no-verify), that job cannot."""


@dataclass(frozen=True, slots=True)
class GitHook:
    """One hook and what would become of it."""

    name: str
    """``pre-commit`` or ``pre-push``."""
    made: Proposal
    """What would be written, or removed."""
    kept: Path
    """Where an earlier hook is, or would be, kept."""
    moves: bool
    """Whether an earlier hook is moved aside, or back."""


def hooks_folder(top: str) -> Path:
    """Where git looks for hooks.

    Args:
        top: Top of the work tree.

    Raises:
        CannotConnect: git does not say, or the repository keeps them elsewhere.
    """
    other = _git(top, "config", "--get", "core.hooksPath", may_fail=True)
    if other:
        raise CannotConnect(
            f"core.hooksPath is {other!r}: this repository keeps its hooks elsewhere, which is not ours to "
            "write; add there what this prints in another repository: ags-tui connect git --print"
        )
    return Path(top, _git(top, "rev-parse", "--git-common-dir")) / "hooks"


def wanted_hooks(folder: Path, places: Places) -> tuple[GitHook, ...]:
    """What connecting would write.

    Args:
        folder: Where git looks for hooks.
        places: The user's folders.

    Raises:
        CannotConnect: A hook cannot be read.
    """
    found: list[GitHook] = []
    for name in HOOKS:
        path, kept = folder / name, folder / f"{name}{KEPT}"
        before = read_settings(path)
        foreign = before is not None and not is_ours(before)
        if foreign and os.path.lexists(kept):
            raise CannotConnect(f"{kept}: is in the way of the hook that {path} is; move one of them")
        note = f"{path} is called first, as {kept.name}" if foreign else ""
        made = Proposal(path, None if foreign else before, hook_text(name, places), note)
        found.append(GitHook(name, made, kept, foreign))
    return tuple(found)


def hooks_to_remove(folder: Path) -> tuple[GitHook, ...]:
    """What taking them out would do.

    Args:
        folder: Where git looks for hooks.

    Raises:
        CannotConnect: A hook cannot be read.
    """
    found: list[GitHook] = []
    for name in HOOKS:
        path, kept = folder / name, folder / f"{name}{KEPT}"
        before = read_settings(path)
        if before is not None and is_ours(before):
            moves = os.path.lexists(kept)
            note = f"{kept.name} becomes {name} again" if moves else ""
            found.append(GitHook(name, Proposal(path, before, None, note), kept, moves))
    return tuple(found)


def write_hook(hook: GitHook) -> None:
    """Do what was shown.

    Args:
        hook: What was shown.

    Raises:
        CannotConnect: A file cannot be written.
    """
    path = hook.made.path
    try:
        if hook.made.after is None:
            replace_file(path, None)
            if hook.moves:
                os.rename(hook.kept, path)
            return
        if hook.moves:
            os.rename(path, hook.kept)
    except OSError as error:
        raise CannotConnect(f"{path}: cannot be moved: {error.strerror}") from error
    replace_file(path, hook.made.after, _MODE)


def is_ours(data: bytes) -> bool:
    """Whether a hook was written here.

    Args:
        data: Its bytes.
    """
    return MARK.encode() in data


def _git(top: str, *words: str, may_fail: bool = False) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(
            ["git", *words], cwd=top, env=environment, capture_output=True, check=False, timeout=30
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise CannotConnect(f"git could not be asked: {error}") from error
    if done.returncode and not may_fail:
        raise CannotConnect(f"git {' '.join(words)}: {done.stderr.decode('utf-8', 'replace').strip()}")
    return os.fsdecode(done.stdout).rstrip("\n")
