"""The stage rail in the width at hand."""

import pytest

from ags_tui.core.assessment import Stage, StageName, StageState
from ags_tui.view.glyphs import UNICODE
from ags_tui.view.pipeline import current, rail, stage_reason
from ags_tui.view.rows import plain
from ags_tui.view.text import line_len
from tests import builders as make

STATES = make.stages(
    implement=StageState.ACTIVE, tools=StageState.NEEDS_HUMAN, review=StageState.WAITING,
    fix=StageState.NOT_APPLICABLE, test=StageState.WAITING, gate=StageState.BLOCKED,
    report=StageState.WAITING,
)  # fmt: skip


def test_wide_enough_it_is_one_line_without_what_does_not_apply() -> None:
    lines = [plain(line) for line in rail(STATES, 120, UNICODE)]

    assert lines == [
        "task ✔ ─ plan ✔ ─ policy ✔ ─ implement ● ─ tools ▲ ─ review · ─ test · ─ gate ✖ ─ report ·"
    ]


def test_narrower_it_is_two_even_lines() -> None:
    lines = [plain(line) for line in rail(STATES, 54, UNICODE)]

    assert lines == [
        "task ✔ ─ plan ✔ ─ policy ✔ ─ implement ●",
        "tools ▲ ─ review · ─ test · ─ gate ✖ ─ report ·",
    ]


def test_still_narrower_the_dashes_go_first() -> None:
    lines = [plain(line) for line in rail(STATES, 44, UNICODE)]

    assert lines == ["task ✔  plan ✔  policy ✔  implement ●", "tools ▲  review ·  test ·  gate ✖  report ·"]


def test_narrowest_it_is_the_current_stage_and_its_place() -> None:
    assert [plain(line) for line in rail(STATES, 30, UNICODE)] == ["implement ● 4 of 9"]


@pytest.mark.parametrize("width", range(1, 130, 7))
def test_it_never_exceeds_the_width(width: int) -> None:
    assert all(line_len(line) <= width for line in rail(STATES, width, UNICODE))


def test_only_stages_that_ask_for_a_human_are_loud() -> None:
    (line,) = rail(STATES, 120, UNICODE)
    loud = {span.text.strip() for span in line if span.style in ("warn", "error")}

    assert loud == {"tools", "▲", "gate", "✖"}


def test_the_reason_of_the_current_stage_is_said_and_inert() -> None:
    stages = (Stage(StageName.TASK, StageState.INVALID, "title\x1b is missing"),)

    assert [plain(line) for line in stage_reason(stages, 60)] == ["task: title\\x1b is missing"]
    assert stage_reason(STATES, 60) == ()


def test_nothing_settled_nothing_left_gives_the_last_stage() -> None:
    assert current(make.stages()) == make.stages()[-1]
    assert current(()) is None
    assert rail((), 40, UNICODE) == ((),)


def test_a_long_reason_takes_a_second_line_and_shows_where_it_is_cut() -> None:
    stages = (Stage(StageName.PLAN, StageState.INVALID, "allowedOperations is not a field of this contract"),)
    assert [plain(line) for line in stage_reason(stages, 50)] == [
        "plan: allowedOperations is not a field of this", "contract",
    ]  # fmt: skip
    long = (Stage(StageName.PLAN, StageState.INVALID, "word " * 60),)
    first, second = stage_reason(long, 50)
    assert max(line_len(first), line_len(second)) <= 50
    assert plain(second).endswith("…")
