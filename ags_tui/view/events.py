"""Log entries in words: what an observation saw, what left the plan, and what happened last."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from ags_tui.core.ends import SETTLED_OTHERWISE
from ags_tui.core.layout import place_of
from ags_tui.core.seen import SAYS, Named, entry_of
from ags_tui.core.wording import counted
from ags_tui.view.glyphs import Glyphs
from ags_tui.view.rows import Row, blank, heading, paragraph
from ags_tui.view.text import Span, age, printable

if TYPE_CHECKING:
    from ags_tui.core.assessment import TaskAssessment
    from ags_tui.core.contracts.log_entry import LogEntry

TOLD_FOR = timedelta(minutes=2)
"""How long what left the plan and came back stands under the inbox."""

MOST = 3
"""Most lines of what happened last in an empty inbox."""

MOST_SAID = 8
"""Most lines that the words of agents take, so that what happened last stays in sight."""

_NAMES = {  # who speaks, as far as the name of a file says it; requests and handoffs name their agents
    "plan.json": "planner's plan",
    "implementation-result.json": "implementer",
    "fix-result.json": "fixer",
    "review-result.json": "reviewer",
    "test-result.json": "tester",
    "final-report.json": "report",
    "ToolRequest": "request",
    "ApprovalRequest": "approval request",
    "Escalation": "question",
    "AgentHandoff": "handoff",
    "AgentError": "error",
}
_KINDS = {"tool-request": "request", "escalation": "question"}
TASK = "task.json"
"""The task itself: that it is there says the list of tasks."""

_QUIET = frozenset({"baseline", "rule", "trust"})


def observed_words(entry: "LogEntry") -> tuple[str, str] | None:
    """Give what an observation saw as a name and what is said of it; None for other entries. Raw text.

    Args:
        entry: The entry.
    """
    if entry.kind != "observation":
        return None
    outside = outside_words(entry)
    if outside:
        return "outside the plan", outside
    if entry.data.get("testRun") is True:
        code, command = entry.data.get("exitCode"), entry.data.get("command")
        return "tests run here", f"exit code {code}, {command}"
    path = entry.subject.id
    place = place_of(path)
    name = _NAMES.get(path) or (_NAMES.get(place.contract or "") if place is not None else None)
    name = name or path.removesuffix(".json")
    if entry.data.get("valid") is not True:
        return name, f"cannot be read as {entry.data.get('contract') or 'a contract'}"
    says = entry.data.get(SAYS)
    return name, says if isinstance(says, str) else ""


def outside_words(entry: "LogEntry") -> str:
    """Say what left the plan and what came back; empty for other entries. Raw text."""
    said = entry_of(entry.data)
    if said is None:
        return ""
    parts = [f"{_named(said.left)} changed"] if said.left.count else []
    if said.back.count:
        how = set(said.how) or {"taken back"}
        if len(how) == 1 or not said.back.whole:
            parts.append(f"{_named(said.back)} {' or '.join(sorted(how))}")
        else:
            parts += [f"{name} {one}" for name, one in zip(said.back.names, said.how, strict=False)]
    parts = parts or [f"{counted(said.now.count, 'path')} outside"]
    return "; ".join([*parts, "from here on no such change is noted"] if said.last else parts)


def _named(paths: Named) -> str:
    shown = ", ".join(paths.names[:3])
    more = paths.count - min(3, len(paths.names))
    return f"{shown} and {more} more" if more and shown else shown or counted(paths.count, "path")


def words(entry: "LogEntry") -> str:
    """Say in one line what an entry records; inert."""
    seen = observed_words(entry)
    if seen is not None:
        return printable(": ".join(part for part in seen if part))
    name = "" if entry.verdict.startswith(entry.kind[:4]) else f"{_KINDS.get(entry.kind, entry.kind)} "
    verdict, why = ended_words(entry)
    reason = f": “{entry.reason}”" if entry.reason else f": {why}" if why else ""
    return printable(f"{name}{verdict}{reason}")


def ended_words(entry: "LogEntry") -> tuple[str, str]:
    """Say what an entry's verdict is, and of a request that was taken back why. Raw text.

    A request whose call a rule let through was settled: nobody took it back.

    Args:
        entry: The entry.
    """
    why = entry.data.get("why") if (entry.kind, entry.verdict) == ("request", "withdrawn") else None
    if not isinstance(why, str):
        return entry.verdict, ""
    settled = why.startswith(SETTLED_OTHERWISE)
    return "settled" if settled else entry.verdict, why.removeprefix(SETTLED_OTHERWISE)


def lately_rows(
    tasks: Iterable["TaskAssessment"],
    width: int,
    glyphs: Glyphs,
    now: datetime,
    *,
    quiet: bool,
    aside: Sequence[str] = (),
) -> Iterator[Row]:
    """Make the rows under the inbox: what left the plan lately, and in an empty inbox what happened last.

    Args:
        tasks: All tasks.
        width: Cells of a line.
        glyphs: Symbols.
        now: For ages.
        quiet: Whether nothing waits for the human.
        aside: What the agents of the demo said last to its viewer, oldest first.
    """
    every = tuple(tasks)
    groups = [[row for task in every for row in _outside_rows(task, width, glyphs, now)]]
    groups += [list(_aside_rows(aside, width))]
    groups += [list(_last_rows(every, width, glyphs, now))] if quiet else []
    for number, group in enumerate(group for group in groups if group):
        yield blank(f"lately:gap:{number}")
        yield from group


def _aside_rows(aside: Sequence[str], width: int) -> Iterator[Row]:
    """Tell what agents said last: the newest words stand out, and of those before them what has room."""
    kept: list[Row] = []
    for number, words in reversed(list(enumerate(aside))):
        row = paragraph(f"lately:aside:{number}", words, width, style="muted" if kept else "accent")
        if kept and sum(len(one.lines) for one in (*kept, row)) > MOST_SAID:
            break
        kept.insert(0, row)
    yield from kept


def _outside_rows(task: "TaskAssessment", width: int, glyphs: Glyphs, now: datetime) -> Iterator[Row]:
    """Tell what left the plan of a task a short while ago, and what became of it."""
    log = task.task.log
    recent = [one for one in log.outside if now - one.observed_at < TOLD_FOR]
    said = entry_of(recent[-1].data) if recent and not log.frozen else None
    if said is None:
        return
    at = age(now - recent[-1].observed_at)
    if said.back.count:
        when = next((one for one in reversed(log.outside[:-1]) if _left(one.data, said.back)), None)
        since = f" {age(now - when.observed_at)} ago" if when is not None else ""
        how = said.how[0] if len(set(said.how)) == 1 else "not outside any more"
        text = f"{_named(said.back)} changed outside the plan{since}, {how} {at} ago"
    else:
        text = f"{_named(said.left)} changed outside the plan {at} ago"
    loud = bool(said.now.count)
    yield paragraph(
        f"lately:outside:{task.task_id}", f"{glyphs.warn if loud else glyphs.log} {printable(text)}", width,
        style="warn" if loud else "muted",
    )  # fmt: skip


def _left(data: Mapping[str, Any], back: Named) -> bool:
    said = entry_of(data)
    return said is not None and bool(set(said.left.names) & set(back.names))


def _goes_without_saying(entry: "LogEntry") -> bool:
    """Whether another line says it already, or nobody needs to be told."""
    quiet = entry.kind in _QUIET or entry.subject.id == TASK or entry.verdict == "consumed"
    return quiet or entry_of(entry.data) is not None


def _last_rows(
    tasks: tuple["TaskAssessment", ...], width: int, glyphs: Glyphs, now: datetime
) -> Iterator[Row]:
    """Tell the last things that happened lately, in any task, newest first."""
    rows = (row.entry for task in tasks for row in task.task.log.entries[-4 * MOST :])
    rows = (one for one in rows if not _goes_without_saying(one))
    recent = [one for one in rows if now - one.decided_at < TOLD_FOR]
    recent.sort(key=lambda entry: entry.decided_at, reverse=True)
    if recent:
        yield heading("lately:title", Span("LATELY", "title"))
    for entry in recent[:MOST]:
        where = f" {glyphs.dot} {printable(entry.task_id)}" if len(tasks) > 1 else ""
        text = f"{glyphs.log} {words(entry)}{where} {glyphs.dot} {age(now - entry.decided_at)} ago"
        yield paragraph(f"lately:{entry.task_id}:{entry.sequence}", text, width, style="muted", limit=3)
