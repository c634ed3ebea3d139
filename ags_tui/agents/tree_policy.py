"""What a call in one work tree is judged by: ground, rules, limits and terms, read again where files changed.

Light: contracts, logs and keys are read in full only where what is kept of them does not hold.
"""

import os
import pwd

import ags_tui
from ags_tui.agents.known_verdict import program
from ags_tui.core.digests import ABSENT, digest, text_digest
from ags_tui.core.light import TYPE_CHECKING, Callable, datetime
from ags_tui.core.policy.calls import Ground, Terms, ToolCall, Verdict
from ags_tui.core.policy.model import LARGEST_FILE, EffectiveLimits, PolicyFile, PolicyProblem, combine_limits
from ags_tui.core.records import Record, replace
from ags_tui.io.kept import keep, read_kept
from ags_tui.io.known_terms import KnownTerms
from ags_tui.io.places import Places
from ags_tui.io.stamps import stamp_of
from ags_tui.io.tree_log import NOTHING, TreeLog, TreeRules
from ags_tui.io.trees import FOLDER, Tree
from ags_tui.io.wild_names import wild_names

if TYPE_CHECKING:
    from ags_tui.core.policy.plan_terms import PlanTerms
    from ags_tui.io.stamps import Stamp

KEPT = "policy.json"
"""What is kept of a policy file: beside the state of the work tree, or for all of the user's."""
POLICY_NAME = "policy.toml"
"""Name of a policy file, in the root and in the user's configuration."""

_PROGRAM = os.path.dirname(os.path.realpath(ags_tui.__file__))


class Rules(Record):
    """Both policy files."""

    user: PolicyFile | None
    """The user's file; None where there is none."""
    repository: PolicyFile | None
    """The repository's file; None where there is none."""
    limits: EffectiveLimits
    """Limits in force."""
    digest: str
    """Digest over both, as decisions are bound to it."""


class TreePolicy:
    """Judges calls in one work tree."""

    def __init__(self, tree: Tree, places: Places, *, real: Callable[[str], str] = os.path.realpath) -> None:
        """Prepare; nothing is read yet.

        Args:
            tree: The work tree.
            places: The user's folders.
            real: Resolves the links of an absolute path that need not exist.
        """
        self.tree = tree
        self._places = places
        self._terms = KnownTerms(tree, places)
        self._log = TreeLog(tree, places)
        self._read: tuple[Stamp, Rules] | None = None
        self.readings = 0
        """How often the policy files were read, as they changed."""
        self._compiled: tuple[PlanTerms | None, Terms | None] = (None, None)
        self._ground = Ground(
            top=tree.top,
            root=os.path.realpath(tree.root),
            home=_home(),
            own=tuple(os.path.realpath(path) for path in (places.state_dir, places.config_dir, _PROGRAM)),
            real=real,
            git_dirs=git_dirs(tree.top),
            ignore_case=os.path.lexists(f"{tree.top}/.GIT"),
            wild=wild_names,
        )

    def verdict(self, call: ToolCall, task: str, now: datetime) -> Verdict:
        """Judge a call.

        Args:
            call: The call.
            task: Task of its session.
            now: The wall clock, UTC.
        """
        from ags_tui.core.policy.decide import decide

        rules = self.rules()
        ground, terms = self.ground(task), self.terms(task, now)

        def judged(standing: TreeRules) -> Verdict:
            policies = standing.policies(rules.user, rules.repository)
            return decide(call, ground=ground, policies=policies, terms=terms, now=now)

        trusted = rules.repository.digest if rules.repository else ""
        claimed = self._log.unverified(trusted, now)
        if claimed is not None:
            bare = judged(NOTHING)
            if judged(claimed).decision == bare.decision:
                return bare
        return judged(self._log.rules(trusted, now))

    def ground(self, task: str) -> Ground:
        """Where calls of a session happen.

        Args:
            task: Its task.
        """
        return replace(self._ground, task_folder=f"{self._ground.root}/tasks/{task}")

    def terms(self, task: str, now: datetime) -> Terms | None:
        """What the plan of a task allows; None where there is none.

        Args:
            task: The task.
            now: The wall clock, UTC.
        """
        found = self._terms.of(task, now)
        if found is None:
            return None
        if self._compiled[0] is not found:
            self._compiled = (found, found.terms(ignore_case=self._ground.ignore_case))
        return self._compiled[1]

    def is_frozen(self, task: str, now: datetime) -> bool:
        """Whether a task with a plan is finalized or closed.

        Args:
            task: The task.
            now: The wall clock, UTC.
        """
        found = self._terms.of(task, now)
        return found is not None and found.frozen

    def rules(self) -> Rules:
        """The policy files; read again where one changed."""
        paths = (f"{self._places.config_dir}/{POLICY_NAME}", f"{self.tree.root}/{POLICY_NAME}")
        stamp = stamp_of(paths)
        if self._read is None or self._read[0] != stamp:
            user = self._file(paths[0], (KEPT,), follow=True)
            repository = self._file(paths[1], (FOLDER, self.tree.key, KEPT), follow=False)
            named = (repository.digest if repository else ABSENT, user.digest if user else ABSENT)
            joint = text_digest(f"repository {named[0]}\nuser {named[1]}\n")
            limits = combine_limits(user.limits if user else None, repository.limits if repository else None)
            self.readings += 1
            self._read = (stamp, Rules(user, repository, limits, joint))
        return self._read[1]

    def _file(self, path: str, kept: tuple[str, ...], *, follow: bool) -> PolicyFile | None:
        if not os.path.lexists(path):
            return None
        from ags_tui.io.plain_reads import NotPlain, read_plain

        try:
            return self._parsed(read_plain(path, limit=LARGEST_FILE, follow=follow), kept)
        except FileNotFoundError:
            return None
        except NotPlain as error:
            problem = PolicyProblem(f"the file cannot be used: {error}")
            return PolicyFile(digest=digest(b""), problems=(problem,))

    def _parsed(self, data: bytes, names: tuple[str, ...]) -> PolicyFile:
        """Parse a policy file, unless exactly these bytes were parsed by this program before.

        What is kept is as good as the file: neither is signed, and no agent may write either.
        """
        from ags_tui.core.policy.documents import policy_document, policy_from

        stamp = program()
        kept = policy_from(read_kept("/".join((self._places.state_dir, *names)), stamp), digest(data))
        if kept is not None:
            return kept
        from ags_tui.core.policy.parse import parse_policy

        file = parse_policy(data)
        document = policy_document(file)
        if document is not None:
            keep(self._places, names, stamp, document)
        return file


def git_dirs(top: str) -> tuple[str, ...]:
    """The git folders of a work tree: its own, and the shared one where that is another.

    Args:
        top: Absolute top of the work tree.
    """
    own = _pointed(f"{top}/.git", top)
    shared = own
    try:
        with open(f"{own}/commondir", encoding="utf-8") as stream:
            shared = os.path.join(own, stream.read(4096).strip())
    except (OSError, UnicodeDecodeError):
        pass
    return tuple(dict.fromkeys(os.path.realpath(one) for one in (own, shared)))


def _pointed(path: str, top: str) -> str:
    """Where ``.git`` leads: itself, or the folder that it names where it is a file."""
    if os.path.isdir(path):
        return path
    try:
        with open(path, encoding="utf-8") as stream:
            line = stream.read(4096)
    except (OSError, UnicodeDecodeError):
        return path
    named = line.partition("gitdir:")[2].strip()
    return os.path.join(top, named) if named else path


def _home() -> str:
    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        return "/nonexistent"
