"""An escalation whole: the question, where it comes from, its evidence, the answers with what follows."""

from collections.abc import Iterator, Mapping

from ags_tui.core.assessment import Pending
from ags_tui.core.contracts.human import Escalation
from ags_tui.core.snapshot import Artifact
from ags_tui.view.content import Fact, text_lines
from ags_tui.view.facts import BLANK, LABEL, heading, labelled
from ags_tui.view.text import Line, Span, clip_line, printable, spans

NEXT = {
    "retry": "the agent tries again", "human": "another question may follow",
    "planner": "the planner writes another plan", "stop": "the task stops",
}  # fmt: skip
"""What a next action means."""


def escalation_facts(
    pending: Pending, artifact: Artifact | None, evidence: Mapping[str, str]
) -> Iterator[Fact]:
    """Make the lines, the question first.

    Args:
        pending: The item.
        artifact: Its file; None where a check asks.
        evidence: Texts of evidence that was opened, by reference.
    """
    document = artifact.document if artifact is not None else None
    asked = document.question if isinstance(document, Escalation) else pending.title
    yield from labelled("question", asked, "title")
    source = f"{document.source.system} {document.source.ref}" if isinstance(document, Escalation) else ""
    if pending.reason and pending.reason not in (asked, source):
        yield from labelled("because", pending.reason)
    if isinstance(document, Escalation):
        yield from labelled("asked by", source)
        yield from _evidence(document, evidence)
    yield BLANK
    yield heading("ANSWERS")
    for number, choice in enumerate(pending.options, 1):
        yield from _choice(number, choice.label, choice.consequence)
    if pending.allow_free_text:
        yield Fact((Span("an answer in your own words"),), "  t", 4, "accent")
    if not pending.options and not pending.allow_free_text:
        yield Fact((Span("none: this question can only be left to expire", "warn"),), "", 4)
    if isinstance(document, Escalation) and document.next_actions:
        words = ", or ".join(NEXT.get(one, one) for one in document.next_actions)
        yield BLANK
        yield from labelled("then", words)


def answer_label(index: int) -> Line:
    """Give what stands left of an answer, by its index."""
    return (Span(f"{index + 1:>3}", "accent"),)


def _choice(number: int, label: str, consequence: str) -> Iterator[Fact]:
    for index, line in enumerate(text_lines(label, "title")):
        yield Fact(line, answer_label(number - 1)[0].text if not index else "", 4, "accent")
    for line in text_lines(consequence, "muted"):
        yield Fact(line, "", 4)


def _evidence(document: Escalation, opened: Mapping[str, str]) -> Iterator[Fact]:
    for index, one in enumerate(document.evidence):
        code = f"  exit {one.exit_code}" if isinstance(one.exit_code, int) else ""
        yield from labelled("evidence" if not index else "", f"{one.kind} {one.ref}{code}")
        if one.ref in opened:
            for line in text_lines(opened[one.ref]):
                yield Fact(line, "", LABEL + 2)


def chosen_line(pending: Pending, choice: int | None, width: int) -> Line:
    """Which answer the committing key would give.

    Args:
        pending: The item.
        choice: Index of the option; None for none yet.
        width: Cells.
    """
    if choice is None:
        keys = f"1-{min(9, len(pending.options))} choose" if pending.options else ""
        words = "t answers in your own words" if pending.allow_free_text else ""
        return (Span(", ".join(part for part in (keys, words) if part), "accent"),)
    option = pending.options[choice]
    line = (
        Span("chosen: ", "muted"),
        Span(f"{choice + 1} ", "accent"),
        *spans(printable(option.label), "title"),
    )
    return clip_line(line, width)
