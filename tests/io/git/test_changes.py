"""What counts as a change, and as what."""

import os
import time
from pathlib import Path

import pytest

from ags_tui.core.digests import blob_id, tree_digest
from ags_tui.core.snapshot import TreeEntry
from ags_tui.io.git.door import NO_HINTS
from ags_tui.io.git.opening import Limits
from tests.io.git.conftest import Opener
from tests.io.git.repos import by_path, commit, git, head, make, write


def entry(text: str | bytes, mode: str = "100644") -> TreeEntry:
    return TreeEntry(mode, blob_id(text.encode() if isinstance(text, str) else text))


def test_commits_since_the_baseline_and_what_is_dirty_are_joined(repo: Path, opened: Opener):
    base = head(repo)
    write(repo, "src/a.py", "committed\n")
    write(repo, "src/c.py", "new\n")
    commit(repo)
    write(repo, "src/c.py", "newer\n")
    (repo / "src/b.py").unlink()
    changes = opened(repo).changes(base)
    assert {path: (c.old, c.new) for path, c in by_path(changes).items()} == {
        "src/a.py": (entry("one\n"), entry("committed\n")),
        "src/b.py": (entry("two\n"), None),
        "src/c.py": (None, entry("newer\n")),
    }
    assert changes.tree_digest == tree_digest(
        base,
        [
            (b"src/a.py", "100644", entry("committed\n").blob),
            (b"src/b.py", "000000", ""),
            (b"src/c.py", "100644", entry("newer\n").blob),
        ],
    )


def test_what_is_only_staged_is_a_change_but_not_in_the_digest(repo: Path, opened: Opener):
    door, base = opened(repo), head(repo)
    clean = door.changes(base).tree_digest
    write(repo, "src/a.py", "evil\n")
    git(repo, "add", "src/a.py")
    write(repo, "src/a.py", "one\n")
    changes = door.changes(base)
    change = by_path(changes)["src/a.py"]
    assert (change.old, change.new, change.staged) == (entry("one\n"), entry("one\n"), entry("evil\n"))
    assert changes.tree_digest == clean
    assert door.changes(base, target="index").tree_digest != clean


def test_a_path_that_left_the_index_is_a_change_until_it_is_back(repo: Path, opened: Opener):
    door, base = opened(repo), head(repo)
    git(repo, "rm", "-q", "--cached", "src/a.py")
    change = by_path(door.changes(base))["src/a.py"]
    assert (change.untracked, change.old, change.new) == (True, entry("one\n"), entry("one\n"))
    write(repo, ".git/info/exclude", "a.py\n")
    assert by_path(door.changes(base))["src/a.py"].new is None, "ignored now: git would not store it"


def test_the_root_shows_only_unknown_names_and_never_counts(repo: Path, opened: Opener):
    door, base = opened(repo), head(repo)
    clean = door.changes(base).tree_digest
    write(repo, ".ai/policy.toml", "")
    write(repo, ".ai/tasks/t-1/plan.json", "{}")
    write(repo, ".ai/tasks/t-1/artifacts/deep/log.txt", "x")
    write(repo, ".ai/tasks/t-1/evil.sh", "x")
    write(repo, ".ai/bin/tool", "x")
    changes = door.changes(base)
    assert sorted(by_path(changes)) == [".ai/bin/tool", ".ai/tasks/t-1/evil.sh"]
    assert changes.tree_digest == clean
    assert sorted(by_path(door.changes(base, root_name=".agents"))) == sorted([
        ".ai/bin/tool", ".ai/policy.toml", ".ai/tasks/t-1/artifacts/deep/log.txt", ".ai/tasks/t-1/evil.sh",
        ".ai/tasks/t-1/plan.json",
    ])  # fmt: skip
    commit(repo)
    for target in ("work-tree", "index", "HEAD"):
        again = door.changes(base, target=target)
        assert sorted(by_path(again)) == [".ai/bin/tool", ".ai/tasks/t-1/evil.sh"]
        assert again.tree_digest == clean


def test_type_changes(repo: Path, opened: Opener):
    base = head(repo)
    (repo / "src/a.py").unlink()
    (repo / "src/a.py").symlink_to("b.py")
    (repo / "src/b.py").unlink()
    write(repo, "src/b.py/inside", "x\n")
    changes = by_path(opened(repo).changes(base))
    assert changes["src/a.py"].new == entry("b.py", "120000")
    assert changes["src/a.py"].link_target == "b.py"
    assert changes["src/b.py"].new is None
    assert changes["src/b.py/inside"].new == entry("x\n")


