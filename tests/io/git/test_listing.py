"""Files below a folder of a commit or of the index, and names that mean two things."""

from pathlib import Path

import pytest

from ags_tui.io.git.failures import GitFailed
from tests.io.git import repos
from tests.io.git.conftest import Opener

NAMES = ("로그", "a\nb", "*", ":(top)x", "\udcff", "sub/deep/x")


@pytest.mark.parametrize("algorithm", ["sha1", "sha256"])
def test_files_of_a_commit_and_of_the_index(tmp_path: Path, opened: Opener, algorithm: str):
    repo = repos.make(tmp_path / "repo", algorithm=algorithm)
    for name in NAMES:
        repos.write(repo, f"[x]/{name}", name.encode("utf-8", "surrogateescape"))
    repos.write(repo, "[x]y/beside", "no")
    repos.write(repo, "x/beside", "no")
    repos.commit(repo)
    door = opened(repo)
    listed = door.files("[x]", "HEAD")
    assert sorted(listed) == sorted(NAMES)
    assert door.read_blob(listed["*"].blob) == b"*"
    assert door.files("[x]", "index") == listed
    assert len(door.files("", "HEAD")) == len(door.files("", "index")) >= len(NAMES) + 2
    assert door.files("nowhere", "HEAD") == door.files("nowhere", "index") == {}
    repos.write(repo, "[x]/*", "staged")
    repos.git(repo, "add", ".")
    assert door.files("[x]", "index")["*"] != listed["*"] == door.files("[x]", "HEAD")["*"]


def test_an_unmerged_file_is_none(tmp_path: Path, opened: Opener):
    repo = repos.make(tmp_path / "repo")
    repos.write(repo, "d/both", "0")
    repos.commit(repo)
    repos.git(repo, "checkout", "-q", "-b", "other")
    repos.write(repo, "d/both", "1")
    repos.commit(repo)
    repos.git(repo, "checkout", "-q", "-b", "third", "HEAD~1")
    repos.write(repo, "d/both", "2")
    repos.commit(repo)
    repos.git(repo, "merge", "other", check=False)
    door = opened(repo)
    assert list(door.files("d", "HEAD")) == ["both"]
    assert list(door.files("d", "index")) == []


def test_a_tag_does_not_pass_for_the_branch(tmp_path: Path, opened: Opener):
    """Git takes the tag, and says so only on stderr."""
    repo = repos.make(tmp_path / "repo")
    first = repos.commit(repo)
    repos.git(repo, "branch", "base")
    repos.write(repo, "f", "1")
    second = repos.commit(repo)
    repos.git(repo, "tag", "base")
    repos.git(repo, "tag", first)
    repos.git(repo, "config", "core.warnAmbiguousRefs", "false")
    door = opened(repo)
    with pytest.raises(GitFailed, match="in full"):
        door.resolve("base")
    assert door.resolve("refs/heads/base") == first
    assert door.resolve("refs/tags/base") == second
    assert door.resolve("refs/heads/base~0") == first
    with pytest.raises(GitFailed, match="in full"):
        door.resolve("base~0")
    assert door.resolve(first) == first
