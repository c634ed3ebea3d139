"""A session becomes a planned task: `p`, a filled-in form, and why the key is off."""

from dataclasses import replace

from textual.widgets import Static, TextArea

from ags_tui.core.failures import AgsError
from tests import builders as make
from tests.app import beside, driver, scenes
from tests.app.beside import FakeBeside, line
from tests.app.test_beside import NARROW, WIDE, shown

SESSION_TASK = "session-0b1c2d3e-4f5"


def scene():
    bare = make.task_snapshot(
        task_id=SESSION_TASK, task=None, plan=None, implementation=None, review=None, test=None,
        change_set=make.changes(make.change("src/a.py")), attested=False,
    )  # fmt: skip
    return scenes.scene(make.task_assessment(bare, title=""), scenes.done_task())


def behind() -> FakeBeside:
    edit = line(call_id="c2", tool="edit_file", name="Edit", command="", paths=("src/로그인 화면.py",))
    ran = line(call_id="c3", tool="run_tests", command="npm test")
    seen = beside.session(edit, ran)
    return FakeBeside((replace(seen, record=replace(seen.record, task=SESSION_TASK)),))


async def select(screen: driver.Screen, task_id: str) -> None:
    screen.main.moves.want_task(task_id)
    await screen.shows(scene())


async def test_the_form_is_filled_with_what_the_session_touched() -> None:
    for size in (WIDE, NARROW):
        async with shown(behind(), scene(), size=size) as screen:
            await select(screen, SESSION_TASK)
            await screen.press("p")
            form = screen.app.screen
            assert form.query_one("#paths", TextArea).text == "src/a.py\nsrc/로그인 화면.py"
            assert form.query_one("#tests", TextArea).text == "npm test"
            assert SESSION_TASK in str(form.query_one("#session", Static).content)
            await screen.press(*"Login", *["tab"] * 3, *"safe", *["tab"] * 3, *"works", "ctrl+s")
            await screen.until(lambda: "is planned; a opens the plan" in screen.text("status"))
            (made,) = screen.door.promoted
            assert (made.task.id, made.task.title, made.task.expected_behavior) == (
                SESSION_TASK, "Login", ("works",)
            )  # fmt: skip
            assert made.plan.files_to_edit == ("src/a.py", "src/로그인 화면.py")
            assert made.plan.tests_to_run == ("npm test",)
            assert made.plan.requires_human_approval


async def test_a_plan_without_files_or_with_a_bad_pattern_is_not_written() -> None:
    async with shown(behind(), scene()) as screen:
        await select(screen, SESSION_TASK)
        await screen.press("p")
        form = screen.app.screen
        form.query_one("#paths", TextArea).text = "../../etc/passwd"
        form.query_one("#tests", TextArea).text = ""
        await screen.press("ctrl+s")
        said = {one.id: str(one.content) for one in form.query(Static) if one.has_class("-shown") and one.id}
        assert set(said) == {
            "wrong-title",
            "wrong-description",
            "wrong-expected",
            "wrong-paths",
            "wrong-tests",
        }
        assert ".." in said["wrong-paths"]
        form.query_one("#paths", TextArea).text = ""
        await screen.press("ctrl+s")
        assert "names what may change" in str(form.query_one("#wrong-paths", Static).content)
        await screen.press("escape")
        assert screen.door.promoted == []


async def test_the_key_says_why_it_is_off() -> None:
    async with shown(behind(), scene()) as screen:
        await select(screen, "fix-typo")
        await screen.press("p")
        assert "Only a session becomes a planned task" in screen.text("status")
        assert screen.app.screen is screen.main


async def test_a_refusal_is_said() -> None:
    async with shown(behind(), scene()) as screen:
        await select(screen, SESSION_TASK)
        screen.door.refusal = AgsError("plan.json exists already")
        await screen.press("p", *"T", "tab", "tab", "tab", *"d", "tab", "tab", "tab", *"e", "ctrl+s")
        await screen.until(lambda: "plan.json exists already" in screen.text("status"))
