"""The left column: what needs the human, and the tasks with their stage."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType

from ags_tui.core.assessment import (
    Assessment,
    Pending,
    PendingKind,
    StageState,
    TaskAssessment,
    Verdict,
)
from ags_tui.core.checks.findings import Basis, Outcome
from ags_tui.core.sharing import asked_later
from ags_tui.core.wording import counted, on_one_line
from ags_tui.view.asker import asker_word
from ags_tui.view.drawn import Drawn, Told, item_row
from ags_tui.view.glyphs import Glyphs
from ags_tui.view.passed import Passed
from ags_tui.view.rows import Row, blank, both_ends, heading, middle, paragraph, spread, wrapped
from ags_tui.view.scope import APPROVAL_LATER
from ags_tui.view.text import Line, Span, age, cell_len, clip, clip_line, line_len, printable

WORDS: Mapping[PendingKind, str] = MappingProxyType(
    {
        PendingKind.TOOL_REQUEST: "request",
        PendingKind.PLAN: "plan",
        PendingKind.EDIT: "edit",
        PendingKind.SPEC: "spec",
        PendingKind.ESCALATION: "escalation",
        PendingKind.FINALIZATION: "finalize",
        PendingKind.BASELINE: "baseline",
    }
)
"""The word for each kind of item."""

_RISKS = ("low", "medium", "high", "critical")
_SHORT = {"medium": "med", "critical": "crit"}
_SETTLED = (StageState.VALID, StageState.DONE, StageState.NOT_APPLICABLE)

TREE_KEY = "tree"
"""Row of the work tree without any task."""

PROBLEMS_KEY = "problems"
"""Row of what is wrong with the root or the policy."""

_AGE, _ENDS, _TITLE = 8, 10, 12
"""Cells that an age and a time to expiry take at the end of a line, at most, and a title at least."""


def item_key(task_id: str, item_id: str, place: str = "") -> str:
    """Give the identity of an inbox row.

    Args:
        task_id: The task.
        item_id: Id of the item.
        place: Folder of its file; files of two folders may carry one id, and each has its row.
    """
    return f"item:{task_id}/{item_id}" + (f"@{place}" if place else "")


def task_key(task_id: str) -> str:
    """Give the identity of a task row."""
    return f"task:{task_id}"


def risk_style(risk: str) -> str:
    """Give the style of a risk; an unknown word counts as critical."""
    return f"risk-{risk if risk in _RISKS else 'critical'}"


def risk_word(item: Pending) -> str:
    """Say who gave a request its risk: its agent claims one, or the hook of its client judged it."""
    return "judged" if item.judged else "claimed"


def inbox_rows(
    pending: Iterable[Pending],
    passed: Iterable[Passed],
    width: int,
    glyphs: Glyphs,
    now: datetime,
    *,
    new: Collection[str] = (),
    drawn: Drawn | None = None,
) -> tuple[Row, ...]:
    """Make the rows of the inbox.

    Args:
        pending: Items, most urgent first.
        passed: Requests that are over without a decision; shown last, in grey.
        width: Cells of a line.
        glyphs: Symbols.
        now: For age and time to expiry.
        new: Keys of the rows that the human has not looked at yet.
        drawn: What was drawn of each item before, for the next call: only its age is drawn anew then.
    """
    before = {} if drawn is None else drawn
    lines, of = _short_item if width < 56 else _wide_item, (width, glyphs)
    rows: list[Row] = []
    for item in pending:
        key = _key(item)
        told = Told(age(now - item.first_seen), _expiry(item, now), key in new)
        rows.append(item_row(before, key, lines, item, of=of, told=told))
    over = [_passed_row(item, width, glyphs) for item in passed]
    return (*rows, *over)


def _key(item: Pending) -> str:
    return item_key(item.task_id, item.item_id, item.place)


def _short_item(item: Pending, width: int, glyphs: Glyphs) -> tuple[Line, ...]:
    """Draw an item for a narrow column: what it is, its subject in two lines at most, who asks."""
    word, title = _subject(item)
    more = loosened_words(item)
    lead = f"{more} " if more else ""
    first, *rest = _subject_lines(item, lead + title, width - 2, glyphs)
    told: Line = (Span("  "), Span(first[: len(lead)], "warn"), Span(first[len(lead) :], "title"))
    return (
        _head(item, plan_word(item) or word, glyphs),
        told,
        *((Span("  "), Span(text, "title")) for text in rest),
        *_again(item, width),
        _who(item, width, glyphs, ""),
    )


def _wide_item(item: Pending, width: int, glyphs: Glyphs) -> tuple[Line, ...]:
    """Draw an item in two lines, in three where its subject is long."""
    word, title = _subject(item)
    more = loosened_words(item)
    head = _head(item, f"{plan_word(item) or word}{f': {more}' if more else ''}", glyphs)
    room = width - line_len(head) - _AGE - 2
    if cell_len(title) > room and (item.path is None or cell_len(title.rsplit("/", 1)[-1]) > room - 2):
        rest = _subject_lines(item, title, width - 2, glyphs)
        below = tuple((Span("  "), Span(text, "title")) for text in rest)
        return (head, *below, *_again(item, width), _who(item, width, glyphs, item.reason))
    shown = middle(title, room, glyphs.more)
    first = (*head, Span(f"  {shown}", "title"))
    return (first, *_again(item, width), _who(item, width, glyphs, item.reason))


def _subject_lines(item: Pending, title: str, width: int, glyphs: Glyphs) -> tuple[str, ...]:
    """Draw a subject in two lines at most; of a path the name of the file is cut last."""
    name = title.rsplit("/", 1)[-1]
    if item.path is not None and cell_len(title) > width:
        short = middle(title, width, glyphs.more)
        title = short if short.endswith(name) else f"{glyphs.more}/{name}" if name != title else name
    if item.path is not None and cell_len(title) > 2 * width - 2:
        title = both_ends(title, 2 * width - 2, glyphs.more)
    return wrapped(title, width, limit=2)


def _who(item: Pending, width: int, glyphs: Glyphs, reason: str) -> Line:
    """Draw who asks in which task, and why where there is room; the task stays longest."""
    room = width - 2 - (_ENDS if item.expires_at is not None else 0)
    by, task = printable(asker_word(item)), printable(item.task_id)
    whole = f"{by} {glyphs.dot} {task}"
    if cell_len(whole) > room:
        return (Span(f"  {both_ends(task, room, glyphs.more)}", "muted"),)
    why = f" {glyphs.dot} {printable(reason)}" if reason else ""
    return (Span(f"  {clip(whole + why, room)}", "muted"),)


def plan_word(item: Pending) -> str:
    """Tell a first plan from one that follows another, or that loosens it; empty for other items."""
    name = "task" if item.artifact == "task.json" else "plan"
    loose = "plan widened" if _adds(item) else f"{name} loosened"
    return {"first": f"first {name}", "changed": f"{name} changed", "loosened": loose}.get(item.news, "")


def loosened_words(item: Pending) -> str:
    """Count what a plan or task loosens: ``+2 paths, 1 more``; empty where it loosens nothing by name."""
    paths, all_of_it = _adds(item), len(item.loosened)
    parts = [f"+{counted(paths, 'path')}"] if paths else []
    if all_of_it > paths:
        parts.append(f"{all_of_it - paths} {'more' if paths else 'terms' if all_of_it > 1 else 'term'}")
    return ", ".join(parts)


def _adds(item: Pending) -> int:
    return sum(one.startswith("filesToEdit adds ") for one in item.loosened)


def _again(item: Pending, width: int) -> tuple[Line, ...]:
    """Say that an item was approved before, and what has changed since."""
    if not item.asked_again:
        return ()
    what = printable(", ".join(item.asked_again))
    return (clip_line((Span(f"  asked again: {what} changed", "warn"),), width),)


def _subject(item: Pending) -> tuple[str, str]:
    """Give the word of an item and what it is about: of a request the tool, and its path or command.

    A tool that is named like another kind of item, or not like a tool, is shown in the title only.
    """
    subject = item.path or item.command or ""
    tool = item.title.removesuffix(subject).strip() if subject and item.title.endswith(subject) else ""
    plain = item.kind is PendingKind.TOOL_REQUEST and tool.isidentifier() and tool not in WORDS.values()
    if not plain:
        flat = item.kind is PendingKind.ESCALATION  # a question is prose of several lines
        return WORDS[item.kind], printable(on_one_line(item.title) if flat else item.title)
    return clip(printable(tool), 14), printable(subject)


def _head(item: Pending, word: str, glyphs: Glyphs) -> Line:
    """Draw risk and kind; risk is a glyph, a word and last a colour."""
    style = risk_style(item.risk)
    high = item.risk not in ("low", "medium")
    risk = _SHORT.get(item.risk, printable(item.risk))
    return (
        Span(f"{glyphs.warn if high else glyphs.need} ", style),
        Span(f"{risk:<5}", style),
        Span(word),
    )


def _expiry(item: Pending, now: datetime) -> Line:
    """Draw the time to expiry; loud only in the last ten minutes."""
    if item.expires_at is None:
        return ()
    left = item.expires_at - now
    if left.total_seconds() <= 0:
        return (Span("expiring", "warn"),)
    return (Span(f"ends {age(left)}", "warn" if left.total_seconds() < 600 else "muted"),)


def _passed_row(item: Passed, width: int, glyphs: Glyphs) -> Row:
    """Draw a request that is over."""
    left = (
        Span(f"{glyphs.none} {item.status.state.value} ", "muted"),
        Span(printable(f"{item.status.item_id} {glyphs.dot} {item.task_id}"), "muted"),
    )
    key = item_key(item.task_id, item.status.item_id, item.status.place)
    return Row(key, (spread(left, (Span("x", "accent"),), width),))


def pane_title(name: str, shown: int, total: int, *, filtered: bool) -> Row:
    """Make the title of a list; while a filter is on it says how many of how many are left.

    Args:
        name: Title in capitals.
        shown: Rows that the filter leaves.
        total: All rows.
        filtered: Whether a filter is on.
    """
    count = f"  {shown} of {total} · filter" if filtered and total else f"  {total}" if total else ""
    return heading("title", Span(name, "title"), Span(count, "muted"))


def attest_only(task: TaskAssessment) -> bool:
    """Tell whether all that holds a task are sentences that a human has to attest."""
    held = [one.name for one in task.gate.open_conditions]
    human = all(one.basis is Basis.HUMAN for one in task.gate.prose if one.outcome is not Outcome.PASSED)
    return held == ["evidence"] and human and not task.task.log.frozen


def inbox_hint(
    width: int, glyphs: Glyphs, *, tasks: int, reading: bool, attest: Sequence[str] = ()
) -> tuple[Row, ...]:
    """Say what an empty inbox means.

    Args:
        width: Cells of a line.
        glyphs: Symbols.
        tasks: Number of tasks.
        reading: Whether nothing has been read yet.
        attest: Tasks that only wait for sentences to be attested.
    """
    if reading:
        return (paragraph("hint", "Reading the task folders…", width, style="muted"),)
    if attest:
        names = ", ".join(map(printable, attest))
        text = f"All else of {names} holds. Select it; F shows them, Space attests."
        return (
            heading("hint:attest", Span(f"{glyphs.warn} sentences to attest", "warn")),
            paragraph("hint", text, width, style="muted"),
        )
    if tasks:
        text = "Nothing needs you. Requests appear here by themselves."
        return (
            heading("hint:ok", Span(f"{glyphs.ok} all quiet", "ok")),
            paragraph("hint", text, width, style="muted"),
        )
    text = "No task yet. When an agent asks for something, it appears here."
    return (
        paragraph("hint", text, width, style="muted"),
        blank("hint:gap"),
        heading("hint:new", Span("N", "accent"), Span("  new task", "muted")),
        heading("hint:demo", Span("D", "accent"), Span("  play the demo", "muted")),
    )


def task_rows(
    assessment: Assessment | None, names: Iterable[str], width: int, glyphs: Glyphs
) -> tuple[Row, ...]:
    """Make one line a task; before the first assessment from the names of the folders alone.

    Args:
        assessment: What the checks say; None while reading.
        names: Names of the task folders, as far as they are known.
        width: Cells of a line.
        glyphs: Symbols.
    """
    if assessment is None:
        return tuple(
            Row(
                task_key(name),
                (spread((Span(f"{glyphs.idle} ", "muted"), Span(printable(name))), (), width),),
            )
            for name in names
        )
    ordered = sorted(assessment.tasks, key=_task_order)
    return tuple(Row(task_key(task.task_id), (_task_line(task, width, glyphs),)) for task in ordered)


def _task_order(task: TaskAssessment) -> tuple[bool, str]:
    """Sort: open tasks, then frozen ones; by name within, so that no row moves when something is asked."""
    return (task.task.log.frozen, task.task_id)


def _task_line(task: TaskAssessment, width: int, glyphs: Glyphs) -> Line:
    """Draw a task: state, name, what waits, and the word of its stage."""
    glyph, style, word = task_state(task, glyphs)
    name = printable(task.task_id)
    title = printable(task.title)
    right = [Span(word, style if style != "ok" else "muted")]
    if task.pending and width >= 60:
        right.insert(0, Span(f"{len(task.pending)} waiting  ", "accent"))
    if width >= 60 and not task.task.log.frozen and task.scope.verdict is not Verdict.NOT_APPLICABLE:
        later = task.scope.verdict is Verdict.NEEDS_APPROVAL and asked_later(task)
        verdict = APPROVAL_LATER if later else task.scope.verdict.value.replace("_", " ")
        right.append(Span(f"  {verdict}", "muted"))
    room = width - 3 - line_len(tuple(right))
    name = both_ends(name, room, glyphs.more)
    left = [Span(f"{glyph} ", style), Span(name, "" if not task.task.log.frozen else "muted")]
    if width >= 60 and title != name and room - cell_len(name) > _TITLE:
        left.append(Span(f"  {title}", "muted"))
    return spread(tuple(left), tuple(right), width)


def task_state(task: TaskAssessment, glyphs: Glyphs) -> tuple[str, str, str]:
    """Give glyph, style and word of a task: its current stage, what only a human can still do, or its end."""
    log = task.task.log
    if log.finalized is not None:
        return glyphs.ok, "ok", "done"
    if log.closed is not None:
        return glyphs.none, "muted", "closed"
    stage = task.current_stage
    if attest_only(task):
        return glyphs.warn, "warn", "attest"
    glyph, style = (glyphs.warn, "warn") if task.pending else stage_look(stage.state, glyphs)
    return glyph, style, stage.name.value


def stage_look(state: StageState, glyphs: Glyphs) -> tuple[str, str]:
    """Give glyph and style of a stage's state; loud only where a human must act."""
    if state in (StageState.VALID, StageState.DONE):
        return glyphs.ok, "ok"
    return {
        StageState.ACTIVE: (glyphs.active, "accent"),
        StageState.NEEDS_HUMAN: (glyphs.warn, "warn"),
        StageState.INVALID: (glyphs.fail, "error"),
        StageState.VIOLATED: (glyphs.fail, "error"),
        StageState.BLOCKED: (glyphs.fail, "error"),
        StageState.NOT_APPLICABLE: (glyphs.none, "muted"),
    }.get(state, (glyphs.idle, "muted"))


def tree_row(changed: int | None, width: int, glyphs: Glyphs) -> Row:
    """Make the row of the work tree itself, which shows the live diff against HEAD."""
    word = "unknown" if changed is None else f"{changed} changed"
    return Row(
        TREE_KEY,
        (spread((Span(f"{glyphs.idle} ", "muted"), Span("work tree")), (Span(word, "muted"),), width),),
    )


def problems_row(count: int, width: int, glyphs: Glyphs) -> Row:
    """Make the row of what is wrong with the root or the policy."""
    left = (Span(f"{glyphs.fail} ", "error"), Span("cannot be read"))
    return Row(PROBLEMS_KEY, (spread(left, (Span(str(count), "error"),), width),))
