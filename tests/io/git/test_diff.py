"""The diff of one path: always git's format, always whole or visibly cut."""

import subprocess
from pathlib import Path

import pytest

from ags_tui.core.diffs import parse
from ags_tui.io.git import GitError, GitFailed
from tests.io.git.conftest import Opener
from tests.io.git.repos import commit, git, head, write


def lines(diff: bytes) -> list[tuple[str, bytes]]:
    (file,) = parse(diff)
    return [(line.kind, line.text) for hunk in file.hunks for line in hunk.lines]


def test_every_kind_of_change(repo: Path, opened: Opener):
    base = head(repo)
    write(repo, "src/a.py", "one\nmore\n")
    (repo / "src/b.py").unlink()
    write(repo, "new.bin", b"\0\1\2")
    write(repo, "empty", "")
    (repo / "docs/d.md").chmod(0o755)
    (repo / "l").symlink_to("docs")
    door = opened(repo)
    (changed,) = parse(door.diff(base, "src/a.py"))
    assert (changed.kind, changed.old_path, changed.new_path) == ("modified", "src/a.py", "src/a.py")
    assert lines(door.diff(base, "src/a.py")) == [(" ", b"one"), ("+", b"more")]
    (deleted,) = parse(door.diff(base, "src/b.py"))
    assert (deleted.kind, deleted.old_mode) == ("deleted", "100644")
    (binary,) = parse(door.diff(base, "new.bin"))
    assert (binary.kind, binary.binary) == ("added", True)
    (mode,) = parse(door.diff(base, "docs/d.md"))
    assert (mode.kind, mode.old_mode, mode.new_mode) == ("mode", "100644", "100755")
    assert parse(door.diff(base, "empty"))[0].kind == "added"
    assert parse(door.diff(base, "l"))[0].new_mode == "120000"
    assert door.diff(base, "nowhere") == b""


def test_a_rename_is_said_when_its_other_end_is_given(repo: Path, opened: Opener):
    base = head(repo)
    (repo / "src/a.py").rename(repo / "src/moved.py")
    door = opened(repo)
    (file,) = parse(door.diff(base, "src/moved.py", renamed_from="src/a.py"))
    assert (file.kind, file.old_path, file.new_path) == ("renamed", "src/a.py", "src/moved.py")
    assert parse(door.diff(base, "src/moved.py"))[0].kind == "added"


def test_an_attribute_cannot_hide_text(repo: Path, opened: Opener):
    base = head(repo)
    write(repo, ".gitattributes", "*.py binary\n*.md -diff\n")
    write(repo, "src/a.py", "evil\n")
    write(repo, "docs/d.md", "evil\n")
    door = opened(repo)
    assert b"Binary" in subprocess.run(["git", "diff"], cwd=repo, capture_output=True, check=True).stdout
    for path in ("src/a.py", "docs/d.md"):
        assert ("+", b"evil") in lines(door.diff(base, path))
    commit(repo)
    assert ("+", b"evil") in lines(door.diff(base, "src/a.py", "HEAD"))


def test_the_end_is_never_missing_without_a_word(repo: Path, opened: Opener):
    base = head(repo)
    write(repo, "src/a.py", "".join(f"line {number}\n" for number in range(5000)))
    door = opened(repo)
    cut = door.diff(base, "src/a.py", limit=1000)
    assert len(cut) < 1200
    last = lines(cut)[-1]
    assert last[0] == "\\"
    assert b"cut here" in last[1]
    assert lines(door.diff(base, "src/a.py"))[-1] == ("+", b"line 4999")