def test_a_folder_that_became_a_link_outwards(tmp_path: Path, repo: Path, opened: Opener):
    (tmp_path / "out").mkdir()
    write(tmp_path, "out/a.py", "one\n")
    (repo / "src").rename(tmp_path / "moved")
    (repo / "src").symlink_to(tmp_path / "out")
    changes = by_path(opened(repo).changes(head(repo)))
    assert changes["src"].link_escapes
    assert changes["src/a.py"].new is None, "what is behind the link is not in the work tree"


def test_names_that_need_quoting(repo: Path, opened: Opener):
    names = [
        "sp ace",
        "tab\there",
        "line\nfeed",
        'quo"te',
        "back\\slash",
        "-dash",
        ":(glob)x",
        "*star*",
        "é",
        "a\u202eb",
    ]
    for name in names:
        write(repo, name, f"{name}\n")
    door, base = opened(repo), head(repo)
    changes = by_path(door.changes(base))
    assert sorted(changes) == sorted(names)
    for name in names:
        assert changes[name].new == entry(f"{name}\n")
        assert door.diff(base, name).startswith(b"diff --git "), name
    commit(repo)
    assert sorted(by_path(door.changes(base))) == sorted(names)
    assert door.names(head(repo))["line\nfeed"] == ("line\nfeed",)


def test_intent_to_add(repo: Path, opened: Opener):
    write(repo, "new.py", "x\n")
    git(repo, "add", "-N", "new.py")
    change = by_path(opened(repo).changes(head(repo)))["new.py"]
    assert (change.new, change.staged, change.untracked) == (entry("x\n"), None, False)


def test_renames_pair_equal_contents_by_name_first_and_never_empty_files(repo: Path, opened: Opener):
    for name in ("p/one", "p/two", "q/one"):
        write(repo, name, "same\n")
    write(repo, "p/empty", "")
    base = commit(repo)
    for old, new in (("p/one", "r/x"), ("p/two", "r/one"), ("p/empty", "r/empty")):
        (repo / "r").mkdir(exist_ok=True)
        (repo / old).rename(repo / new)
    changes = by_path(opened(repo).changes(base))
    pairs = {path: change.renamed_from for path, change in changes.items() if change.renamed_from}
    assert pairs == {"r/one": "p/one", "r/x": "p/two"}
    assert changes["r/empty"].operation == "create"


def test_hidden_bits_are_listed_and_hide_nothing(repo: Path, opened: Opener):
    door, base = opened(repo), head(repo)
    git(repo, "update-index", "--skip-worktree", "src/a.py")
    git(repo, "update-index", "--assume-unchanged", "src/b.py", "docs/d.md")
    assert by_path(door.changes(base)) == {}
    write(repo, "src/a.py", "hidden\n")
    write(repo, "src/b.py", "hidden\n")
    (repo / "docs/d.md").unlink()
    assert git(repo, "status", "--porcelain") == "", "plain git shows nothing"
    changes = by_path(door.changes(base))
    assert {path: change.new for path, change in changes.items()} == {
        "src/a.py": entry("hidden\n"), "src/b.py": entry("hidden\n"), "docs/d.md": None,
    }  # fmt: skip
    assert door.repo().hidden_bits == ("docs/d.md", "src/a.py", "src/b.py")


def test_hidden_bits_of_a_file_with_a_staged_change(repo: Path, opened: Opener):
    write(repo, "src/a.py", "staged\n")
    git(repo, "add", "src/a.py")
    git(repo, "update-index", "--assume-unchanged", "src/a.py")
    write(repo, "src/a.py", "hidden\n")
    change = by_path(opened(repo).changes(head(repo)))["src/a.py"]
    assert (change.new, change.staged) == (entry("hidden\n"), entry("staged\n"))


def test_a_sparse_checkout_is_no_deletion(repo: Path, opened: Opener):
    base = head(repo)
    git(repo, "sparse-checkout", "set", "--cone", "docs")
    door = opened(repo)
    changes, described = door.changes(base), door.repo()
    assert by_path(changes) == {}
    assert described.hidden_bits == ()
    assert any("sparse" in note for note in described.notes)
    assert "git:info/sparse-checkout" in described.hiding
    write(repo, "src/a.py", "there after all\n")
    assert "src/a.py" in by_path(door.changes(base))


