"""What can hide a change is digested by name; a change of it never goes unseen."""

from contextlib import closing
from pathlib import Path

import pytest

from ags_tui.core.digests import digest
from ags_tui.io.git import GitDoor
from ags_tui.io.init_folder import init_folder
from ags_tui.io.own_hooks import HOOKS, KEPT, hook_text, own_hooks
from ags_tui.io.places import Places
from tests.io.git.conftest import Opener
from tests.io.git.repos import by_path, commit, git, head, write


def test_rule_files_wherever_they_are(tmp_path: Path, repo: Path, opened: Opener):
    write(repo, ".gitignore", "build/\n")
    write(repo, "src/.gitattributes", "*.py text\n")
    commit(repo)
    write(repo, "new/.gitignore", "*\n")  # ignores itself: git status never lists it
    write(repo, ".git/info/exclude", "*.tmp\n")
    write(repo, ".git/info/attributes", "* text\n")
    write(repo, ".git/hooks/pre-commit", "#!/bin/sh\n")
    write(tmp_path / "home", ".config/git/ignore", "*.user\n")
    write(tmp_path / "home", "mine.attributes", "* -text\n")
    git(repo, "config", "core.attributesFile", "~/mine.attributes")
    hiding = opened(repo).repo().hiding
    assert hiding[".gitignore"] == digest(b"build/\n")
    assert hiding["src/.gitattributes"] == digest(b"*.py text\n")
    assert hiding["new/.gitignore"] == digest(b"*\n")
    assert hiding["git:info/exclude"] == digest(b"*.tmp\n")
    assert hiding["git:info/attributes"] == digest(b"* text\n")
    assert hiding["git:hooks/pre-commit"] == digest(b"#!/bin/sh\n")
    assert hiding["user:excludes"] == digest(b"*.user\n")
    assert hiding["user:attributes"] == digest(b"* -text\n")
    assert list(hiding) == sorted(hiding)


HIDERS = {
    "a rule in .gitignore": (".gitignore", "evil.py\n", ".gitignore"),
    "a folder that ignores all of itself": ("evil/.gitignore", "*\n", "evil/.gitignore"),
    "info/exclude": (".git/info/exclude", "evil.py\n", "git:info/exclude"),
    "attributes": (".gitattributes", "* -diff\n", ".gitattributes"),
    "a hook": (".git/hooks/post-commit", "#!/bin/sh\n", "git:hooks/post-commit"),
}


@pytest.mark.parametrize(
    "hints", [None, frozenset[str](), frozenset({"src/a.py"})], ids=["full", "none", "other"]
)
@pytest.mark.parametrize("what", HIDERS)
def test_a_new_rule_changes_the_digests_even_where_no_hint_names_it(
    what: str, hints: frozenset[str] | None, repo: Path, opened: Opener
):
    path, text, name = HIDERS[what]
    write(repo, "evil.py", "x\n")
    write(repo, ".gitignore", "build/\n")
    door = opened(repo)
    before = door.repo().hiding
    if hints is not None and not path.startswith(".git/") and not (repo / path).exists():
        hints = hints | {path}  # a new file in the tree is always named by a hint or by an overflow
    write(repo, path, text)
    after = door.repo(hints=hints).hiding
    assert before.get(name) != after[name]
    assert {key for key in after if before.get(key) != after[key]} == {name}


@pytest.mark.parametrize("path", [".gitignore", "src/.gitignore", ".git/info/exclude"])
def test_a_new_rule_is_obeyed_at_once(path: str, repo: Path, opened: Opener):
    write(repo, ".gitignore", "build/\n")
    write(repo, "src/.gitignore", "build/\n")
    commit(repo)
    write(repo, "src/evil.py", "x\n")
    door, base = opened(repo), head(repo)
    assert "src/evil.py" in by_path(door.changes(base))
    write(repo, path, "evil.py\n")
    assert "src/evil.py" not in by_path(door.changes(base, hints=frozenset()))


