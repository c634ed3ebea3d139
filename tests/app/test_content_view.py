"""The content view: rows, wrapping, what counts as seen, and that size costs nothing."""

import pytest

from ags_tui.app.widgets.content_view import ContentView
from ags_tui.app.widgets.diff_view import DiffView
from ags_tui.core.diffs import between, parse
from ags_tui.view.content import Fact, TextDocument, text_lines
from ags_tui.view.diff import DiffDocument
from ags_tui.view.text import Span
from tests.app.stage import Stage, screen_text, until


def document(text: str) -> TextDocument:
    return TextDocument(Fact(line) for line in text_lines(text))


async def test_a_short_document_is_seen_at_once() -> None:
    view = ContentView()
    async with Stage(view).run_test(size=(40, 6)) as pilot:
        view.show(document("one\ntwo"))
        await until(pilot, lambda: view.end_seen)
        assert (view.seen_lines, view.unseen_below, view.place) == (2, 0, (1, 2, 2))


async def test_the_end_counts_only_when_it_was_painted() -> None:
    view = ContentView()
    async with Stage(view).run_test(size=(40, 6)) as pilot:
        view.show(document("\n".join(f"line {n}" for n in range(20))))
        await until(pilot, lambda: view.seen_lines == 6)
        assert not view.end_seen
        assert (view.rows_below, view.unseen_below, view.place) == (14, 14, (1, 6, 20))
        view.move_page(1)
        await until(pilot, lambda: view.seen_lines == 11)
        assert view.place == (6, 11, 20)
        view.move_end(last=True)
        await until(pilot, lambda: view.end_seen)
        view.forget_seen()
        assert not view.end_seen


async def test_a_long_line_is_seen_when_its_end_is() -> None:
    view = ContentView(wrap=False)
    async with Stage(view).run_test(size=(20, 4)) as pilot:
        view.show(document("x" * 50 + "END"))
        await until(pilot, lambda: "›" in screen_text(pilot.app))
        assert not view.end_seen
        view.shift(35)
        await until(pilot, lambda: view.end_seen)
        assert "‹" in screen_text(pilot.app)
        assert "END" in screen_text(pilot.app)


async def test_wrapping_shows_everything_at_any_width() -> None:
    text = "".join(chr(0xAC00 + n) if n % 3 else "abc" for n in range(200))
    view = ContentView()
    async with Stage(view).run_test(size=(31, 40)) as pilot:
        view.show(document(text + "\nlast"))
        await until(pilot, lambda: view.end_seen)
        assert "".join(screen_text(pilot.app).split()).startswith(text)
        await pilot.resize_terminal(17, 40)
        await until(pilot, lambda: view.row_count == 30)
        assert "".join(view.text.split())[:150] == text[:150]


async def test_resizing_keeps_the_line_at_the_top() -> None:
    view = ContentView()
    async with Stage(view).run_test(size=(40, 6)) as pilot:
        view.show(document("\n".join(f"{n} " + "word " * 20 for n in range(50))))
        view.move_to_line(20)
        await pilot.pause()
        await pilot.resize_terminal(25, 6)
        await until(pilot, lambda: view.top_line == 20 and view.row_count > 150)


