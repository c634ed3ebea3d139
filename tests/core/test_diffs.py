"""Diffs: git's own output for every kind of change is read right; our own diff applies like git's."""

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ags_tui.core.diffs import DiffLine, FileDiff, between, parse

ENV = {
    "PATH": os.environ["PATH"],
    "LC_ALL": "C.UTF-8",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_SYSTEM": "/dev/null",
    "GIT_AUTHOR_NAME": "Test",
    "GIT_AUTHOR_EMAIL": "t@example.invalid",
    "GIT_COMMITTER_NAME": "Test",
    "GIT_COMMITTER_EMAIL": "t@example.invalid",
}


def git(folder: Path, *args: str, check: bool = True) -> bytes:
    return subprocess.run(["git", *args], cwd=folder, env=ENV, check=check, capture_output=True).stdout


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "main")
    return tmp_path


def commit(repo: Path) -> None:
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "x", "--allow-empty")


def diff(repo: Path, *args: str) -> dict[str, FileDiff]:
    git(repo, "add", "-N", "--ignore-removal", ".")
    files = parse(git(repo, "diff", "--src-prefix=a/", "--dst-prefix=b/", *args))
    return {file.path: file for file in files}


def applied(file: FileDiff, old: bytes) -> bytes:
    """Apply a diff without any tolerance."""
    lines = [line + b"\n" for line in old.split(b"\n")]
    lines[-1] = lines[-1][:-1]
    result = b""
    at = 0
    for hunk in file.hunks:
        start = hunk.old_start - (hunk.old_count > 0)
        result += b"".join(lines[at:start])
        at = start
        for line, after in zip(hunk.lines, [*hunk.lines[1:], None], strict=True):
            if line.kind == "\\":
                continue
            raw = line.text + (b"" if after and after.kind == "\\" else b"\n")
            if line.kind in " -":
                assert lines[at] == raw
                at += 1
            if line.kind in " +":
                result += raw
    return result + b"".join(lines[at:])


def test_modified_with_line_numbers(repo: Path) -> None:
    (repo / "a.txt").write_text("".join(f"{n}\n" for n in range(1, 31)))
    commit(repo)
    (repo / "a.txt").write_text("".join(f"{n}\n" for n in range(1, 31) if n != 5).replace("25\n", "xx\n25\n"))
    (file,) = diff(repo).values()
    assert (file.kind, file.old_mode, file.new_mode, file.counts) == ("modified", "100644", "100644", (1, 1))
    first, second = file.hunks
    assert (first.old_start, first.old_count, first.new_start, first.new_count) == (2, 7, 2, 6)
    assert first.lines[3] == DiffLine("-", 5, None, b"5")
    assert first.lines[4] == DiffLine(" ", 6, 5, b"6")
    assert second.lines[3] == DiffLine("+", None, 24, b"xx")
    assert first.size == len(first.lines) == 7


def test_added_deleted_empty_mode_binary(repo: Path) -> None:
    (repo / "gone").write_text("x\n")
    (repo / "empty gone").write_text("")
    (repo / "run me").write_text("x\n")
    (repo / "both").write_text("x\n")
    (repo / "pic").write_bytes(b"\0\1")
    commit(repo)
    (repo / "gone").unlink()
    (repo / "empty gone").unlink()
    (repo / "run me").chmod(0o755)
    (repo / "both").chmod(0o755)
    (repo / "both").write_text("y\n")
    (repo / "pic").write_bytes(b"\0\2")
    (repo / "new file").write_text("one\ntwo")
    (repo / "empty").write_text("")
    files = diff(repo, "--no-renames")
    assert {path: file.kind for path, file in files.items()} == {
        "gone": "deleted", "empty gone": "deleted", "run me": "mode", "both": "modified", "pic": "modified",
        "new file": "added", "empty": "added",
    }  # fmt: skip
    assert files["gone"].new_path is None
    assert files["new file"].old_path is None
    assert files["new file"].old_mode == ""
    assert files["new file"].hunks[0].lines[-1] == DiffLine("\\", None, None, b" No newline at end of file")
    assert (files["run me"].old_mode, files["run me"].new_mode) == ("100644", "100755")
    assert (files["both"].new_mode, files["both"].counts) == ("100755", (1, 1))
    assert files["pic"].binary
    assert not files["pic"].hunks


