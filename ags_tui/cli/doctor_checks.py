"""The checks of ``doctor`` that look at git, disks, keys and settings."""

import os
import stat
import sys
from pathlib import Path

from ags_tui.cli.call import Call
from ags_tui.cli.doctor_rows import Row
from ags_tui.core.failures import AgsError
from ags_tui.io.git import GitDoor, GitError, NotARepository
from ags_tui.io.keys import KEY_FOLDER, Keys
from ags_tui.io.log import probe
from ags_tui.io.mounts import file_system_of, is_remote, read_mounts
from ags_tui.io.policy_files import read_policy
from ags_tui.io.settings import read_settings, settings_path
from ags_tui.io.workspace import Workspace

_INSTANCES = Path("/proc/sys/fs/inotify/max_user_instances")
_WATCHES = Path("/proc/sys/fs/inotify/max_user_watches")
_FEW_WATCHES = 65_536


def check_git(call: Call) -> list[Row]:
    """Is git there and new enough, and is this a repository that it can read."""
    try:
        door = GitDoor.open(call.directory)
    except NotARepository as error:
        return [Row("git", "note", str(error))]
    except GitError as error:
        return [Row("git", "broken", str(error))]
    repo = door.repo()
    if repo.unknown:
        return [Row("git", "broken", f"{repo.top}: {repo.unknown}", "repair the repository: git fsck")]
    head = repo.branch or (f"detached at {repo.head[:12]}" if repo.head else "no commit yet")
    return [Row("git", "ok", f"{repo.top}, {head}")]


def check_files(call: Call) -> list[Row]:
    """How log entries get their names, whether changes are told, and whether the disk is a remote one."""
    try:
        workspace = Workspace.open(call.directory, root=call.chosen_root(), places=call.places)
    except AgsError:
        return []
    rows = [_method(workspace)]
    mounts = read_mounts()
    for what, folder in (("work tree", workspace.top), ("state", call.places.state)):
        kind = file_system_of(os.path.realpath(folder), mounts)
        if kind and is_remote(kind):
            step = "set poll = true in config.toml" if what == "work tree" else "choose a local --state"
            rows.append(
                Row("files", "note", f"the {what} lies on {kind}: changes made elsewhere are polled", step)
            )
        elif kind:
            rows.append(Row("files", "ok", f"the {what} lies on {kind}"))
    return [*rows, *_watching()]


def _method(workspace: Workspace) -> Row:
    folder = next((one for one in (workspace.root / "tasks", workspace.root) if one.is_dir()), None)
    if folder is None:
        return Row("files", "note", f"{workspace.root} does not exist yet", "make it: ags-tui init")
    try:
        method = probe(folder)
    except OSError as error:
        return Row("files", "broken", f"{folder}: cannot be written: {error.strerror}", "make it writable")
    if method == "exclusive":
        message = (
            f"{folder}: no hard links and no rename without replacing; a crash can tear the last log entry"
        )
        return Row("files", "note", message)
    return Row("files", "ok", f"{folder}: log entries are created by {method}")


def _watching() -> list[Row]:
    if sys.platform != "linux":
        return [Row("watch", "ok", "changes are told by the system")]
    try:
        watches, instances = int(_WATCHES.read_text()), int(_INSTANCES.read_text())
    except (OSError, ValueError):
        return [Row("watch", "note", "inotify does not say its limits; where it fails, files are polled")]
    words = f"inotify: {watches} watches, {instances} instances"
    if watches < _FEW_WATCHES:
        return [
            Row("watch", "note", words, "large work trees may be polled; raise fs.inotify.max_user_watches")
        ]
    return [Row("watch", "ok", words)]


def check_keys(call: Call) -> list[Row]:
    """Are both keys there, readable by nobody else, and the trusted ones well formed."""
    keys = Keys.open(call.places, create=False)
    folder = call.places.state / KEY_FOLDER
    if not folder.is_dir():
        return [Row("keys", "note", f"{folder}: no keys yet; they are made when first needed")]
    rows: list[Row] = []
    for path in (call.places.state, folder, *sorted(folder.glob("*.key"))):
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & 0o077:
            step = f"run: chmod go-rwx {path}"
            rows.append(Row("keys", "broken", f"{path}: others can reach it (mode {mode:o})", step))
    rows += [Row("keys", "broken", problem) for problem in keys.problems]
    if keys.locked:
        rows.append(Row("keys", "ok", "the human key has a passphrase"))
    if not rows or all(row.state == "ok" for row in rows):
        rows.append(Row("keys", "ok", f"{folder}: system and human key, {len(keys.trusted)} trusted"))
    return rows


def check_settings(call: Call) -> list[Row]:
    """Are settings and policy files as they should be."""
    read = read_settings(call.places, call.environment)
    rows = [Row("settings", "note", warning) for warning in read.warnings]
    if not rows:
        path = settings_path(call.places)
        rows.append(
            Row("settings", "ok", str(path) if path.exists() else f"{path}: not there, defaults hold")
        )
    try:
        workspace = Workspace.open(call.directory, root=call.chosen_root(), places=call.places)
    except AgsError:
        return rows
    policy = read_policy(workspace.root, call.places)
    for problem in policy.problems:
        where = f"{problem.artifact}:{problem.line}" if problem.line else problem.artifact
        rows.append(Row("policy", "broken", f"{where}: {problem.message}", problem.next_step))
    if not policy.problems:
        rows.append(Row("policy", "ok", "both policy files can be read"))
    return rows
