"""The finalization screen: the whole ladder, claims beside what was observed, sentences to attest."""

from collections.abc import Iterator
from datetime import datetime

from ags_tui.core.assessment import Prose, TaskAssessment
from ags_tui.core.checks.findings import Basis, Outcome
from ags_tui.core.contracts.plan import AgentPlan
from ags_tui.core.contracts.results import TestResult
from ags_tui.core.log_state import Observation
from ags_tui.view.gate import gate_line, gate_rows, prose_key
from ags_tui.view.glyphs import Glyphs
from ags_tui.view.inbox import risk_style
from ags_tui.view.rows import Row, blank, heading, paragraph, spread
from ags_tui.view.scope import task_verdict_line
from ags_tui.view.text import Line, Span, age, clip_line, printable


def finalize_rows(task: TaskAssessment, width: int, glyphs: Glyphs, now: datetime) -> tuple[Row, ...]:
    """Make all rows of the screen.

    Args:
        task: The task.
        width: Cells of a line.
        glyphs: Symbols.
        now: For ages.
    """
    rows = [_here(row, task) for row in gate_rows(task.gate, width, glyphs)]
    return (*rows, *_tests(task, width, glyphs, now))


def _here(row: Row, task: TaskAssessment) -> Row:
    """On this screen Space attests; elsewhere it opens this screen."""
    if row.key != "prose":
        return row
    return heading("prose", Span("ATTEST  ", "title"), Span(_how_many(task), "muted"))


def _how_many(task: TaskAssessment) -> str:
    """Say how many sentences wait for the human; the key is named where the cursor stands on one."""
    waiting = sum(map(for_human, task.gate.prose))
    if waiting:
        return f"{waiting} for you"
    late = sum(one.outcome is not Outcome.PASSED for one in task.gate.prose)
    return f"none for you; {late} not shown yet by tests or files" if late else "all hold"


def for_human(prose: Prose) -> bool:
    """Tell whether a sentence waits for a human; what is computed waits for facts."""
    return prose.outcome is Outcome.UNKNOWN or (
        prose.basis is Basis.HUMAN and prose.outcome is not Outcome.PASSED
    )


def first_waiting(task: TaskAssessment, after: str = "") -> str:
    """Give the key of the row of the next sentence that waits for a human; empty where none does.

    Args:
        task: The task.
        after: Key of the row behind which to begin; the search goes on at the first sentence.
    """
    names = [prose_key(one.prose_id) for one in task.gate.prose]
    start = names.index(after) + 1 if after in names else 0
    ordered = [*task.gate.prose[start:], *task.gate.prose[:start]]
    return next((prose_key(one.prose_id) for one in ordered if for_human(one)), "")


def attested(prose: Prose) -> bool:
    """Tell whether a human attested a sentence for this tree, so that Space takes it back."""
    return prose.basis is Basis.HUMAN and prose.outcome is Outcome.PASSED and not prose.stale


def finalize_keys(task: TaskAssessment, cursor: str | None, *, tests: bool) -> Line:
    """Draw the keys that work where the cursor stands.

    Args:
        task: The task as it is shown.
        cursor: Key of the row under the cursor.
        tests: Whether the plan names test commands.
    """
    prose, words = prose_of(task, cursor), ["Esc back"]
    if prose is not None and for_human(prose):
        words.append("Space attests this sentence" + (" again" if prose.stale else ""))
    elif prose is not None and attested(prose):
        words.append("Space takes the attestation back")
    elif first_waiting(task):
        words.append("j k to a sentence to attest")
    words += ["t runs the planned tests"] if tests else []
    return (Span("   ".join([*words, "b block..."]), "muted"),)


