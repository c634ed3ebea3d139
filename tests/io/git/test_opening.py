"""Opening: a work tree, or an error that says why and what to do."""

import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from ags_tui.io.git import GitDoor, GitError, GitFailed, NotARepository
from ags_tui.io.git.isolated import PREFIX
from ags_tui.io.git.run import find_git
from tests.io.git.conftest import Opener
from tests.io.git.repos import by_path, commit, git, head, make, write


def test_a_folder_without_a_repository(tmp_path: Path, opened: Opener):
    with pytest.raises(NotARepository, match="git init"):
        opened(tmp_path)


def test_a_path_that_does_not_exist(tmp_path: Path, opened: Opener):
    with pytest.raises(NotARepository, match="does not exist"):
        opened(tmp_path / "nowhere")


def test_a_bare_repository(tmp_path: Path, opened: Opener):
    git(tmp_path, "init", "-q", "--bare", "bare.git")
    with pytest.raises(NotARepository, match="bare"):
        opened(tmp_path / "bare.git")


def test_the_git_folder_itself(repo: Path, opened: Opener):
    with pytest.raises(NotARepository, match="work tree"):
        opened(repo / ".git")


def test_a_work_tree_that_a_setting_moves_elsewhere(tmp_path: Path, repo: Path, opened: Opener):
    other = make(tmp_path / "other")
    git(repo, "config", "core.worktree", str(other))
    with pytest.raises(NotARepository, match=r"core\.worktree"):
        opened(repo)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder away")
def test_another_owner_is_an_explained_error(repo: Path, opened: Opener):
    for place in (repo, repo / ".git"):
        os.chown(place, 12345, 12345)
    with pytest.raises(NotARepository, match=r"safe\.directory"):
        opened(repo)


def test_a_trusted_folder_of_another_owner_is_opened(tmp_path: Path, repo: Path, opened: Opener):
    if os.getuid() != 0:
        pytest.skip("only root can give a folder away")
    commit_id = head(repo)
    os.chown(repo, 12345, 12345)
    write(tmp_path / "home", ".gitconfig", f"[safe]\n\tdirectory = {repo.resolve()}\n")
    assert opened(repo).repo().head == commit_id


def test_a_file_and_a_folder_inside_open_the_same_work_tree(repo: Path, opened: Opener):
    assert opened(repo / "src" / "a.py").top == opened(repo / "src").top == str(repo.resolve())


def test_a_link_to_the_work_tree(tmp_path: Path, repo: Path, opened: Opener):
    (tmp_path / "link").symlink_to(repo)
    assert opened(tmp_path / "link").top == str(repo.resolve())


def test_a_broken_configuration_is_explained(repo: Path, opened: Opener):
    write(repo, ".git/config", "[core\n")
    with pytest.raises(GitError, match="config"):
        opened(repo)


def test_a_configuration_that_breaks_later_makes_everything_unknown(repo: Path, opened: Opener):
    door = opened(repo)
    good = (repo / ".git/config").read_bytes()
    assert not door.repo().unknown
    write(repo, ".git/config", "[core\n")
    assert "config" in door.repo().unknown
    assert door.changes(head_of(repo)).unknown
    write(repo, ".git/config", good)
    assert not door.repo().unknown


def head_of(repo: Path) -> str:
    return (repo / ".git/refs/heads/main").read_text().strip()


def test_without_git_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("ags_tui.io.git.run._FALLBACK_PATH", ())
    with pytest.raises(GitFailed, match="not installed"):
        GitDoor.open(tmp_path, search_path=str(tmp_path))


def test_an_old_git_is_refused(tmp_path: Path, repo: Path, opened: Opener):
    old = write(tmp_path, "bin/git", "#!/bin/sh\necho git version 2.33.9\n")
    old.chmod(0o755)
    with pytest.raises(GitFailed, match=r"2\.34 or newer"):
        opened(repo, search_path=str(tmp_path / "bin"))


def test_search_path_entries_that_the_repository_could_fill_are_dropped(tmp_path: Path):
    inside = write(tmp_path, "tree/bin/git", "")
    inside.chmod(0o755)
    outside = write(tmp_path, "out/git", "")
    outside.chmod(0o755)
    (tmp_path / "link").symlink_to(tmp_path / "tree" / "bin")
    path = f"bin::.:{tmp_path}/tree/bin:{tmp_path}/link:{tmp_path}/out"
    assert find_git(path, str(tmp_path / "tree")) == (str(outside), f"{tmp_path}/out")


