"""New tasks, test runs, editor, clipboard: asked by a key, done in a thread, answered by a sentence."""

import stat
from pathlib import Path

import pytest
from textual.widgets import Static

from ags_tui.app import editor
from ags_tui.app.editor import NoEditor
from ags_tui.app.screens.new_task import task_id_from
from ags_tui.core.failures import AgsError
from tests import builders as make
from tests.app import driver, scenes

WIDE = (120, 40)


# -- new task --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("title", "taken", "task_id"),
    [
        ("Fix the login", (), "fix-the-login"),
        ("로그인 실패 메시지", (), "로그인-실패-메시지"),
        ("Fix the login", ("fix-the-login", "fix-the-login-2"), "fix-the-login-3"),
        ("../../etc", (), "etc"),
        ("[/] \x1b", (), "task"),
        ("한" * 90, (), "한" * 33),
    ],
)
def test_task_ids_are_made_from_titles(title: str, taken: tuple[str, ...], task_id: str) -> None:
    from ags_tui.core.layout import valid_task_id

    made = task_id_from(title, taken)

    assert made == task_id
    assert valid_task_id(made)


async def test_a_task_is_made_from_the_form() -> None:
    behind = driver.door()
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.press("N", *"검색 개선", "tab", "tab", "right", "tab", "right", "tab")
        await screen.press(*"fast", "enter", *"safe", "tab", *"p95 < 200 ms", "enter", *"같은 결과")
        await screen.press("tab", *"DesignSystem/**", "ctrl+s")
        await screen.until(lambda: bool(behind.created))
        await screen.settle()

        (task,) = behind.created
        assert task.id == "검색-개선"
        assert task.title == "검색 개선"
        assert (task.category, task.risk_level) == ("review", "high")
        assert task.description == "fast\nsafe"
        assert task.expected_behavior == ("p95 < 200 ms", "같은 결과")
        assert task.forbidden_changes == ("DesignSystem/**",)
        assert task.required_evidence == ()
        assert "task 검색-개선 is written" in screen.text("status")
        assert behind.reads[-1].tasks is None


async def test_a_new_task_is_selected_once_it_was_read() -> None:
    behind = driver.door(scenes.empty())
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        screen.main.moves.want_task(make.TASK_ID)
        await screen.shows(scenes.scene(scenes.login_task()))

        assert screen.main.selection.key == f"task:{make.TASK_ID}"


async def test_what_is_wrong_is_said_at_the_field_and_nothing_is_written() -> None:
    behind = driver.door()
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.press("N", "ctrl+s")
        form = screen.app.screen
        shown = [line.id for line in form.query(Static) if line.has_class("-shown")]
        assert shown == ["wrong-title", "wrong-id", "wrong-description", "wrong-expected"]
        assert screen.focused == "title"

        await screen.press(*"Fix typo")
        form.query_one("#id").value = "fix-typo"  # type: ignore[attr-defined]
        await screen.press("ctrl+s")
        assert "There is a task “fix-typo” already." in str(form.query_one("#wrong-id", Static).content)
        assert not form.query_one("#wrong-title").has_class("-shown")
        await screen.press("escape")
    assert behind.created == []


async def test_letters_typed_into_the_form_start_nothing() -> None:
    behind = driver.door()
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.press("N", *"adFbxqtN", "space", "question_mark", "colon")

        assert screen.app.screen.query_one("#title").value == "adFbxqtN ?:"  # type: ignore[attr-defined]
        assert len(screen.app.screen_stack) == 2


async def test_a_refused_task_says_why() -> None:
    behind = driver.door(refusal=AgsError("the folder exists [/]"))
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.press("N", *"Title", "tab", "tab", "tab", "tab", *"d", "tab", *"e", "ctrl+s")
        await screen.until(lambda: "no task was written: the folder exists [/]" in screen.text("status"))


# -- test runs -------------------------------------------------------------------------------------------


async def test_the_planned_tests_run_and_their_output_streams() -> None:
    behind = driver.door(lines=("collected 1 item", "\x1b[31mred\x1b[0m [/]", "1 passed"))
    behind.run_gate.clear()
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        await pilot.press("t")
        await screen.until(lambda: "1 passed" in screen.text("run-lines"))
        assert make.TEST_COMMAND in screen.text("run-title")
        assert "running" in screen.text("run-title")
        assert "\\x1b[31mred" in screen.text("run-lines")
        behind.run_gate.set()
        await screen.until(lambda: "1 passed in 0.2 s" in screen.text("run-title"))
        await screen.settle()
        await screen.press("escape")

        assert f"tests of {make.TASK_ID}: 1 passed" in screen.text("status")
        assert behind.reads[-1].why == "tests ran"


async def test_x_cancels_a_run_and_escape_lets_it_go_on() -> None:
    behind = driver.door()
    behind.run_gate.clear()
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        await pilot.press("t")
        await screen.until(lambda: "1 passed" in screen.text("run-lines"))
        await pilot.press("escape")
        await screen.until(lambda: screen.app.screen is screen.main)
        assert not behind.cancelled.is_set()
        behind.run_gate.set()
        await screen.until(lambda: "tests of" in screen.text("status"))

        behind.run_gate.clear()
        await screen.press_soon("t")
        await screen.until(lambda: "1 passed" in screen.text("run-lines"))
        await pilot.press("x")
        await screen.until(behind.cancelled.is_set)
        await screen.until(lambda: "cancelled" in screen.text("run-title"))


