"""What is kept of the list for the next start: only rows whose folders are surely those that were read."""

import os
import time

import pytest

from ags_tui.io.outline import SETTLED, RememberedRows

ROW = {"word": "gate"}
LATER = SETTLED + 1


@pytest.fixture
def root(tmp_path):
    for name in ("a", "b", "c"):
        (tmp_path / ".ai" / "tasks" / name / "log").mkdir(parents=True)
        (tmp_path / ".ai" / "tasks" / name / "task.json").write_text("{}")
    return tmp_path / ".ai"


@pytest.fixture
def rows(root, tmp_path):
    return lambda: RememberedRows(tmp_path / "state", root)


def same(shown):
    return [name for name, (_, as_it_was) in shown.items() if as_it_was]


def test_rows_come_back_in_their_order_with_whether_the_folder_is_as_it_was(rows, root):
    now = time.time() + LATER
    assert rows().shown() == {}
    assert rows().keep(dict.fromkeys(("c", "a", "b"), (ROW, now)), now)
    (root / "tasks" / "a" / "log" / "1.json").write_text("{}")
    shown = rows().shown()
    assert list(shown) == ["c", "a", "b"]
    assert same(shown) == ["c", "b"]
    assert shown["a"][0] == ROW


def test_only_so_many_folders_are_looked_into(rows):
    now = time.time() + LATER
    rows().keep(dict.fromkeys(("c", "a", "b"), (ROW, now)), now)
    shown = rows().shown(2)
    assert list(shown) == ["c", "a", "b"]
    assert same(shown) == ["c", "a"]


def test_a_folder_that_changed_after_it_was_read_is_kept_only_once_it_was_surely_read_again(rows, root):
    read_at = time.time() - 100
    os.utime(root / "tasks" / "a" / "task.json")
    mine = rows()
    assert not mine.keep({"a": (ROW, read_at)}, time.time())
    assert same(rows().shown()) == []
    assert mine.keep({"a": (ROW, read_at)}, time.time() + LATER)
    assert same(rows().shown()) == ["a"]


def test_a_change_between_two_starts_is_not_hidden_by_what_the_first_found(rows, root):
    now = time.time() + LATER
    rows().keep({"a": (ROW, now), "b": (ROW, now)}, now)
    second = rows()
    assert same(second.shown()) == ["a", "b"]
    (root / "tasks" / "a" / "plan.json").write_text("{}")  # between the look and the reading
    assert second.keep({"a": ({"word": "plan"}, 0.0), "b": (ROW, 0.0)}, now)
    assert same(rows().shown()) == ["b"]


def test_what_is_known_already_is_not_written_again(rows, tmp_path):
    now = time.time() + LATER
    rows().keep({"a": (ROW, now)}, now)
    (file,) = (tmp_path / "state" / "rows").iterdir()
    before = file.stat()
    second = rows()
    second.shown()
    assert second.keep({"a": (ROW, 0.0)}, now)
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    second.keep({"a": ({"word": "done"}, 0.0)}, now)
    assert file.stat().st_ino != before.st_ino


def test_a_folder_that_is_gone_or_a_root_that_is_none_is_no_failure(rows, root, tmp_path):
    now = time.time() + LATER
    assert not rows().keep({"gone": (ROW, now), "a": (ROW, now)}, now)
    assert list(rows().shown()) == ["a"]
    nowhere = RememberedRows(tmp_path / "state", tmp_path / "nowhere")
    assert nowhere.shown() == {}
    assert not nowhere.keep({"a": (ROW, now)}, now)


def test_a_link_in_the_place_of_a_folder_counts_as_changed(rows, root):
    now = time.time() + LATER
    rows().keep({"a": (ROW, now)}, now)
    (root / "tasks" / "a").rename(root / "elsewhere")
    (root / "tasks" / "a").symlink_to(root / "elsewhere")
    assert same(rows().shown()) == []
