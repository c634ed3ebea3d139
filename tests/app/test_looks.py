"""Help, palette, themes, settings, glyphs, keys of the user."""

from pathlib import Path

import pytest
from textual.widgets import OptionList

from ags_tui.app.keys import FINAL, KEYS, with_overrides
from ags_tui.app.themes import read_themes
from ags_tui.view.glyphs import ASCII, NARROW
from tests.app import driver

WIDE = (120, 40)
THEMES = Path(__file__).resolve().parents[2] / "themes"


def themes():
    return read_themes((path.name, path.read_text("utf-8")) for path in sorted(THEMES.glob("*.toml")))[0]


async def test_help_lists_every_key_and_narrows_while_typing() -> None:
    behind = driver.door()
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.press("question_mark")
        keys = [row.key for row in screen.rows("sheet-rows").rows if row.selectable]
        assert {"approve", "decision.approve", "palette", "down"} <= set(keys)
        await screen.press(*"final")
        keys = [row.key for row in screen.rows("sheet-rows").rows if row.selectable]
        assert keys[:3] == ["block", "finalize", "close"]
        assert set(keys[3:]) == {key.id for key in KEYS if key.group == FINAL}
        assert "adaFb" not in screen.text("sheet-rows")
        await screen.press("escape")
        assert len(screen.app.screen_stack) == 1


async def test_enter_in_the_help_runs_what_is_chosen() -> None:
    behind = driver.door()
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.press("question_mark", *"changed paths", "enter")
        await screen.until(lambda: screen.focused == "scope")


async def test_help_says_why_a_key_is_off_and_does_not_run_it() -> None:
    behind = driver.door()
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.press("question_mark", *"lift")
        assert "No block holds this task" in " ".join(screen.text("sheet-rows").split())
        await screen.press("enter")
        assert len(screen.app.screen_stack) == 2


@pytest.mark.parametrize("key", ["ctrl+p", "colon"])
async def test_the_palette_runs_commands_and_goes_to_tasks(key: str) -> None:
    behind = driver.door()
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.press(key)
        await screen.press(*"fix-typo")
        await screen.until(lambda: screen.app.screen.query("CommandList").first(OptionList).option_count > 0)
        await screen.press("enter")
        await screen.until(lambda: screen.main.selection.key == "task:fix-typo")
        assert screen.focused == "request"


async def test_the_palette_offers_no_approval() -> None:
    from ags_tui.app.commands import Commands

    behind = driver.door()
    async with driver.app(behind).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        names = [command.name for command in Commands(screen.main).commands()]

        assert not [name for name in names if "Ctrl+O" in name or "once" in name]
        assert [name for name in names if name.startswith("Approve ")]


async def test_themes_are_shown_while_moving_kept_by_enter_and_given_back_by_escape() -> None:
    kept: list[tuple[str, str]] = []
    behind = driver.door()
    app = driver.app(behind, themes=themes(), save=lambda name, value: kept.append((name, value)))
    async with app.run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        assert app.theme == "ink"
        await screen.press("T", "j")
        assert app.theme == "paper"
        await screen.press("escape")
        assert app.theme == "ink"
        assert kept == []
        await screen.press("T", "g")
        assert app.theme == "contrast"
        await screen.press("enter")
        assert app.theme == "contrast"
        assert kept == [("theme", "contrast")]


async def test_a_setting_that_cannot_be_kept_holds_until_the_end_and_says_so() -> None:
    def refuse(name: str, value: str) -> None:
        raise OSError("read-only [/]")

    behind = driver.door()
    app = driver.app(behind, themes=themes(), save=refuse)
    async with app.run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.press("T", "g", "enter")
        assert app.theme == "contrast"
        assert "could not be kept: read-only [/]" in screen.text("status")


