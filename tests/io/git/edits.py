"""Random edits of a work tree, as hypothesis strategies: what an agent, an editor and git itself do."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from hypothesis import strategies as st

from tests.io.git.repos import git

PATHS = (
    "a",
    "b.txt",
    "d/x",
    "d/y",
    "d/e/z",
    "s p",
    "é.txt",
    "a/inside",
    ".ai/notes",
    ".ai/policy.toml",
    "x.log",
)
CONTENTS = (b"", b"one\n", b"two\n", b"one\r\ntwo\r\n", b"\0\1\2", b"one\n" * 40)

Edit = tuple[str, str, str, int]
"""Kind, path, other path, content number."""

WORK_KINDS = ("write", "write", "write", "delete", "move", "mode", "link", "empty-folder", "delete-folder")
GIT_KINDS = ("stage", "stage-all", "commit", "amend", "unstage", "uncache", "checkout", "intent")
RULE_KINDS = ("ignore", "attributes", "exclude")


def edits(kinds: tuple[str, ...]) -> st.SearchStrategy[Edit]:
    return st.tuples(
        st.sampled_from(kinds),
        st.sampled_from(PATHS),
        st.sampled_from(PATHS),
        st.integers(0, len(CONTENTS) - 1),
    )


def apply(top: Path, edit: Edit) -> frozenset[str]:
    """Do an edit and return the work-tree paths that a watcher would name."""
    kind, path, other, number = edit
    before = _listing(top)
    _DO[kind](top, path, other, number)
    after = _listing(top)
    changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    return frozenset(changed)


def _listing(top: Path) -> dict[str, tuple[object, ...]]:
    found: dict[str, tuple[object, ...]] = {}
    for folder, folders, files in os.walk(top):
        folders[:] = [name for name in folders if name != ".git"]
        for name in (*files, *folders):
            place = os.path.join(folder, name)
            facts = os.lstat(place)
            held = facts.st_mtime_ns, facts.st_ctime_ns, facts.st_ino, facts.st_mode
            is_folder = name in folders and not os.path.islink(place)
            found[os.path.relpath(place, top)] = (facts.st_mode,) if is_folder else held
    return found


def _clear(place: Path) -> None:
    if place.is_symlink() or place.is_file():
        place.unlink()
    elif place.is_dir():
        shutil.rmtree(place)


def _make_room(top: Path, path: str) -> Path:
    """Remove what stands where a path should come to be."""
    place = top / path
    for parent in reversed(place.relative_to(top).parents[:-1]):
        if (top / parent).is_symlink() or (top / parent).is_file():
            (top / parent).unlink()
    place.parent.mkdir(parents=True, exist_ok=True)
    _clear(place)
    return place


def _write(top: Path, path: str, _other: str, number: int) -> None:
    place = top / path
    if place.is_file() and not place.is_symlink():
        place.write_bytes(CONTENTS[number])
    else:
        _make_room(top, path).write_bytes(CONTENTS[number])


def _delete(top: Path, path: str, _other: str, _number: int) -> None:
    if (top / path).is_symlink() or (top / path).is_file():
        (top / path).unlink()


def _delete_folder(top: Path, path: str, _other: str, _number: int) -> None:
    folder = (top / path).parent
    if folder != top and folder.is_dir() and not folder.is_symlink():
        shutil.rmtree(folder)


def _move(top: Path, path: str, other: str, _number: int) -> None:
    place = top / path
    if place.is_file() and not place.is_symlink() and not other.startswith(path + "/"):
        data = place.read_bytes()
        place.unlink()
        _make_room(top, other).write_bytes(data)


def _mode(top: Path, path: str, _other: str, _number: int) -> None:
    place = top / path
    if place.is_file() and not place.is_symlink():
        place.chmod(place.stat().st_mode ^ 0o111)


def _link(top: Path, path: str, other: str, number: int) -> None:
    target = (other, "/etc/hosts", "../..", ".", "gone", "d")[number]
    os.symlink(target, _make_room(top, path))


def _empty_folder(top: Path, path: str, _other: str, _number: int) -> None:
    if not (top / path).exists() and not (top / path).is_symlink():
        _make_room(top, path).mkdir()


def _rules(name: str, lines: tuple[str, ...]) -> Callable[[Path, str, str, int], None]:
    def do(top: Path, _path: str, _other: str, number: int) -> None:
        place = top / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(lines[number % len(lines)])

    return do


def _git(*arguments: str, with_path: bool = False) -> Callable[[Path, str, str, int], None]:
    def do(top: Path, path: str, _other: str, _number: int) -> None:
        git(top, *arguments, *(("--", path) if with_path else ()), check=False)

    return do


_DO: dict[str, Callable[[Path, str, str, int], None]] = {
    "write": _write,
    "delete": _delete,
    "delete-folder": _delete_folder,
    "move": _move,
    "mode": _mode,
    "link": _link,
    "empty-folder": _empty_folder,
    "stage": _git("add", with_path=True),
    "stage-all": _git("add", "-A"),
    "commit": _git("commit", "-q", "--allow-empty", "-m", "m"),
    "amend": _git("commit", "-q", "--allow-empty", "--amend", "-m", "again"),
    "unstage": _git("reset", "-q"),
    "uncache": _git("rm", "-q", "--cached", with_path=True),
    "checkout": _git("checkout", "-q", with_path=True),
    "intent": _git("add", "-N", with_path=True),
    "ignore": _rules(".gitignore", ("*.log\n", "", "d/\n", "/a\n*.txt\n", "d/*\n!d/y\n")),
    "exclude": _rules(".git/info/exclude", ("", "*.txt\n", "d/e\n")),
    "attributes": _rules(".gitattributes", ("", "* text=auto\n", "*.txt text eol=crlf\n", "* -text\n")),
    "assume": _git("update-index", "--assume-unchanged", with_path=True),
    "skip": _git("update-index", "--skip-worktree", with_path=True),
    "nest": lambda top, path, _other, _number: _nest(top, path),
}


def _nest(top: Path, path: str) -> None:
    folder = (top / path).parent
    if folder != top and folder.is_dir() and not folder.is_symlink():
        git(folder, "init", "-q", check=False)