def test_a_split_index(repo: Path, opened: Opener):
    git(repo, "update-index", "--split-index")
    write(repo, "src/a.py", "changed\n")
    git(repo, "add", "src/a.py")
    write(repo, "src/new.py", "new\n")
    assert list((repo / ".git").glob("sharedindex.*"))
    assert sorted(by_path(opened(repo).changes(head(repo)))) == ["src/a.py", "src/new.py"]


def test_an_index_that_is_gone(repo: Path, opened: Opener):
    (repo / ".git/index").unlink()
    changes = opened(repo).changes(head(repo))
    assert {path: c.old == c.new for path, c in by_path(changes).items()} == {
        "docs/d.md": True, "src/a.py": True, "src/b.py": True,
    }  # fmt: skip


def test_too_many_untracked_files_are_said(repo: Path, opened: Opener):
    for number in range(12):
        write(repo, f"dump/{number:02}", "x")
    changes = opened(repo, limits=Limits(untracked=5)).changes(head(repo))
    assert "7 more untracked files" in changes.unknown
    assert changes.tree_digest == ""
    assert len(changes.entries) == 5


def test_a_folder_that_cannot_be_read_is_unknown(repo: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch):
    write(repo, "secret/x", "x\n")
    (repo / "secret").chmod(0)
    try:
        if os.access(repo / "secret", os.R_OK):
            pytest.skip("this user reads everything")
        assert "secret" in opened(repo).changes(head(repo)).unknown
    finally:
        (repo / "secret").chmod(0o755)


def test_what_git_says_beside_its_answer_makes_it_unknown(repo: Path, opened: Opener):
    from ags_tui.io.git.run import Output

    door = opened(repo)
    isolated = door._work_tree.isolated  # pyright: ignore[reportPrivateUsage]
    real = isolated.run
    warning = "warning: could not open directory 'secret/': Permission denied"

    def run(arguments: list[str], **options: object) -> Output:
        said = real(arguments, **options)  # type: ignore[arg-type]
        return Output(said.stdout, warning, 0) if arguments[0] == "status" else said

    isolated.run = run  # type: ignore[method-assign,assignment]
    changes = door.changes(head(repo))
    assert warning in changes.unknown
    assert changes.tree_digest == ""


def test_a_file_too_large_to_compare_is_unsettled(repo: Path, opened: Opener):
    write(repo, "big", b"x" * 2000)
    changes = opened(repo, limits=Limits(hash_bytes=1000)).changes(head(repo))
    assert "2000 bytes" in by_path(changes)["big"].unsettled
    assert changes.tree_digest == ""


def test_a_pipe_in_place_of_a_file(repo: Path, opened: Opener):
    (repo / "src/a.py").unlink()
    os.mkfifo(repo / "src/a.py")
    change = by_path(opened(repo).changes(head(repo)))["src/a.py"]
    assert change.unsettled or change.new is None


def test_a_file_written_twice_within_a_time_step(repo: Path, opened: Opener):
    door, base = opened(repo), head(repo)
    place = write(repo, "src/a.py", "aaa\n")
    facts = place.stat()
    assert by_path(door.changes(base))["src/a.py"].new == entry("aaa\n")
    place.write_text("bbb\n")
    os.utime(place, ns=(facts.st_atime_ns, facts.st_mtime_ns))
    assert by_path(door.changes(base))["src/a.py"].new == entry("bbb\n")
    assert by_path(door.changes(base, hints=frozenset({"src/a.py"})))["src/a.py"].new == entry("bbb\n")


def test_trees_of_commits(repo: Path, opened: Opener):
    base = head(repo)
    (repo / "out").symlink_to("../../elsewhere")
    (repo / "src/in").symlink_to("../docs")
    write(repo, "src/a.py", "two\n")
    second = commit(repo)
    write(repo, "src/a.py", "not this\n")
    door = opened(repo)
    changes = door.changes(base, target="HEAD")
    assert changes.target == second
    assert {p: (c.link_target, c.link_escapes) for p, c in by_path(changes).items()} == {
        "out": ("../../elsewhere", True), "src/a.py": (None, False), "src/in": ("../docs", False),
    }  # fmt: skip
    assert by_path(changes)["src/a.py"].new == entry("two\n")
    assert door.resolve("main") == second
    for name in ("no-such", "--help", "HEAD:src/a.py", "HEAD\n"):
        assert door.changes(base, target=name).unknown


