"""Reads the policy files of the repository and of the user; what cannot be read asks, never allows."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from ags_tui.core.digests import ABSENT, digest, text_digest
from ags_tui.core.policy.calls import Policies
from ags_tui.core.policy.model import PolicyFile, PolicyProblem, combine_limits
from ags_tui.core.policy.parse import LARGEST_FILE, parse_policy
from ags_tui.core.snapshot import LoadProblem, PolicyState
from ags_tui.io.keys import Keys
from ags_tui.io.places import Places
from ags_tui.io.plain_files import NotPlain, read_plain
from ags_tui.io.tree_log import TreeLog, standing_in
from ags_tui.io.trees import tree_of

POLICY_NAME = "policy.toml"
"""Name of a policy file, in the root and in the user's configuration."""


@dataclass(frozen=True, slots=True)
class PolicyFiles:
    """Both policy files as they are on disk."""

    repository: PolicyFile | None
    """``policy.toml`` of the root; None where there is none."""
    user: PolicyFile | None
    """The user's file; None where there is none."""
    repository_path: str
    """Where the first is looked for."""
    user_path: str
    """Where the second is looked for."""


def read_policy_files(root: Path, places: Places) -> PolicyFiles:
    """Read and parse both files.

    Args:
        root: the folder that holds ``tasks/`` (normally ``.ai``).
        places: the user's folders.
    """
    repository, user = root / POLICY_NAME, places.config / POLICY_NAME
    return PolicyFiles(
        repository=_read(repository, follow=False),
        user=_read(user, follow=True),
        repository_path=str(repository),
        user_path=str(user),
    )


def read_policies(root: Path, top: Path, places: Places, keys: Keys | None, now: datetime) -> Policies:
    """Read the rules in force for calls in one work tree.

    Args:
        root: the folder that holds ``tasks/``.
        top: top of the work tree, whose own log says what a human trusted and remembered.
        places: the user's folders.
        keys: whose signatures count in that log; None where nobody's do.
        now: the wall clock, UTC.

    Returns:
        Both files. The repository's is not trusted and no rule is remembered unless that log says so.
    """
    files = read_policy_files(root, places)
    tree = None if keys is None else tree_of(str(top.resolve()), places)
    if keys is None or tree is None:
        return Policies(user=files.user, repository=files.repository)
    standing = standing_in(
        TreeLog(tree, places).read(keys), files.repository.digest if files.repository else "", now
    )
    return standing.policies(files.user, files.repository)


def read_policy(root: Path, places: Places) -> PolicyState:
    """Read the policy in force as far as everything but the rule engine needs it.

    A missing file is no problem; a broken one is, and while there is any, everything that is not denied asks.
    """
    files = read_policy_files(root, places)
    limits = combine_limits(
        files.user.limits if files.user else None, files.repository.limits if files.repository else None
    )
    return PolicyState(
        digest=_joint_digest(files),
        problems=(
            *_problems(files.repository, POLICY_NAME),
            *_problems(files.user, files.user_path),
        ),
        request_timeout_s=limits.request_timeout_s,
        when_absent=limits.when_absent,
        max_schema_attempts=limits.max_schema_attempts,
    )


def _read(path: Path, *, follow: bool) -> PolicyFile | None:
    try:
        return parse_policy(read_plain(path, limit=LARGEST_FILE, follow=follow))
    except FileNotFoundError:
        return None
    except NotPlain as error:
        return PolicyFile(digest=digest(b""), problems=(PolicyProblem(f"the file cannot be used: {error}"),))


def _joint_digest(files: PolicyFiles) -> str:
    repository = files.repository.digest if files.repository else ABSENT
    user = files.user.digest if files.user else ABSENT
    return text_digest(f"repository {repository}\nuser {user}\n")


def _problems(file: PolicyFile | None, artifact: str) -> tuple[LoadProblem, ...]:
    if file is None:
        return ()
    return tuple(
        LoadProblem(
            code="INVALID_POLICY",
            message=problem.message,
            artifact=artifact,
            line=problem.line,
            field=problem.field,
            next_step="correct the file; until then only its deny rules count and everything else asks",
            digest=file.digest,
        )
        for problem in file.problems
    )
