"""The heading of the centre: the task's id is read whole, its title where there is room."""

import pytest

from ags_tui.view.about import task_heading
from ags_tui.view.rows import plain
from ags_tui.view.text import line_len
from tests.app import long_names


def test_a_short_id_and_title_share_a_line() -> None:
    (line,) = task_heading("usage-doc", "Write the usage", 50)

    assert plain(line) == "usage-doc   Write the usage"


@pytest.mark.parametrize("task_id", [long_names.ENGLISH, long_names.KOREAN])
@pytest.mark.parametrize("width", [30, 50, 76])
def test_a_long_id_is_wrapped_and_nothing_of_it_is_cut(task_id: str, width: int) -> None:
    lines = task_heading(task_id, "A title that stands on a line of its own and may be cut", width)

    assert all(line_len(line) <= width for line in lines)
    assert "".join(plain(line) for line in lines[:-1]) == task_id
    assert plain(lines[-1]).startswith("A title")


def test_a_title_that_equals_the_id_is_not_said_twice_where_it_takes_a_line() -> None:
    assert len(task_heading(long_names.ENGLISH, long_names.ENGLISH, 60)) == 1
