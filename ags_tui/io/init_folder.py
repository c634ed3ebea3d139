"""Makes the ``.ai/`` skeleton: idempotent, and nothing outside that folder is touched."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ags_tui.core.policy.parse import parse_policy
from ags_tui.io.git.root import GITIGNORE
from ags_tui.io.plain_files import NotPlain, open_folder, read_plain, write_new
from ags_tui.io.policy_files import POLICY_NAME
from ags_tui.io.resources import schemas

POLICY = """\
# Rules of this repository for agents, read by ags-tui. Changing this file asks a human to trust it again.
# The strictest word wins: deny, then ask, then allow. Allow rules of this file count only after a human
# has trusted exactly these bytes. An error anywhere here makes everything ask; deny rules still hold.
#
# A rule has:
#   id            name shown beside the verdict, unique in this file
#   decision      allow | ask | deny
#   tool          read_file | edit_file | run_tests | shell | external_api | *
#   command       for shell and run_tests: words of a simple command, `*` = the rest
#   paths         for read_file and edit_file, and for redirections: patterns from the top of the work tree
#   risk_at_most  low | medium | high | critical
#   reason        one sentence for the human
#   match         lines (or paths) that the rule must cover; checked when this file is loaded
#   not_match     lines (or paths) that it must not cover
#   expires       when it ends, with its offset
#
# [[rule]]
# id = "unit-tests"
# decision = "allow"
# tool = "run_tests"
# command = "npm test *"
# risk_at_most = "medium"
# reason = "unit tests of this repository"
# match = ["npm test -- login"]
# not_match = ["npm test && rm -rf /", "npm test > /etc/passwd"]
# expires = 2026-12-31T00:00:00Z

[[rule]]
id = "secrets"
decision = "deny"
tool = "edit_file"
paths = ["**/.env", "**/.env.*", "**/*.pem"]
reason = "secrets are changed by hand"
match = [".env", "deploy/.env.production"]
not_match = ["src/environment.py"]

[limits]
# Seconds for which a request waits for a human.
request_timeout_s = 3600
# What a hook answers while nobody is there: deny, or defer to the client's own prompt.
when_absent = "deny"
# Distinct invalid versions of one contract file before the task stops.
max_schema_attempts = 2
"""
"""Content of ``.ai/policy.toml``: parsed strictly from the start."""

_LARGEST_SCHEMA = 4 * 1024 * 1024

Outcome = Literal["created", "kept", "updated"]
"""What happened to a file: new, was there and stays, or an older copy of ours replaced."""


@dataclass(frozen=True, slots=True)
class InitReport:
    """What ``init`` did."""

    root: Path
    """The folder."""
    files: tuple[tuple[str, Outcome], ...]
    """Files relative to it, in order."""
    problems: tuple[str, ...] = ()
    """What a human should look at, such as an own policy.toml with errors."""


def init_folder(root: Path) -> InitReport:
    """Make or complete the skeleton.

    Files of the user are never changed; schema copies that differ from this version's are written anew.

    Args:
        root: the folder to make, normally ``WORK_TREE/.ai``; its parent must exist.

    Raises:
        NotPlain: the folder or a part of it is a link, or cannot be written.
        FileNotFoundError: the parent does not exist, or the installation lacks its schemas.
    """
    files: list[tuple[str, Outcome]] = []
    own = {".gitignore": GITIGNORE, POLICY_NAME: POLICY}
    with open_folder(root.parent, root.name, create=True) as folder:
        for name, text in own.items():
            files.append((name, "created" if write_new(folder, name, text.encode()) else "kept"))
    with open_folder(root.parent, root.name, "tasks", create=True):
        pass
    for schema in schemas():
        name = f"{schema.version}.schema.json"
        done = _copy_schema(root, schema.name, name, schema.path.read_bytes())
        files.append((f"contracts/{schema.name}/{name}", done))
    return InitReport(root, tuple(files), _problems(root))


def _copy_schema(root: Path, contract: str, name: str, data: bytes) -> Outcome:
    with open_folder(root.parent, root.name, "contracts", contract, create=True) as folder:
        if write_new(folder, name, data):
            return "created"
        path = root / "contracts" / contract / name
        if read_plain(path, limit=_LARGEST_SCHEMA) == data:
            return "kept"
        path.unlink()
        write_new(folder, name, data)
        return "updated"


def _problems(root: Path) -> tuple[str, ...]:
    try:
        data = read_plain(root / POLICY_NAME, limit=1024 * 1024)
    except (NotPlain, FileNotFoundError) as error:
        return (f"{POLICY_NAME}: cannot be used: {error}",)
    return tuple(
        f"{POLICY_NAME}:{problem.line or 1}: {problem.message}" for problem in parse_policy(data).problems
    )
