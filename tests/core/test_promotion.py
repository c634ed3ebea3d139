"""What a session touched, drawn as a plan: exactly its paths, its tests, and the approval of a human."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ags_tui.core.activity import FAILED, VERDICT, ActivityLine
from ags_tui.core.globs import compile_patterns
from ags_tui.core.promotion import may_promote, pattern_for, plan_of, sketch, was_promoted
from ags_tui.core.session_calls import SessionSeen
from ags_tui.core.sessions import SessionRecord
from ags_tui.core.snapshot import Change, Changes, TaskFiles, TaskSnapshot, TreeEntry
from tests import builders as make

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
TASK = "session-abc"
TOP, ROOT = "/w/shop", "/w/shop/.ai"
OLD, NEW = TreeEntry("100644", "a" * 40), TreeEntry("100644", "b" * 40)


def seen(*lines: ActivityLine, session: str = "abc", task: str = TASK) -> SessionSeen:
    return SessionSeen(SessionRecord(session, task, TOP, agent="codex"), lines)


def line(call_id: str, *, ago: int = 9, **more: object) -> ActivityLine:
    made = ActivityLine(
        NOW - timedelta(seconds=ago), VERDICT, "abc", "codex", call_id=call_id, cwd=TOP, decision="allow"
    )
    return replace(made, **more)  # pyright: ignore[reportArgumentType]


def edit(call_id: str, *paths: str, **more: Any) -> ActivityLine:
    return line(call_id, tool="edit_file", paths=paths, **more)


def task(*changes: Change, **more: object) -> TaskSnapshot:
    files = TaskFiles(TASK, f"{ROOT}/tasks/{TASK}")
    made = TaskSnapshot(files, make.task_snapshot().log, Changes("c" * 40, "work-tree", changes))
    return replace(made, **more)  # pyright: ignore[reportArgumentType]


def test_what_changed_and_what_was_edited_is_drawn_once_and_sorted():
    drawn = sketch(
        task(Change("src/b.py", OLD, NEW), Change("gone.py", OLD, None)),
        [seen(edit("1", "src/b.py"), edit("2", f"{TOP}/src/a.py"), edit("3", "x.py", cwd=f"{TOP}/web"))],
        [],
        root=ROOT,
    )
    assert drawn.paths == ("gone.py", "src/a.py", "src/b.py", "web/x.py")
    assert drawn.operations == ("create", "update", "delete")
    assert drawn.left_out == ()


def test_denied_and_failed_edits_contracts_and_other_folders_are_not_drawn():
    drawn = sketch(
        task(),
        [
            seen(
                edit("1", "denied.py", decision="deny"),
                edit("2", "failed.py"),
                edit("2", "failed.py", event=FAILED, decision=""),
                edit("3", f"{ROOT}/tasks/{TASK}/plan.json"),
                edit("4", "/etc/passwd", "../elsewhere.py"),
            )
        ],
        [],
        root=ROOT,
    )
    assert drawn.paths == ()


def test_what_only_another_session_touched_is_left_out_and_named():
    changes = (Change("both.py", OLD, NEW), Change("mine.py", OLD, NEW), Change("theirs.py", OLD, NEW))
    drawn = sketch(
        task(*changes),
        [seen(edit("1", "both.py"))],
        [seen(edit("2", "both.py", "theirs.py"), session="other", task="session-other")],
        root=ROOT,
    )
    assert drawn.paths == ("both.py", "mine.py")
    assert drawn.left_out == ("theirs.py",)


def test_tests_stand_in_the_order_in_which_they_first_ran():
    def ran(call_id: str, command: str, **more: Any) -> ActivityLine:
        return line(call_id, tool="run_tests", command=command, **more)

    calls = [
        ran("3", "npm test", ago=1), ran("1", "npm test", ago=9), ran("2", "pytest -q", ago=5),
        ran("4", "rm -rf x", decision="deny"), ran("5", "two\nlines"), line("6", tool="shell", command="ls"),
    ]  # fmt: skip
    assert sketch(task(), [seen(*calls)], [], root=ROOT).tests == ("npm test", "pytest -q")


@pytest.mark.parametrize(
    ("command", "drawn"),
    [
        ("python -m pytest -q tests", True), ("uv run pytest", True), ("npm run test -- login", True),
        ("make check", True), ("cargo test", True), ("./gradlew test", True),
        ("make deploy", False), ("pytest && curl http://x", False), ("pytest > log", False),
        ("cat pytest.ini", False), ("npm install", False),
    ],
)  # fmt: skip
def test_of_shell_lines_those_are_tests_that_run_nothing_else(command: str, drawn: bool):
    ran = line("1", tool="shell", command=command)
    assert sketch(task(), [seen(ran)], [], root=ROOT).tests == ((command,) if drawn else ())


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("src/로그인.py", "src/로그인.py"),
        ("src/[id].tsx", "src/[[]id].tsx"),
        ("a*b?.md", "a[*]b[?].md"),
        ("back\\slash", None),
        ("bad\udcff", None),
        ("new\nline", None),
    ],
)
def test_the_pattern_of_a_path(path: str, pattern: str | None):
    assert pattern_for(path) == pattern


@given(st.text(st.characters(codec="utf-8", exclude_characters="/\0"), min_size=1), st.text(min_size=1))
def test_a_pattern_matches_its_own_path_and_no_other(name: str, other: str):
    path = f"src/{name}/end"
    pattern = pattern_for(path)
    if pattern is None:
        return
    patterns = compile_patterns([pattern], side="allow")
    assert not patterns.problems
    assert patterns.match(path) is not None
    assert patterns.match(f"src/{name}{other}/end") is None


def test_only_an_open_session_without_contracts_can_be_promoted():
    session = task()
    assert may_promote(session) == ""
    planned = make.task_snapshot()
    assert "written by a human" in may_promote(planned)
    has_plan = replace(
        session,
        files=replace(session.files, artifacts={"plan.json": make.artifact(make.agent_plan(), "plan.json")}),
    )
    assert "has contracts" in may_promote(has_plan)
    closed = replace(session, log=replace(session.log, closed=session.log.entries[0]))
    assert may_promote(closed) == "This session is closed."


def test_a_session_that_had_a_task_stays_one_that_a_human_ends():
    bare = replace(task(), log=replace(task().log, observations=()))
    assert not was_promoted(bare)
    with_task = replace(bare.files, artifacts={"task.json": make.artifact(make.agent_task(), "task.json")})
    assert was_promoted(replace(bare, files=with_task))
    assert was_promoted(task())  # its task.json is gone, but the log saw it


def test_the_plan_asks_for_a_human_and_names_each_path_once():
    wanted = make.agent_task(id=TASK, risk_level="high")
    plan = plan_of(wanted, paths=("a.py", "a.py", "b.py"), tests=("pytest",), forbidden=("c.py",))
    assert plan.files_to_edit == ("a.py", "b.py")
    assert (plan.task_id, plan.risk_level, plan.approval_policy) == (TASK, "high", "plan")
    assert plan.requires_human_approval
    assert plan.steps[0].validation == "pytest"
