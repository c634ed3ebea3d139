"""Repositories inside the work tree hide nothing."""

import shutil
from pathlib import Path

from ags_tui.core.snapshot import TreeEntry
from tests.io.git.conftest import Opener
from tests.io.git.repos import by_path, commit, git, head, make, write


def add_submodule(repo: Path, source: Path) -> Path:
    git(repo, "-c", "protocol.file.allow=always", "submodule", "-q", "add", str(source), "libs/sub")
    commit(repo)
    return repo / "libs" / "sub"


def test_files_of_an_untracked_repository_are_shown_with_the_link_that_git_would_record(
    repo: Path, opened: Opener
):
    make(repo / "nested")
    write(repo, "nested/.gitignore", "skipped\n")
    write(repo, "nested/skipped", "x\n")
    door = opened(repo)
    first = door.changes(head(repo))
    changes = by_path(first)
    assert sorted(changes) == [
        "nested", "nested/.gitignore", "nested/docs/d.md", "nested/src/a.py", "nested/src/b.py",
    ]  # fmt: skip
    assert changes["nested"].new == TreeEntry("160000", head(repo / "nested"))
    assert changes["nested"].untracked
    assert changes["nested"].dirty_submodule
    assert b"+one" in door.diff(head(repo), "nested/src/a.py")
    assert b"+Subproject commit" in door.diff(head(repo), "nested")
    git(repo, "add", "nested")
    staged = door.changes(head(repo))
    assert staged.tree_digest == first.tree_digest
    write(repo, "nested/src/a.py", "other\n")
    assert door.changes(head(repo)).tree_digest != first.tree_digest


def test_a_repository_without_commits_is_its_files(repo: Path, opened: Opener):
    base = head(repo)
    write(repo, "nested/q.txt", "q\n")
    door = opened(repo)
    plain = door.changes(base)
    git(repo / "nested", "init", "-q")
    hidden = door.changes(base)
    assert sorted(by_path(hidden)) == ["nested/q.txt"]
    assert hidden.tree_digest == plain.tree_digest
    assert git(repo, "status", "--porcelain", "-uall") == "?? nested/", "git shows one name"
    assert door.changes(base, hints=frozenset({"nested/.git/HEAD"})) is hidden


def test_a_repository_made_over_tracked_files_changes_nothing(repo: Path, opened: Opener):
    door, base = opened(repo), head(repo)
    write(repo, "src/new.py", "x\n")
    before = door.changes(base)
    git(repo / "src", "init", "-q")
    assert door.changes(base) is before


def test_repositories_inside_repositories(repo: Path, opened: Opener):
    write(repo, "one/two/three.txt", "3\n")
    git(repo / "one", "init", "-q")
    git(repo / "one" / "two", "init", "-q")
    assert sorted(by_path(opened(repo).changes(head(repo)))) == ["one/two/three.txt"]


def test_a_clean_submodule_is_no_change(tmp_path: Path, repo: Path, opened: Opener):
    add_submodule(repo, make(tmp_path / "source"))
    assert by_path(opened(repo).changes(head(repo))) == {}


def test_another_commit_in_a_submodule(tmp_path: Path, repo: Path, opened: Opener):
    inside = add_submodule(repo, make(tmp_path / "source"))
    base, old = head(repo), head(inside)
    write(inside, "src/a.py", "newer\n")
    new = commit(inside)
    door = opened(repo)
    first = door.changes(base)
    change = by_path(first)["libs/sub"]
    assert (change.old, change.new) == (TreeEntry("160000", old), TreeEntry("160000", new))
    assert not change.dirty_submodule
    diff = door.diff(base, "libs/sub")
    assert f"-Subproject commit {old}\n+Subproject commit {new}\n".encode() in diff
    commit(repo)
    committed = door.changes(base)
    assert committed.tree_digest == first.tree_digest
    assert door.changes(base, target="HEAD").tree_digest == first.tree_digest
    assert b"+Subproject commit" in door.diff(base, "libs/sub", "HEAD")


def test_a_submodule_that_is_gone_or_replaced(tmp_path: Path, repo: Path, opened: Opener):
    inside = add_submodule(repo, make(tmp_path / "source"))
    door, base = opened(repo), head(repo)
    shutil.rmtree(inside)
    assert by_path(door.changes(base))["libs/sub"].new is None
    write(repo, "libs/sub", "a file\n")
    change = by_path(door.changes(base))["libs/sub"]
    assert change.new is not None
    assert change.new.mode == "100644"


def test_files_in_an_empty_submodule_folder_are_shown(tmp_path: Path, repo: Path, opened: Opener):
    inside = add_submodule(repo, make(tmp_path / "source"))
    git(repo, "submodule", "-q", "deinit", "-f", "libs/sub")
    door, base = opened(repo), head(repo)
    assert by_path(door.changes(base)) == {}
    write(inside, "evil.py", "x\n")
    assert git(repo, "status", "--porcelain", "-uall") == "", "git shows nothing at all"
    assert sorted(by_path(door.changes(base))) == ["libs/sub/evil.py"]
    (inside / "evil.py").unlink()
    assert by_path(door.changes(base, hints=frozenset({"libs/sub/evil.py"}))) == {}


def test_a_damaged_submodule_is_unsettled(tmp_path: Path, repo: Path, opened: Opener):
    inside = add_submodule(repo, make(tmp_path / "source"))
    door, base = opened(repo), head(repo)
    write(repo, ".git/modules/libs/sub/HEAD", "rubbish")
    changes = door.changes(base)
    assert by_path(changes)["libs/sub"].unsettled
    assert changes.tree_digest == ""
    assert inside.exists()


def test_a_submodule_is_looked_at_again_when_a_hint_points_inside(tmp_path: Path, repo: Path, opened: Opener):
    inside = add_submodule(repo, make(tmp_path / "source"))
    door, base = opened(repo), head(repo)
    assert by_path(door.changes(base)) == {}
    write(inside, "src/a.py", "dirty\n")
    assert by_path(door.changes(base, hints=frozenset({"libs/sub/src/a.py"})))["libs/sub"].dirty_submodule
    git(inside, "checkout", "-q", ".")
    assert by_path(door.changes(base, hints=frozenset({"libs/sub/src/a.py"}))) == {}
