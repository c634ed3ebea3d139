"""Looking ahead: screens are imported once the first assessment is on the screen, in a worker."""

import sys
import threading
from pathlib import Path

from ags_tui.app import ahead
from ags_tui.app.ahead import SCREENS, import_screens
from ags_tui.app.stories import reading
from tests.app import driver


def test_every_screen_that_is_opened_by_a_key_is_imported() -> None:
    import_screens()
    assert {f"ags_tui.app.screens.{name}" for name in SCREENS} <= set(sys.modules)
    folder = Path(ahead.__file__).with_name("screens")
    assert all((folder / f"{name}.py").is_file() for name in SCREENS)


async def test_it_happens_after_the_first_assessment_and_not_in_the_thread_of_the_screen(monkeypatch) -> None:
    seen: list[tuple[bool, str]] = []
    behind = driver.door()
    app = driver.app(behind)

    def look() -> None:
        seen.append((app.state.assessment is not None, threading.current_thread().name))

    monkeypatch.setattr(reading, "import_screens", look)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await driver.opened(pilot, behind)
        await screen.until(lambda: bool(seen))
        assert [known for known, _ in seen] == [True]
        assert seen[0][1] != threading.current_thread().name
