"""Rows of the scope pane."""

from dataclasses import replace

import pytest

from ags_tui.core.assessment import PathClass, Shared, SharedStep, Verdict
from ags_tui.core.checks.findings import Outcome
from ags_tui.core.snapshot import Changes
from ags_tui.view import scope
from ags_tui.view.glyphs import UNICODE
from ags_tui.view.rows import plain
from ags_tui.view.text import line_len
from tests import builders as make


def texts(rows) -> list[str]:
    return [plain(line).rstrip() for row in rows for line in row.lines]


def test_the_verdict_stands_above_the_paths_that_cause_it() -> None:
    report = make.scope_report(
        verdict=Verdict.BLOCKED,
        reason="1 excluded path",
        paths=(
            make.path_verdict("a/in.py"),
            make.path_verdict("b/no.py", PathClass.EXCLUDED, why="plan.filesNotToEdit: b/**"),
            make.path_verdict(
                "c/new.py", PathClass.UNPLANNED, why="", change=make.change("c/new.py", old=None)
            ),
        ),
    )
    assert texts(scope.scope_rows(report, (), 44, UNICODE)) == [
        "SCOPE  ✖ BLOCKED",
        "1 excluded path",
        "✖ 1 excluded",
        "  M b/no.py",
        "    plan.filesNotToEdit: b/**",
        "▲ 1 unplanned",
        "  A c/new.py",
        "✔ 1 in plan",
        "  M a/in.py",
    ]


@pytest.mark.parametrize(
    ("verdict", "text", "style"),
    [
        (Verdict.PASS, "✔ PASS", "ok"),
        (Verdict.NEEDS_APPROVAL, "▲ NEEDS APPROVAL", "warn"),
        (Verdict.BLOCKED, "✖ BLOCKED", "error"),
        (Verdict.INCONCLUSIVE, "? INCONCLUSIVE", "warn"),
        (Verdict.NOT_APPLICABLE, "– NOT APPLICABLE", "muted"),
    ],
)
def test_verdicts_have_glyph_and_word(verdict: Verdict, text: str, style: str) -> None:
    assert scope.verdict_line(verdict, UNICODE) == ((text, style),)


def test_reviewed_and_approved_are_words_or_glyphs_not_colours() -> None:
    report = make.scope_report(
        paths=(make.path_verdict("a.py"), make.path_verdict("b.py", PathClass.UNPLANNED, approved=True))
    )
    shown = texts(scope.scope_rows(report, {"a.py"}, 40, UNICODE))

    assert any(line.startswith("  M a.py") and line.endswith("◆") for line in shown)
    assert any(line.startswith("  M b.py") and line.endswith("approved") for line in shown)
    assert "◆ 1 of 2 reviewed" in shown


@pytest.mark.parametrize("path_class", list(PathClass))
def test_every_class_has_word_look_and_place(path_class: PathClass) -> None:
    assert path_class in scope.ORDER
    assert scope.WORDS[path_class]
    assert scope.class_look(path_class, UNICODE)[0]


@pytest.mark.parametrize("width", [12, 20, 33, 78])
def test_rows_never_exceed_the_width_and_stay_inert(width: int) -> None:
    nasty = "src/\x1b[31m" + "로그인/" * 20 + "a\u202eb.py"
    report = make.scope_report(paths=(make.path_verdict(nasty, PathClass.UNPLANNED, why=nasty),))
    rows = scope.scope_rows(report, (), width, UNICODE)

    assert all(line_len(line) <= width for row in rows for line in row.lines)
    assert "\x1b" not in "".join(row.text for row in rows)
    assert "\u202e" not in "".join(row.text for row in rows)


def test_the_work_tree_counts_and_marks_new_files() -> None:
    changes = Changes(
        make.BASE,
        "work-tree",
        (make.change("new.py", old=None, untracked=True), make.change("old.py", new=None)),
    )
    assert texts(scope.tree_rows(changes, 40, UNICODE)) == [
        "WORK TREE  2 changed since HEAD",
        "  A new.py                           new",
        "  D old.py",
    ]


def test_a_git_that_cannot_answer_is_never_nothing_changed() -> None:
    shown = texts(scope.tree_rows(Changes(make.BASE, "work-tree", unknown="index is damaged"), 40, UNICODE))

    assert shown[0] == "WORK TREE  ? unknown"
    assert "index is damaged" in shown[1]
    assert "nothing changed" not in " ".join(shown)
    assert texts(scope.tree_rows(None, 40, UNICODE))[0] == "WORK TREE  ? unknown"


@pytest.mark.parametrize(
    ("step", "verdict"),
    [(SharedStep.LATER, "◌ APPROVAL LATER"), (SharedStep.NOW, "▲ NEEDS APPROVAL"),
     (SharedStep.PLAN, "▲ NEEDS APPROVAL"), (SharedStep.RESTORE, "▲ NEEDS APPROVAL")],
)  # fmt: skip
def test_the_verdict_never_asks_where_nothing_is_to_be_pressed(step: SharedStep, verdict: str) -> None:
    path = make.path_verdict("docs/a.md", PathClass.OWNERSHIP_UNKNOWN, why="belongs to it", owner="usage")
    report = make.scope_report(verdict=Verdict.NEEDS_APPROVAL, paths=(path,))
    words = Shared("usage", ("docs/a.md",), step, "docs/a.md belongs to usage\x1b. And what to do.", "short")
    row = replace(make.condition(4, Outcome.UNKNOWN), shared=(words,))
    task = make.task_assessment(make.task_snapshot(), scope=report, gate=make.gate_report(row))

    rows = texts(scope.task_scope_rows(task, (), 44, UNICODE))
    assert rows[0] == f"SCOPE  {verdict}"
    shown = " ".join(" ".join(rows).split())
    assert "docs/a.md belongs to usage\\x1b. And what to do." in shown
    assert "belongs to it" not in shown, "said once"


def test_after_the_end_the_scope_shows_what_was_signed() -> None:
    data = {"treeDigest": make.changes().tree_digest, "scope": {"reason": "2 in plan"}}
    row = make.entry("finalize", "finalized", "finalize", data=data)
    snapshot = make.task_snapshot(entries=[row])
    task = make.task_assessment(snapshot, scope=make.scope_report(verdict=Verdict.NOT_APPLICABLE))
    shown = texts(scope.task_scope_rows(task, (), 60, UNICODE))
    assert shown[0] == "SCOPE  ✔ SIGNED"
    assert "In scope: 2 in plan." in " ".join(shown)
    assert [line.strip() for line in shown[-2:]] == [f"M {one.path}" for one in make.changes().entries]
