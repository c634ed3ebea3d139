"""What tells the bytes behind a work-tree path from any others."""

import os
from pathlib import Path

import pytest

from ags_tui.core.digests import ABSENT, digest, is_digest
from ags_tui.io.rehash import file_digest


def test_a_file_is_its_bytes(tmp_path: Path):
    path = tmp_path / "a.py"
    assert file_digest(path) == ABSENT
    path.write_bytes(b"a\r\n")
    assert file_digest(path) == digest(b"a\r\n")
    path.write_bytes(b"")
    assert file_digest(path) == digest(b"")


def test_folders_and_paths_below_files_are_no_files(tmp_path: Path):
    (tmp_path / "file").write_text("x")
    assert file_digest(tmp_path) == ABSENT
    assert file_digest(tmp_path / "file" / "below") == ABSENT


def test_a_link_is_where_it_leads_and_what_is_there(tmp_path: Path):
    script, link = tmp_path / "real.sh", tmp_path / "run.sh"
    script.write_text("echo one")
    link.symlink_to("real.sh")
    first = file_digest(link)
    assert first not in (ABSENT, file_digest(script))
    script.write_text("echo two")
    second = file_digest(link)
    (tmp_path / "other.sh").write_text("echo two")
    link.unlink()
    link.symlink_to("other.sh")
    third = file_digest(link)
    link.unlink()
    link.write_text("echo two")
    assert len({first, second, third, file_digest(link)}) == 4
    link.unlink()
    link.symlink_to("nowhere")
    assert file_digest(link) == ABSENT
    link.unlink()
    link.symlink_to("run.sh")
    assert file_digest(link) == ABSENT


def test_a_pipe_does_not_hang_and_differs_from_nothing(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    assert is_digest(file_digest(tmp_path / "pipe"))


def test_a_file_that_is_too_large_to_hash_still_changes(tmp_path: Path):
    path = tmp_path / "large"
    with path.open("wb") as stream:
        stream.truncate(17 << 20)
    first = file_digest(path)
    assert is_digest(first)
    assert file_digest(path) == first
    before = path.stat()
    with path.open("r+b") as stream:
        stream.write(b"x")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns - 1))
    assert file_digest(path) != first


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_not_absent(tmp_path: Path):
    path = tmp_path / "secret"
    path.write_text("x")
    path.chmod(0)
    assert is_digest(file_digest(path))
