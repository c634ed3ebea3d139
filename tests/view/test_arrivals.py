"""The line that says what is new: the name gives way, the key never does."""

import pytest

from ags_tui.core.assessment import Pending
from ags_tui.view.arrivals import arrivals_line
from ags_tui.view.glyphs import ASCII, UNICODE
from ags_tui.view.rows import plain
from ags_tui.view.text import line_len
from tests import builders as make


def asked(task_id: str = "usage-doc", risk: str = "medium") -> Pending:
    return make.pending(task_id=task_id, risk=risk)


@pytest.mark.parametrize(
    ("items", "text", "style"),
    [
        ([], "", ""),
        ([asked()], "● usage-doc asks: n jumps to it", "accent"),
        ([asked(risk="high")], "▲ usage-doc asks: n jumps to it", "warn"),
        ([asked(), asked("other"), asked("third")], "● usage-doc and 2 more ask: n jumps there", "accent"),
    ],
)
def test_it_names_the_first_task_and_the_key(items: list[Pending], text: str, style: str) -> None:
    line = arrivals_line(items, "n", 60, UNICODE)

    assert plain(line) == text
    assert not line or line[0].style == style


@pytest.mark.parametrize(
    "name", ["a-task-with-a-name-of-far-more-than-forty-cells-in-ascii", "로그인실패메시지" * 6]
)
@pytest.mark.parametrize("room", [24, 30, 40, 70])
def test_a_long_name_gives_way_and_the_key_stays(name: str, room: int) -> None:
    line = arrivals_line([asked(name)], "n", room, ASCII)

    assert line_len(line) <= room
    assert plain(line).endswith(": n jumps to it")
