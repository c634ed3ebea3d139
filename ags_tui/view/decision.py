"""The lines around the content of a decision: who asks, what is missing, what changed, which keys."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from ags_tui.core.approvals import changes_since
from ags_tui.core.assessment import (
    PathClass,
    Pending,
    PendingKind,
    TaskAssessment,
)
from ags_tui.core.contracts.tool_request import ToolRequestV2
from ags_tui.core.diffs import FileDiff, between, iterate_lines
from ags_tui.view.asker import asker_words
from ags_tui.view.content import Fact
from ags_tui.view.diff import DiffDocument
from ags_tui.view.glyphs import Glyphs
from ags_tui.view.inbox import risk_style, risk_word
from ags_tui.view.rows import middle, spread
from ags_tui.view.scope import WORDS as CLASS_WORDS
from ags_tui.view.scope import class_look, task_verdict_line
from ags_tui.view.text import Line, Span, age, cell_len, clip_line, line_len, printable, spans

CODED = frozenset({"high", "critical"})
"""Risks that ask for the code as a second step; an unknown word counts as critical."""

QUESTIONS = {
    PendingKind.TOOL_REQUEST: "Approve this request?",
    PendingKind.PLAN: "Approve this plan?",
    PendingKind.EDIT: "Approve this edit?",
    PendingKind.SPEC: "Approve this spec?",
    PendingKind.BASELINE: "Accept this baseline?",
}
"""Title of the decision screen."""


@dataclass(frozen=True, slots=True)
class Missing:
    """What still keeps the approving key from working."""

    over: str = ""
    """Why nothing can be decided any more; empty where it can."""
    changed: bool = False
    """Something changed since it was shown."""
    malformed: str = ""
    """Why it can only be denied."""
    loading: bool = False
    """A part of the content is still being read."""
    below: int = 0
    """Lines of the content that were not shown yet."""
    hunks: int = 0
    """Hunks that could be marked instead of reading to the end; 0 for none."""
    code: str = ""
    """Code to type; empty where none is asked for."""
    typed: int = 0
    """Digits of the code that were typed."""
    focused: bool = True
    """The terminal has the focus."""
    left: float = 0.0
    """Seconds of the guard that are left."""

    @property
    def readable(self) -> bool:
        """Whether the item can be approved and its whole content was seen."""
        return not (self.over or self.changed or self.malformed or self.loading or self.below)

    @property
    def done(self) -> bool:
        """Whether the human did all that is asked before the approving key."""
        return self.readable and self.typed >= len(self.code)

    @property
    def open(self) -> bool:
        """Whether the approving key works now."""
        return self.done and self.focused and self.left <= 0


def needs_code(risk: str) -> bool:
    """Whether a risk asks for the second step."""
    return risk not in ("low", "medium")


def question(pending: Pending, *, amend: bool = False, written: bool = False) -> str:
    """Title of the screen; our own words."""
    if written:
        return "Let what you wrote run instead?"
    if amend:
        return "Allow this path for the whole task?"
    edits = pending.kind is PendingKind.TOOL_REQUEST and pending.command is None and pending.path is not None
    return "Approve this edit?" if edits else QUESTIONS.get(pending.kind, "Decide")


def head_lines(
    pending: Pending, width: int, glyphs: Glyphs, now: datetime, *, task: TaskAssessment | None = None
) -> tuple[Line, ...]:
    """Three lines: subject with risk and class; who, when, until when; what the decision is bound to."""
    mark = f"{glyphs.warn} " if needs_code(pending.risk) else ""
    claimed = f" ({risk_word(pending)} {printable(pending.claimed_risk)})"
    claimed = "" if pending.claimed_risk == pending.risk else claimed
    right: list[Span] = [Span(f"{mark}{printable(pending.risk)} risk{claimed}", risk_style(pending.risk))]
    if pending.path_class is not None:
        _, style = class_look(pending.path_class, glyphs)
        right.append(Span(f" {glyphs.dot} {CLASS_WORDS[pending.path_class]}", style))
    title = printable(pending.title)
    if pending.path is not None and pending.title.endswith(pending.path):
        verb = printable(pending.title.removesuffix(pending.path))
        room = width - line_len(tuple(right)) - 1 - cell_len(verb)
        title = verb + middle(printable(pending.path), max(1, room), glyphs.more)
    asked = f"asked {age(now - pending.first_seen)} ago"
    if pending.kind is PendingKind.ESCALATION:  # the question is the first line of the content, whole
        title = f"Question of {printable(pending.asked_by)}"
    who = f"{asker_words(pending, task)} for {pending.task_id}, {asked}, {pending.item_id}"
    ends = "" if pending.expires_at is None else f"ends in {age(pending.expires_at - now)}"
    soon = pending.expires_at is not None and pending.expires_at - now < timedelta(minutes=1)
    digest = pending.digest.removeprefix("sha256:")
    short = f"{digest[:8]}{glyphs.more}{digest[-4:]}" if digest else "the state shown"
    return (
        spread((Span(title, "title"),), tuple(right), width),
        spread((Span(printable(who), "muted"),), (Span(ends, "warn" if soon else "muted"),), width),
        clip_line(
            (Span(f"bound to {short}, plan, policy and touched files as they are now", "muted"),), width
        ),
    )


def scope_line(pending: Pending, task: TaskAssessment | None, width: int, glyphs: Glyphs) -> Line:
    """One line: the scope verdict and the open rungs, so that nobody decides without them."""
    if task is None:
        return (Span("scope unknown: the task cannot be read", "warn"),)
    still = len(task.gate.open_conditions)
    word = f"gate {still} open" if still else f"gate {task.gate.outcome.value}"
    why = next((one.why for one in task.scope.paths if one.path == pending.path), task.scope.reason)
    left = (
        Span("scope ", "muted"),
        *task_verdict_line(task, glyphs),
        Span(f"  {printable(why)}", "muted"),
    )
    return spread(left, (Span(word, "muted"),), width)


def missing_line(missing: Missing, glyphs: Glyphs, verb: str) -> Line:
    """What is missing, in the order in which the human gets there, or which key decides."""
    if missing.over:
        return (Span(f"{glyphs.none} {printable(missing.over)}. Esc closes.", "warn"),)
    if missing.changed:
        text = f"{glyphs.warn} changed since shown (see above). R shows the new state, d denies."
        return (Span(text, "warn"),)
    if missing.malformed:
        return (Span(f"{glyphs.fail} can only be denied: {printable(missing.malformed)}", "error"),)
    steps = list(_steps(missing, glyphs))
    if steps:
        way = f" {glyphs.dot} then ".join(steps)
        return (Span(f"Not yet: {way}", "warn"), Span(f" {glyphs.dot} then ^o {verb}", "muted"))
    if not missing.focused:
        return (Span("The terminal is not focused: keys decide nothing.", "warn"),)
    if missing.left > 0:
        return (Span("Look: ^o works in a moment", "muted"),)
    return (Span(f"{glyphs.ok} ^o {verb}", "ok"),)


def _steps(missing: Missing, glyphs: Glyphs) -> Iterator[str]:
    if missing.loading:
        yield "reading the diff"
    if missing.below:
        lines = "1 line" if missing.below == 1 else f"{missing.below} lines"
        hunks = "1 hunk" if missing.hunks == 1 else f"{missing.hunks} hunks"
        other = f", or m on {hunks}" if missing.hunks else ""
        yield f"read to the end (PgDn, {lines} left{other})"
    if missing.typed < len(missing.code):
        rest = glyphs.idle * (len(missing.code) - missing.typed)
        yield f"type the code {missing.code} [{missing.code[: missing.typed]}{rest}]"


def foot_lines(
    pending: Pending,
    task: TaskAssessment | None,
    missing: Missing,
    width: int,
    glyphs: Glyphs,
    *,
    said: str,
    amend: bool,
    recording: bool,
    written: bool = False,
) -> tuple[Line, ...]:
    """Three lines below the content: scope and gate; what was said last; what is missing or which key
    decides.

    Args:
        pending: The item as it is shown.
        task: Its task.
        missing: What still keeps the approving key from working.
        width: Cells of a line.
        glyphs: Symbols.
        said: An inert sentence.
        amend: The key allows the path for the whole task.
        recording: The decision is being recorded.
        written: The human changed what would run.
    """
    verb = (
        "let what you wrote run, once"
        if written
        else "allow this path for the task"
        if amend
        else "approve once"
    )
    line = (Span("Recording...", "accent"),) if recording else missing_line(missing, glyphs, verb)
    return scope_line(pending, task, width, glyphs), (Span(said, "warn"),), line


def changed_words(shown: Pending, now: Pending) -> tuple[str, ...]:
    """Name what is not as it was when it was shown. Foreign text.

    Args:
        shown: The item as the human sees it.
        now: The same item of the newest assessment.
    """
    changed = list(changes_since(shown.bound, now.bound))
    changed += [path for path in now.bound.files if path not in shown.bound.files]
    if shown.digest != now.digest and "request" not in changed:
        changed.insert(0, "request")
    for name in ("plan", "policy"):
        if getattr(shown.bound, name) is None and getattr(now.bound, name) is not None:
            changed.append(name)
    for word, one, other in (
        ("risk", shown.risk, now.risk),
        ("path class", shown.path_class, now.path_class),
        ("what it can be decided as", shown.malformed, now.malformed),
    ):
        if one != other:
            changed.append(word)
    return tuple(dict.fromkeys(changed))


def difference(
    words: tuple[str, ...], shown: str, now: str, glyphs: Glyphs, *, edits: tuple[str, str] = ("", "")
) -> DiffDocument:
    """The document that stands in place of the content after a change: what changed, and how.

    Args:
        words: From :func:`changed_words`.
        shown: Text of the request as it was shown.
        now: Text of the request as it is.
        glyphs: Symbols.
        edits: The edit as it was shown and as it would be now, from :func:`edit_text`; empty where there is
            none, or none yet.
    """
    facts = [Fact((Span("Changed since shown", "title"),))]
    facts += [Fact(spans(word, "warn"), glyphs.warn, 2, "warn") for word in words]
    files: list[FileDiff] = []
    if edits[0] != edits[1]:
        files.append(
            between(_bytes(edits[0]), _bytes(edits[1]), "the edit: as it was shown, and as it is now")
        )
    if shown != now:
        files.append(between(_bytes(shown), _bytes(now), "the request: as it was shown, and as it is now"))
    if not files:
        facts.append(Fact((Span("The request reads the same; bytes that it is bound to differ.", "muted"),)))
    return DiffDocument(files, facts=[*facts, Fact(())], glyphs=glyphs)


def edit_text(files: Iterable[FileDiff]) -> str:
    """The lines of a diff with their signs, without the numbers that move when a line comes in above."""
    return "\n".join(
        f"{line.kind}{line.text.decode('utf-8', 'surrogateescape')}"
        for file in files
        for hunk in file.hunks
        for line in iterate_lines(hunk)
    )


def _bytes(text: str) -> bytes:
    return (text + "\n").encode("utf-8", "surrogateescape")


def key_line(
    pending: Pending,
    task: TaskAssessment | None,
    width: int,
    *,
    amend: bool,
    place: tuple[int, int, int],
    written: bool = False,
) -> Line:
    """The keys that decide nothing, and which lines are in sight.

    Args:
        pending: The item.
        task: Its task.
        width: Cells.
        amend: The approving key allows the path for the whole task.
        place: First and last visible line and the number of lines.
        written: The human changed what would run.
    """
    keys = ["Esc back"]
    if written:
        return place_line("Esc back   u what was asked for   e change again", place, width)
    if may_amend(pending, task):
        keys.append("p only this once" if amend else "p for the whole task")
    if of_session(pending, task):
        keys += ["^r remember a rule...", "e change it"]
    elif pending.artifact or pending.path:
        keys.append("e editor")
    return place_line("   ".join(keys), place, width)


def place_line(keys: str, place: tuple[int, int, int], width: int) -> Line:
    """Keys at the left, the visible lines at the right.

    Args:
        keys: Our own words.
        place: First and last visible line and the number of lines.
        width: Cells.
    """
    first, last, total = place
    shown = f"line {first}-{last}/{total}" if total else ""
    return spread((Span(keys, "muted"),), (Span(shown, "muted"),), width)


def of_session(pending: Pending, task: TaskAssessment | None) -> bool:
    """Whether a session of a client asks, so that a rule can be made of its call."""
    artifact = None if task is None else task.task.files.artifacts.get(pending.artifact)
    document = None if artifact is None else artifact.document
    return isinstance(document, ToolRequestV2) and bool(document.session_id) and not pending.malformed


def may_amend(pending: Pending, task: TaskAssessment | None) -> bool:
    """Whether the path of a request could be allowed for the whole task: unplanned, and there is a plan."""
    asked = pending.path is not None and pending.path_class is PathClass.UNPLANNED and not pending.malformed
    return (
        asked and task is not None and "plan.json" in task.task.files.artifacts and bool(pending.bound.plan)
    )
