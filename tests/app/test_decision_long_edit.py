"""A long edit on the decision screen: its diff is read once, and nothing of the raw input hides behind it."""

from typing import Any

import pytest

from ags_tui.app.messages import DiffFailed, DiffLoaded
from ags_tui.core.diffs import between
from ags_tui.core.digests import digest
from tests.app.makers import pending, tool_request
from tests.app.stage import screen_text, until
from tests.app.test_decision import approve, desk, stays

PATH = "Sources/Auth/AuthRepository.swift"
TEXT = "".join(f"line {number} of a long file that an agent writes\n" for number in range(7_000))
ADDED = "+" + TEXT.removesuffix("\n").replace("\n", "\n+") + "\n"


def patch(body: str, more: str = "") -> dict[str, Any]:
    return {"command": f"*** Begin Patch\n*** Add File: {PATH}\n{body}{more}*** End Patch"}


@pytest.mark.parametrize(
    "given",
    [patch(ADDED), {"file_path": PATH, "content": TEXT}, {"old_string": "", "new_string": TEXT, "hint": "x"}],
    ids=["patch", "write", "edit"],
)
async def test_300_kib_are_read_once_and_approved_as_they_were_shown(given: dict[str, Any]) -> None:
    assert len(TEXT) > 300 * 1024
    request = tool_request(after=TEXT, input=given)
    item = pending(request)
    async with desk(item, size=(100, 1_000), documents=(request,)) as (pilot, screen, app):
        await until(pilot, lambda: app.wishes)
        wish = app.wishes[0]
        screen.diff_answered(DiffLoaded(wish.key, (between(None, TEXT.encode(), wish.path),)))
        await until(pilot, lambda: "+ line 0 of a long file" in screen_text(app))
        assert screen.missing().malformed == ""
        assert 5_900 < screen.missing().below < 6_100, "the texts of the input stand there again"
        assert not screen.missing().open
        await pilot.press("ctrl+o")
        await stays(pilot, screen, app)
        await pilot.press("m")  # not shown to its end, so it is not marked
        assert screen.missing().below
        for _ in range(12):
            await pilot.press("pagedown")
        await until(pilot, lambda: "input" in screen_text(app))
        assert "give exactly the diff" in screen_text(app)
        draft = await approve(pilot, screen, app)
    assert draft.subject_digest == item.digest
    assert draft.bound == item.bound


@pytest.mark.parametrize(
    "given",
    [
        patch(ADDED.replace("+line 500 of", "+evil 500 of")),
        patch(ADDED, "*** Add File: other\n" + ADDED),
        {"file_path": PATH, "content": TEXT + "x"},
        {"file_path": PATH, "content": TEXT, "old_string": TEXT},
        {"edits": [{"old_string": TEXT, "new_string": TEXT}]},
    ],
    ids=["other line", "other file", "longer", "two meanings", "other edit"],
)
async def test_what_the_diff_does_not_show_is_shown_and_counts(given: dict[str, Any]) -> None:
    request = tool_request(after=TEXT, input=given)
    async with desk(pending(request), documents=(request,)) as (pilot, screen, app):
        await until(pilot, lambda: app.wishes)
        wish = app.wishes[0]
        screen.diff_answered(DiffLoaded(wish.key, (between(None, TEXT.encode(), wish.path),)))
        await until(pilot, lambda: not screen.exhibit.loading)
        assert "too long to be read" in screen.missing().malformed
        assert not screen.missing().readable


async def test_without_its_diff_a_long_edit_can_only_be_denied() -> None:
    request = tool_request(after=TEXT, input=patch(ADDED))
    async with desk(pending(request), documents=(request,)) as (pilot, screen, app):
        await until(pilot, lambda: app.wishes)
        screen.diff_answered(DiffFailed(app.wishes[0].key, "git is away"))
        await until(pilot, lambda: not screen.exhibit.loading)
        assert "too long to be read" in screen.missing().malformed


async def test_bytes_that_no_diff_shows_are_shown_as_text() -> None:
    request = tool_request(after="a\0b\nrm -rf\n", input={})
    async with desk(pending(request), documents=(request,)) as (pilot, screen, app):
        await until(pilot, lambda: app.wishes)
        wish = app.wishes[0]
        files = (between(None, b"a\0b\nrm -rf\n", wish.path),)
        screen.diff_answered(DiffLoaded(wish.key, files, digest=digest(b"")))
        await until(pilot, lambda: "rm -rf" in screen_text(app))
