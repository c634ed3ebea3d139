"""Look at the screens: ``python -m tests.app.preview SCENE COLUMNSxLINES OUT.svg [KEY …]``.

``theme=NAME`` and ``glyphs=SET`` may stand among the keys.
"""

import asyncio
import sys
from pathlib import Path

from ags_tui.app.themes import ThemeFile, read_themes
from ags_tui.view.glyphs import glyph_set
from tests.app import driver, scenes

THEMES = Path(__file__).resolve().parents[2] / "themes"


def themes() -> tuple[ThemeFile, ...]:
    """The themes of this checkout."""
    return read_themes((path.name, path.read_text("utf-8")) for path in sorted(THEMES.glob("*.toml")))[0]


async def picture(scene: str, size: tuple[int, int], keys: list[str], theme: str, glyphs: str) -> str:
    """Give one screen as SVG."""
    found = themes()
    chosen = next(one for one in found if one.name == theme)
    behind = driver.door(getattr(scenes, scene)())
    app = driver.app(behind, look={"glyphs": glyph_set(glyphs)}, themes=found, theme=chosen)
    async with app.run_test(size=size) as pilot:
        screen = await driver.opened(pilot, behind)
        for key in keys:
            await screen.press(key)
        return app.export_screenshot()


def main(words: list[str]) -> None:
    """Write the picture."""
    options = dict(word.split("=", 1) for word in words if word.startswith(("theme=", "glyphs=")))
    scene, size, out, *keys = (word for word in words if not word.startswith(("theme=", "glyphs=")))
    columns, lines = (int(part) for part in size.split("x"))
    chosen = options.get("theme", "ink"), options.get("glyphs", "unicode")
    Path(out).write_text(asyncio.run(picture(scene, (columns, lines), keys, *chosen)), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