def test_settings_that_could_hide_count_and_a_new_upstream_does_not(repo: Path, opened: Opener):
    door = opened(repo)
    before = door.repo().hiding
    git(repo, "config", "branch.main.remote", "origin")
    git(repo, "config", "remote.origin.url", "https://example.invalid/x")
    git(repo, "config", "user.name", "Somebody")
    assert door.repo().hiding == before
    for key, value in (
        ("core.excludesFile", str(repo.parent / "no-such-file")),
        ("status.showUntrackedFiles", "no"),
        ("core.fileMode", "false"),
        ("diff.ignoreSubmodules", "all"),
        ("submodule.x.ignore", "all"),
        ("filter.x.clean", "cat"),
    ):
        before = door.repo().hiding
        git(repo, "config", key, value)
        assert door.repo().hiding["git:config"] != before["git:config"], key


def test_settings_in_an_included_file_that_comes_later(repo: Path, opened: Opener):
    git(repo, "config", "include.path", "later.config")
    door = opened(repo)
    before = door.repo().hiding
    write(repo, ".git/later.config", "[core]\n\tfileMode = false\n")
    assert door.repo().hiding["git:config"] != before["git:config"]
    assert door.repo().notes


def test_hooks_elsewhere(repo: Path, opened: Opener):
    git(repo, "config", "core.hooksPath", ".husky")
    write(repo, ".husky/pre-push", "x")
    assert opened(repo).repo().hiding["git:hooks/pre-push"] == digest(b"x")


def test_a_rule_file_that_is_a_link_is_digested_as_such(tmp_path: Path, repo: Path, opened: Opener):
    write(tmp_path, "rules", "*\n")
    (repo / ".gitignore").symlink_to(tmp_path / "rules")
    hiding = opened(repo).repo().hiding
    assert hiding[".gitignore"] not in {digest(b"*\n"), "unreadable"}


def test_untracked_files_are_listed_whatever_is_configured(repo: Path, opened: Opener):
    write(repo, "evil.py", "x\n")
    git(repo, "config", "status.showUntrackedFiles", "no")
    git(repo, "config", "core.untrackedCache", "true")
    git(repo, "config", "core.trustctime", "false")
    git(repo, "config", "core.checkStat", "minimal")
    assert "evil.py" in by_path(opened(repo).changes(head(repo)))


def test_the_rules_that_init_writes_into_the_root_hide_nothing(repo: Path, opened: Opener):
    door = opened(repo)
    before = door.repo().hiding
    init_folder(repo / ".ai")
    after = door.repo().hiding
    assert (repo / ".ai/.gitignore").exists()
    assert after == before
    write(repo, ".ai/.gitignore", "*\n")
    assert door.repo().hiding[".ai/.gitignore"] == digest(b"*\n")


def test_the_hooks_that_connect_writes_hide_nothing_and_an_earlier_hook_still_counts(
    tmp_path: Path, repo: Path
):
    places = Places(tmp_path / "state", tmp_path / "config")
    with closing(GitDoor.open(repo, home=tmp_path / "home", own_hooks=own_hooks(places))) as door:
        write(repo, ".git/hooks/pre-push", "#!/bin/sh\nexit 0\n")
        before = door.repo().hiding
        (repo / ".git/hooks/pre-push").rename(repo / f".git/hooks/pre-push{KEPT}")
        for name in HOOKS:
            write(repo, f".git/hooks/{name}", hook_text(name, places).decode())
        assert door.repo().hiding == before
        assert before["git:hooks/pre-push"] == digest(b"#!/bin/sh\nexit 0\n")
        write(repo, f".git/hooks/pre-push{KEPT}", "#!/bin/sh\nexit 1\n")
        assert door.repo().hiding["git:hooks/pre-push"] == digest(b"#!/bin/sh\nexit 1\n")


def test_a_hook_that_only_looks_like_ours_counts(tmp_path: Path, repo: Path):
    places = Places(tmp_path / "state", tmp_path / "config")
    ours = hook_text("pre-commit", places)
    with closing(GitDoor.open(repo, home=tmp_path / "home", own_hooks=own_hooks(places))) as door:
        for name, other in (
            ("pre-commit", ours + b"git config core.excludesFile /tmp/x\n"),
            ("pre-commit", hook_text("pre-commit", places, str(repo / "python"))),
            ("pre-commit", hook_text("pre-commit", Places(repo / "state", repo / "config"))),
            ("pre-push", ours),
            ("post-commit", ours),
        ):
            write(repo, f".git/hooks/{name}", other.decode())
            assert door.repo().hiding[f"git:hooks/{name}"] == digest(other)
            (repo / f".git/hooks/{name}").unlink()
