"""The stage rail: the stages of a task in a line or two."""

from collections.abc import Sequence

from ags_tui.core.assessment import Stage, StageState
from ags_tui.view.glyphs import Glyphs
from ags_tui.view.inbox import stage_look
from ags_tui.view.rows import wrapped
from ags_tui.view.text import Line, Span, clip_line, line_len, printable

_REASON_LINES = 2
"""Lines of the reason of a stage."""
_SETTLED = (StageState.VALID, StageState.DONE, StageState.NOT_APPLICABLE)


def rail(stages: Sequence[Stage], width: int, glyphs: Glyphs) -> tuple[Line, ...]:
    """Draw the stage rail: in one line, in two where the width asks for it, else the current stage alone.

    Stages that do not apply are left out; where room is short, so are the dashes between the others.

    Args:
        stages: All stages, in order.
        width: Cells of a line.
        glyphs: Symbols.
    """
    shown = [stage for stage in stages if stage.state is not StageState.NOT_APPLICABLE]
    for gap in (Span(f" {glyphs.rail} ", "muted"), Span("  ")):
        lines = _folded(shown, gap, width, glyphs)
        if lines:
            return lines
    return (clip_line(_alone(shown, glyphs), width),)


def _folded(shown: Sequence[Stage], gap: Span, width: int, glyphs: Glyphs) -> tuple[Line, ...]:
    """Draw all stages in one line or in two of about the same length; nothing where they do not fit."""
    whole = _joined(shown, gap, glyphs)
    if line_len(whole) <= width:
        return (whole,)
    halves = [
        (_joined(shown[:cut], gap, glyphs), _joined(shown[cut:], gap, glyphs)) for cut in range(1, len(shown))
    ]
    best = min(halves, key=lambda pair: max(map(line_len, pair)), default=((), ()))
    return best if max(map(line_len, best)) <= width else ()


def stage_reason(stages: Sequence[Stage], width: int) -> tuple[Line, ...]:
    """Draw why the current stage stands where it stands, in two lines at most; empty where it says nothing.

    Args:
        stages: All stages, in order.
        width: Cells of a line.
    """
    stage = current(stages)
    if stage is None or not stage.reason:
        return ()
    texts = wrapped(printable(f"{stage.name.value}: {stage.reason}"), width, limit=_REASON_LINES)
    return tuple((Span(text, "muted"),) for text in texts)


def current(stages: Sequence[Stage]) -> Stage | None:
    """Give the first stage that is not settled, or the last one."""
    return next((stage for stage in stages if stage.state not in _SETTLED), stages[-1] if stages else None)


def _joined(stages: Sequence[Stage], gap: Span, glyphs: Glyphs) -> Line:
    """Draw stages with something between them."""
    spans: list[Span] = []
    for stage in stages:
        if spans:
            spans.append(gap)
        spans += _stage(stage, glyphs)
    return tuple(spans)


def _stage(stage: Stage, glyphs: Glyphs) -> list[Span]:
    """Draw one stage: its word and glyph; the word is loud where the state is."""
    glyph, style = stage_look(stage.state, glyphs)
    quiet = stage.state in (*_SETTLED, StageState.WAITING)
    return [Span(f"{stage.name.value} ", "muted" if quiet else style), Span(glyph, style)]


def _alone(stages: Sequence[Stage], glyphs: Glyphs) -> Line:
    """Draw the current stage and its place."""
    stage = current(stages)
    if stage is None:
        return ()
    place = f" {stages.index(stage) + 1} of {len(stages)}"
    return (*_stage(stage, glyphs), Span(place, "muted"))