async def test_settings_change_and_are_kept() -> None:
    kept: list[tuple[str, str]] = []
    behind = driver.door()
    app = driver.app(behind, save=lambda name, value: kept.append((name, value)), settings_path="/c/[/].toml")
    async with app.run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.press("comma", "j", "enter", "j", "enter", "enter")
        assert kept == [("glyphs", "unicode"), ("notifications", "title"), ("notifications", "off")]
        assert "/c/[/].toml" in screen.text("sheet-rows")
        await screen.press("k", "k", "enter")
        await screen.until(lambda: type(app.screen).__name__ == "ThemePicker")


async def test_one_notice_about_a_broken_theme_and_the_rest_in_the_settings() -> None:
    behind = driver.door()
    app = driver.app(behind, notices=("mine.toml: not TOML [/]", "keys.aprove: there is no such key id"))
    async with app.run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        assert "mine.toml: not TOML [/]" in screen.text("status")
        assert "1 more" in screen.text("status")
        await screen.press("comma")
        assert "keys.aprove" in screen.text("sheet-rows")


async def test_the_users_keys_work_and_are_shown() -> None:
    registry, problems = with_overrides({"tab-5": "ctrl+w,W", "help": "H"})
    assert problems == ()
    behind = driver.door()
    async with driver.app(behind, look={"registry": registry}).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.press("W")
        assert screen.focused == "gate"
        await screen.press("1", "5")
        assert screen.focused == "inbox"
        assert "H help" in screen.text("keys")


async def test_ascii_glyphs_leave_nothing_of_ours_outside_ascii() -> None:
    from tests import builders as make
    from tests.app import scenes

    task = make.task_assessment(
        make.task_snapshot(task=make.agent_task(title="Login", description="d", expected_behavior=("x",),
                                                forbidden_changes=(), required_evidence=()), attested=False),
        title="Login", pending=(make.pending(reason="because"),),
    )  # fmt: skip
    behind = driver.door(scenes.scene(task))
    app = driver.app(behind, look={"glyphs": ASCII}, watched=())
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await driver.opened(pilot, behind)
        for key in ("1", "2", "4", "5", "6"):
            await screen.press(key)
            lines = [
                "".join(segment.text for segment in strip) for strip in app.screen._compositor.render_strips()
            ]
            assert [line for line in lines if not line.isascii()] == []


async def test_narrow_glyphs_draw_lines_of_settled_width() -> None:
    behind = driver.door()
    async with driver.app(behind, look={"glyphs": NARROW}).run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        assert screen.main.has_class("-plain-lines")
        assert "▴ high" in screen.text("inbox")
        screen.app.on_cursor_position  # noqa: B018 (the probe is tested in a terminal)


# -- announcements ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("setting", "rings", "title"),
    [
        ("bell", 1, "● 3 need you — ags-tui"),
        ("title", 0, "● 3 need you — ags-tui"),
        ("off", 0, "ags-tui payments-api"),
    ],
)
async def test_a_new_item_rings_once_and_is_counted(
    setting: str, rings: int, title: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ags_tui.app import terminal
    from ags_tui.app.app import AgsApp
    from tests.app.test_main import with_new_request

    rung: list[int] = []
    titles: list[str] = []
    monkeypatch.setattr(AgsApp, "bell", lambda self: rung.append(1))
    monkeypatch.setattr(terminal, "set_title", lambda app, text: titles.append(text))
    behind = driver.door()
    app = driver.app(behind, settings={"notifications": setting})
    async with app.run_test(size=WIDE) as pilot:
        screen = await driver.opened(pilot, behind)
        assert rung == []
        await screen.shows(with_new_request())
        await screen.shows(with_new_request())

    assert len(rung) == rings
    assert titles[-1] == title


def test_a_request_that_changed_rings_again() -> None:
    from ags_tui.app.notifications import announce
    from tests import builders as make

    old = make.pending()
    new = make.pending(digest=make.digests.digest(b"other"))

    assert announce([old], [old], "x", "bell").bell is False
    assert announce([old], [new], "x", "bell").bell is True
    assert announce(None, [old], "x", "bell").bell is False
    assert announce([old], [], "x", "bell").bell is False