def test_a_repository_with_sha256(tmp_path: Path, opened: Opener):
    folder = make(tmp_path / "r", algorithm="sha256")
    base = head(folder)
    write(folder, "src/a.py", "changed\n")
    door = opened(folder)
    change = by_path(door.changes(base))["src/a.py"]
    assert change.new is not None
    assert change.new.blob == git(folder, "hash-object", "src/a.py")
    assert b"-one\n+changed" in door.diff(base, "src/a.py")
    assert door.empty_tree == git(folder, "hash-object", "-t", "tree", "/dev/null")
    assert change.old is not None
    assert door.read_blob(change.old.blob) == b"one\n"


def test_head_states(repo: Path, opened: Opener):
    door = opened(repo)
    assert (door.repo().branch, door.repo().head) == ("main", head(repo))
    git(repo, "checkout", "-q", "--detach")
    assert (door.repo().branch, door.repo().head) == (None, head(repo))
    git(repo, "checkout", "-q", "-b", "feature/é")
    git(repo, "pack-refs", "--all")
    assert (door.repo().branch, door.repo().head) == ("feature/é", head(repo))
    git(repo, "checkout", "-q", "--orphan", "new")
    assert (door.repo().branch, door.repo().head) == ("new", None)
    git(repo, "symbolic-ref", "HEAD", "refs/heads/main")
    write(repo, ".git/refs/heads/main", "")
    assert "HEAD" in door.repo().unknown
    write(repo, ".git/HEAD", "rubbish")
    assert door.repo().unknown


def test_operations_in_progress(repo: Path, opened: Opener):
    door = opened(repo)
    assert door.repo().operation == ""
    git(repo, "bisect", "start")
    assert door.repo().operation == "bisect"
    git(repo, "bisect", "reset")
    git(repo, "checkout", "-q", "-b", "other")
    write(repo, "src/a.py", "other\n")
    picked = commit(repo)
    git(repo, "checkout", "-q", "main")
    write(repo, "src/a.py", "main\n")
    commit(repo)
    for arguments, operation in ((["cherry-pick", picked], "cherry-pick"), (["rebase", "other"], "rebase")):
        git(repo, *arguments, check=False)
        assert door.repo().operation == operation
        assert door.repo().conflicts == (("src/a.py", "UU"),)
        git(repo, arguments[0], "--abort")


def test_all_seven_unmerged_pairs(repo: Path, opened: Opener):
    blob = git(repo, "rev-parse", "HEAD:src/a.py")
    pairs = {"DD": "1", "AU": "2", "UD": "12", "UA": "3", "DU": "13", "AA": "23", "UU": "123"}
    lines = "".join(
        f"100644 {blob} {stage}\tfile-{pair}\n" for pair, stages in pairs.items() for stage in stages
    )
    subprocess.run(["git", "update-index", "--index-info"], cwd=repo, input=lines.encode(), check=True)
    door = opened(repo)
    assert dict(door.repo().conflicts) == {f"file-{pair}": pair for pair in pairs}
    assert {c.path: c.conflict for c in door.changes(head(repo), target="index").entries} == dict(
        door.repo().conflicts
    )


def test_what_is_made_beside_the_repository_is_private_and_removed(tmp_path: Path, repo: Path):
    scratch = tmp_path / "state" / "git"
    old = scratch / f"{PREFIX}999999999-left"
    old.mkdir(parents=True)
    os.utime(old, (0, 0))
    door = GitDoor.open(repo, scratch=scratch, home=tmp_path)
    (made,) = scratch.iterdir()
    assert stat.S_IMODE(made.stat().st_mode) == 0o700
    assert made != old
    door.repo()
    shutil.rmtree(made)
    assert not door.repo().unknown, "a cleaned temporary folder is made again"
    door.close()
    assert not list(scratch.iterdir())


def test_a_scratch_folder_inside_the_work_tree_is_not_used(
    repo: Path, monkeypatch: pytest.MonkeyPatch, opened: Opener
):
    (repo / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(repo / "tmp"))
    door = opened(repo, scratch=repo / "state")
    assert by_path(door.changes(head(repo))) == {}
    assert not list((repo / "tmp").iterdir())
    assert not (repo / "state").exists()


def test_nothing_is_written_into_the_repository(repo: Path, opened: Opener):
    def state() -> dict[str, tuple[int, int]]:
        return {str(p): (p.lstat().st_mtime_ns, p.lstat().st_size) for p in repo.rglob("*")}

    write(repo, ".gitattributes", "* text=auto\n")
    commit(repo)
    write(repo, "src/a.py", "x\r\ny\r\n")
    before = state()
    door = opened(repo)
    for change in door.changes(head(repo)).entries:
        door.diff(head(repo), change.path)
        door.diff_kept(change.path, b"kept\r\n")
    door.baseline_facts()
    door.changes(head(repo), target="index")
    door.close()
    assert state() == before
