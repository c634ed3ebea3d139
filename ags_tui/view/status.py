"""The lines at the edges: header, tabs, the verdict that never leaves the screen, and the key bar."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from ags_tui.core.assessment import Assessment, Pending, TaskAssessment
from ags_tui.core.snapshot import Repo
from ags_tui.core.wording import condition_label
from ags_tui.view.gate import gate_line
from ags_tui.view.glyphs import Glyphs
from ags_tui.view.inbox import attest_only
from ags_tui.view.rows import spread
from ags_tui.view.scope import task_verdict_line
from ags_tui.view.text import Line, Span, age, clip, clip_line, line_len, printable

NAME = "ags-tui"
"""The program, as the header and the terminal title name it."""


@dataclass(frozen=True, slots=True)
class Watching:
    """How the files are watched."""

    mode: str = "starting"
    """``starting``, ``events``, ``polling`` or ``stopped``."""
    text: str = ""
    """Why it is not events; foreign text."""


@dataclass(frozen=True, slots=True)
class KeyHint:
    """One key in the key bar."""

    key: str
    """As shown: ``a``, ``^p``."""
    label: str
    """One or two words."""
    works: bool
    """Whether it can do its work now; else it is drawn grey."""
    rank: int
    """1 stays longest when the line is short; 0 is pinned to the right."""


def oldest(pending: Iterable[Pending]) -> datetime | None:
    """Give when the oldest item was first seen."""
    return min((item.first_seen for item in pending), default=None)


def need_line(
    pending: Sequence[Pending], glyphs: Glyphs, now: datetime, *, attest: Sequence[str] = ()
) -> Line:
    """Draw how much needs the human and how old the oldest of it is.

    Args:
        pending: What waits for a decision.
        glyphs: Symbols.
        now: For the age.
        attest: Tasks of which only sentences to attest are left.
    """
    since = oldest(pending)
    if since is None and attest:
        what = clip(printable(attest[0]), 28) if len(attest) == 1 else f"{len(attest)} tasks"
        return (Span(f"{glyphs.warn} attest and finalize {what}: F", "warn"),)
    if since is None:
        return (Span(f"{glyphs.ok} nothing needs you", "muted"),)
    verb = "needs" if len(pending) == 1 else "need"
    loud = any(item.risk in ("high", "critical") for item in pending)
    return (
        Span(f"{glyphs.need} {len(pending)} {verb} you", "warn" if loud else "accent"),
        Span(f" {glyphs.dot} oldest {age(now - since)}", "muted"),
    )


def header_line(
    repo: Repo | None,
    assessment: Assessment | None,
    watched: Sequence[str],
    *,
    width: int,
    glyphs: Glyphs,
    now: datetime,
    unknown: str = "",
    demo: str = "",
    beats: Callable[[int], Line] = lambda _room: (),
) -> Line:
    """Draw the first line: program, repository, branch, operation, watched folders, and what needs the human.

    Args:
        repo: The repository; None while reading.
        assessment: What waits; None while reading.
        watched: Names of the watched folders.
        width: Cells of the line.
        glyphs: Symbols.
        now: For the oldest age.
        unknown: Why git could not answer about the work tree; empty where it could.
        demo: Folder of the demo that is played; empty outside of one.
        beats: Draws the heartbeats of agents into so many cells.
    """
    left: list[Span] = [Span(f" {NAME} ", "accent")]
    if demo:
        left.append(Span(" demo ", "tab-active"))
    if repo is not None:
        left += _repo_spans(repo, unknown or repo.unknown, glyphs)
    right: Line = (Span("reading… ", "muted"),)
    if assessment is not None:
        attest = () if assessment.pending else [one.task_id for one in assessment.tasks if attest_only(one)]
        right = (*need_line(assessment.pending, glyphs, now, attest=attest), Span(" "))
    right = (*beats(width - line_len(tuple(left)) - line_len(right) - 2), *right)
    if demo:
        room = width - line_len(tuple(left)) - line_len(right) - 2
        folder = clip(printable(demo), max(12, room - len("  q leaves") - 3), keep_end=True)
        tail = f"{folder} {glyphs.dot} q leaves   "
        if line_len((Span(tail),)) <= room:
            right = (Span(tail, "muted"), *right)
    elif watched:
        folders = ", ".join(printable(name) for name in watched)
        tail = f"watching {folders}   "
        if line_len(tuple(left)) + len(tail) + line_len(right) + 2 <= width:
            right = (Span(tail, "muted"), *right)
    return spread(tuple(left), right, width)


def _repo_spans(repo: Repo, unknown: str, glyphs: Glyphs) -> list[Span]:
    """Draw repository, branch or detached commit, and an operation in progress."""
    spans = [Span(f" {printable(repo.top.rstrip('/').rsplit('/', 1)[-1])}", "title")]
    if repo.branch is not None:
        spans.append(Span(f"  {glyphs.branch} {printable(repo.branch)}"))
    elif repo.head is not None:
        spans.append(Span(f"  {glyphs.branch} detached {repo.head[:8]}", "warn"))
    if repo.operation:
        spans.append(Span(f"  {repo.operation} in progress", "warn"))
    if repo.conflicts:
        spans.append(Span(f"  {len(repo.conflicts)} in conflict", "error"))
    if unknown:
        spans.append(Span(f"  {glyphs.unknown} git: {printable(unknown)}", "error"))
    return spans


def title_text(pending: int, where: str) -> str:
    """Give the terminal title: ``● 2 need you — ags-tui``; it holds inert text only."""
    if not pending:
        return f"{NAME} {printable(where)}".strip()
    return f"● {pending} {'needs' if pending == 1 else 'need'} you — {NAME}"


def tab_line(tabs: Sequence[str], active: int, width: int) -> Line:
    """Draw numbered tabs; the active one stands out by brackets, too.

    Args:
        tabs: Labels in order; the first is number 1.
        active: Index of the active one.
        width: Cells; labels of other tabs fold to their number where they do not fit.
    """

    def draw(full: bool) -> Line:
        spans: list[Span] = []
        for index, label in enumerate(tabs):
            if index == active:
                spans.append(Span(f"[{index + 1} {label}]", "tab-active"))
            else:
                spans.append(Span(f" {index + 1} {label} " if full else f" {index + 1} ", "muted"))
        return tuple(spans)

    wide = draw(full=True)
    return clip_line(wide if line_len(wide) <= width else draw(full=False), width)


def verdict_status(task: TaskAssessment | None, glyphs: Glyphs, *, short: bool = False) -> Line:
    """Draw scope verdict and open rungs of the selected task with the names of the rungs.

    Args:
        task: The selected task; None for none.
        glyphs: Symbols.
        short: Leave out every word but verdict and count.
    """
    if task is None:
        return (Span(" "),)
    if short:
        verdict = task_verdict_line(task, glyphs)
        return (Span(" "), *verdict, Span("  "), *gate_line(task.gate, glyphs), Span(""))
    still = [condition_label(condition.name) for condition in task.gate.open_conditions]
    names = Span(f" {', '.join(still)}" if still else "", "muted")
    gap = Span("  ")
    return (
        Span(" scope ", "muted"), *task_verdict_line(task, glyphs), gap, Span("gate ", "muted"),
        *gate_line(task.gate, glyphs), names,
    )  # fmt: skip


def status_line(
    left: Line, said: Line, watching: Watching, width: int, glyphs: Glyphs, *, elsewhere: bool = False
) -> Line:
    """Draw the line above the keys: verdict at the left, what was just said or the watch mode at the right.

    Args:
        left: The verdict; it never gives way.
        said: The last sentence for the human; empty for none.
        watching: How the files are watched.
        width: Cells of the line.
        glyphs: Symbols.
        elsewhere: Another TUI answers the hooks.
    """
    right = said or _watch_spans(watching, glyphs)
    if elsewhere and not said:
        right = (Span(f"{glyphs.warn} another ags-tui answers the hooks  ", "warn"), *right)
    room = max(0, width - line_len(left) - 2)
    if said and line_len(said) > room:
        # A sentence for the human may push out the names of the rungs, never verdict and count.
        short = left[:-1]
        room = max(0, width - line_len(short) - 2)
        return spread(short, (*clip_line(said, room), Span(" ")), width)
    quiet = not said and not elsewhere and watching.mode == "events" and not watching.text
    if quiet and line_len(right) > room:
        right = ()
    return spread(left, (*clip_line(right, room), Span(" ")), width)


def _watch_spans(watching: Watching, glyphs: Glyphs) -> Line:
    """Draw how the files are watched; loud where the screen may be late."""
    if watching.mode == "events" and not watching.text:
        return (Span("watching by events", "muted"),)
    if watching.mode == "starting":
        return (Span("starting to watch…", "muted"),)
    style = "warn" if watching.mode != "events" else "muted"
    reason = f": {printable(watching.text)}" if watching.text else ""
    return (Span(f"{glyphs.warn} {watching.mode}{reason}", style),)


def key_line(hints: Sequence[KeyHint], width: int) -> Line:
    """Draw the key bar; what does not fit leaves by rank, dead keys first, the order stays.

    Keys of rank 0 stand at the right and never leave.

    Args:
        hints: Keys in the order in which they are drawn.
        width: Cells of the line.
    """
    pinned = (*_keys([hint for hint in hints if not hint.rank]), Span(" "))
    kept = [hint for hint in hints if hint.rank]
    while kept and line_len(_keys(kept)) + 1 + line_len(pinned) > width:
        kept.remove(max(kept, key=lambda hint: (not hint.works, hint.rank)))
    return spread(_keys(kept), pinned, width)


def _keys(hints: Sequence[KeyHint]) -> Line:
    """Draw keys side by side."""
    spans: list[Span] = []
    for hint in hints:
        spans.append(Span("  " if spans else " "))
        spans.append(Span(hint.key, "key" if hint.works else "off"))
        spans.append(Span(f" {hint.label}", "muted" if hint.works else "off"))
    return tuple(spans)
