"""A git folder of our own: the repository's objects and index, none of its configuration.

Git runs programs that the configuration names (filters, fsmonitor, hooks, textconv, external diff). Emptying
them by name leaves a moment in which a new name can appear, and forgets what the next version of git adds. A
child that works in this folder never opens the repository's configuration at all: it gets an allow-list of
settings on its command line, the index and the objects by environment, HEAD as a commit id, and links to the
exclude and attribute files of ``info/``.

The folder also holds what a child may write: objects and indexes of ours, never the repository's.
"""

import os
import re
import shutil
import tempfile
import time
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path

from ags_tui.io.git.failures import GitFailed
from ags_tui.io.git.located import Located
from ags_tui.io.git.run import Output, Runner

PREFIX = "ags-tui-git-"
"""How the name of such a folder begins; the process id follows."""

_NAME = re.compile(re.escape(PREFIX) + r"(\d{1,10})-.+", re.ASCII)
_LINKED = ("exclude", "attributes", "sparse-checkout")
_LEFT_BEHIND_S = 600.0
_SWEPT_AT_ONCE = 200


class Isolated:
    """The git folder of our own for one repository, and the children that work in it."""

    def __init__(self, runner: Runner, located: Located, scratch: Path | None) -> None:
        """Make the folder.

        Args:
            runner: starts the children.
            located: the repository.
            scratch: a private folder in which it is made (the state directory: a sandboxed agent cannot write
                there); None for the system's temporary folder.

        Raises:
            GitFailed: it cannot be made.
        """
        self._runner = runner
        self._located = located
        self._head: str | None = None
        self.settings: Mapping[str, str] = {}
        """What the children get of the repository's settings."""
        self.folder = ""
        """Absolute path of the folder."""
        try:
            self._make(_outside(located.top, [str(scratch)] if scratch is not None else []))
        except OSError as error:
            raise GitFailed(f"no room to work: {error.filename}: {error.strerror}") from error
        self._finalizer = weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)

    def _make(self, parents: Sequence[str]) -> None:
        """Make and fill the folder in the first place that can be written: a sandbox has only some.

        Raises:
            OSError: there is none; the reason of the last.
        """
        failure = OSError(None, "every temporary folder lies inside the work tree", self._located.top)
        for parent in parents:
            try:
                os.makedirs(parent, mode=0o700, exist_ok=True)
                _sweep(parent)
                self.folder = tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=parent)
                self._fill()
            except OSError as error:
                failure = error
                if self.folder:
                    shutil.rmtree(self.folder, ignore_errors=True)
            else:
                return
        raise failure

    def close(self) -> None:
        """Remove the folder."""
        self._finalizer()

    def prepare(self, head: str | None) -> None:
        """Bring the folder up to date before a child looks at HEAD or the repository's index.

        Args:
            head: commit id of HEAD, None while unborn.

        Raises:
            GitFailed: the folder cannot be written.
        """
        try:
            if not os.path.isdir(os.path.join(self.folder, "refs")):
                os.makedirs(self.folder, mode=0o700, exist_ok=True)
                self._fill()
            wanted = f"{head}\n" if head else "ref: refs/heads/unborn\n"
            if wanted != self._head:
                self._write("HEAD", wanted)
                self._head = wanted
            self._link_shared_indexes()
        except OSError as error:
            raise GitFailed(f"{error.filename}: {error.strerror}") from error

    def run(
        self,
        arguments: Sequence[str | bytes],
        *,
        work_tree: str | None = None,
        index: str | None = None,
        own_objects: bool = False,
        settings: Mapping[str, str] | None = None,
        stdin: bytes | None = None,
        expected: tuple[int, ...] = (0,),
        limit: int | None = None,
    ) -> Output:
        """Run a child in this folder.

        Args:
            arguments: subcommand and its arguments.
            work_tree: another work tree than the repository's.
            index: another index than the repository's (``own_index``).
            own_objects: whether objects of ours are read and written, too.
            settings: settings for this child only.
            stdin: bytes for its standard input.
            expected: exit codes that are answers.
            limit: most bytes of output.

        Raises:
            GitFailed: as ``Runner.run``.
        """
        folder = work_tree or self._located.top
        return self._runner.run(
            arguments,
            folder=folder,
            variables=self.variables(work_tree=folder, index=index, own_objects=own_objects),
            settings={**self.settings, **(settings or {})},
            stdin=stdin,
            expected=expected,
            limit=limit,
        )

    def variables(
        self, *, work_tree: str, index: str | None = None, own_objects: bool = False
    ) -> dict[str, str]:
        """Return the variables that make a child work in this folder."""
        located = self._located
        objects = os.path.join(located.common_dir, "objects")
        return {
            "GIT_DIR": self.folder,
            "GIT_WORK_TREE": work_tree,
            "GIT_INDEX_FILE": index or os.path.join(located.git_dir, "index"),
            "GIT_OBJECT_DIRECTORY": os.path.join(self.folder, "objects") if own_objects else objects,
            "GIT_SHALLOW_FILE": os.path.join(located.common_dir, "shallow"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": "/dev/null",
        }

    def own_index(
        self, name: str, entries: Sequence[tuple[str, str, bytes]], *, own_objects: bool = False
    ) -> str:
        """Write an index of ours with the given entries.

        Args:
            name: its file name.
            entries: mode, blob and path of each entry.
            own_objects: whether the blobs may be objects of ours.

        Returns:
            Its path, for ``run``.

        Raises:
            GitFailed: git refuses an entry.
        """
        path = os.path.join(self.folder, name)
        try:
            Path(path).unlink(missing_ok=True)
        except OSError as error:
            raise GitFailed(f"{error.filename}: {error.strerror}") from error
        if entries:
            lines = b"".join(f"{mode} {blob} 0\t".encode() + file + b"\0" for mode, blob, file in entries)
            self.run(["update-index", "-z", "--index-info"], index=path, own_objects=own_objects, stdin=lines)
        return path

    def drop_objects(self) -> None:
        """Remove the objects of ours: they served one question."""
        objects = os.path.join(self.folder, "objects")
        try:
            with os.scandir(objects) as found:
                for entry in found:
                    if len(entry.name) == 2:
                        shutil.rmtree(entry.path, ignore_errors=True)
        except FileNotFoundError:
            return

    def _fill(self) -> None:
        located = self._located
        for name in ("refs", "info", "objects/info"):
            os.makedirs(os.path.join(self.folder, name), exist_ok=True)
        config = "[core]\n\trepositoryformatversion = 0\n"
        if located.algorithm != "sha1":
            config = (
                f"[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectFormat = {located.algorithm}\n"
            )
        self._write("config", config)
        self._write("HEAD", "ref: refs/heads/unborn\n")
        self._write("objects/info/alternates", os.path.join(located.common_dir, "objects") + "\n")
        self._head = None
        for name in _LINKED:
            base = located.git_dir if name == "sparse-checkout" else located.common_dir
            self._link(os.path.join("info", name), os.path.join(base, "info", name))

    def _link_shared_indexes(self) -> None:
        """A split index names its base by file name; git looks for it in its own folder."""
        with os.scandir(self._located.git_dir) as found:
            shared = {entry.name: entry.path for entry in found if entry.name.startswith("sharedindex.")}
        for name, target in shared.items():
            if not os.path.lexists(os.path.join(self.folder, name)):
                self._link(name, target)

    def _write(self, name: str, text: str) -> None:
        path = os.path.join(self.folder, name)
        with open(path + ".new", "w", encoding="utf-8", errors="surrogateescape") as stream:
            stream.write(text)
        os.replace(path + ".new", path)

    def _link(self, name: str, target: str) -> None:
        path = os.path.join(self.folder, name)
        if not os.path.islink(path):
            os.symlink(target, path)


def _outside(top: str, wanted: Sequence[str]) -> tuple[str, ...]:
    """Return the places outside the work tree, best first: inside, our own files would be changes."""
    inside = top.rstrip(os.sep) + os.sep
    places = (*wanted, tempfile.gettempdir(), "/tmp", "/var/tmp")
    return tuple(place for place in places if not (os.path.realpath(place) + os.sep).startswith(inside))


def _sweep(parent: str) -> None:
    """Remove what processes that are long gone have left behind (a killed process cannot clean up).

    A folder whose owner lives where its process id means nothing here is made again by its owner.
    """
    now, swept = time.time(), 0
    with os.scandir(parent) as found:
        for entry in found:
            name = _NAME.fullmatch(entry.name)
            try:
                if name is None or not entry.is_dir(follow_symlinks=False):
                    continue
                facts = entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue  # its process has just ended and cleaned up
            old = now - facts.st_mtime > _LEFT_BEHIND_S
            if old and facts.st_uid == os.geteuid() and not _alive(int(name[1])):
                shutil.rmtree(entry.path, ignore_errors=True)
                swept += 1
            if swept >= _SWEPT_AT_ONCE:
                return


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
