"""One invocation of a command: where it works, for whom, and where it prints."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ags_tui.cli.failures import UsageProblem
from ags_tui.cli.output import Output
from ags_tui.core.layout import TASKS
from ags_tui.io.places import Places, default_places

if TYPE_CHECKING:
    from ags_tui.io.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Globals:
    """Options that every command takes, before and after its name; None = not given."""

    directory: Path | None = None
    """``-C``: where to work."""
    root: Path | None = None
    """``--root``: folder that holds ``tasks/``."""
    state: Path | None = None
    """``--state``: keys, marks against rollback."""
    config: Path | None = None
    """``--config``: settings and the user's policy."""
    json: bool = False
    """``--json``: one document on stdout."""

    def over(self, outer: "Globals") -> "Globals":
        """These options where given, else those given before the command."""
        return Globals(
            directory=self.directory if self.directory is not None else outer.directory,
            root=self.root if self.root is not None else outer.root,
            state=self.state if self.state is not None else outer.state,
            config=self.config if self.config is not None else outer.config,
            json=self.json or outer.json,
        )


@dataclass(frozen=True, slots=True)
class Call:
    """What a command gets."""

    directory: Path
    """Absolute folder to work in; relative arguments count from here."""
    root: Path | None
    """``--root`` as given."""
    places: Places
    """The user's folders."""
    out: Output
    """Where to print."""
    environment: Mapping[str, str]
    """The process environment."""

    def now(self) -> datetime:
        """The time, in UTC."""
        return datetime.now(UTC)

    def path(self, given: Path) -> Path:
        """A path argument, made absolute from the folder to work in."""
        return resolved(self.directory, given)

    def workspace(self, trust: Path | None = None) -> "Workspace":
        """Open the repository.

        Args:
            trust: file of trusted public keys that stands in for the user's.
        """
        from ags_tui.io.workspace import Workspace

        trusted = self.path(trust) if trust is not None else None
        if trusted is not None and not trusted.is_file():
            raise UsageProblem(f"--trust {trust}: no such file; name a file of trusted public keys")
        root = self.chosen_root() or self.session_root()
        return Workspace.open(self.directory, root=root, places=self.places, trust=trusted)

    def session_root(self) -> Path | None:
        """Where tasks of sessions lie while the repository has no root; None where there are none."""
        from ags_tui.io.trees import OWN_ROOT, tree_at

        tree = tree_at(str(self.directory), self.places)
        if tree is None or tree.root != str(tree.folder / OWN_ROOT):
            return None
        own = Path(tree.root)
        return own if (own / TASKS).is_dir() else None

    def chosen_root(self) -> Path | None:
        """The root folder from ``--root``; None lets the settings or the default choose."""
        return None if self.root is None else self.path(self.root)


def make_call(given: Globals, environment: Mapping[str, str]) -> Call:
    """Resolve the global options.

    Args:
        given: the options.
        environment: the process environment; it chooses no folder.

    Raises:
        UsageProblem: the folder to work in does not exist.
    """
    try:
        current = Path.cwd()
    except FileNotFoundError as error:
        raise UsageProblem(
            "the current folder no longer exists; change into another or pass -C DIR"
        ) from error
    directory = current if given.directory is None else resolved(current, given.directory)
    if not directory.is_dir():
        raise UsageProblem(f"-C {given.directory}: no such folder; name a folder inside a git repository")
    return Call(
        directory=directory,
        root=given.root,
        places=make_places(given, current),
        out=Output(json_wanted=given.json, environment=environment),
        environment=environment,
    )


def make_places(given: Globals, current: Path) -> Places:
    """The user's folders: from the options, else the user's own.

    Args:
        given: the options.
        current: folder from which relative ones count.
    """
    if given.state is not None and given.config is not None:
        return Places(state=resolved(current, given.state), config=resolved(current, given.config))
    places = default_places()
    if given.state is not None:
        places = Places(resolved(current, given.state), places.config_dir)
    if given.config is not None:
        places = Places(places.state_dir, resolved(current, given.config))
    return places


def resolved(base: Path, given: Path) -> Path:
    """A path argument as an absolute path.

    Args:
        base: folder from which it counts.
        given: the argument; ``~`` is the home folder of the user.

    Raises:
        UsageProblem: the system knows no such path at all: too long, a loop of links, an unknown user.
    """
    try:
        path = base / given.expanduser()
        path.lstat()
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return base / given.expanduser()
    except (OSError, RuntimeError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageProblem(f"{str(given)[:80]}: is no path: {why}") from error
    return path
