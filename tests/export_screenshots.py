"""Writes the pictures of the README: ``python -m tests.export_screenshots FOLDER``.

Every picture is the real app on a scene of the tests, with frozen clocks. What Textual makes up anew on each
run, and what it gets wrong in wide text, is put right in :func:`tidy`, so that the same screen always gives
the same file.
"""

import asyncio
import html
import re
import sys
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from ags_tui.app.app import AgsApp
from ags_tui.app.attention import CodeEntry
from ags_tui.app.screens.decision import DecisionScreen
from ags_tui.view.glyphs import glyph_set
from ags_tui.view.text import cell_len
from tests.app import driver, gallery
from tests.app.preview import themes

NARROW, MIDDLE, WIDE = (80, 24), (120, 36), (140, 40)
"""Sizes of the pictures."""

CELL = 12.2
"""Width of a cell in Textual's pictures."""

FONTS = (
    "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', 'Noto Sans Mono CJK KR',"
    " 'D2Coding', monospace"
)
"""Fonts of the reader's machine: a picture fetches nothing from the network."""

Step = Callable[[driver.Screen], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Picture:
    """One file."""

    name: str
    """Name without ending."""
    scene: Callable[[], gallery.Scene] = gallery.busy
    """Makes what is on disk."""
    size: tuple[int, int] = MIDDLE
    """Columns and lines."""
    keys: tuple[str, ...] = ()
    """What is pressed."""
    theme: str = "ink"
    """Colours."""
    glyphs: str = "unicode"
    """Symbols."""
    then: Step | None = None
    """What happens after the keys."""


async def _request_changes(screen: driver.Screen) -> None:
    """The agent writes another request into the file that is being decided."""
    await screen.shows(gallery.changed())


PICTURES = (
    Picture("main-wide", size=WIDE),
    Picture("main-narrow", size=NARROW),
    Picture("decision", keys=("a",)),
    Picture("decision-changed", keys=("a",), then=_request_changes),
    Picture("escalation", keys=("j", "r", "1")),
    Picture("finalize", gallery.nearly_done, keys=("F",)),
    Picture("tree", gallery.tree, size=WIDE),
    Picture("help", keys=("question_mark",)),
    *(Picture(f"theme-{name}", theme=name) for name in ("dusk", "ink", "paper", "contrast")),
    Picture("glyphs-ascii", glyphs="ascii"),
)
"""All pictures."""


async def svg(picture: Picture) -> str:
    """Make one picture."""
    found = themes()
    chosen = next(one for one in found if one.name == picture.theme)
    behind = driver.door(picture.scene(), files=dict(gallery.FILES))
    app = driver.app(behind, look={"glyphs": glyph_set(picture.glyphs)}, themes=found, theme=chosen)
    app.animation_level = "none"
    async with app.run_test(size=picture.size) as pilot:
        screen = await driver.opened(pilot, behind)
        for key in picture.keys:
            await screen.press(key)
        if picture.then is not None:
            await picture.then(screen)
        await _settle_code(screen, app)
        return tidy(app.export_screenshot(title="ags-tui", simplify=True))


async def _settle_code(screen: driver.Screen, app: AgsApp) -> None:
    """Show a code that is not random."""
    if isinstance(app.screen, DecisionScreen):
        app.screen.code = CodeEntry("74")
        app.screen.redraw()
    await screen.settle()


_PREFIX = re.compile(r"terminal-\d+")
_FACE = re.compile(r"    @font-face \{.*?\}\n", re.DOTALL)
_FAMILY = re.compile(r"font-family: Fira Code, monospace;")
_TEXT = re.compile(
    r'<text class="(ags-r\d+)" x="([\d.]+)" y="([\d.]+)" textLength="[\d.]+"([^>]*)>([^<]*)</text>'
)
_RUN = re.compile(r"[!-~]+(?:[ \u00a0][!-~]+)*|[ \u00a0]+|[\uac00-\ud7a3]+|[^ -~\u00a0]")
"""Words with single blanks between them, blanks, Korean, one symbol: a viewer may drop blanks at the edge of
a text, and those in a row, so each run of words stands in its own place."""


def tidy(text: str) -> str:
    """Take out what is random or foreign, and put every wide character into its own cells.

    Rich stretches each text to the number of its *characters*, which squeezes Korean into half its width.
    """
    text = _FACE.sub("", _PREFIX.sub("ags", text))
    text = _FAMILY.sub(f"font-family: {FONTS};\n        font-variant-ligatures: none;", text)
    text = text.replace("        font-variant-east-asian: full-width;\n", "")
    text = _TEXT.sub(_runs, text)
    return "\n".join(line.rstrip() for line in text.split("\n")).strip() + "\n"


def _runs(match: re.Match[str]) -> str:
    """Draw one text as runs of narrow and of Korean characters and single symbols, each at its own column."""
    style, left, line, rest, body = match.groups()
    column = round(float(left) / CELL)
    parts: list[str] = []
    for run in _RUN.findall(html.unescape(body)):
        width = cell_len(run)
        if width and not run.isspace():
            words = html.escape(run).replace(" ", "&#160;").replace("\u00a0", "&#160;")
            if width > len(run):  # two cells each: a place for every character
                places = " ".join(f"{(column + 2 * index) * CELL:.1f}" for index in range(len(run)))
                where = f'x="{places}" y="{line}" font-size="22px"'
            else:
                where = f'x="{column * CELL:.1f}" y="{line}" textLength="{width * CELL:.1f}"'
                where += "" if run.isascii() else ' lengthAdjust="spacingAndGlyphs"'
            parts.append(f'<text class="{style}" {where}{rest}>{words}</text>')
        column += width
    return "".join(parts)


async def make(names: Iterable[str] = ()) -> dict[str, str]:
    """Make pictures; all where none is named.

    Args:
        names: Names without ending.

    Returns:
        SVG text by file name.
    """
    wanted = set(names)
    chosen = [picture for picture in PICTURES if not wanted or picture.name in wanted]
    return {f"{picture.name}.svg": await svg(picture) for picture in chosen}


def main(folder: Path, names: Iterable[str]) -> None:
    """Write pictures into a folder, and take away what is not made any more."""
    made = asyncio.run(make(names))
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in made.items():
        (folder / name).write_text(text, "utf-8")
    for old in folder.glob("*.svg"):
        if old.stem not in {picture.name for picture in PICTURES}:
            old.unlink()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