def test_files_too_large_say_so(repo: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("ags_tui.io.git.diff.FILE_LIMIT", 1000)
    write(repo, "big", "x\n" * 1000)
    commit_id = commit(repo)
    write(repo, "big", "small\n")
    door = opened(repo)
    for target in ("work-tree", "index", "HEAD"):
        base = commit_id if target == "work-tree" else git(repo, "rev-parse", "HEAD~1")
        assert b"2000 bytes are too many" in lines(door.diff(base, "big", target))[0][1]


def test_index_and_commits(repo: Path, opened: Opener):
    base = head(repo)
    write(repo, "src/a.py", "staged\n")
    git(repo, "add", "src/a.py")
    write(repo, "src/a.py", "later\n")
    door = opened(repo)
    assert ("+", b"staged") in lines(door.diff(base, "src/a.py", "index"))
    assert ("+", b"later") in lines(door.diff(base, "src/a.py"))
    git(repo, "commit", "-q", "-m", "x")
    assert ("+", b"staged") in lines(door.diff(base, "src/a.py", "main"))
    with pytest.raises(GitFailed, match="no commit"):
        door.diff(base, "src/a.py", "no-such")
    with pytest.raises(GitError):
        door.diff("f" * 40, "src/a.py")


def test_a_wrong_base_is_never_an_option(tmp_path: Path, repo: Path, opened: Opener):
    door = opened(repo)
    for base in (f"--output={tmp_path}/x", "--no-index", "HEAD"):
        with pytest.raises(GitError):
            door.diff(base, "src/a.py")
    assert not (tmp_path / "x").exists()


def test_from_kept_bytes_to_now(repo: Path, opened: Opener):
    door = opened(repo)
    write(repo, "src/a.py", "dirty\nlater\n")
    assert lines(door.diff_kept("src/a.py", b"dirty\n")) == [(" ", b"dirty"), ("+", b"later")]
    assert door.diff_kept("src/a.py", b"dirty\nlater\n") == b""
    assert lines(door.diff_kept("src/a.py", None)) == [("+", b"dirty"), ("+", b"later")]
    (repo / "src/a.py").unlink()
    (gone,) = parse(door.diff_kept("src/a.py", b"dirty\n"))
    assert gone.kind == "deleted"
    assert door.diff_kept("src/a.py", None) == b""


def test_a_file_ignored_or_in_the_root_can_be_shown(repo: Path, opened: Opener):
    write(repo, ".gitignore", "*.log\n")
    write(repo, "x.log", "x\n")
    write(repo, ".ai/tasks/t/plan.json", "{}\n")
    door = opened(repo)
    assert ("+", b"x") in lines(door.diff(head(repo), "x.log"))
    assert ("+", b"{}") in lines(door.diff(head(repo), ".ai/tasks/t/plan.json"))


def test_objects_are_found_after_the_agent_has_repacked(repo: Path, opened: Opener):
    door = opened(repo)
    blobs = [git(repo, "rev-parse", f"HEAD:{path}") for path in ("src/a.py", "src/b.py", "docs/d.md")]
    assert door.read_blob(blobs[0]) == b"one\n"
    git(repo, "gc", "-q", "--prune=now")
    assert door.read_blob(blobs[1]) == b"two\n"
    write(repo, "more", "more\n")
    commit(repo)
    git(repo, "repack", "-adq")
    assert door.read_blob(blobs[2]) == b"doc\n"
    assert door.read_blob(git(repo, "rev-parse", "HEAD:more")) == b"more\n"


def test_damaged_and_missing_objects_are_errors(repo: Path, opened: Opener):
    blob = git(repo, "rev-parse", "HEAD:src/a.py")
    write(repo, "src/a.py", "x\n")
    door = opened(repo)
    assert door.read_blob(blob) == b"one\n"
    place = repo / ".git/objects" / blob[:2] / blob[2:]
    data = place.read_bytes()
    place.chmod(0o644)
    other = git(repo, "rev-parse", "HEAD:src/b.py")
    place.write_bytes((repo / ".git/objects" / other[:2] / other[2:]).read_bytes())
    with pytest.raises(GitFailed):
        opened(repo).read_blob(blob)
    place.unlink()
    with pytest.raises(GitFailed):
        opened(repo).diff(head(repo), "src/a.py")
    with pytest.raises(GitFailed):
        door.read_blob("f" * 40)
    place.write_bytes(data)
    assert door.read_blob(blob) == b"one\n", "the reader recovers"