def _tests(task: TaskAssessment, width: int, glyphs: Glyphs, now: datetime) -> Iterator[Row]:
    """Claimed beside observed, one row a command."""
    artifacts = task.task.files.artifacts
    plan, result = artifacts.get("plan.json"), artifacts.get("test-result.json")
    claims: dict[str, int | None] = {}
    if result is not None and isinstance(result.document, TestResult):
        claims = {one.command: one.exit_code for one in result.document.commands}
    observed = {str(one.data.get("command", "")): one for one in task.task.log.tests}
    planned = plan.document.tests_to_run if plan is not None and isinstance(plan.document, AgentPlan) else ()
    commands = dict.fromkeys((*planned, *claims, *observed))
    if not commands:
        return
    yield blank("tests:gap")
    yield heading("tests", Span("TESTS  ", "title"), Span("claimed beside observed", "muted"))
    for number, command in enumerate(commands):
        yield paragraph(f"test:{number}", command, width, indent=2, limit=3)
        claimed = _exit(claims[command], "claimed", glyphs) if command in claims else _nothing("not claimed")
        seen = _seen(observed.get(command), task, glyphs, now)
        line = clip_line((Span("    "), *claimed, Span("   "), *seen), width)
        yield Row(f"test:{number}:result", (line,), selectable=False)


def _exit(code: int | None, word: str, glyphs: Glyphs) -> Line:
    if code is None:
        return (Span(f"{glyphs.none} {word} not run", "warn"),)
    glyph, style = (glyphs.ok, "ok") if code == 0 else (glyphs.fail, "error")
    return (Span(f"{glyph} {word} exit {code}", style),)


def _nothing(words: str) -> Line:
    return (Span(words, "muted"),)


def _seen(one: Observation | None, task: TaskAssessment, glyphs: Glyphs, now: datetime) -> Line:
    if one is None:
        return (Span(f"{glyphs.unknown} not observed: t runs the planned tests", "warn"),)
    code = one.data.get("exitCode")
    line = _exit(code if isinstance(code, int) else None, "observed", glyphs)
    changes = task.task.changes
    same = changes is not None and bool(one.tree_digest) and one.tree_digest == changes.tree_digest
    tree = "on this tree" if same else "on another tree"
    when = f" {age(now - one.observed_at)} ago, log entry {one.sequence}, "
    return (*line, Span(when, "muted"), Span(tree, "muted" if same else "warn"))


def finalize_head(task: TaskAssessment, width: int, glyphs: Glyphs) -> tuple[Line, ...]:
    """Two lines: title with risk; scope verdict, gate, and what the finalization is bound to."""
    right = (Span(f"{printable(task.risk)} risk", risk_style(task.risk)),)
    short = task.digest.removeprefix("sha256:")[:8]
    left = (
        *task_verdict_line(task, glyphs),
        Span("  gate ", "muted"),
        *gate_line(task.gate, glyphs),
    )
    return (
        spread((Span(printable(task.title), "title"),), right, width),
        spread(left, (Span(f"signs this tree and these answers, {short}{glyphs.more}", "muted"),), width),
    )


def prose_of(task: TaskAssessment, key: str | None) -> Prose | None:
    """The sentence whose row has a key."""
    return next((one for one in task.gate.prose if prose_key(one.prose_id) == key), None)


def what_changed(shown: TaskAssessment, now: TaskAssessment) -> tuple[str, ...]:
    """Name the rungs, sentences and facts that are not as they were shown; ours but for prose ids."""
    changed = [
        f"{new.name} {new.outcome.value}"
        for old, new in zip(shown.gate.conditions, now.gate.conditions, strict=False)
        if (old.outcome, old.reason) != (new.outcome, new.reason)
    ]
    before = {one.prose_id: (one.digest, one.outcome, one.stale) for one in shown.gate.prose}
    changed += [
        one.prose_id
        for one in now.gate.prose
        if before.get(one.prose_id) != (one.digest, one.outcome, one.stale)
    ]
    trees = [None if one.task.changes is None else one.task.changes.tree_digest for one in (shown, now)]
    if trees[0] != trees[1]:
        changed.append("the tree")
    if not changed and shown.digest != now.digest:
        changed.append("findings")
    return tuple(changed)


def open_words(task: TaskAssessment) -> str:
    """Name the first rung that still holds the task and count the others and the sentences to attest."""
    still = [condition.name for condition in task.gate.open_conditions]
    waiting = sum(map(for_human, task.gate.prose))
    more = f" and {len(still) - 1} more" if len(still) > 1 else ""
    parts = [f"{still[0]}{more} open"] if still else []
    parts += [f"{waiting} to attest"] if waiting else []
    return ", ".join(parts)
