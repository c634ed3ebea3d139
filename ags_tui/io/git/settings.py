"""The repository's configuration, read once and then kept out of the children: an allow-list goes on."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from ags_tui.core.digests import digest
from ags_tui.io.git.failures import GitFailed
from ags_tui.io.git.run import Runner
from ags_tui.io.git.stamps import Signature, signature

READ_TIMEOUT_S = 10.0
"""Seconds for reading the configuration: an include that is a pipe must not hang the caller."""

_SWITCHES = (
    "core.filemode",
    "core.symlinks",
    "core.precomposeunicode",
    "core.sparsecheckout",
    "core.sparsecheckoutcone",
)
"""Boolean settings that say how the work tree relates to what git stores."""

_WORDS = {"core.autocrlf": {"true", "false", "input"}, "core.eol": {"lf", "crlf", "native"}}
"""Settings of line ends with the values that git knows."""

_NEVER_HIDING = re.compile(
    r"(branch|remote|user|author|committer|color|advice|pull|push|rebase|merge|commit|tag|url|gui|http|credential)\.",
    re.ASCII,
)
"""Sections that cannot hide a change: a new upstream branch must not look like tampering."""

_FILE = "file:"


@dataclass(frozen=True, slots=True)
class Settings:
    """The effective configuration, as far as it matters here."""

    values: Mapping[str, str] = field(default_factory=dict[str, str])
    """Last value by key; section and name in lower case."""
    hiding: str = ""
    """Digest of what the repository's own configuration says that could hide a change."""
    signature: Signature = ()
    """State of the files that were read or looked for."""

    def get(self, key: str) -> str:
        """Return a value, empty where it is not set."""
        return self.values.get(key, "")

    def flag(self, key: str, default: bool) -> bool:
        """Return a boolean value as git understands it."""
        value = self.values.get(key)
        if value is None:
            return default
        return value.lower() in {"true", "yes", "on", "1"} or (
            value.lstrip("+-").isdigit() and int(value) != 0
        )

    def passed_on(self, *, ignore_case: bool, home: str) -> dict[str, str]:
        """Return the settings that the children of the isolated git folder get.

        Args:
            ignore_case: whether names are compared without case.
            home: the user's home folder, for ``~`` in paths.
        """
        chosen = {key: str(self.flag(key, default=False)).lower() for key in _SWITCHES if key in self.values}
        for key, known in _WORDS.items():
            value = self.get(key).lower()
            if key == "core.autocrlf" and value not in {"", "input"}:
                value = str(self.flag(key, default=False)).lower()
            if value in known:
                chosen[key] = value
        chosen["core.ignorecase"] = str(ignore_case).lower()
        for key, default in (("core.excludesfile", "ignore"), ("core.attributesfile", "attributes")):
            chosen[key] = self.file_named(key, default, home)
        return chosen

    def file_named(self, key: str, default: str, home: str) -> str:
        """Return the path of a file that a setting names, or its usual place in the home folder.

        Args:
            key: ``core.excludesfile`` or ``core.attributesfile``.
            default: name in ``~/.config/git``.
            home: the user's home folder.
        """
        named = self.values.get(key)
        if named is None:
            return os.path.join(home, ".config", "git", default)
        return expand(named, home)

    def filters(self, name: str) -> tuple[str, str]:
        """Return the clean command and the process command of a filter, empty where there is none."""
        return self.get(f"filter.{name}.clean"), self.get(f"filter.{name}.process")


def expand(path: str, home: str) -> str:
    """Return a path of a git setting with a leading ``~/`` replaced; ``~user`` is left to name nothing."""
    return os.path.join(home, path[2:]) if path.startswith("~/") else path


def read_settings(runner: Runner, *, top: str, git_dir: str, common_dir: str) -> Settings:
    """Ask git for the effective configuration with includes; nothing is executed.

    Args:
        runner: starts the child.
        top: work tree.
        git_dir: git folder of this work tree.
        common_dir: the shared git folder.

    Raises:
        GitFailed: the configuration cannot be read.
    """
    usual = (
        os.path.join(common_dir, "config"),
        os.path.join(git_dir, "config.worktree"),
        os.path.join(runner.home, ".gitconfig"),
        os.path.join(runner.home, ".config", "git", "config"),
        "/etc/gitconfig",
    )
    before = signature(usual)
    said = runner.run(
        ["config", "--list", "-z", "--show-origin", "--show-scope", "--includes"],
        folder=top,
        variables={"GIT_DIR": git_dir},
        timeout_s=READ_TIMEOUT_S,
    ).stdout
    values: dict[str, str] = {}
    own: list[str] = []
    files = dict.fromkeys(usual)
    for scope, origin, key, value in _items(said):
        if scope == "command":
            continue
        values[key] = value
        where = os.path.join(top, origin.removeprefix(_FILE))
        files[where] = None
        if key == "include.path" or (key.startswith("includeif.") and key.endswith(".path")):
            files[os.path.join(os.path.dirname(where), expand(value, runner.home))] = None
        if scope in {"local", "worktree"} and not _NEVER_HIDING.match(key):
            own.append(f"{key}={value}")
    if signature(usual) != before:
        raise GitFailed("the git configuration changed while it was read")
    seen = digest("\0".join(own).encode("utf-8", "surrogateescape"))
    return Settings(values, seen, signature(tuple(files)))


def _items(said: bytes) -> list[tuple[str, str, str, str]]:
    parts = said.decode("utf-8", "surrogateescape").split("\0")[:-1]
    if len(parts) % 3:
        raise GitFailed("git config answered something unexpected")
    items: list[tuple[str, str, str, str]] = []
    for scope, origin, item in zip(parts[0::3], parts[1::3], parts[2::3], strict=True):
        key, equals, value = item.partition("\n")
        items.append((scope, origin, key, value if equals else "true"))
    return items
