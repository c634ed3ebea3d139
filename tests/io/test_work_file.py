"""What the work tree holds now, as the app asks for it."""

import os
from pathlib import Path

import pytest

from ags_tui.io import workspace
from ags_tui.io.plain_files import NotPlain
from ags_tui.io.workspace import Workspace
from tests.io.git.repos import make
from tests.logs import places_in


@pytest.fixture
def opened(tmp_path: Path) -> Workspace:
    return Workspace.open(make(tmp_path / "repo"), places=places_in(tmp_path))


def test_bytes_now_and_none_where_there_is_no_file(opened: Workspace):
    place = opened.top / "src.txt"
    assert opened.work_file("src.txt") is None
    place.write_bytes(b"\xff one\r\n")
    assert opened.work_file("src.txt") == b"\xff one\r\n"


def test_only_plain_files_of_a_bearable_size(opened: Workspace, monkeypatch: pytest.MonkeyPatch):
    (opened.top / "link").symlink_to("/etc/passwd")
    os.mkfifo(opened.top / "pipe")
    (opened.top / "large").write_bytes(b"12345")
    monkeypatch.setattr(workspace, "MAX_WORK_FILE", 4)
    for name in ("link", "pipe", "large"):
        with pytest.raises(NotPlain):
            opened.work_file(name)
