"""Results that nobody saw being written: unknown at first, and settled by what is seen later."""

import json
from typing import Any

from ags_tui.core.checks.findings import Outcome
from tests.core.checks.looking import held, of, rung
from tests.core.checks.play import Play
from tests.core.checks.test_article import (
    FIX,
    MAPPER,
    NEEDS_CHANGES,
    PASS,
    RESULT,
    VIEW,
    implemented,
    planned,
)


def write_unseen(play: Play, path: str, document: Any) -> None:
    """An agent wrote a file long before this program looked."""
    play.files[path] = json.dumps(document, ensure_ascii=False).encode()
    play.written[path] = 0.0
    play.look()


def test_a_fix_that_nobody_saw_is_unknown_until_the_next_review_shows_its_bounds():
    play = implemented()
    play.write("review-result.json", NEEDS_CHANGES)
    play.edit(MAPPER, "friendly error, timeout apart\n")
    write_unseen(play, "fix-result.json", FIX)
    seen = play.look()
    assert [one.unknown for one in of(seen, "FIX_OUT_OF_BOUNDS")] == [True]
    seen = play.write("review-result.json", PASS)
    assert rung(seen, 6).outcome is Outcome.PASSED


def test_a_fix_that_nobody_saw_is_held_to_its_bounds_by_the_next_review():
    play = implemented()
    play.write("review-result.json", NEEDS_CHANGES)
    play.edit(VIEW, "out of bounds\n")
    write_unseen(play, "fix-result.json", FIX)
    seen = play.write("review-result.json", PASS)
    assert [one.path for one in held(seen, "FIX_OUT_OF_BOUNDS")] == [VIEW]
    assert not any(one.unknown for one in held(seen, "FIX_OUT_OF_BOUNDS"))


def test_a_review_that_nobody_saw_is_replaced_by_the_result_before_it():
    play = implemented()
    write_unseen(play, "review-result.json", NEEDS_CHANGES)
    play.edit(VIEW, "out of bounds\n")
    seen = play.write("fix-result.json", FIX)
    assert [one.path for one in held(seen, "FIX_OUT_OF_BOUNDS")] == [VIEW]


def test_work_that_nobody_saw_at_all_is_settled_by_a_review_that_was_seen():
    play = planned()
    play.edit(MAPPER, "friendly error, timeout apart\n")
    for path, document in (
        ("implementation-result.json", RESULT),
        ("review-result.json", NEEDS_CHANGES),
        ("fix-result.json", FIX),
    ):
        write_unseen(play, path, document)
    assert rung(play.look(), 6).outcome is not Outcome.PASSED
    assert held(play.look(), "FIX_OUT_OF_BOUNDS")
    seen = play.write("review-result.json", PASS)
    assert not of(seen, "FIX_OUT_OF_BOUNDS")
    assert rung(seen, 6).outcome is Outcome.PASSED


def test_a_fix_that_is_written_again_before_our_eyes_is_seen():
    play = implemented()
    play.write("review-result.json", NEEDS_CHANGES)
    play.edit(MAPPER, "friendly error, timeout apart\n")
    write_unseen(play, "fix-result.json", FIX)
    assert held(play.look(), "FIX_OUT_OF_BOUNDS")
    assert not held(play.write("fix-result.json", FIX), "FIX_OUT_OF_BOUNDS")