@pytest.mark.parametrize(
    "name",
    ["한글 이름", 'quo"te', "tab\there", "new\nline", "back\\slash", " lead", "trail ", "a b/b c", "é"],
)
@pytest.mark.parametrize("change", ["content", "mode"])
def test_names(repo: Path, name: str, change: str) -> None:
    path = repo / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x\n")
    commit(repo)
    path.write_text("y\n") if change == "content" else path.chmod(0o755)
    for quoting in ("true", "false"):
        (file,) = parse(git(repo, "-c", f"core.quotePath={quoting}", "diff"))
        assert (file.old_path, file.new_path) == (name, name)


def test_a_name_that_is_not_utf8(repo: Path) -> None:
    name = os.fsencode(repo) + b"/\xff\xfe.txt"
    try:
        Path(os.fsdecode(name)).write_text("x\n")
    except OSError:
        pytest.skip("this file system refuses such names")
    commit(repo)
    Path(os.fsdecode(name)).write_text("y\n")
    assert list(diff(repo)) == ["\udcff\udcfe.txt"]


def test_renames_and_copies(repo: Path) -> None:
    (repo / "old name").write_text("a\nb\nc\nd\ne\n")
    (repo / "same").write_text("1\n2\n3\n4\n")
    commit(repo)
    git(repo, "mv", "old name", "new name")
    git(repo, "mv", "same", "moved")
    (repo / "new name").write_text("a\nb\nc\nd\nE\n")
    files = diff(repo, "HEAD", "-M")
    assert (files["new name"].old_path, files["new name"].kind) == ("old name", "renamed")
    assert files["new name"].similarity is not None
    assert files["new name"].counts == (1, 1)
    assert (files["moved"].old_path, files["moved"].similarity, files["moved"].hunks) == ("same", 100, ())


def test_conflict_is_combined(repo: Path) -> None:
    (repo / "c c").write_text("base\nmore\n")
    commit(repo)
    git(repo, "checkout", "-qb", "other")
    (repo / "c c").write_text("theirs\nmore\n")
    commit(repo)
    git(repo, "checkout", "-q", "main")
    (repo / "c c").write_text("ours\nmore\n")
    commit(repo)
    git(repo, "merge", "other", check=False)
    files = {file.path: file for file in parse(git(repo, "diff"))}
    file = files["c c"]
    assert file.combined
    assert file.hunks[0].parents == 2
    assert [(line.kind, line.new_no, line.text) for line in file.hunks[0].lines] == [
        ("+", 1, b"<<<<<<< HEAD"), ("+", 2, b"ours"), ("+", 3, b"======="), ("+", 4, b"theirs"),
        ("+", 5, b">>>>>>> other"), (" ", 6, b"more"),
    ]  # fmt: skip
    (unmerged,) = (f for f in parse(git(repo, "diff", "--cached")) if f.kind == "unmerged")
    assert unmerged.path == "c c"


def test_submodule(repo: Path) -> None:
    git(repo, "init", "-q", "sub")
    commit(repo / "sub")
    git(repo, "-c", "protocol.file.allow=always", "add", "sub")
    commit(repo)
    commit(repo / "sub")
    file = diff(repo)["sub"]
    assert file.submodule
    assert file.hunks[0].lines[0].text.startswith(b"Subproject commit ")


def test_content_that_looks_like_a_diff(repo: Path) -> None:
    (repo / "a").write_text("x\n")
    commit(repo)
    hostile = (
        "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n* Unmerged path q\n\n\\ No newline\n"
    )
    (repo / "a").write_text("-- gone\n++ new\n" + hostile)
    (file,) = diff(repo).values()
    assert (
        b"\n".join(line.text for line in file.hunks[0].lines if line.kind == "+") + b"\n"
        == ("-- gone\n++ new\n" + hostile).encode()
    )