async def test_the_output_is_bounded() -> None:
    from ags_tui.app.screens.check_run import MOST_LINES, CheckRunScreen

    behind = driver.door()
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.press("t")
        run = screen.app.screen
        assert isinstance(run, CheckRunScreen)
        for start in range(0, 20_000, 1000):
            run.printed([f"line {n}" for n in range(start, start + 1000)])
        await screen.settle()

        assert len(screen.rows("run-lines").rows) == MOST_LINES + 1
        assert "earlier lines are in the log artifact" in screen.text("run-lines")
        assert "line 19999" in screen.text("run-lines")


async def test_a_run_that_cannot_start_says_why() -> None:
    behind = driver.door()

    def refused(task_id: str, *, on_line, cancel):
        raise AgsError("the plan is not approved")

    behind.run_checks = refused  # type: ignore[method-assign]
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.press("t")
        assert "the plan is not approved" in screen.text("run-title")


async def test_leaving_ends_running_tests() -> None:
    behind = driver.door()
    behind.run_gate.clear()
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        await pilot.press("t")
        await screen.until(lambda: "1 passed" in screen.text("run-lines"))
        screen.app.exit()
    assert behind.cancelled.wait(5)


# -- editor and clipboard --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("environment", "command"),
    [
        ({"EDITOR": "vim -R"}, ["vim", "-R"]),
        ({"VISUAL": "code --wait", "EDITOR": "vim"}, ["code", "--wait"]),
        ({}, ["vi"]),
        ({"EDITOR": ""}, ["vi"]),
    ],
)
def test_the_editor_is_the_users(environment: dict[str, str], command: list[str]) -> None:
    assert editor.editor_command(environment) == command


@pytest.mark.parametrize("text", ["'unbalanced", "   "])
def test_an_editor_that_is_no_command_is_refused(text: str) -> None:
    with pytest.raises(NoEditor):
        editor.editor_command({"EDITOR": text})


def spy(folder: Path) -> str:
    """An editor that writes down what it got and where it runs."""
    script = folder / "spy.sh"
    script.write_text(
        '#!/bin/sh\npwd > "$0.pwd"\nls -A > "$0.ls"\ncat "$1" > "$0.text"\nls -l "$1" > "$0.mode"\n'
    )
    script.chmod(0o700)
    return str(script)


def test_a_request_opens_as_a_read_only_copy_in_an_empty_folder(tmp_path: Path) -> None:
    program = spy(tmp_path)
    editor.show_copy("../../tool-014.json", b"{}", {"EDITOR": program})

    assert Path(f"{program}.text").read_text() == "{}"
    assert Path(f"{program}.ls").read_text().split() == ["tool-014.json"]
    assert Path(f"{program}.mode").read_text().startswith("-r--------")
    assert not Path(Path(f"{program}.pwd").read_text().strip()).exists()


def test_a_file_opens_itself_but_not_from_the_repository(tmp_path: Path) -> None:
    program = spy(tmp_path)
    file = tmp_path / "repo" / "a.txt"
    file.parent.mkdir()
    file.write_text("text")
    (file.parent / ".vimrc").write_text("!touch /tmp/AGS_MARK")
    editor.edit_file(str(file), {"EDITOR": program})

    assert Path(f"{program}.text").read_text() == "text"
    assert Path(f"{program}.pwd").read_text().strip() != str(file.parent)
    assert stat.S_IMODE(file.stat().st_mode) & 0o200


@pytest.mark.parametrize(("path", "program"), [("/nowhere/a", "true"), (__file__, "/nowhere/editor")])
def test_an_editor_or_file_that_is_not_there_is_said(path: str, program: str) -> None:
    with pytest.raises(NoEditor):
        editor.edit_file(path, {"EDITOR": program})


async def test_e_opens_the_request_or_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    from contextlib import contextmanager

    from ags_tui.app.app import AgsApp

    opened: list[tuple[str, bytes | None]] = []
    monkeypatch.setattr(editor, "show_copy", lambda name, data, _environment: opened.append((name, data)))
    monkeypatch.setattr(editor, "edit_file", lambda path, _environment: opened.append((path, None)))

    @contextmanager
    def suspend(_self: AgsApp):
        yield

    monkeypatch.setattr(AgsApp, "suspend", suspend)
    behind = driver.door()
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.press("e", "3", "e")

    ((name, data), (path, nothing)) = opened
    assert name == f"{scenes.REQUEST}.json"
    assert data == behind.snapshot.tasks[1].files.artifacts[f"tool-requests/{scenes.REQUEST}.json"].raw
    assert (path, nothing) == (f"{scenes.REPOSITORY}/{scenes.UNPLANNED}", None)


async def test_y_copies_what_is_selected() -> None:
    behind = driver.door()
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.press("y")
        assert screen.app.clipboard == scenes.UNPLANNED
        await screen.press("4", "j", "y")
        assert screen.app.clipboard == make.MAPPER
        assert "sent to the clipboard" in screen.text("status")