async def test_no_size_breaks_it() -> None:
    view = ContentView()
    async with Stage(view).run_test(size=(80, 24)) as pilot:
        view.show(document("한글 텍스트 " * 30 + "\n" * 9 + "end"))
        for size in ((1, 1), (2, 3), (3, 1), (200, 60), (30, 8)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
        view.move_end(last=True)
        await until(pilot, lambda: "end" in screen_text(pilot.app))


async def test_blank_runs_are_counted() -> None:
    view = ContentView()
    async with Stage(view).run_test(size=(40, 8)) as pilot:
        view.show(document("npm test" + "\n" * 61 + "touch MARK"))
        await until(pilot, lambda: view.end_seen)
        assert "… 60 blank lines …" in screen_text(pilot.app)
        assert "touch MARK" in screen_text(pilot.app)


async def test_foreign_text_is_never_markup_or_control() -> None:
    view = ContentView()
    async with Stage(view).run_test(size=(60, 8)) as pilot:
        view.show(document("[/] [red]x[/red] [@click=app.quit]q[/]\n\x1b[2J\x1b]52;c;QQ==\x07 \u202e"))
        await until(pilot, lambda: view.end_seen)
        shown = screen_text(pilot.app)
        assert "[/] [red]x[/red] [@click=app.quit]q[/]" in shown
        assert "\\x1b[2J\\x1b]52;c;QQ==\\x07 \\u{202e}" in shown
        assert "\x1b" not in shown


OLD = b"".join(b"line %d\n" % n for n in range(100))
NEW = (
    OLD.replace(b"line 5\n", b"line five\n").replace(b"line 90\n", b"").replace(b"line 50\n", b"line 50 x\n")
)


async def test_diff_lines_numbers_and_styles() -> None:
    view = DiffView()
    async with Stage(view).run_test(size=(60, 14)) as pilot:
        view.show(DiffDocument([between(OLD, NEW, "src/a.py")]))
        await until(pilot, lambda: "line five" in screen_text(pilot.app))
        shown = screen_text(pilot.app)
        assert "+2 -3     src/a.py" in shown
        assert "  6      - line 5" in shown
        assert "      6  + line five" in shown
        row = next(n for n, line in enumerate(shown.split("\n")) if "line five" in line)
        added, removed = view.row_style(row), view.row_style(row - 1)
        assert added.bgcolor != removed.bgcolor != view.row_style(row + 1).bgcolor


async def test_hunks_are_marked_only_after_they_were_seen() -> None:
    view = DiffView()
    async with Stage(view).run_test(size=(60, 7)) as pilot:
        view.show(DiffDocument([between(OLD, NEW, "a")]))
        await until(pilot, lambda: view.seen_lines == 7)
        assert not view.toggle_mark(), "the end of the first hunk is not on the screen"
        view.move(4)
        await until(pilot, lambda: view.hunk_seen(0))
        assert view.toggle_mark()
        assert view.marks == {0}
        await until(pilot, lambda: not view.all_marked)
        for _ in range(2):
            assert view.move_hunk(1)
            await pilot.pause()
            view.move(3)
            await pilot.pause()
            await until(pilot, lambda: view.current_hunk is not None and view.hunk_seen(view.current_hunk))
            assert view.toggle_mark()
        assert view.all_marked
        view.move_end(last=False)
        view.move(1)
        await until(pilot, lambda: "reviewed" in screen_text(pilot.app))
        view.show(DiffDocument([between(OLD, NEW, "a")]))
        assert not view.marks, "marks belong to the content that was seen"


async def test_moving_among_hunks_and_files() -> None:
    view = DiffView()
    files = [between(OLD, NEW, "a"), between(OLD, NEW, "b")]
    async with Stage(view).run_test(size=(60, 7)) as pilot:
        view.show(DiffDocument(files))
        await pilot.pause()
        assert view.move_file(1)
        assert view.document.line(view.top_line)[0].text == "b"
        assert not view.move_file(1)
        assert view.move_hunk(-1)
        assert view.top_line == view.diff.hunk_starts[2] if view.diff else False
        assert view.move_file(-1)
        assert view.top_line == 0
        assert not view.move_hunk(-1)


@pytest.mark.parametrize("wrap", [False, True])
async def test_a_hundred_thousand_lines_make_only_what_is_in_sight(wrap: bool) -> None:
    body = b"".join(b"+line number %d\n" % n for n in range(100_000))
    data = b"diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1,100000 @@\n" + body
    view = DiffView(wrap=wrap)
    made: list[int] = []
    async with Stage(view).run_test(size=(80, 24)) as pilot:
        shown = DiffDocument(parse(data))
        line = shown.line
        shown.line = lambda index: made.append(index) or line(index)  # type: ignore[method-assign]
        view.show(shown)
        await until(pilot, lambda: view.seen_lines == 24)
        assert len(made) < 100
        view.move_end(last=True)
        await until(pilot, lambda: view.end_seen)
        assert "line number 99999" in screen_text(pilot.app)
        assert len(made) < 200


async def test_search_goes_from_hit_to_hit() -> None:
    view = ContentView()
    async with Stage(view).run_test(size=(40, 6)) as pilot:
        view.show(document("\n".join("a Needle here" if n % 10 == 3 else f"line {n}" for n in range(40))))
        await pilot.pause()
        assert view.find("needle", 0) == (1, 4)
        assert view.top_line == 3
        assert view.find("needle", 1) == (2, 4)
        assert view.find("needle", -1) == (1, 4)
        assert view.find("needle", -1) == (4, 4)
        assert view.find("line 38", 0) == (1, 1)
        assert view.find("line 3", 0) == (4, 9)
        assert [view.find("line 3", 1)[0] for _ in range(6)] == [5, 6, 7, 8, 9, 1], (
            "the last ones share a page"
        )
        assert view.find("absent", 1) == (0, 0)
        assert view.find("", 0) == (0, 0)


async def test_wrapped_text_never_stands_where_labels_stand() -> None:
    view = ContentView()
    async with Stage(view).run_test(size=(30, 6)) as pilot:
        view.show(TextDocument([Fact((Span("x" * 22 + "reason  harmless"),), "command", 8)]))
        await until(pilot, lambda: view.end_seen)
        rows = screen_text(pilot.app).split("\n")
        assert rows[0].startswith("command x")
        assert rows[1].startswith("        reason")
