"""What git would store where that is not the raw bytes: compared with ``git add`` itself."""

import hashlib
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ags_tui.core.digests import blob_id
from tests.io.git.conftest import Opener
from tests.io.git.repos import by_path, commit, git, head, make, open_door, write

ATTRIBUTES = (
    "", "* text=auto\n", "* text\n", "* -text\n", "* text eol=crlf\n", "* eol=lf\n", "* crlf\n", "* -crlf\n",
    "* ident\n", "f text working-tree-encoding=UTF-16\n", "* binary\n", "* text=auto filter=none\n",
)  # fmt: skip
CONFIGS = (
    (),
    ("core.autocrlf", "true"),
    ("core.autocrlf", "input"),
    ("core.eol", "crlf"),
    ("core.safecrlf", "true"),
)
CONTENTS = (
    b"", b"a\nb\n", b"a\r\nb\r\n", b"a\r\nb\n", b"a\rb", b"a\r\n\0b\r\n", b"$Id$\n", b"$Id: x $\r\n",
    "a\r\nb\n".encode("utf-16"), b"\r\n" * 3,
)  # fmt: skip


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(
    st.sampled_from(ATTRIBUTES),
    st.sampled_from(CONFIGS),
    st.sampled_from(CONTENTS),
    st.sampled_from(CONTENTS),
)
def test_as_git_add_would_store_it(attributes: str, config: tuple[str, ...], before: bytes, after: bytes):
    with tempfile.TemporaryDirectory() as name:
        tmp = Path(name)
        folder = make(tmp / "r")
        write(folder, "f", before)
        base = commit(folder)
        write(folder, ".gitattributes", attributes)
        if config:
            git(folder, "config", *config)
        write(folder, "f", after)
        write(folder, "g", after)
        door = open_door(folder, tmp)
        changes = door.changes(base)
        door.close()
        if changes.unknown:
            assert "BOM" in changes.unknown, "git itself cannot read the file"
            return
        shown = by_path(changes)
        git(folder, "config", "core.safecrlf", "false")  # only decides whether git add refuses
        for path in ("f", "g"):
            change = shown.get(path)
            git(folder, "add", path, check=change is None or not change.unsettled)
            stored = git(folder, "ls-files", "-s", "--", path).split()
            if change is None:
                assert stored[1] == git(folder, "rev-parse", f"HEAD:{path}")
            elif not change.unsettled:
                assert change.new is not None
                assert change.new.blob == stored[1]


def lfs(repo: Path) -> None:
    git(repo, "config", "filter.lfs.clean", "git-lfs clean -- %f")
    git(repo, "config", "filter.lfs.process", "git-lfs filter-process")
    git(repo, "config", "filter.lfs.required", "true")
    write(repo, ".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n")


def pointer(data: bytes) -> bytes:
    oid = hashlib.sha256(data).hexdigest()
    return f"version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize {len(data)}\n".encode()


def test_lfs_files_are_settled_by_their_pointer(repo: Path, opened: Opener):
    for name, data in (("a.bin", b"a" * 5000), ("b.bin", b"b" * 5000)):
        blob = git_object(repo, pointer(data))
        git(repo, "update-index", "--add", "--cacheinfo", f"100644,{blob},{name}")
    git(repo, "commit", "-q", "-m", "lfs")
    lfs(repo)
    write(repo, "a.bin", b"a" * 5000)  # checked out, as smudged
    write(repo, "b.bin", b"changed" * 100)
    write(repo, "c.bin", pointer(b"x"))  # not smudged: a pointer stays a pointer
    write(repo, "empty.bin", b"")
    changes = by_path(opened(repo).changes(head(repo)))
    assert "a.bin" not in changes
    stored = {path: change.new and change.new.blob for path, change in changes.items()}
    assert {path: blob for path, blob in stored.items() if path.endswith(".bin")} == {
        "b.bin": blob_id(pointer(b"changed" * 100)),
        "c.bin": blob_id(pointer(b"x")),
        "empty.bin": blob_id(b""),
    }
    assert not any(change.unsettled for change in changes.values())


def git_object(repo: Path, data: bytes) -> str:
    return git(repo, "hash-object", "-w", str(write(repo.parent, "object", data)))


@pytest.mark.parametrize(
    ("driver", "clean", "unsettled"),
    [("crypt", "crypt %f", True), ("lfs", "something-else", True), ("unknown", "", False)],
)
def test_other_filters_are_unsettled_and_their_bytes_still_count(
    driver: str, clean: str, unsettled: bool, repo: Path, opened: Opener
):
    write(repo, ".gitattributes", f"*.dat filter={driver}\n")
    commit(repo)
    if clean:
        git(repo, "config", f"filter.{driver}.clean", clean)
    door, base = opened(repo), head(repo)
    write(repo, "x.dat", "one\n")
    first = door.changes(base)
    change = by_path(first)["x.dat"]
    assert bool(change.unsettled) == unsettled
    assert change.new is not None
    assert change.new.blob == blob_id(b"one\n")
    write(repo, "x.dat", "two\n")
    assert door.changes(base).tree_digest != first.tree_digest


def test_touched_files_whose_stored_form_is_equal_are_no_changes(repo: Path, opened: Opener):
    write(repo, ".gitattributes", "* text=auto\n")
    commit(repo)
    write(repo, "src/a.py", "one\r\n")
    door = opened(repo)
    assert by_path(door.changes(head(repo))) == {}
    write(repo, "src/a.py", "one\r\nmore\r\n")
    assert sorted(by_path(door.changes(head(repo)))) == ["src/a.py"]
    assert door.diff(head(repo), "src/a.py").endswith(b" one\n+more\n")


def test_a_file_committed_with_crlf_stays_so_and_its_diff_is_small(repo: Path, opened: Opener):
    write(repo, "src/a.py", "one\r\ntwo\r\n")
    base = commit(repo)
    git(repo, "config", "core.autocrlf", "true")
    write(repo, "src/a.py", "one\r\ntwo\r\nthree\r\n")
    door = opened(repo)
    change = by_path(door.changes(base))["src/a.py"]
    assert change.new is not None
    assert change.new.blob == blob_id(b"one\r\ntwo\r\nthree\r\n")
    assert door.diff(base, "src/a.py").endswith(b" one\r\n two\r\n+three\r\n")


def test_objects_made_on_the_way_are_not_kept(tmp_path: Path, repo: Path, opened: Opener):
    write(repo, ".gitattributes", "* text=auto\n")
    write(repo, "src/a.py", "x\r\n")
    door = opened(repo)
    door.changes(head(repo))
    door.diff_kept("src/a.py", b"kept\n")
    assert not [p for p in (tmp_path / "scratch").rglob("*") if p.is_file() and len(p.name) == 38]
