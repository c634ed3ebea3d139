"""The repository is untrusted: whatever it names to be run is not run, whatever the door is asked."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ags_tui.io.git import GitDoor, GitError
from tests.io.git.conftest import Opener
from tests.io.git.repos import by_path, commit, git, head, make, write

TRAPS = {
    "fsmonitor": ["core.fsmonitor {trap}"],
    "hooks path": ["core.hooksPath {hooks}"],
    "pager": ["core.pager {trap}", "pager.diff {trap}", "pager.status {trap}", "color.ui always"],
    "editor": ["core.editor {trap}", "sequence.editor {trap}"],
    "external diff": ["diff.external {trap}"],
    "diff driver": ["diff.evil.command {trap}", "diff.evil.textconv {trap}", "diff.evil.cachetextconv true"],
    "clean": ["filter.evil.clean {trap}", "filter.evil.smudge {trap}", "filter.evil.required true"],
    "process": ["filter.evil.process {trap}", "filter.evil.required true"],
    "merge driver": ["merge.evil.driver {trap}"],
    "signatures": ["log.showSignature true", "gpg.program {trap}", "commit.gpgSign true"],
    "transport": [
        "core.sshCommand {trap}",
        "core.gitProxy {trap}",
        "credential.helper !{trap}",
        "core.askPass {trap}",
    ],
    "alias": ["alias.status !{trap}", "alias.diff !{trap}", "alias.ls-files !{trap}"],
    "alternates": ["core.alternateRefsCommand {trap}", "uploadpack.packObjectsHook {trap}"],
}


def ask_everything(door: GitDoor) -> None:
    """Put every question of the door."""
    repo = door.repo()
    base = repo.head or door.empty_tree
    for target in ("work-tree", "index", "HEAD", "HEAD~1"):
        changes = door.changes(base, target=target)
        for change in changes.entries:
            try:
                door.diff(base, change.path, target)
            except GitError:
                continue
    door.changes(base, hints=frozenset({"src/a.py", "src/x.dat"}))
    door.diff_kept("src/x.dat", b"before\n")
    door.relation(base)
    door.names(base)
    door.blob_of("src/x.dat")
    door.baseline_facts(lambda data: "kept")
    door.read_blob(git(door.top, "rev-parse", "HEAD:src/x.dat"))


def trapped(folder: Path, mark: Path) -> tuple[Path, Path]:
    """Make a program that leaves a mark, and a folder of hooks that do."""
    trap = write(folder.parent, "trap.sh", f"#!/bin/sh\necho ran >> {mark}\ncat\n")
    trap.chmod(0o755)
    hooks = folder.parent / "hooks"
    for name in (
        "post-index-change",
        "pre-commit",
        "post-checkout",
        "reference-transaction",
        "fsmonitor-watchman",
    ):
        write(folder.parent, f"hooks/{name}", trap.read_text()).chmod(0o755)
    return trap, hooks


def prepared(tmp: Path) -> Path:
    """Make a repository in which every kind of attribute applies to a file that looks changed."""
    folder = make(tmp / "repo")
    write(folder, "src/x.dat", "abc\n")
    commit(folder)
    write(folder, ".gitattributes", "*.dat filter=evil diff=evil merge=evil\n")
    commit(folder)
    write(folder, "src/x.dat", "abd\n")  # the same size: git must look into it
    write(folder, "src/new.dat", "new\n")
    return folder


def set_up(folder: Path, kind: str, trap: Path, hooks: Path) -> None:
    for line in TRAPS[kind]:
        key, _, value = line.partition(" ")
        git(folder, "config", "--add", key, value.format(trap=trap, hooks=hooks))


@pytest.mark.parametrize("kind", TRAPS)
def test_no_setting_of_the_repository_is_run(kind: str, tmp_path: Path, opened: Opener):
    folder, mark = prepared(tmp_path), tmp_path / "MARK"
    trap, hooks = trapped(folder, mark)
    set_up(folder, kind, trap, hooks)
    os.utime(folder / "src" / "x.dat")
    ask_everything(opened(folder))
    assert not mark.exists()


@pytest.mark.parametrize("kind", ["fsmonitor", "clean", "process", "external diff", "diff driver"])
def test_the_traps_work(kind: str, tmp_path: Path):
    """The counter-test: plain git falls into each of them."""
    folder, mark = prepared(tmp_path), tmp_path / "MARK"
    trap, hooks = trapped(folder, mark)
    set_up(folder, kind, trap, hooks)
    git(folder, "status", check=False)
    git(folder, "diff", check=False)
    assert mark.exists()


def test_settings_in_included_files_and_in_config_worktree_are_not_run(tmp_path: Path, opened: Opener):
    folder, mark = prepared(tmp_path), tmp_path / "MARK"
    trap, _ = trapped(folder, mark)
    write(folder, "more.config", f'[core]\n\tfsmonitor = {trap}\n[filter "evil"]\n\tclean = {trap}\n')
    git(folder, "config", "include.path", "../more.config")
    git(folder, "config", "extensions.worktreeConfig", "true")
    git(folder, "config", "--worktree", "diff.external", str(trap))
    ask_everything(opened(folder))
    assert not mark.exists()


def test_a_filter_that_appears_while_we_look_is_not_run(tmp_path: Path, opened: Opener):
    """Emptying filters by name would leave a moment between reading the names and running git."""
    folder, mark = prepared(tmp_path), tmp_path / "MARK"
    trap, hooks = trapped(folder, mark)
    door = opened(folder)
    door.repo()
    isolated = door._work_tree.isolated  # pyright: ignore[reportPrivateUsage]
    isolated.prepare(head(folder))
    set_up(folder, "clean", trap, hooks)
    set_up(folder, "fsmonitor", trap, hooks)
    os.utime(folder / "src" / "x.dat")
    isolated.run(["status", "--porcelain=v2"])
    assert not mark.exists()


def test_settings_inside_a_submodule_are_not_run(tmp_path: Path, opened: Opener):
    inner, mark = prepared(tmp_path / "inner"), tmp_path / "MARK"
    git(inner, "checkout", "-q", "--", ".")
    (inner / "src" / "new.dat").unlink()
    folder = make(tmp_path / "repo")
    git(folder, "-c", "protocol.file.allow=always", "submodule", "-q", "add", str(inner), "libs/sub")
    commit(folder)
    trap, hooks = trapped(folder, mark)
    inside = folder / "libs" / "sub"
    for kind in ("fsmonitor", "clean", "external diff", "hooks path"):
        set_up(inside, kind, trap, hooks)
    write(inside, "src/x.dat", "abd\n")
    door = opened(folder)
    assert by_path(door.changes(head(folder)))["libs/sub"].dirty_submodule
    door.diff(head(folder), "libs/sub")
    door.baseline_facts()
    assert not mark.exists()
    git(folder, "status", check=False)
    assert mark.exists(), "plain git runs them"


def test_settings_of_a_repository_in_an_untracked_folder_are_not_run(tmp_path: Path, opened: Opener):
    folder, mark = make(tmp_path / "repo"), tmp_path / "MARK"
    trap, hooks = trapped(folder, mark)
    inside = prepared(tmp_path / "x")
    inside.rename(folder / "nested")
    for kind in ("fsmonitor", "clean"):
        set_up(folder / "nested", kind, trap, hooks)
    door = opened(folder)
    assert "nested" in by_path(door.changes(head(folder)))
    assert not mark.exists()


def test_missing_objects_of_a_partial_clone_are_never_fetched(tmp_path: Path, opened: Opener):
    folder, mark = prepared(tmp_path), tmp_path / "MARK"
    trap, _ = trapped(folder, mark)
    blob = git(folder, "rev-parse", "HEAD:src/a.py")
    (folder / ".git/objects" / blob[:2] / blob[2:]).unlink()
    write(folder, "src/a.py", "changed\n")
    git(folder, "config", "extensions.partialClone", "origin")
    git(folder, "config", "core.repositoryFormatVersion", "1")
    git(folder, "config", "remote.origin.promisor", "true")
    for url in (f"ext::{trap}", f"ssh://{trap}", str(make(tmp_path / "other"))):
        git(folder, "config", "remote.origin.url", url)
        git(folder, "config", "remote.origin.uploadpack", str(trap))
        git(folder, "config", "remote.origin.vcs", "evil")
        git(folder, "config", "core.sshCommand", str(trap))
        door = opened(folder)
        assert "src/a.py" in by_path(door.changes(head(folder))), "the ids are enough to see a change"
        with pytest.raises(GitError):
            door.diff(head(folder), "src/a.py")
    assert not mark.exists()


def test_a_git_inside_the_work_tree_or_by_relative_path_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opened: Opener
):
    folder, mark = make(tmp_path / "repo"), tmp_path / "MARK"
    fake = write(folder, "bin/git", f"#!/bin/sh\ntouch {mark}\n")
    fake.chmod(0o755)
    write(folder, "git", fake.read_text()).chmod(0o755)
    base = head(folder)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PATH", f".:bin:{folder}/bin::{os.environ['PATH']}")
    door = opened(folder / "src")
    door.repo()
    assert "git" in by_path(door.changes(base))
    assert not mark.exists()


def test_variables_of_gitpython_run_nothing(tmp_path: Path):
    folder, mark = make(tmp_path / "repo"), tmp_path / "MARK"
    trap, _ = trapped(folder, mark)
    program = (
        "import sys; from pathlib import Path; from ags_tui.io.git import GitDoor\n"
        "door = GitDoor.open(sys.argv[1], home=Path('/'), scratch=Path(sys.argv[2]))\n"
        "repo = door.repo(); door.changes(repo.head); print(door.read_blob(sys.argv[3]))\n"
        "import os; assert os.environ['GIT_PYTHON_REFRESH'] == 'warn'\n"
    )
    blob = git(folder, "rev-parse", "HEAD:src/a.py")
    done = subprocess.run(
        [sys.executable, "-c", program, str(folder), str(tmp_path / "s"), blob],
        env={**os.environ, "PYTHONPATH": os.getcwd(), "GIT_PYTHON_GIT_EXECUTABLE": str(trap),
             "GIT_PYTHON_REFRESH": "warn", "GIT_PYTHON_TRACE": "full", "GIT_TRACE": str(tmp_path / "trace"),
             "GIT_EXTERNAL_DIFF": str(trap), "GIT_SSH_COMMAND": str(trap), "GIT_PAGER": str(trap)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout == "b'one\\n'\n"
    assert not mark.exists()
    assert not (tmp_path / "trace").exists()


def test_every_child_is_started_without_locks_and_with_a_fresh_environment(
    repo: Path, monkeypatch: pytest.MonkeyPatch, opened: Opener
):
    started: list[tuple[list[str], dict[str, str]]] = []
    real: Any = subprocess.Popen

    def record(command: list[str], **options: object) -> subprocess.Popen[bytes]:
        environment = options["env"]
        assert isinstance(environment, dict)
        started.append(([os.fsdecode(word) for word in command], environment))
        return real(command, **options)

    monkeypatch.setenv("GIT_TRACE2", "1")
    monkeypatch.setenv("LD_PRELOAD", "")
    monkeypatch.setattr(subprocess, "Popen", record)
    write(repo, "src/x.dat", "x\n")
    commit_of = opened(repo)
    commit_of.changes(commit_of.repo().head or "")
    commit_of.diff(commit_of.repo().head or "", "src/x.dat")
    assert started
    for command, environment in started:
        assert {"--no-optional-locks", "--literal-pathspecs", "--no-pager"} <= set(command)
        assert {"core.fsmonitor=false", "core.hooksPath=/dev/null", "diff.external="} <= set(command)
        assert environment["GIT_OPTIONAL_LOCKS"] == "0"
        assert environment["GIT_ALLOW_PROTOCOL"] == ""
        assert environment["GIT_NO_LAZY_FETCH"] == "1"
        assert not {"GIT_TRACE2", "LD_PRELOAD"} & set(environment)


def test_a_configuration_that_hangs_is_an_explained_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opened: Opener
):
    folder = make(tmp_path / "repo")
    os.mkfifo(folder / "pipe")
    git(folder, "config", "include.path", "../pipe")
    monkeypatch.setattr("ags_tui.io.git.located.OPEN_TIMEOUT_S", 0.3)
    with pytest.raises(GitError, match="did not answer"):
        opened(folder)


def test_replaced_objects_and_grafts_do_not_change_the_past(tmp_path: Path, opened: Opener):
    folder = make(tmp_path / "repo")
    base = head(folder)
    write(folder, "src/a.py", "bad\n")
    bad = commit(folder)
    git(folder, "replace", base, bad)
    assert git(folder, "diff", "--name-only", base) == "", "plain git is fooled"
    door = opened(folder)
    assert "src/a.py" in by_path(door.changes(base))
    assert b"-one\n+bad" in door.diff(base, "src/a.py")
