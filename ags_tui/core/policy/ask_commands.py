"""Built-in questions by command: what always waits for a human, and why other things do."""

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from ags_tui.core.shell.model import SimpleCommand

_PUSH_FORCE = re.compile(r"-[a-z]*f[a-z]*\Z|--force|--mirror|--delete|-d\Z|--prune|\+|:")
_PUBLISHERS = frozenset({
    "npm", "pnpm", "yarn", "bun", "cargo", "uv", "poetry", "hatch", "flit", "pdm", "twine", "gem",
    "docker", "podman",
    "mvn", "gradle", "gradlew", "vsce", "ovsx", "helm", "dotnet", "nuget", "dart", "flutter", "lerna",
    "nx", "mix",
    "goreleaser", "gh", "glab", "buildah", "skopeo", "pod", "sbt", "lein", "changeset",
    "semantic-release", "rye",
})  # fmt: skip
_PUBLISH = frozenset(
    {"publish", "upload", "push", "release", "deploy", "nuget", "trunk", "unpublish", "yank"}
)
_DEPLOYERS: Mapping[str, frozenset[str]] = MappingProxyType({
    "kubectl": frozenset({"apply", "delete", "create", "replace", "patch", "scale", "rollout", "drain",
    "edit", "set"}),
    "oc": frozenset({"apply", "delete", "create", "replace", "patch"}),
    "helm": frozenset({"install", "upgrade", "uninstall", "rollback", "delete"}),
    "terraform": frozenset({"apply", "destroy", "import", "taint"}),
    "tofu": frozenset({"apply", "destroy", "import", "taint"}),
    "terragrunt": frozenset({"apply", "destroy", "run-all"}),
    "pulumi": frozenset({"up", "update", "destroy"}),
    "vercel": frozenset(), "netlify": frozenset({"deploy"}), "firebase": frozenset({"deploy"}),
    "fly": frozenset({"deploy", "launch"}), "flyctl": frozenset({"deploy", "launch"}),
    "wrangler": frozenset({"deploy", "publish"}), "serverless": frozenset({"deploy", "remove"}),
    "sls": frozenset({"deploy", "remove"}), "cdk": frozenset({"deploy", "destroy"}),
    "sam": frozenset({"deploy"}),
    "eb": frozenset({"deploy"}), "gcloud": frozenset({"deploy", "delete"}), "heroku": frozenset(),
    "ansible-playbook": frozenset(), "cap": frozenset(), "docker-compose": frozenset({"push"}),
    "kamal": frozenset(),
})  # fmt: skip
_INSTALLERS = frozenset({
    "npm", "pnpm", "yarn", "bun", "pip", "pip3", "uv", "poetry", "pdm", "cargo", "go", "gem", "bundle",
    "apt", "apt-get",
    "dnf", "yum", "pacman", "apk", "brew", "port", "conda", "mamba", "composer", "nix-env", "snap",
    "flatpak", "pipx",
})  # fmt: skip
_INSTALL = frozenset(
    {"install", "i", "add", "ci", "get", "update", "upgrade", "sync", "remove", "uninstall", "-S"}
)
_NETWORK = frozenset({
    "curl", "wget", "ssh", "scp", "sftp", "rsync", "nc", "ncat", "netcat", "telnet", "ftp", "socat",
    "http", "https",
    "xh", "aria2c", "gh", "glab", "aws", "az", "gcloud",
})  # fmt: skip
_MODES = frozenset({"chmod", "chown", "chgrp", "setfacl", "chattr", "chflags", "umask"})
_HISTORY = (
    "filter-branch", "filter-repo", "rebase", "update-ref", "replace", "fast-import", "symbolic-ref",
)  # fmt: skip


def always(command: SimpleCommand) -> tuple[str, str]:
    """Id and reason of the built-in that sends a command to a human whatever a rule says; empty for none.

    Recursive deletion is judged by its paths elsewhere.
    """
    words = [(word.text if word.value is None else word.value).casefold() for word in command.words]
    name, rest = words[0].rpartition("/")[2], words[1:]
    if name == "git":
        return _git(rest)
    plain = [word for word in rest if not word.startswith("-")]
    if name in ("git-filter-repo", "bfg"):
        return "history", "it rewrites history"
    if (name in _PUBLISHERS and plain and _PUBLISH.intersection(plain[:3])) or name in (
        "twine",
        "goreleaser",
    ):
        return "publish", "it publishes or deploys"
    verbs = _DEPLOYERS.get(name)
    if verbs is not None and (not verbs or verbs.intersection(plain)):
        return "deploy", "it deploys"
    if "deploy" in name or (name in _RUNNERS and any("deploy" in w or "publish" in w for w in plain)):
        return "deploy", "it deploys or publishes"
    if name in ("shred", "mkfs", "wipefs", "fdisk", "parted") or name.startswith("mkfs."):
        return "destroy", "it destroys data"
    return "", ""


_RUNNERS = frozenset(
    {"npm", "pnpm", "yarn", "bun", "make", "just", "task", "rake", "npx", "mage", "invoke", "nox"}
)


def _git(rest: Sequence[str]) -> tuple[str, str]:
    index = 0
    while index < len(rest) and rest[index].startswith("-"):
        index += 2 if rest[index] in ("-c", "--git-dir", "--work-tree", "--namespace", "--exec-path") else 1
    verb = rest[index] if index < len(rest) else ""
    words = rest[index + 1 :]
    if verb == "push" and any(map(_PUSH_FORCE.match, words)):
        return "force-push", "it is a forced or deleting push"
    test = _REWRITES.get(verb)
    if verb in _HISTORY or (test and test(words)):
        return "history", "it rewrites history or throws work away"
    return "", ""


