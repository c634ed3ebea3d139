"""What tests see of a terminal stands also where a program is halfway through a write."""

import pyte

from tests.emulator import Screen


def test_half_of_a_wide_character_is_a_blank():
    screen = Screen(8, 1)
    stream = pyte.Stream(screen)
    stream.feed("가나다")
    assert screen.display == ["가나다  "]
    stream.feed("\x1b[1;3Hx")
    assert screen.display == ["가x 다  "]
