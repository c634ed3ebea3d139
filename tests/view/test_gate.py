"""Rows of the gate."""

from dataclasses import replace
from typing import Any

import pytest

from ags_tui.core.assessment import Prose, Shared, SharedStep
from ags_tui.core.checks.findings import Basis, Outcome
from ags_tui.core.checks.frozen import frozen_assessment
from ags_tui.core.checks.terms import terms_of
from ags_tui.core.wording import condition_label
from ags_tui.view import gate
from ags_tui.view.glyphs import UNICODE
from ags_tui.view.rows import plain
from ags_tui.view.text import line_len
from tests import builders as make

SENTENCE = "REQUIRED_EVIDENCE_MISSING"
HUMAN = (make.finding("UNPLANNED_FILE", next_action="human"),)
OPEN = make.gate_report(
    make.condition(4, Outcome.FAILED, reason="1 unplanned path", findings=HUMAN),
    make.condition(6, Outcome.UNKNOWN, reason="no review yet", basis=Basis.DECLARED),
    make.condition(9, Outcome.NOT_APPLICABLE, reason="no workflow"),
)


def texts(rows) -> list[str]:
    return [" ".join(plain(line).split()) for row in rows for line in row.lines]


def test_the_ladder_lists_every_condition_with_basis_and_reason() -> None:
    shown = texts(gate.gate_rows(OPEN, 60, UNICODE))

    assert shown == [
        "GATE ✖ 2 open · 1 for you",
        "✔ contracts fine observed",
        "✔ order fine observed",
        "✔ plan fine observed",
        "▲ scope 1 unplanned path you · observed",
        "✔ requests fine observed",
        "? review no review yet agents · declared",
        "✔ tests fine observed",
        "✔ evidence fine observed",
        "– AGS runs no workflow not applicable",
        "✔ block fine observed",
        "✔ log fine observed",
        "✔ report fine observed",
        "Not checked: whether the requirement itself is right.",
    ]


def test_compact_puts_what_holds_nothing_side_by_side_and_keeps_the_order() -> None:
    shown = texts(gate.gate_rows(OPEN, 34, UNICODE, compact=True))

    assert shown[:7] == [
        "GATE ✖ 2 open · 1 for you",
        "✔ contracts ✔ order ✔ plan",
        "▲ scope you · observed",
        "1 unplanned path",
        "✔ requests",
        "? review agents · declared",
        "no review yet",
    ]
    words = " ".join(shown)
    assert all(words.count(f" {condition_label(name)}") >= 1 for name in make.CONDITIONS)


def test_compact_still_says_what_is_only_declared() -> None:
    report = make.gate_report(make.condition(7, basis=Basis.DECLARED))

    assert "✔ tests declared" in " ".join(texts(gate.gate_rows(report, 60, UNICODE, compact=True)))


@pytest.mark.parametrize(
    ("report", "text"),
    [
        (make.gate_report(), "✔ passed"),
        (OPEN, "✖ 2 open"),
        (make.gate_report(make.condition(1, Outcome.UNKNOWN)), "? 1 open"),
    ],
)
def test_the_gate_in_short(report, text: str) -> None:
    assert plain(gate.gate_line(report, UNICODE)) == text


def prose(outcome: Outcome, **fields: Any) -> Prose:
    given: dict[str, Any] = {"basis": Basis.HUMAN, "reason": "nobody attested it", **fields}
    return Prose(
        "task#expectedBehavior/0", "서버 원문은 화면에 노출되지 않는다.", "sha256:0", outcome, **given
    )


@pytest.mark.parametrize(
    ("sentence", "box", "note"),
    [
        (prose(Outcome.UNKNOWN), "☐", "human: nobody attested it"),
        (prose(Outcome.PASSED, reason="kim"), "☑", "human: kim"),
        (prose(Outcome.UNKNOWN, stale=True, reason="for another tree"), "☐", "human: for another tree"),
        (prose(Outcome.FAILED, basis=Basis.OBSERVED, reason="exit code 1"), "◌", "observed: exit code 1"),
    ],
)
def test_sentences_say_whether_and_on_what_they_rest(sentence: Prose, box: str, note: str) -> None:
    rows = gate.gate_rows(make.gate_report(prose=(sentence,)), 50, UNICODE)
    (row,) = [row for row in rows if row.key == "prose:task#expectedBehavior/0"]

    assert plain(row.lines[0]).startswith(box)
    assert plain(row.lines[-1]).strip() == note


def test_in_a_wide_pane_a_sentence_and_its_basis_share_a_line() -> None:
    rows = gate.gate_rows(make.gate_report(prose=(prose(Outcome.UNKNOWN),)), 70, UNICODE)

    assert "☐ 서버 원문은 화면에 노출되지 않는다. human: nobody attested it" in texts(rows)


