"""Objects of the repository, read through GitPython's object database on an isolated ``git cat-file``.

GitPython is imported and opened with the first object: that takes 80 ms, and the first frame must not wait.
"""

import os
import subprocess
import threading
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ags_tui.core.digests import blob_id
from ags_tui.io.git.failures import GitFailed
from ags_tui.io.git.isolated import Isolated
from ags_tui.io.git.located import Located, gitpython, without_git_variables
from ags_tui.io.git.run import Runner, end
from ags_tui.io.git.settings import Settings

if TYPE_CHECKING:
    from git import Git, GitCmdObjectDB

READ_LIMIT = 64 * 1024**2
"""Largest object that is read, bytes."""

_TIMEOUT_S = 20.0


class Objects:
    """Reads blobs and says which objects are here; nothing is ever fetched."""

    def __init__(self, isolated: Isolated, runner: Runner, located: Located) -> None:
        """Prepare; no process starts before the first object is read.

        Args:
            isolated: starts git.
            runner: the environment of git.
            located: the repository.
        """
        self._isolated = isolated
        self._runner = runner
        self._located = located
        self._command: Git | None = None
        self._database: GitCmdObjectDB | None = None
        self._present: set[str] = set()

    def close(self) -> None:
        """End the process that reads objects."""
        if self._command is not None:
            self._command.clear_cache()
        self._command = self._database = None

    def read_blob(self, oid: str, limit: int = READ_LIMIT) -> bytes:
        """Return a blob's bytes, compared with its id.

        Args:
            oid: its id in hex.
            limit: most bytes.

        Raises:
            GitFailed: it is missing, damaged, no blob or too large.
        """
        if self._located.algorithm == "sha1":
            kind, data = self._by_gitpython(oid, limit)
        else:  # GitPython 3.2 reads SHA-1 repositories only
            kind, data = "blob", self._by_git(oid, limit)
        if kind != "blob":
            raise GitFailed(f"object {oid} is a {kind}, not a file")
        if blob_id(data, self._located.algorithm) != oid:
            raise GitFailed(f"object {oid} is damaged: its content is another")
        return data

    def size(self, oid: str) -> int:
        """Return the size of an object in bytes.

        Raises:
            GitFailed: it is missing or damaged.
        """
        said = self._isolated.run(["cat-file", "-s", oid], expected=(0, 1, 128))
        if said.code:
            raise GitFailed(f"object {oid} is missing or damaged{': ' + said.stderr if said.stderr else ''}")
        return int(said.stdout)

    def missing(self, oids: Iterable[str], *, again: bool) -> tuple[str, ...]:
        """Return those objects that are not here.

        Args:
            oids: ids in hex.
            again: whether to ask for those that were here the last time, too.

        Raises:
            GitFailed: git did not answer.
        """
        if again:
            self._present.clear()
        asked = sorted(set(oids) - self._present)
        if not asked:
            return ()
        stdin = "".join(f"{oid}\n" for oid in asked).encode("ascii")
        said = self._isolated.run(
            ["cat-file", "--batch-check=%(objectname) %(objecttype)"], stdin=stdin
        ).stdout
        answers = said.decode("ascii", "replace").splitlines()
        if len(answers) != len(asked):
            raise GitFailed("git cat-file answered something unexpected")
        absent = tuple(oid for oid, answer in zip(asked, answers, strict=True) if answer != f"{oid} blob")
        self._present.update(set(asked) - set(absent))
        return absent

    def _by_gitpython(self, oid: str, limit: int) -> tuple[str, bytes]:
        git = gitpython()
        try:
            with self._answering():
                database: Any = self._opened()  # gitdb is not typed
                size = int(database.info(bytes.fromhex(oid)).size)
                if size > limit:
                    raise GitFailed(f"object {oid} has {size} bytes, more than {limit}")
                stream = database.stream(bytes.fromhex(oid))
                return _word(stream.type), bytes(stream.read())
        except (ValueError, OSError, git.GitError, git.ODBError) as error:
            self.close()
            raise GitFailed(f"object {oid} cannot be read: {error}") from error

    def _by_git(self, oid: str, limit: int) -> bytes:
        size = self.size(oid)
        if size > limit:
            raise GitFailed(f"object {oid} has {size} bytes, more than {limit}")
        return self._isolated.run(["cat-file", "blob", oid]).stdout

    def _opened(self) -> "GitCmdObjectDB":
        """Open the repository with GitPython and give its database an isolated command to read with."""
        if self._database is None:
            git = gitpython()
            located = self._located
            with without_git_variables():
                repo = git.Repo(located.top, expand_vars=False)
            if os.path.realpath(repo.common_dir) != located.common_dir:
                raise GitFailed(f"the repository is now {repo.common_dir}")
            self._command = _isolated_command(self._isolated, self._runner, located)
            self._database = git.GitCmdObjectDB(os.path.join(repo.common_dir, "objects"), self._command)
        assert self._database is not None
        return self._database

    @contextmanager
    def _answering(self) -> Generator[None]:
        """End the reading process if it does not answer in time: a library call has no limit of its own."""
        timer = threading.Timer(_TIMEOUT_S, self._end)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _end(self) -> None:
        command = self._command
        if command is None:
            return
        for holder in (command.cat_file_all, command.cat_file_header):
            if holder is not None and holder.proc is not None:
                end(holder.proc)


def partial(settings: Settings) -> bool:
    """Whether objects may be missing by intent: a partial clone fetches when needed; we never do."""
    return bool(settings.get("extensions.partialclone")) or any(
        key.startswith("remote.") and key.endswith((".promisor", ".partialclonefilter"))
        for key in settings.values
    )


def _isolated_command(isolated: Isolated, runner: Runner, located: Located) -> "Git":
    """Return GitPython's command object, changed to start its children in the isolated git folder."""
    git = gitpython()

    class IsolatedGit(git.Git):
        """Starts persistent children only, with our command line and environment."""

        def execute(self, command: Sequence[object], **options: object) -> object:
            """Start a child; see ``git.cmd.Git.execute``."""
            if not options.get("as_process"):
                raise GitFailed("only persistent children are started here")
            process = runner.start(
                [str(word) for word in command[1:]],
                folder=located.top,
                variables=isolated.variables(work_tree=located.top),
                settings=isolated.settings,
                stdin=subprocess.PIPE,
            )
            return self.AutoInterrupt(process, command)

    return IsolatedGit(located.top)


def _word(value: str | bytes) -> str:
    return value.decode("ascii", "replace") if isinstance(value, bytes) else value
