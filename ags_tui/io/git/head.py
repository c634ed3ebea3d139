"""HEAD, the branch and the operation in progress."""

import os
import re
import time
from dataclasses import dataclass
from pathlib import Path

from ags_tui.io.git.failures import GitFailed
from ags_tui.io.git.located import Located
from ags_tui.io.git.run import Runner
from ags_tui.io.git.stamps import Clock, Signature, all_settled, signature
from ags_tui.io.plain_files import NotPlain, read_plain

_OPERATIONS = (
    ("rebase-merge", "rebase"),
    ("rebase-apply", "rebase"),
    ("MERGE_HEAD", "merge"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
    ("BISECT_LOG", "bisect"),
)
_BRANCHES = "refs/heads/"
_HEX = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}", re.ASCII)
_HEAD_LIMIT = 64 * 1024


@dataclass(frozen=True, slots=True)
class Head:
    """Where HEAD stands."""

    commit: str | None
    """Commit id, None while unborn."""
    branch: str | None
    """Branch name, None while detached."""


class Heads:
    """Reads HEAD, again only when a file that decides it has changed."""

    def __init__(self, located: Located, runner: Runner, clock: Clock = time.time_ns) -> None:
        """Prepare; nothing is read yet.

        Args:
            located: the repository.
            runner: starts git, for packed branches and other stores.
            clock: the clock that stamps files.
        """
        self._clock = clock
        self._located = located
        self._runner = runner
        self._known: tuple[Signature, str, Head] | None = None

    def read(self) -> Head:
        """Return where HEAD stands.

        Raises:
            GitFailed: HEAD or its branch is damaged.
        """
        text = self._text()
        ref = text.removeprefix("ref:").strip() if text.startswith("ref:") else ""
        common = self._located.common_dir
        state = signature((os.path.join(common, ref or "HEAD"), os.path.join(common, "packed-refs")))
        if self._known is not None and self._known[:2] == (state, text):
            return self._known[2]
        found = self._resolve(text, ref)
        self._known = (state, text, found) if all_settled(state, self._clock(), replaced=True) else None
        return found

    def operation(self) -> str:
        """Return the operation in progress, empty for none."""
        for name, operation in _OPERATIONS:
            if os.path.lexists(os.path.join(self._located.git_dir, name)):
                return operation
        return ""

    def _text(self) -> str:
        place = os.path.join(self._located.git_dir, "HEAD")
        try:
            if os.path.islink(place):  # git still understands HEAD as a link to its branch
                return f"ref: {os.fsdecode(os.readlink(place))}"
            return os.fsdecode(read_plain(Path(place), limit=_HEAD_LIMIT)).strip()
        except (OSError, NotPlain) as error:
            raise GitFailed(f"HEAD cannot be read: {error}") from error

    def _resolve(self, text: str, ref: str) -> Head:
        if not ref and _HEX.fullmatch(text):
            return Head(text, None)
        commit = self._loose(ref)
        if commit is not None:
            return Head(commit, ref.removeprefix(_BRANCHES))
        return Head(*self._by_git(ref))

    def _loose(self, ref: str) -> str | None:
        """Return the commit in a branch's own file, where git last wrote it; None where git must be asked."""
        parts = ref.split("/")
        if not ref.startswith(_BRANCHES) or any(part in ("", ".", "..") for part in parts):
            return None
        try:
            text = read_plain(Path(self._located.common_dir, ref), limit=_HEAD_LIMIT)
        except (OSError, NotPlain):
            return None
        commit = text.decode("ascii", "replace").strip()
        return commit if _HEX.fullmatch(commit) else None

    def _by_git(self, ref: str) -> tuple[str | None, str | None]:
        """Ask git, which has the last word; a branch that is not there is unborn, one that is there is
        damaged.
        """
        located = self._located
        variables = {"GIT_DIR": located.git_dir}
        said = self._runner.run(
            ["symbolic-ref", "-q", "HEAD"], folder=located.top, variables=variables, expected=(0, 1)
        )
        full = os.fsdecode(said.stdout).strip()
        found = self._runner.run(
            ["rev-parse", "--verify", "-q", "HEAD^{commit}"],
            folder=located.top,
            variables=variables,
            expected=(0, 1, 128),
        )
        commit = found.stdout.decode("ascii", "replace").strip()
        branch = full.removeprefix(_BRANCHES) if full else None
        if found.code == 0 and _HEX.fullmatch(commit):
            return commit, branch
        loose = [
            os.path.join(folder, name)
            for folder in (located.common_dir, located.git_dir)
            for name in (ref, full)
        ]
        if not full or found.stderr or any(os.path.isfile(place) for place in loose):
            raise GitFailed(f"HEAD cannot be resolved: {found.stderr or 'its branch is damaged'}")
        return None, branch