def _has(*options: str) -> Callable[[Sequence[str]], bool]:
    return lambda words: any(
        word in options or any(option.startswith("--") and word.startswith(option) for option in options)
        for word in words
    )


_REWRITES: Mapping[str, Callable[[Sequence[str]], bool]] = MappingProxyType({
    "commit": _has("--amend", "--am", "--ame", "--amen"),
    "reset": _has("--hard", "--merge", "--keep"),
    "reflog": _has("expire", "delete"),
    "gc": _has("--prune", "--aggressive"),
    "prune": lambda words: True,
    "branch": _has("-d", "-f", "-m", "--delete", "--force", "--move"),
    "tag": _has("-d", "-f", "--delete", "--force"),
    "stash": _has("drop", "clear"),
    "worktree": _has("remove", "prune"),
    "remote": _has("remove", "rm", "set-url"),
})  # fmt: skip
_EXECUTING_KEYS = re.compile(
    r"core\.(?:hookspath|fsmonitor|pager|editor|sshcommand|askpass|gitproxy|worktree|attributesfile|excludesfile)"
    r"|alias\.|filter\.|diff\.|merge\.|include|credential|gpg\.|pager\.|sequence\.editor|uploadpack\.|receive\."
    r"|url\.|protocol\.|safe\.|init\.templatedir|submodule\.|remote\..*\.(?:uploadpack|receivepack|vcs)|man\.|web\.",
    re.IGNORECASE,
)


def sets_executing_key(command: SimpleCommand) -> bool:
    """Whether ``git config`` (or ``git -c``) sets a key that makes git run programs or hide changes."""
    words = [word.text if word.value is None else word.value for word in command.words]
    if words[0].rpartition("/")[2].casefold() != "git" or "config" not in words[1:]:
        return False
    at = words.index("config", 1)
    rest = words[at + 1 :]
    reading = any(
        word.startswith(("--get", "--list", "--show")) or word in ("-l", "get", "list") for word in rest
    )
    return not reading and (
        "edit" in rest or "-e" in rest or "--edit" in rest or any(map(_EXECUTING_KEYS.match, rest))
    )


def why(command: SimpleCommand) -> tuple[str, str]:
    """Id and reason of the built-in question for a command that nothing allows."""
    words = [word.text if word.value is None else word.value for word in command.words]
    name, rest = words[0].rpartition("/")[2].casefold(), words[1:]
    if name in _MODES:
        return "permissions", "it changes permissions"
    if (name in _INSTALLERS and _INSTALL.intersection(rest[:3])) or "install" in name:
        return "install", "it installs or changes packages"
    if name in _NETWORK or (
        name == "git" and {"push", "fetch", "pull", "clone", "remote"}.intersection(rest[:4])
    ):
        return "network", "it talks to the network"
    if name in _WRITERS:
        return "write", "it changes files"
    return "unknown-command", "no rule allows it and it is not on the list of read-only commands and options"


_WRITERS = frozenset({
    "rm", "rmdir", "mv", "cp", "touch", "tee", "truncate", "ln", "install", "dd", "sed", "perl", "patch",
    "mkdir",
    "shred", "unlink", "rsync", "ed", "ex", "split", "csplit", "tar", "unzip", "zip", "gzip", "gunzip",
    "mktemp", "sponge",
    "chmod", "chown", "chgrp", "setfacl", "chattr", "rename", "trash", "ditto", "apply_patch",
})  # fmt: skip


def writes(command: SimpleCommand) -> bool:
    """Whether the arguments of a command are files that it may change."""
    words = [word.value or word.text for word in command.words]
    name = words[0].rpartition("/")[2].casefold()
    git = {"rm", "mv", "checkout", "restore", "apply", "clean", "reset", "am", "stash"}
    return name in _WRITERS or (name == "git" and bool(git.intersection(words[1:4])))


def indexes(command: SimpleCommand) -> bool:
    """Whether a command only records files in git's index or history: it reads its arguments."""
    words = [word.value or word.text for word in command.words]
    if words[0].rpartition("/")[2] != "git":
        return False
    verb = next((word for word in words[1:] if not word.startswith("-")), "")
    return verb in (
        "add",
        "commit",
        "diff",
        "log",
        "show",
        "status",
        "blame",
        "grep",
        "ls-files",
        "check-ignore",
    )


def deletes_recursively(command: SimpleCommand) -> bool:
    """Whether a command removes folders with what is in them."""
    words = [word.value or word.text for word in command.words]
    name, rest = words[0].rpartition("/")[2].casefold(), words[1:]
    if name == "rm":
        return any(re.match(r"-[a-zA-Z]*[rR]|--r", word) for word in rest)
    return (name in ("find", "fd") and "-delete" in rest) or name in ("rimraf", "trash")


def moves_whole(command: SimpleCommand) -> bool:
    """Whether a folder among the arguments is taken with all that is in it."""
    name = (command.words[0].value or "").rpartition("/")[2].casefold()
    return name in (
        "rm",
        "mv",
        "ln",
        "rsync",
        "rimraf",
        "trash",
        "find",
        "tar",
        "cp",
        "ditto",
        "chmod",
        "chown",
    )