def test_a_reason_that_does_not_fit_beside_its_name_stands_below_it() -> None:
    report = make.gate_report(make.condition(4, Outcome.FAILED, reason="why " * 20, findings=HUMAN))
    shown = texts(gate.gate_rows(report, 60, UNICODE))

    assert shown[shown.index("▲ scope you · observed") + 1].startswith("why why")


@pytest.mark.parametrize(
    ("number", "findings", "shown"),
    [
        (3, [make.finding("MISSING_APPROVAL", next_action="human")], "▲ plan why you · observed"),
        (3, [make.finding("MISSING_TEST_PLAN", next_action="planner")], "✖ plan why agents · observed"),
        (7, [make.finding("NOT_RUN")], "◌ tests why agents · observed"),
        (7, [make.finding("TEST_FAILED")], "✖ tests why agents · observed"),
        (8, [make.finding(SENTENCE, next_action="human")], "◌ evidence why agents · observed"),
        (8, [make.finding(SENTENCE, basis=Basis.HUMAN)], "▲ evidence why you · observed"),
        (6, [make.finding("STALE_EVIDENCE")], "◌ review why agents · observed"),
        (6, [make.finding("INVALID_CONTRACT")], "✖ review why agents · observed"),
    ],
)  # fmt: skip
def test_glyph_and_word_tell_who_must_act_next(number: int, findings: list[Any], shown: str) -> None:
    rung = make.condition(number, Outcome.FAILED, reason="why", findings=tuple(findings))

    assert shown in texts(gate.gate_rows(make.gate_report(rung), 60, UNICODE))


@pytest.mark.parametrize("outcome", [Outcome.FAILED, Outcome.UNKNOWN])
def test_evidence_that_a_human_owes_has_one_sign_whatever_else_is_missing(outcome: Outcome) -> None:
    owed = (make.finding(SENTENCE, basis=Basis.HUMAN, unknown=True), make.finding(SENTENCE))
    rung = make.condition(8, outcome, reason="why", findings=owed)
    assert "▲ evidence why you · observed" in texts(gate.gate_rows(make.gate_report(rung), 60, UNICODE))


def test_what_is_asked_later_is_nobodys_turn() -> None:
    words = Shared("usage-doc", ("a.md",), SharedStep.LATER, "long", "short")
    theirs = make.finding("OWNERSHIP_UNKNOWN", path="a.md", unknown=True, next_action="")
    rung = replace(make.condition(4, Outcome.UNKNOWN, reason="short", findings=(theirs,)), shared=(words,))
    shown = texts(gate.gate_rows(make.gate_report(rung), 34, UNICODE))

    assert shown[0] == "GATE ? 1 open · 0 for you"
    assert "◌ scope later · observed" in shown


def test_a_plan_that_the_inbox_asks_about_is_for_the_human() -> None:
    flawed = (make.finding("MISSING_TEST_PLAN", next_action="planner"),)
    rung = replace(make.condition(3, Outcome.FAILED, reason="why", findings=flawed), for_human=True)
    assert "▲ plan why you · observed" in texts(gate.gate_rows(make.gate_report(rung), 60, UNICODE))


@pytest.mark.parametrize("compact", [True, False])
@pytest.mark.parametrize("width", [14, 33, 48, 78])
def test_rows_never_exceed_the_width(width: int, compact: bool) -> None:
    report = make.gate_report(
        make.condition(4, Outcome.FAILED, reason="경로 " * 40 + "\x1b[2J"), prose=(prose(Outcome.UNKNOWN),)
    )
    rows = gate.gate_rows(report, width, UNICODE, compact=compact)

    assert all(line_len(line) <= width for row in rows for line in row.lines)
    assert "\x1b" not in "".join(row.text for row in rows)


def test_the_next_step_at_the_end_of_a_reason_is_not_cut_off() -> None:
    reason = "python3 -m unittest discover -s tests -q did not run, by the tester's own words. Run the tests."
    report = make.gate_report(make.condition(7, Outcome.FAILED, reason=reason))
    shown = " ".join(" ".join(row.text for row in gate.gate_rows(report, 30, UNICODE)).split())
    assert "Run the tests." in shown


def test_a_finalized_task_shows_its_end_against_the_tree() -> None:
    tree = make.changes().tree_digest
    for digest, words in ((tree, "GATE ✔ passed"), ("sha256:other", "GATE ✖ 1 open · 1 for you")):
        end = make.entry("finalize", "finalized", "finalize", data={"treeDigest": digest})
        snapshot = make.task_snapshot(log={"finalized": end})
        ended = frozen_assessment(snapshot, terms_of(snapshot, make.NOW))
        shown = " ".join(texts(gate.gate_rows(ended.gate, 60, UNICODE)))
        assert shown.startswith(words)
        assert "finalize" in shown