def test_a_baseline_that_is_not_here_is_unknown(repo: Path, opened: Opener):
    door = opened(repo)
    for base in ("0" * 40, "f" * 40, "HEAD", "", "--output=x"):
        changes = door.changes(base)
        assert changes.unknown
        assert not changes.tree_digest
        assert door.relation(base) == "missing"
        assert door.names(base) == {}


def test_how_the_baseline_stands_to_head(tmp_path: Path, repo: Path, opened: Opener):
    first = head(repo)
    git(repo, "checkout", "-q", "-b", "side")
    side = commit(repo, "on the side")
    git(repo, "checkout", "-q", "main")
    commit(repo, "on main")
    door = opened(repo)
    assert [door.relation(base) for base in (first, head(repo), side)] == [
        "ancestor",
        "ancestor",
        "not-ancestor",
    ]
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{repo}", "shallow")
    shallow = opened(tmp_path / "shallow")
    assert shallow.relation(first) == "missing"
    assert "not in this repository" in shallow.changes(first).unknown
    assert shallow.relation(head(repo)) == "ancestor"


def test_names_of_the_baseline_tree(repo: Path, opened: Opener):
    write(repo, "lib/a.py", "x\n")
    base = commit(repo)
    names = opened(repo).names(base)
    assert names["a.py"] == ("lib/a.py", "src/a.py")
    assert "src" not in names


def test_unchanged_parts_stay_the_same_objects(repo: Path, opened: Opener):
    door, base = opened(repo), head(repo)
    write(repo, "src/a.py", "x\n")
    first, described = door.changes(base), door.repo()
    assert door.changes(base) is first
    assert door.repo() is described
    write(repo, "src/a.py", "y\n")
    assert door.changes(base) is not first


def test_one_look_serves_all_questions_of_a_reading(
    repo: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
):
    door, base = opened(repo, clock=lambda: time.time_ns() + 10**10), head(repo)  # all files are old
    isolated = door._work_tree.isolated  # pyright: ignore[reportPrivateUsage]
    asked: list[str] = []
    real = isolated.run
    monkeypatch.setattr(
        isolated, "run", lambda arguments, **o: (asked.append(arguments[0]), real(arguments, **o))[1]
    )
    door.refresh()
    door.repo(hints=NO_HINTS)
    door.changes(base, hints=NO_HINTS)
    door.changes(door.empty_tree, hints=NO_HINTS)
    assert asked.count("status") == 1
    door.changes(base, hints=frozenset({"src/a.py"}))
    assert asked.count("status") == 2


def test_what_is_ignored(repo: Path, opened: Opener):
    write(repo, ".gitignore", "node_modules/\n*.pyc\n")
    write(repo, "node_modules/x/y.js", "x")
    write(repo, "src/a.pyc", "x")
    door = opened(repo)
    assert door.ignored("node_modules")
    assert door.ignored("node_modules/x")
    assert door.ignored("src/a.pyc")
    assert not door.ignored("src")


def test_entries_of_paths_that_have_not_changed(repo: Path, opened: Opener):
    door = opened(repo)
    assert door.entry_of("src/a.py") == entry("one\n")
    assert door.blob_of("src/a.py") == git(repo, "rev-parse", "HEAD:src/a.py")
    assert door.blob_of("nowhere") is None
    assert door.blob_of("src") is None
    (repo / "src/b.py").chmod(0o755)
    commit(repo)
    git(repo, "config", "core.fileMode", "false")
    (repo / "src/b.py").chmod(0o644)
    door.refresh()
    assert door.entry_of("src/b.py") == entry("two\n", "100755"), "git would keep the mode"


def test_without_symbolic_links_a_link_is_a_file_that_holds_its_target(repo: Path, opened: Opener):
    (repo / "l").symlink_to("docs")
    commit(repo)
    git(repo, "config", "core.symlinks", "false")
    (repo / "l").unlink()
    write(repo, "l", "elsewhere")
    change = by_path(opened(repo).changes(head(repo)))["l"]
    assert change.new == entry("elsewhere", "120000")


def test_a_second_work_tree_of_the_same_repository_has_its_own_changes(
    tmp_path: Path, repo: Path, opened: Opener
):
    git(repo, "worktree", "add", "-q", str(tmp_path / "wt"), "-b", "wt")
    write(tmp_path / "wt", "src/a.py", "there\n")
    assert by_path(opened(repo).changes(head(repo))) == {}
    assert sorted(by_path(opened(tmp_path / "wt").changes(head(repo)))) == ["src/a.py"]
    assert make(tmp_path / "third")
