"""One tool call as policy sees it, the ground it stands on, and what policy says. No pydantic here."""

from ags_tui.core.light import TYPE_CHECKING, Callable, datetime
from ags_tui.core.policy.model import Decision, PolicyFile, Risk, Rule
from ags_tui.core.records import Record

if TYPE_CHECKING:
    from ags_tui.core.globs import PatternSet

UNKNOWN_TOOL = "unknown"
"""Tool of a call that no contract name fits."""


class ToolCall(Record):
    """One call of a tool by an agent's client, before it happens."""

    tool: str
    """``read_file``, ``edit_file``, ``run_tests``, ``shell``, ``external_api`` or ``unknown``."""
    name: str
    """As the client calls it: ``Bash``, ``mcp__server__tool``, ``apply_patch``."""
    command: str | None = None
    """The shell line, exactly; None where the call runs none."""
    paths: tuple[str, ...] = ()
    """Files that it names, as given: absolute, or relative to ``cwd``."""
    cwd: str = ""
    """Absolute folder in which it would run."""
    risk: Risk = "medium"
    """Risk as claimed; clients claim none."""
    agent: str = ""
    """``claude-code``, ``codex``, ``gemini`` or another name."""
    refuse: str = ""
    """Why nothing can gate this call (an interactive shell, text for one): the reason of its denial."""
    removes: bool = False
    """Whether an edit may delete files, or move them away."""


class Terms(Record):
    """What the plan in force allows."""

    approved: bool
    """A human approved exactly this plan, and the log is intact."""
    allow: "PatternSet"
    """Paths that may be edited."""
    deny: "PatternSet"
    """Paths that must not be."""
    risk: Risk = "low"
    """The highest risk of task and plan."""
    operations: frozenset[str] | None = None
    """Allowed operations (``create``, ``update``, ``delete``, ``rename``); None = all."""


class Ground(Record):
    """Where a call happens."""

    top: str
    """Absolute top of the work tree, links resolved."""
    root: str
    """Absolute folder that holds ``tasks/``."""
    home: str
    """Absolute home folder of the user."""
    own: tuple[str, ...]
    """Absolute state and configuration folders of ags-tui, and its program folder."""
    real: Callable[[str], str]
    """Resolves the links of an absolute path that need not exist."""
    task_folder: str | None = None
    """Absolute folder of the session's own task; None where it has none."""
    git_dirs: tuple[str, ...] = ()
    """Absolute git folders of the work tree."""
    ignore_case: bool = False
    """Whether names that differ only in case are the same file."""
    wild: Callable[[str], tuple[str, ...] | None] | None = None
    """Finds the paths that a pattern of the shell names and that may lead elsewhere, None where there are too
    many; None where no disk is asked."""


class RememberedRule(Record):
    """A rule that a human made from one call, with its end."""

    rule: Rule
    """What it covers and says."""
    made_at: datetime
    """When, UTC."""
    expires: datetime
    """When it ends, UTC."""
    cwd: str | None = None
    """Absolute folder in which alone it holds; None where the human widened it to all."""
    agent: str | None = None
    """Agent for whom alone it holds; None where the human widened it to all."""


class Policies(Record):
    """All rules in force."""

    user: PolicyFile | None = None
    """The user's file; None where there is none."""
    repository: PolicyFile | None = None
    """The repository's file; None where there is none."""
    repository_trusted: bool = False
    """Whether a human trusted exactly these bytes of it: without that only its ``ask`` and ``deny`` count."""
    remembered: tuple[RememberedRule, ...] = ()
    """Rules made from single calls."""


class Part(Record):
    """What one simple command, redirection or path of a call got."""

    what: str
    """The command, redirection or path. Raw text."""
    decision: Decision
    """What it got."""
    reason: str
    """Why, in one sentence."""
    source: str
    """``built-in``, ``repository``, ``user``, ``remembered``, ``plan``."""
    rule_id: str = ""
    """Id of the rule, or of the built-in."""


class Verdict(Record):
    """What policy says of a call."""

    decision: Decision
    """``allow``, ``ask`` or ``deny``."""
    reason: str
    """One sentence for the human and the model: what, why, next step. Raw text."""
    source: str
    """Of the part that decided."""
    rule_id: str = ""
    """Id of the rule, or of the built-in, that decided."""
    risk: Risk = "medium"
    """The highest of claimed risk, policy, task and path class."""
    parts: tuple[Part, ...] = ()
    """What each part of the call got, in its order."""