def test_carriage_returns_stay(repo: Path) -> None:
    (repo / "a").write_bytes(b"one\r\ntwo\r\n")
    commit(repo)
    (repo / "a").write_bytes(b"one\r\nt\rwo\r\n")
    (file,) = diff(repo).values()
    assert [line.text for line in file.hunks[0].lines] == [b"one\r", b"two\r", b"t\rwo\r"]


def test_rubbish_is_not_a_diff() -> None:
    assert parse(b"") == ()
    assert parse(b"hello\nworld") == ()


@given(st.binary(max_size=200))
@example(b"\n@@")
@example(b" a/x b/x\n@@ -1 @@\n")
@example(b' "a/\\777" "b/\\q"\nindex \nsimilarity index x%\n--- \n+++ \n@@@ x @@@\n+')
@example(b"\n--- /dev/null\n+++ /dev/null")
def test_never_raises(data: bytes) -> None:
    for head in (b"diff --git", b"diff --git ", b"diff --cc ", b"* Unmerged path "):
        for file in parse(head + data):
            assert isinstance(file.path, str)
            assert len(file.counts) == 2
            for hunk in file.hunks:
                assert len(hunk.lines) >= hunk.size


LINES = st.lists(st.sampled_from([b"a", b"b", b"c\r", b"", b"dd"]), max_size=14)


def content(lines: list[bytes], closed: bool) -> bytes:
    return b"\n".join(lines) + (b"\n" if closed and lines else b"")


@given(LINES, LINES, st.booleans(), st.booleans())
@settings(max_examples=300)
@example([b"a"], [b"a"], True, False)
@example([], [b""], False, True)
def test_our_own_diff_applies(
    before: list[bytes], after: list[bytes], old_closed: bool, new_closed: bool
) -> None:
    old, new = content(before, old_closed), content(after, new_closed)
    file = between(old, new, "x")
    assert applied(file, old) == new
    assert (file.kind == "same") == (old == new) == (not file.hunks)
    for hunk in file.hunks:
        kinds = [line.kind for line in hunk.lines]
        assert kinds.count(" ") + kinds.count("-") == hunk.old_count
        assert kinds.count(" ") + kinds.count("+") == hunk.new_count


@given(LINES, LINES, st.booleans(), st.booleans())
@settings(max_examples=25, deadline=None)
def test_git_agrees_with_our_headers(
    before: list[bytes], after: list[bytes], old_closed: bool, new_closed: bool
) -> None:
    old, new = content(before, old_closed), content(after, new_closed)
    ours = between(old, new, "x")
    text = b"--- a/x\n+++ b/x\n" + b"".join(hunk.header + b"\n" + hunk.body + b"\n" for hunk in ours.hunks)
    if not ours.hunks:
        return
    counted = subprocess.run(
        ["git", "apply", "--numstat", "-"], input=text, env=ENV, capture_output=True, check=True
    )
    added, removed = ours.counts
    assert counted.stdout.split(b"\t")[:2] == [b"%d" % added, b"%d" % removed]


def test_between_missing_and_binary() -> None:
    assert between(None, b"a\n", "p").kind == "added"
    assert between(None, b"a\n", "p").old_path is None
    assert between(b"a\n", None, "p").kind == "deleted"
    assert between(b"a\n", None, "p").counts == (0, 1)
    assert between(b"\0", b"a", "p").binary
    assert between(None, b"", "p").hunks == ()
    assert between(b"x", b"x", "p").kind == "same"


def test_hostile_contents_do_not_freeze() -> None:
    same = b"x\n" * 40_000
    shuffled = b"".join(b"%d\n" % (n * 7919 % 40_000) for n in range(40_000))
    ordered = b"".join(b"%d\n" % n for n in range(40_000))
    for old, new in (
        (same, b"y\n" * 40_000),
        (same, same + b"y\n"),
        (ordered, shuffled),
        (b"a\nb\n" * 20_000, b"b\n" * 30_000),
    ):
        file = between(old, new, "x")
        assert applied(file, old) == new


def test_a_small_change_in_a_large_file_is_small() -> None:
    lines = [b"line %d\n" % (n % 50) for n in range(20_000)]
    changed = [*lines[:9000], b"new\n", *lines[9000:15000], *lines[15010:]]
    assert between(b"".join(lines), b"".join(changed), "x").counts == (1, 10)
