"""The screens keep what they say: Space when it is due, whose a diff is, and who noticed what."""

from dataclasses import replace

import pytest

from ags_tui.core.assessment import PathClass, PendingKind
from ags_tui.core.contracts.tool_request import ProposedChange
from ags_tui.core.snapshot import Snapshot
from ags_tui.view.asker import asker_word, asker_words
from ags_tui.view.content import plain_text
from ags_tui.view.diff_label import first_path
from tests import builders as make
from tests.app import driver, gallery, scenes
from tests.app.stage import screen_text

SIZES = [(80, 24), (120, 36)]


def diff(screen: driver.Screen) -> str:
    """The text of the diff pane."""
    return plain_text(screen.main.diffs.view.document).lstrip()


def plan_item(**fields: object):
    """A plan that waits, as a check asks about it."""
    given = {
        "kind": PendingKind.PLAN, "artifact": "plan.json", "asked_by": "ags-tui", "path": None,
        "path_class": None, "title": "Map errors", "task_id": make.TASK_ID, **fields,
    }  # fmt: skip
    return make.pending("plan", **given)


def with_item(item: object) -> tuple[Snapshot, object]:
    """The busy scene, where the login task asks one thing."""
    return scenes.scene(replace(scenes.login_task(), pending=(item,)), scenes.done_task())  # type: ignore[arg-type]


@pytest.mark.parametrize("size", SIZES)
async def test_the_bar_offers_space_only_when_attesting_is_due(size: tuple[int, int]) -> None:
    for scene, due in ((gallery.busy, False), (gallery.nearly_done, True)):
        behind = driver.door(scene())
        async with driver.app(behind).run_test(size=size) as pilot:
            screen = await driver.opened(pilot, behind)
            await screen.press("tab", "g")
            assert screen.main.selection.task_id == make.TASK_ID
            assert ("Space attest" in screen.text("keys")) is due


@pytest.mark.parametrize("size", SIZES)
async def test_a_proposed_diff_says_so_and_whose_it_is(size: tuple[int, int]) -> None:
    behind = driver.door(gallery.busy(), files=dict(gallery.FILES))
    async with driver.app(behind).run_test(size=size) as pilot:
        screen = await driver.opened(pilot, behind)
        assert ("3 its diff" in screen.text("keys")) is (size == SIZES[0])
        await screen.press("3")
        await screen.until(lambda: diff(screen).startswith("PROPOSED, not there yet  by codex, tool-014"))


@pytest.mark.parametrize("size", SIZES)
async def test_a_request_that_does_not_tell_its_change_is_not_shown_as_that_change(
    size: tuple[int, int],
) -> None:
    behind = driver.door()
    async with driver.app(behind).run_test(size=size) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.press("3")
        wanted = "CHANGED, there already  what codex, tool-014 would write is not told"
        await screen.until(lambda: diff(screen).startswith(wanted))
        seen = screen_text(screen.app)  # pyright: ignore[reportArgumentType]
        assert "CHANGED, there already" in seen, "the mark of the focus covers none of it"


async def test_the_line_above_a_diff_goes_with_its_request() -> None:
    behind = driver.door()
    async with driver.app(behind).run_test(size=SIZES[1]) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.until(lambda: "tool-014 would write is not told" in diff(screen))
        await screen.shows(scenes.scene(replace(scenes.login_task(), pending=())))
        await screen.until(lambda: "tool-014" not in diff(screen))


async def test_below_a_plan_stands_no_diff_of_a_file_that_it_does_not_name() -> None:
    task = scenes.login_task()
    paths = [scenes.UNPLANNED, make.MAPPER]
    assert first_path(plan_item(), task, paths) == make.MAPPER
    assert first_path(plan_item(), task, [scenes.UNPLANNED]) == ""
    assert first_path(None, task, paths) == scenes.UNPLANNED
    behind = driver.door(with_item(plan_item()))  # type: ignore[arg-type]
    async with driver.app(behind).run_test(size=SIZES[1]) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.press("g")
        await screen.until(lambda: screen.main.diffs.path == make.MAPPER)
        await screen.until(lambda: diff(screen).startswith("CHANGED, there already  named by this plan"))


async def test_who_wrote_a_plan_is_named_and_who_noticed_it() -> None:
    task = scenes.login_task()
    assert asker_word(plan_item()) == "planner"
    assert asker_words(plan_item(), task) == "by the planner, noticed by ags-tui"
    edit = make.pending(
        "path-1",
        kind=PendingKind.EDIT,
        asked_by="ags-tui",
        path="a.py",
        path_class=PathClass.UNPLANNED,
        artifact="",
    )
    assert asker_word(replace(edit, artifact="tool-requests/x.json")) == "“ags-tui”", "any agent may say so"
    assert asker_word(edit) == "noticed by ags-tui"
    assert asker_words(edit, task) == "no result claims it, noticed by ags-tui"
    theirs = make.path_verdict("a.py", PathClass.OWNERSHIP_UNKNOWN)
    shared = replace(task, scope=make.scope_report(paths=(replace(theirs, owner="usage-doc"),)))
    assert asker_words(edit, shared) == "in the plan of usage-doc, noticed by ags-tui"
    assert asker_words(scenes.edit_request(), task) == "by codex"


async def test_a_file_that_is_already_so_is_not_called_missing() -> None:
    change = ProposedChange(path=scenes.UNPLANNED, before=make.digests.digest(b"same\n"), after="same\n")
    request = make.tool_request_v2(scenes.REQUEST, target_path=scenes.UNPLANNED, proposed_change=change)
    task = scenes.login_task()
    held = {**task.task.files.artifacts}
    name = f"tool-requests/{scenes.REQUEST}.json"
    held[name] = replace(held[name], document=request)
    task = replace(task, task=replace(task.task, files=replace(task.task.files, artifacts=held)))
    behind = driver.door(scenes.scene(task), files={scenes.UNPLANNED: b"same\n"})
    async with driver.app(behind).run_test(size=SIZES[1]) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.until(lambda: diff(screen).startswith("PROPOSED, but the file is already so"))


async def test_the_bar_says_whether_q_goes_back_or_leaves() -> None:
    behind = driver.door()
    async with driver.app(behind).run_test(size=(160, 40)) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.press("1")
        assert "q quit" in screen.text("keys")
        await screen.press("6")
        assert "q back" in screen.text("keys")
        await screen.press("q")
        await screen.until(lambda: "q quit" in screen.text("keys"))
        assert screen.app.is_running
