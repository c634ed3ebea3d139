"""The facts of a baseline."""

import json
from pathlib import Path

import pytest

from ags_tui.core.digests import digest
from ags_tui.io.git import GitFailed
from ags_tui.io.git.baseline import KEPT_LIMIT
from tests.io.git.conftest import Opener
from tests.io.git.repos import git, head, write


def test_dirty_files_with_their_contents(repo: Path, opened: Opener):
    write(repo, "src/a.py", "dirty\n")
    write(repo, "new.py", "new\n")
    write(repo, "large.bin", b"x" * (KEPT_LIMIT + 1))
    (repo / "src/b.py").unlink()
    (repo / "l").symlink_to("docs")
    write(repo, ".ai/tasks/t/plan.json", "{}")
    git(repo, "update-index", "--assume-unchanged", "docs/d.md")
    kept: list[bytes] = []

    def keep(data: bytes) -> str:
        kept.append(data)
        return digest(data)

    facts = opened(repo).baseline_facts(keep)
    files = {file["path"]: file for file in facts["files"]}
    assert facts["head"] == head(repo)
    assert facts["unborn"] is False
    assert sorted(files) == ["l", "large.bin", "new.py", "src/a.py", "src/b.py"]
    assert files["src/a.py"] == {
        "path": "src/a.py", "mode": "100644", "blob": git(repo, "hash-object", "src/a.py"),
        "digest": digest(b"dirty\n"), "kept": True,
    }  # fmt: skip
    assert files["src/b.py"] == {
        "path": "src/b.py",
        "mode": None,
        "blob": None,
        "digest": "absent",
        "kept": False,
    }
    assert files["large.bin"]["kept"] is False
    assert files["large.bin"]["digest"] == digest(b"x" * (KEPT_LIMIT + 1))
    assert files["l"]["digest"] == digest(b"docs")
    assert sorted(kept) == sorted([b"dirty\n", b"new\n", b"docs"])
    assert facts["hiddenBits"] == ["docs/d.md"]
    assert "git:config" in facts["hiding"]
    json.dumps(facts)


def test_an_unborn_repository(tmp_path: Path, opened: Opener):
    git(tmp_path, "init", "-q", "r")
    write(tmp_path, "r/a", "x\n")
    door = opened(tmp_path / "r")
    facts = door.baseline_facts()
    assert (facts["head"], facts["unborn"]) == (door.empty_tree, True)
    assert [file["path"] for file in facts["files"]] == ["a"]


def test_no_baseline_where_git_cannot_say(repo: Path, opened: Opener):
    door = opened(repo)
    write(repo, ".git/index", "DIRCxxxx")
    with pytest.raises(GitFailed, match="damaged"):
        door.baseline_facts()
