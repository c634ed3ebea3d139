"""A session becomes a planned task: what it touched is drawn as a plan, which a human then approves. Pure."""

import posixpath
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ags_tui.core.activity import FAILED, ActivityLine
from ags_tui.core.globs import compile_patterns, normalise
from ags_tui.core.session_calls import SessionSeen, calls_of, edits_let
from ags_tui.core.sessions import SESSION_PREFIX
from ags_tui.core.snapshot import TaskSnapshot

if TYPE_CHECKING:
    from ags_tui.core.contracts.plan import AgentPlanV2, Operation
    from ags_tui.core.contracts.task import AgentTask

TASK_FILE = "task.json"
"""Where the task of a promoted session is written."""
PLAN_FILE = "plan.json"
"""Where its plan is written."""

OPERATIONS: "tuple[Operation, ...]" = ("create", "update", "delete", "rename")
"""All operations, in the order in which a plan names them."""

_USUAL = ("create", "update")
_WILD = frozenset("*?[")
_JOINS = frozenset(";&|<>$`")
_TESTS = re.compile(
    r"(?:(?:uv|poetry|pdm|hatch) run )?(?:python[0-9.]* -m )?(?:pytest|unittest|tox|nox)\b"
    r"|(?:npm|pnpm|yarn|bun)(?: run)? (?:test|t)\b|(?:npx )?(?:vitest|jest|mocha|playwright test)\b"
    r"|(?:cargo|go|swift|dotnet|mix|deno|gradle|\./gradlew|mvn|make|just|rake|bazel) (?:test|check)\b|ctest\b"
)
"""How lines begin that run tests; a human reads what is drawn of them."""


@dataclass(frozen=True, slots=True)
class Sketch:
    """What a session has done so far, as the beginning of a plan."""

    paths: tuple[str, ...] = ()
    """Patterns that each match one path that it touched, sorted. Raw text."""
    operations: "tuple[Operation, ...]" = ()
    """Creating and updating, and what else was done."""
    tests: tuple[str, ...] = ()
    """Test commands that it ran, in the order of their first run. Raw text."""
    left_out: tuple[str, ...] = ()
    """Paths that no pattern can name, or that only other sessions touched, sorted. Raw text."""


@dataclass(frozen=True, slots=True)
class Promotion:
    """What a human wrote into the form."""

    task: "AgentTask"
    """The task; its id is the name of the session's folder."""
    plan: "AgentPlanV2"
    """Its plan, which asks for a human's approval."""


def may_promote(task: TaskSnapshot) -> str:
    """Say why a task cannot be promoted, in one sentence; empty where it can.

    Args:
        task: The task as read.
    """
    if not task.task_id.startswith(SESSION_PREFIX):
        return "Only a session becomes a planned task; this one is written by a human already."
    if task.log.frozen:
        return "This session is closed."
    if TASK_FILE in task.files.artifacts or PLAN_FILE in task.files.artifacts:
        return "This session has contracts of its own already; a plan among them is approved with a."
    return ""


def was_promoted(task: TaskSnapshot) -> bool:
    """Whether a session has a task, or had one: a human ends it then, as any other task.

    Args:
        task: The task as read.
    """
    return TASK_FILE in task.files.artifacts or any(one.path == TASK_FILE for one in task.log.observations)


def sketch(
    task: TaskSnapshot, own: Iterable[SessionSeen], others: Iterable[SessionSeen], *, root: str
) -> Sketch:
    """Draw what a session touched: what differs since its baseline, and what its edits named.

    Args:
        task: The session's task.
        own: The sessions that belong to it.
        others: All other sessions of the work tree: a changed path that only they touched is left out.
        root: Absolute folder that holds ``tasks/``: contracts are no part of the work.
    """
    own = tuple(own)
    mine = {path for seen in own for path in _touched_below(seen, root)}
    theirs = {path for seen in others for path in _touched_below(seen, root)} - mine
    changes = () if task.changes is None else task.changes.entries
    operations: set[Operation] = set()
    found: dict[str, str | None] = {path: pattern_for(path) for path in mine}
    for change in changes:
        if change.path in theirs:
            found[change.path] = None
        else:
            found[change.path] = pattern_for(change.path)
            operations.add(change.operation)
    return Sketch(
        paths=tuple(sorted(pattern for pattern in found.values() if pattern is not None)),
        operations=tuple(one for one in OPERATIONS if one in operations or one in _USUAL),
        tests=tests_of(own),
        left_out=tuple(sorted(path for path, pattern in found.items() if pattern is None)),
    )


