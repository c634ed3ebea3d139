"""The content of a decision: everything that is asked for, whole, as inert lines above its diff."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, cast

from ags_tui.core.assessment import Pending, PendingKind, TaskAssessment
from ags_tui.core.checks.terms import PLAN, TASK, Term, terms_of
from ags_tui.core.contracts.plan import AgentPlan
from ags_tui.core.contracts.tool_request import ToolRequestV2
from ags_tui.core.diffs import FileDiff, between
from ags_tui.core.globs import PatternProblem, compile_patterns
from ags_tui.core.snapshot import EMPTY, Artifact
from ags_tui.core.subjects import LONGEST_READ
from ags_tui.view.content import Fact, TextDocument, plain_text, text_lines
from ags_tui.view.diff import DiffDocument
from ags_tui.view.diff_label import PROPOSED
from ags_tui.view.escalation import escalation_facts
from ags_tui.view.facts import BLANK, LABEL, heading, labelled
from ags_tui.view.glyphs import Glyphs
from ags_tui.view.text import hidden, lookalikes, spans

_ONE_LINE = 64
"""Characters of JSON up to which it stays on one line."""

_ELSEWHERE = frozenset({
    "requestId", "approvalId", "escalationId", "taskId", "createdAt", "expiresAt", "claim", "agent",
    "sessionId", "cwd",
})  # fmt: skip
"""Fields that the head or the line of the origin shows, or that are random."""

_LATER = frozenset({"PLAN_WIDENED", "MISSING_APPROVAL", "REQUIRED_EVIDENCE_MISSING"})
"""Codes that say nothing about the terms themselves: what is loosened stands above, that a decision is
missing is why the screen is open, and evidence comes after the work."""

_PLAN_LISTS = (
    ("edits", "files_to_edit"), ("never edits", "files_not_to_edit"), ("reads", "files_to_read"),
    ("tests", "tests_to_run"), ("stops when", "stop_conditions"),
)  # fmt: skip


def request_document(
    pending: Pending,
    task: TaskAssessment | None,
    glyphs: Glyphs,
    now: datetime,
    *,
    files: Sequence[FileDiff] = (),
    note: str = "",
    evidence: Mapping[str, str] = EMPTY,
    unshown: Mapping[str, Any] | None = None,
) -> DiffDocument | TextDocument:
    """Make the whole content of an item.

    Args:
        pending: The item.
        task: Its task, for the file that holds it and for plan and baseline.
        glyphs: Symbols.
        now: For which terms are in force.
        files: Diff of what is asked for, where the app has read it.
        note: What reading that diff noticed.
        evidence: Texts of the evidence of an escalation that was opened, by reference.
        unshown: What the diff does not show of the input of an edit; None for all of it.
    """
    shown = list(files)
    has_diff = bool(files) and not any(file.binary for file in files)
    facts, rest = _content(
        pending, task, glyphs, now, shown, note=note, evidence=evidence, has_diff=has_diff, unshown=unshown
    )
    if not shown:
        return TextDocument([*facts, *rest])
    return DiffDocument(shown, facts=[*facts, BLANK], rest=rest, glyphs=glyphs)


def request_text(
    pending: Pending, task: TaskAssessment | None, glyphs: Glyphs, now: datetime, *, has_diff: bool
) -> str:
    """Write the content of an item without its diff, to compare two states of it.

    Args:
        pending: The item.
        task: Its task as it was when the item was in that state.
        glyphs: Symbols.
        now: For which terms are in force.
        has_diff: Leave out what the diff shows.
    """
    facts, rest = _content(pending, task, glyphs, now, [], note="", evidence=EMPTY, has_diff=has_diff)
    return plain_text(TextDocument([*facts, *rest]))


def _content(
    pending: Pending,
    task: TaskAssessment | None,
    glyphs: Glyphs,
    now: datetime,
    shown: list[FileDiff],
    *,
    note: str,
    evidence: Mapping[str, str],
    has_diff: bool,
    unshown: Mapping[str, Any] | None = None,
) -> tuple[list[Fact], list[Fact]]:
    """The lines above and below the diff; a difference of terms is added to ``shown``."""
    facts = [*_warnings(pending, note, glyphs)]
    rest: list[Fact] = []
    artifact = None if task is None else task.task.files.artifacts.get(pending.artifact)
    if pending.kind is PendingKind.PLAN and task is not None:
        facts += _loosened(pending, task, now, shown)
        rest += _terms(pending, task)
    elif pending.kind is PendingKind.BASELINE and task is not None:
        facts += _baseline(pending, task)
    elif pending.kind is PendingKind.ESCALATION:
        facts += escalation_facts(pending, artifact, evidence)
    facts += _subject(pending, has_diff=has_diff)
    if any(file.kind != "same" for file in shown) and pending.kind is PendingKind.TOOL_REQUEST:
        facts += labelled("the diff below", PROPOSED, "warn")
    told = pending.kind is PendingKind.ESCALATION or pending.artifact in (PLAN, TASK)
    if artifact is not None and not told:
        facts += _origin(artifact)
        rest += _fields(pending, artifact, has_diff=has_diff, unshown=unshown)
    return facts, rest


def alarms(pending: Pending) -> tuple[str, ...]:
    """What a human may overlook in the words of an item: invisible characters and look-alikes."""
    parts = (pending.command or "", pending.path or "", pending.title, pending.reason)
    texts = "\n".join(part[:LONGEST_READ] for part in parts)  # longer ones cannot be approved
    found = [f"invisible or control characters: {name}" for name in hidden(texts)]
    return (*found, *(f"may be misread: {name}" for name in lookalikes(texts)))


def _warnings(pending: Pending, note: str, glyphs: Glyphs) -> Iterator[Fact]:
    if pending.malformed:
        yield Fact(spans(f"can only be denied: {pending.malformed}", "error"), glyphs.fail, 2, "error")
    named = " ".join(pending.warnings)
    extra = [text for text in alarms(pending) if text.rpartition(": ")[2] not in named]
    for text in (*pending.warnings, *extra, *([note] if note else [])):
        for index, line in enumerate(text_lines(text, "warn")):
            yield Fact(line, "" if index else glyphs.warn, 2, "warn")
    if pending.malformed or pending.warnings or extra or note:
        yield BLANK


def _subject(pending: Pending, *, has_diff: bool) -> Iterator[Fact]:
    """What is to happen, and why; the path of an edit stands above its diff."""
    if pending.command is not None:
        yield from labelled("command", pending.command, "title")
    if pending.path is not None and not has_diff:
        yield from labelled("path", pending.path, "title")
    if pending.path is None and pending.command is None and pending.kind is PendingKind.TOOL_REQUEST:
        yield from labelled("asks for", pending.title, "title")
    if pending.reason and pending.kind is not PendingKind.ESCALATION:
        yield from labelled("reason", pending.reason)


def _fields(
    pending: Pending, artifact: Artifact, *, has_diff: bool, unshown: Mapping[str, Any] | None
) -> Iterator[Fact]:
    """The rest of the file, so that nothing in it stays unseen: what is neither empty nor shown already."""
    values: dict[str, Any] = artifact.document.model_dump(mode="json", by_alias=True)
    for name, shown in (
        ("command", pending.command), ("targetPath", pending.path), ("reason", pending.reason),
        ("riskLevel", pending.claimed_risk), ("requiresApproval", True),
        ("tool", pending.title.split(" ")[0]),
        ("input", {"command": pending.command}),
    ):  # fmt: skip
        if values.get(name) == shown:
            values.pop(name, None)
    change = artifact.document.proposed_change if isinstance(artifact.document, ToolRequestV2) else None
    if has_diff and change is not None:
        if unshown is not None and unshown != values.get("input"):
            values["input"] = unshown
            values["as in the diff"] = "the texts of the input that are not here: they give exactly the diff"
        values["proposedChange"] = "" if change.path == pending.path else f"another path: {change.path}"
    known = {name: value for name, value in values.items() if name not in _ELSEWHERE}
    if not any(value not in (None, "", [], {}) for value in known.values()) and not artifact.notes:
        return
    yield BLANK
    yield heading(f"{artifact.contract} {artifact.version}")
    for note in artifact.notes:
        yield from labelled("note", note, "warn")
    for name, value in known.items():
        if value not in (None, "", [], {}):
            yield from labelled(name, _text(value))


def _origin(artifact: Artifact) -> Iterator[Fact]:
    """Who asks, from where: one line."""
    document = artifact.document
    if isinstance(document, ToolRequestV2):
        session = f", session {document.session_id}" if document.session_id else ", no session"
        who = document.agent or "an agent that gives no name"
        where = f"in {document.cwd}" if document.cwd else "no folder named"
        yield from labelled("from", f"{who}{session}, {where}")


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    short = json.dumps(value, ensure_ascii=False)
    return short if len(short) <= _ONE_LINE else json.dumps(value, ensure_ascii=False, indent=2)


# -- plan and task -----------------------------------------------------------------------------------


def _loosened(pending: Pending, task: TaskAssessment, now: datetime, shown: list[FileDiff]) -> Iterator[Fact]:
    """What a plan or a weaker task loosens and what checks say to it; the difference goes to ``shown``."""
    terms = terms_of(task.task, now)
    path, term = (TASK, terms.task_term) if _about_task(pending) else (PLAN, terms.plan_term)
    artifact = task.task.files.artifacts.get(path)
    if term.loosened:
        yield heading("LOOSENED since the version in force")
        for reason in term.loosened:
            yield Fact(spans(reason, "warn"), "", 2)
        yield BLANK
    findings = [one for one in task.findings if one.artifact in (PLAN, TASK) and one.code not in _LATER]
    if findings:
        yield heading("FINDINGS")
        for one in findings:
            yield Fact(spans(one.message), one.code, LABEL + 8, "warn")
        yield BLANK
    old = _older(task, path, term)
    if artifact is not None and old is not None:
        shown.insert(0, between(old, artifact.raw, path))


def _about_task(pending: Pending) -> bool:
    return pending.artifact == TASK or pending.item_id == "task"


def _terms(pending: Pending, task: TaskAssessment) -> Iterator[Fact]:
    """Plan and task whole, what is to be approved first."""
    artifacts = task.task.files.artifacts
    for path in (TASK, PLAN) if _about_task(pending) else (PLAN, TASK):
        artifact = artifacts.get(path)
        if artifact is not None:
            yield BLANK
            yield heading("PLAN" if path == PLAN else "TASK")
            for note in artifact.notes:
                yield from labelled("note", note, "warn")
            if isinstance(artifact.document, AgentPlan):
                yield from _plan(artifact.document, _resolved(pending, task))
            else:
                yield from _dump(artifact)


def _plan(plan: AgentPlan, resolved: Mapping[str, str]) -> Iterator[Fact]:
    yield from labelled("summary", plan.summary)
    yield from labelled("risk", plan.risk_level, f"risk-{plan.risk_level}")
    yield from labelled("approval asked", "yes" if plan.requires_human_approval else "no")
    for name, field in _PLAN_LISTS:
        yield from _items(name, getattr(plan, field), resolved if field == "files_to_edit" else {}, field)
    for step in plan.steps:
        yield from labelled(f"step {step.id}", step.action)
        yield from labelled("  from", ", ".join(step.input_files) or "nothing")
        yield from labelled("  expects", step.expected_output)
        yield from labelled("  validated by", step.validation)
    told = {field for _, field in _PLAN_LISTS} | set(AgentPlan.model_fields)
    for name in type(plan).model_fields:
        if name not in told:
            yield from labelled(name.replace("_", " "), _text(getattr(plan, name)))


def _items(name: str, items: Sequence[str], resolved: Mapping[str, str], field: str) -> Iterator[Fact]:
    """A list of a plan: patterns with what is wrong with them and what bare names stand for."""
    wrong: dict[int, PatternProblem] = {}
    if field in ("files_to_edit", "files_not_to_edit"):
        patterns = compile_patterns(items, side="allow" if field == "files_to_edit" else "deny")
        wrong = {problem.index: problem for problem in patterns.problems}
    if not items:
        yield from labelled(name, "nothing", "muted")
    for index, item in enumerate(items):
        first, *rest = labelled(name if not index else "", item)
        yield first
        yield from rest
        if item in resolved and resolved[item] != item:
            yield Fact(spans(resolved[item]), " " * LABEL + "  is", LABEL + 5)
        if index in wrong:
            problem = wrong[index]
            yield Fact(spans(f"{problem.code}: {problem.message}", "warn"), "", LABEL + 2)


def _dump(artifact: Artifact) -> Iterator[Fact]:
    values: dict[str, object] = artifact.document.model_dump(mode="json", by_alias=True)
    for name, value in values.items():
        for index, one in enumerate(_several(value)):
            yield from labelled(name if not index else "", _text(one))


def _several(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else [value]


def _resolved(pending: Pending, task: TaskAssessment) -> Mapping[str, str]:
    named = pending.facts.get("resolved")
    return cast("Mapping[str, str]", named) if isinstance(named, Mapping) else task.scope.resolved


def _older(task: TaskAssessment, path: str, term: Term) -> bytes | None:
    """Bytes of the version in force, where it is another one than the file; as recorded in the log."""
    if not term.digest or term.digest == term.current_digest:
        return None
    for seen in task.task.log.observations:
        text = seen.data.get("text")
        if seen.path == path and seen.digest == term.digest and isinstance(text, str):
            return text.encode("utf-8", "surrogatepass")
    if term.document is None:
        return None
    dumped = term.document.model_dump(mode="json", by_alias=True)
    return (json.dumps(dumped, ensure_ascii=False, indent=2) + "\n").encode()


# -- baseline ----------------------------------------------------------------------------------------


def _baseline(pending: Pending, task: TaskAssessment) -> Iterator[Fact]:
    baseline = task.task.log.baseline
    if baseline is None:
        return
    yield heading("BASELINE")
    yield from labelled("commit", "no commit yet" if baseline.unborn else baseline.commit)
    yield from labelled(
        "recorded", f"{baseline.recorded_at:%Y-%m-%d %H:%M:%S} UTC, log entry {baseline.sequence}"
    )
    if baseline.late:
        yield from labelled("late", "planned files were already changed when it was recorded", "warn")
    if not baseline.signed:
        yield from labelled("unsigned", "no trusted key signed it", "warn")
    yield from _paths("dirty then", sorted(baseline.files))
    yield from _paths("overlooked by git", baseline.hidden_bits)
    hiding = pending.facts.get("hiding")
    if isinstance(hiding, Mapping):
        now = cast("Mapping[str, str]", hiding)
        for name in sorted(now.keys() | baseline.hiding.keys()):
            if now.get(name) != baseline.hiding.get(name):
                word = (
                    "is new"
                    if name not in baseline.hiding
                    else "is gone"
                    if name not in now
                    else "has changed"
                )
                yield from labelled("hides changes", f"{name} {word}", "warn")


def _paths(name: str, paths: Iterable[str]) -> Iterator[Fact]:
    for index, path in enumerate(paths):
        yield from labelled(name if not index else "", path)
