"""The git states of public bug reports: what is shown is right, or unknown with a reason."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ags_tui.core.diffs import parse
from ags_tui.core.digests import path_text
from ags_tui.io.git.changes import raw
from tests.io.git.conftest import Opener
from tests.io.git.repos import CASES, build_case, by_path, git, head, make, write


def test_058_looking_never_rewrites_the_index(tmp_path: Path, opened: Opener):
    folder = build_case("058", tmp_path / "r")
    before = (folder / ".git" / "index").stat()
    door = opened(folder)
    for _ in range(3):
        assert by_path(door.changes(head(folder))) == {}
        door.diff(head(folder), "src/a.py")
        door.baseline_facts()
    after = (folder / ".git" / "index").stat()
    assert (after.st_mtime_ns, after.st_ino) == (before.st_mtime_ns, before.st_ino)
    assert not list((folder / ".git").glob("*.lock"))


def test_060_an_agent_commits_undisturbed_while_we_look(tmp_path: Path, opened: Opener):
    folder = build_case("058", tmp_path / "r")
    script = (CASES / "060-lock-collision" / "loop.sh").read_text().replace("seq 200", "seq 40")
    agent = subprocess.Popen(["sh", "-c", script], cwd=folder, stdout=subprocess.PIPE, text=True)
    door, looks, base = opened(folder), 0, head(folder)
    while agent.poll() is None:
        door.changes(base)
        looks += 1
    assert agent.stdout is not None
    assert agent.stdout.read().strip() == "failures: 0"
    agent.stdout.close()
    assert looks > 3
    assert door.repo().head == head(folder)
    assert by_path(door.changes(base))["src/a.py"].new is not None


def test_062_a_prepared_fsmonitor_is_not_run(tmp_path: Path, opened: Opener):
    folder = build_case("062", tmp_path / "r")
    door = opened(folder)
    assert "src/a.py" in by_path(door.changes(head(folder)))
    assert b"+two" in door.diff(head(folder), "src/a.py")
    door.baseline_facts()
    assert not (folder / "MARK").exists()
    git(folder, "status")
    assert (folder / "MARK").exists(), "the trap works"


def test_064_before_the_first_commit_staged_and_later_lines_are_shown(tmp_path: Path, opened: Opener):
    folder = build_case("064", tmp_path / "r")
    door = opened(folder)
    repo = door.repo()
    assert (repo.head, repo.branch, repo.unknown) == (None, "main", "")
    assert door.empty_tree == git(folder, "hash-object", "-t", "tree", "/dev/null")
    changes = by_path(door.changes(door.empty_tree))
    assert sorted(changes) == ["new.txt", "untracked.txt"]
    assert changes["new.txt"].staged is not None
    assert changes["new.txt"].operation == "create"
    (shown,) = parse(door.diff(door.empty_tree, "new.txt"))
    assert [line.text for line in shown.hunks[0].lines] == [b"staged", b"later"]
    assert door.relation(door.empty_tree) == "ancestor"


def test_066_names_that_are_not_utf8_are_listed_and_can_be_written(tmp_path: Path, opened: Opener):
    folder = build_case("066", tmp_path / "r")
    door = opened(folder)
    changes = by_path(door.changes(head(folder)))
    assert sorted(map(raw, changes)) == [b"src/bokm\xe5l.txt", b"src/new\xff.txt"]
    assert b"+y" in door.diff(head(folder), "src/bokm\udce5l.txt")
    facts = door.baseline_facts()
    written = json.loads(json.dumps(facts).encode("utf-8"))
    assert path_text(b"src/new\xff.txt") in [file["path"] for file in written["files"]]


def test_068_both_ends_of_a_rename_are_changes(tmp_path: Path, opened: Opener):
    folder = build_case("068", tmp_path / "r")
    changes = by_path(opened(folder).changes(head(folder)))
    pairs = {path: change.renamed_from for path, change in changes.items() if change.renamed_from}
    assert pairs == {"docs/a.py": "src/a.py", "src/d.md": "docs/d.md", "src/e.md": "docs/e.md"}
    assert {c.renamed_to for c in changes.values() if c.renamed_to} == set(pairs)
    assert {change.operation for change in changes.values()} == {"rename"}
    assert len(changes) == 6


def test_070_every_file_of_a_new_folder_is_listed(tmp_path: Path, opened: Opener):
    folder = build_case("070", tmp_path / "r")
    door = opened(folder)
    changes = by_path(door.changes(head(folder)))
    assert sorted(changes) == ["docs/x/y/z.txt", "src/new/1.py", "src/new/2.py"]
    assert all(change.untracked for change in changes.values())
    assert b"+3" in door.diff(head(folder), "docs/x/y/z.txt")


def test_072_no_setting_hides_a_submodule(tmp_path: Path, opened: Opener):
    folder = build_case("072", tmp_path / "r")
    door = opened(folder)
    first = door.changes(head(folder))
    change = by_path(first)["libs/sub"]
    assert change.dirty_submodule
    assert change.new == change.old
    assert parse(door.diff(head(folder), "libs/sub"))[0].submodule
    write(folder, "libs/sub/n", "newer\n")
    assert door.changes(head(folder)).tree_digest != first.tree_digest, "the digest sees what is inside"


def test_074_user_settings_do_not_change_what_is_shown(tmp_path: Path, opened: Opener):
    folder = build_case("074", tmp_path / "r")
    door = opened(folder)
    changes = by_path(door.changes(head(folder)))
    assert sorted(changes) == ["src/a.py", "src/é.txt"]
    with_settings = {path: door.diff(head(folder), path) for path in changes}
    config = git(folder, "config", "--local", "--list", "--name-only").split()
    for key in config:
        if key.startswith(("diff.", "color.", "status.")):
            git(folder, "config", "--unset-all", key)
    plain = opened(folder)
    assert {path: plain.diff(head(folder), path) for path in changes} == with_settings
    assert with_settings["src/a.py"].startswith(b"diff --git a/src/a.py b/src/a.py\n")


def test_075_a_mode_change_is_a_change(tmp_path: Path, opened: Opener):
    folder = build_case("075", tmp_path / "r")
    door = opened(folder)
    changes = by_path(door.changes(head(folder)))
    modes = {
        path: (change.old and change.old.mode, change.new and change.new.mode)
        for path, change in changes.items()
    }
    assert modes == {"src/a.py": ("100644", "100755"), "src/b.sh": ("100644", "100755")}
    assert b"old mode 100644\nnew mode 100755" in door.diff(head(folder), "src/a.py")
    assert b"+c" in door.diff(head(folder), "src/b.sh")
    git(folder, "config", "core.fileMode", "false")
    again = by_path(door.changes(head(folder)))
    assert sorted(again) == ["src/b.sh"]
    assert any("fileMode" in note for note in door.repo().notes)


def test_078_huge_files_are_bounded_in_memory_and_still_listed(tmp_path: Path):
    folder = make(tmp_path / "r")
    subprocess.run(["sh", str(CASES / "078-huge-file" / "gen.sh")], cwd=folder, check=True)
    program = (
        "import resource, sys; from pathlib import Path\n"
        "from ags_tui.io.git import GitDoor\n"
        "door = GitDoor.open(sys.argv[1], home=Path(sys.argv[2]), scratch=Path(sys.argv[3]))\n"
        "head = door.repo().head\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "changes = door.changes(head)\n"
        "assert {c.path for c in changes.entries} == {'src/dump.bin', 'src/big.log'}, changes\n"
        "assert changes.tree_digest\n"
        "for path in ('src/dump.bin', 'src/big.log'):\n"
        "    diff = door.diff(head, path)\n"
        "    assert b'too many' in diff and len(diff) < 1000, diff[:200]\n"
        "grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before\n"
        "print(grown // (1024 if sys.platform != 'darwin' else 1024 * 1024))\n"
    )
    home = tmp_path / "home"
    home.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", program, str(folder), str(home), str(tmp_path / "scratch")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 150


def test_080_work_trees_with_a_git_file(tmp_path: Path, opened: Opener):
    folder = build_case("080", tmp_path / "r")
    beside = tmp_path / "r-wt"
    for place in (beside, beside / "src"):
        door = opened(place)
        repo = door.repo()
        assert (door.top, repo.branch) == (str(beside.resolve()), "feat")
        assert repo.git_dir == str((folder / ".git/worktrees/r-wt").resolve())
        assert repo.common_dir == str((folder / ".git").resolve())
        assert {str(p) for p in door.git_dirs} == {repo.git_dir, repo.common_dir}
    before = head(beside)
    assert "src/a.py" in by_path(door.changes(before))
    git(beside, "commit", "-qam", "in the work tree")
    assert door.repo().head == head(beside) != before
    assert by_path(door.changes(head(beside))) == {}


def test_081_inherited_variables_do_not_choose_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    other, folder = make(tmp_path / "other"), make(tmp_path / "r")
    write(other, "src/a.py", "not this one\n")
    write(folder, "src/b.py", "this one\n")
    home = tmp_path / "home"
    home.mkdir()
    program = (
        "import sys; from pathlib import Path; from ags_tui.io.git import GitDoor\n"
        "door = GitDoor.open(Path.cwd(), home=Path(sys.argv[1]), scratch=Path(sys.argv[2]))\n"
        "repo = door.repo()\n"
        "print(door.top, repo.head, [c.path for c in door.changes(repo.head).entries], sep='\\n')\n"
        "door.diff(repo.head, 'src/b.py')\n"
        "import os; assert os.environ['GIT_DIR']\n"
    )
    script = CASES / "081-git-env" / "env.sh"
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(other / ".git/objects"))
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "'core.bare=true'")
    done = subprocess.run(
        ["sh", str(script), str(other), str(folder), sys.executable, "-c", program, str(home), str(tmp_path)],
        capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(CASES.parents[1])},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [str(folder.resolve()), head(folder), "['src/b.py']"]


def test_083_a_repository_that_vanishes_is_unknown_and_comes_back(tmp_path: Path, opened: Opener):
    folder = make(tmp_path / "r")
    write(folder, "src/a.py", "changed\n")
    door, base, away = opened(folder), head(folder), tmp_path / "away"

    def shown() -> tuple[bool, list[str]]:
        changes, repo = door.changes(base), door.repo()
        assert bool(changes.unknown) == bool(repo.unknown)
        assert not changes.unknown or "gone" in changes.unknown
        return bool(changes.unknown), [change.path for change in changes.entries]

    assert shown() == (False, ["src/a.py"])
    (folder / ".git").rename(away)
    assert shown() == (True, [])
    away.rename(folder / ".git")
    assert shown() == (False, ["src/a.py"])
    folder.rename(away)
    assert shown() == (True, [])
    folder.mkdir()
    assert shown() == (True, [])
    folder.rmdir()
    away.rename(folder)
    assert shown() == (False, ["src/a.py"])


def test_083_our_own_folder_may_be_gone(tmp_path: Path):
    folder = make(tmp_path / "r")
    (folder / "gone").mkdir()
    program = (
        "import os, sys; from pathlib import Path; from ags_tui.io.git import GitDoor\n"
        "os.rmdir(os.getcwd())\n"
        "door = GitDoor.open(sys.argv[1], home=Path('/'), scratch=Path(sys.argv[2]))\n"
        "print(door.repo().unknown or 'known')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(folder), str(tmp_path / "s")],
        cwd=folder / "gone", capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(CASES.parents[1])},
    )  # fmt: skip
    assert (done.returncode, done.stdout.strip()) == (0, "known"), done.stderr


def test_083_another_repository_in_its_place_is_opened(tmp_path: Path, opened: Opener):
    folder = make(tmp_path / "r")
    door, before = opened(folder), head(folder)
    assert door.repo().head == before
    shutil.rmtree(folder / ".git")
    git(folder, "init", "-q", "-b", "other")
    assert (door.repo().head, door.repo().branch) == (None, "other")
    assert "not in this repository" in door.changes(before).unknown
    assert len(door.changes(door.empty_tree).entries) == 3


def test_085_all_conflicts_are_conflicts_and_the_merge_is_said(tmp_path: Path, opened: Opener):
    folder = build_case("085", tmp_path / "r")
    door = opened(folder)
    repo = door.repo()
    assert repo.operation == "merge"
    assert repo.conflicts == (("src/a.py", "UU"), ("src/del.py", "DU"), ("src/new.py", "AA"))
    changes = by_path(door.changes(head(folder)))
    assert {path: change.conflict for path, change in changes.items()} == dict(repo.conflicts)
    index = door.changes(head(folder), target="index")
    assert "conflict" in index.unknown
    assert {change.path: change.conflict for change in index.entries} == dict(repo.conflicts)
    assert index.tree_digest == ""


def test_087_damage_is_never_read_as_no_changes(tmp_path: Path, opened: Opener):
    folder = build_case("087", tmp_path / "r")
    for name in ("r", "r-cut", "r-blob"):
        door = opened(tmp_path / name)
        changes = door.changes(head(folder))
        assert changes.unknown, name
        assert changes.tree_digest == ""
    for name in ("r", "r-cut"):
        assert "index is damaged" in opened(tmp_path / name).repo().unknown
        (tmp_path / name / ".git" / "index").unlink()
        git(tmp_path / name, "reset", "-q")
        assert by_path(opened(tmp_path / name).changes(head(folder))) == {}
    assert "missing" in opened(tmp_path / "r-blob").changes(head(folder)).unknown


def test_030_links_that_leave_the_work_tree_are_said(tmp_path: Path, opened: Opener):
    folder = build_case("030", tmp_path / "r")
    door = opened(folder)
    changes = by_path(door.changes(head(folder)))
    escaping = {path: change.link_escapes for path, change in changes.items()}
    assert escaping == {"src/docslink": False, "src/inlink": False, "src/out": True}
    assert changes["src/docslink"].link_target == "../docs"
    for path, verdict in json.loads((CASES / "030-symlink-dir/paths.json").read_text())["check"]:
        real = door.real_path(path)
        inside = real is not None and real.startswith("src/")
        assert inside == (verdict == "in"), path


def test_147_names_that_differ_in_case_stay_apart(tmp_path: Path, opened: Opener):
    folder = make(tmp_path / "r")
    if (folder / "SRC").exists():
        pytest.skip("this file system does not tell case apart")
    git(folder, "config", "core.ignoreCase", "true")
    write(folder, "src/A.py", "other\n")
    write(folder, "README.md", "a\n")
    write(folder, "readme.md", "b\n")
    door = opened(folder)
    changes = by_path(door.changes(head(folder)))
    assert sorted(changes) == ["README.md", "readme.md", "src/A.py"], (
        "git status alone would hide two of them"
    )
    assert door.repo().ignore_case