def tests_of(sessions: Iterable[SessionSeen]) -> tuple[str, ...]:
    """Test commands that were let through and did not fail to start, in the order of their first run.

    Args:
        sessions: The sessions.
    """
    calls = [call for seen in sessions for call in calls_of(seen.lines)]
    calls.sort(key=lambda call: call.at)
    ran = (one for one in calls if one.state in ("allow", "defer") and one.effect != FAILED)
    lines = (_one_line(one.asked) for one in ran if _is_test(one.asked))
    return tuple(dict.fromkeys(line for line in lines if line))


def pattern_for(path: str) -> str | None:
    """Give the pattern that matches exactly one path; None where no pattern can.

    Args:
        path: Relative to the top of the work tree.
    """
    if not path.isprintable() or "\\" in path or any("\udc80" <= char <= "\udcff" for char in path):
        return None
    text = "".join(f"[{char}]" if char in _WILD else char for char in unicodedata.normalize("NFC", path))
    made = compile_patterns([text], side="allow")
    if made.problems:
        return None
    return text if made.bare or made.match(path) is not None else None


def plan_of(
    task: "AgentTask",
    *,
    paths: Sequence[str],
    tests: Sequence[str],
    forbidden: Sequence[str] = (),
    operations: "Sequence[Operation]" = OPERATIONS,
) -> "AgentPlanV2":
    """Write the plan of a promoted session; it always asks for a human's approval.

    Args:
        task: Its task.
        paths: Patterns that may change.
        tests: Commands that prove the result.
        forbidden: Patterns that must not change.
        operations: What may be done to the files.
    """
    from ags_tui.core.contracts.plan import AgentPlanV2, PlanStep

    step = PlanStep(
        id="session",
        action=task.description,
        input_files=(),
        expected_output="; ".join(task.expected_behavior) or task.title,
        validation="; ".join(tests) or "a human looks at the change",
    )
    return AgentPlanV2(
        task_id=task.id,
        summary=task.title,
        risk_level=task.risk_level,
        files_to_read=(),
        files_to_edit=tuple(dict.fromkeys(paths)),
        files_not_to_edit=tuple(dict.fromkeys(forbidden)),
        steps=(step,),
        tests_to_run=tuple(tests),
        requires_human_approval=True,
        stop_conditions=(),
        allowed_operations=tuple(operations),
        approval_policy="plan",
    )


def _touched_below(seen: SessionSeen, root: str) -> set[str]:
    """Paths of a session's edits relative to the top of its work tree; what lies elsewhere is left out."""
    top = seen.record.top.rstrip("/")
    found: set[str] = set()
    for call in edits_let(seen):
        for path in call.asked.paths:
            whole = posixpath.normpath(posixpath.join(call.asked.cwd or top, path))
            if whole.startswith(f"{top}/") and not f"{whole}/".startswith(f"{root}/"):
                found.add(normalise(whole[len(top) + 1 :]))
    return found


def _is_test(line: ActivityLine) -> bool:
    """Whether a call ran tests and nothing else: clients know only shell lines, so their first words tell."""
    text = line.command.strip()
    plain = line.tool == "shell" and not set(text) & _JOINS
    return line.tool == "run_tests" or (plain and _TESTS.match(text) is not None)


def _one_line(line: ActivityLine) -> str:
    text = line.command.strip()
    return text if text and text.isprintable() else ""
