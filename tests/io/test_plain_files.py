"""Folders that cannot be made are said with their reason, whatever the disk answers."""

import errno
import os
from pathlib import Path

import pytest

from ags_tui.io.plain_files import NotPlain, open_folder


def test_missing_folders_are_made(tmp_path: Path):
    with open_folder(tmp_path, "one", "two", create=True):
        pass
    with open_folder(tmp_path, "one", "two", create=True):
        assert (tmp_path / "one" / "two").is_dir()


@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS, errno.ENOSPC])
def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int):
    def refuse(name: str, *, dir_fd: int) -> None:
        raise OSError(number, os.strerror(number), name)

    monkeypatch.setattr(os, "mkdir", refuse)
    reason = f"'one' cannot be made .{os.strerror(number).lower()}"
    with pytest.raises(NotPlain, match=reason), open_folder(tmp_path, "one", create=True):
        pass
