"""The first look: names and times without reading, and the rows of the last session."""

import json
import os
import stat

import pytest

from ags_tui.io import file_reads
from ags_tui.io.outline import RememberedRows
from ags_tui.io.tasks import TaskReader


@pytest.fixture
def root(tmp_path):
    for name in ("a", "b"):
        (tmp_path / ".ai" / "tasks" / name / "tool-requests").mkdir(parents=True)
        (tmp_path / ".ai" / "tasks" / name / "task.json").write_text("{}")
        (tmp_path / ".ai" / "tasks" / name / "tool-requests" / "r.json").write_text("{}")
    return tmp_path / ".ai"


@pytest.fixture
def reader(root):
    return TaskReader(root, root.parent)


def test_an_outline_reads_no_file(reader, root, monkeypatch):
    (root / "tasks" / ".hidden").mkdir()
    (root / "tasks" / "stray.txt").write_text("x")
    os.utime(root / "tasks" / "a", (1000, 1000))
    monkeypatch.setattr(file_reads, "read_at", None)
    outline = reader.outline()
    assert [one.task_id for one in outline] == ["a", "b"] == list(reader.names())
    assert outline[0].modified_at == 1000
    assert set(reader.signatures()) == {"a", "b"}


@pytest.mark.parametrize("change", [
    lambda folder: (folder / "task.json").write_text("[]"),
    lambda folder: (folder / "plan.json").write_text("{}"),
    lambda folder: (folder / "tool-requests" / "r.json").unlink(),
    lambda folder: (folder / "tool-requests" / "r.json").write_text("[1]"),
    lambda folder: (folder / "task.json").rename(folder / "plan.json"),
    lambda folder: os.utime(folder / "task.json"),
], ids=["edit", "new", "gone", "inner edit", "renamed", "touched"])  # fmt: skip
def test_a_signature_differs_after_any_change(reader, root, change):
    before = reader.signatures()
    assert reader.signatures() == before
    change(root / "tasks" / "a")
    after = reader.signatures()
    assert after["a"] != before["a"]
    assert after["b"] == before["b"]


def test_evidence_does_not_count_for_the_signature(reader, root):
    (root / "tasks" / "a" / "artifacts").mkdir()
    before = reader.signatures()
    (root / "tasks" / "a" / "artifacts" / "x.log").write_text("x")
    assert reader.signatures() == before


def test_rows_come_back_for_unchanged_folders_only(reader, root, tmp_path):
    rows = RememberedRows(tmp_path / "state", root)
    assert rows.load(reader.signatures()) == {}
    shown = {"a": {"title": "제목", "stage": "review"}, "b": {"title": "B"}, "gone": {}}
    rows.store(reader.signatures(), shown)
    again = RememberedRows(tmp_path / "state", root)
    assert again.load(TaskReader(root, tmp_path).signatures()) == {"a": shown["a"], "b": shown["b"]}
    (root / "tasks" / "a" / "plan.json").write_text("{}")
    assert again.load(reader.signatures()) == {"b": shown["b"]}
    assert RememberedRows(tmp_path / "state", tmp_path / "other").load(reader.signatures()) == {}


def test_the_file_is_for_the_user_alone(reader, root, tmp_path):
    RememberedRows(tmp_path / "state", root).store(reader.signatures(), {"a": {}})
    (file,) = (tmp_path / "state" / "rows").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize("data", [
    b"", b"{", b"[]", b"null", b'{"version": 2, "rows": {}}', b'{"version": 1, "rows": []}', b"\xff",
    b"[" * 100_000,
    b'{"version": 1, "rows": {"a": []}}', b'{"version": 1, "rows": {"a": [0, {}]}}',
    b'{"version": 1, "rows": {"a": {}}}',
])  # fmt: skip
def test_a_damaged_file_of_rows_is_no_rows(reader, root, tmp_path, data):
    rows = RememberedRows(tmp_path / "state", root)
    rows.store(reader.signatures(), {"a": {}})
    (file,) = (tmp_path / "state" / "rows").iterdir()
    file.write_bytes(data)
    assert rows.load(reader.signatures()) == {}


def test_rows_that_are_no_objects_are_left_out(reader, root, tmp_path):
    rows = RememberedRows(tmp_path / "state", root)
    signatures = reader.signatures()
    rows.store(signatures, {"a": {"x": 1}})
    (file,) = (tmp_path / "state" / "rows").iterdir()
    file.write_text(
        json.dumps({"version": 1, "rows": {"a": [signatures["a"], "text"], "b": [signatures["b"], {}]}})
    )
    assert rows.load(signatures) == {"b": {}}


def test_a_state_directory_that_refuses_is_no_failure(reader, root, tmp_path):
    (tmp_path / "state").write_text("a file")
    rows = RememberedRows(tmp_path / "state", root)
    rows.store(reader.signatures(), {"a": {}})
    assert rows.load(reader.signatures()) == {}
