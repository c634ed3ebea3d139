"""The workspace is opened after the first frame: what that leaves unimported, and what a refusal leads to."""

import json
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ags_tui.cli.late_door import LateDoor, work_tree_above
from ags_tui.core.failures import AgsError
from ags_tui.core.hints import EVERYTHING
from tests.cli.conftest import Cli
from tests.cli.test_tui_start import Terminal
from tests.io.git.repos import git

HEAVY = ("pydantic", "git", "cryptography", "watchfiles", "inotify_simple", "wcmatch", "typer", "rfc8785")


def test_the_first_frame_needs_neither_models_nor_git(tmp_path: Path):
    git(tmp_path, "init", "-q")
    (tmp_path / ".ai" / "tasks" / "login").mkdir(parents=True)
    program = (
        "import json, os, sys\n"
        "from pathlib import Path\n"
        "from ags_tui.cli.call import Globals, make_call\n"
        "from ags_tui.cli.tui import make_app\n"
        "top = Path(sys.argv[1])\n"
        "call = make_call(Globals(top, None, top / 'state', top / 'config'), os.environ)\n"
        "app = make_app(call, top)\n"
        "print(json.dumps([app.state.names, sorted({name.partition('.')[0] for name in sys.modules})]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    names, loaded = json.loads(done.stdout)
    assert names == ["login"]
    assert "textual" in loaded
    assert not set(HEAVY) & set(loaded)


def test_it_is_opened_once_whoever_comes_first(tmp_path: Path):
    opened: list[Any] = []
    both = threading.Barrier(2)

    def open_it() -> Any:
        opened.append(SimpleNamespace(read=lambda hint: hint, task_names=lambda: ("from the workspace",)))
        return opened[-1]

    door = LateDoor(open_it, tmp_path)

    def read() -> None:
        both.wait(10)
        assert door.read(EVERYTHING) is EVERYTHING

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join(10)
    assert len(opened) == 1
    assert door.task_names() == ("from the workspace",)


def test_a_refusal_is_told_once_and_kept(tmp_path: Path):
    told: list[str] = []

    def open_it() -> Any:
        raise AgsError("the repository is damaged")

    door = LateDoor(open_it, tmp_path)
    door.on_refused = lambda: told.append(str(door.refused))
    for _ in range(2):
        with pytest.raises(AgsError, match="damaged"):
            door.read(EVERYTHING)
    assert told == ["the repository is damaged"]


def test_names_come_from_one_look_into_the_root(tmp_path: Path):
    tasks = tmp_path / "tasks"
    for name in ("b", "a", ".hidden", "로그인"):
        (tasks / name).mkdir(parents=True)
    (tasks / "file").write_text("no folder")
    (tasks / "link").symlink_to(tasks / "a")
    assert LateDoor(pytest.fail, tmp_path).task_names() == ("a", "b", "로그인")
    assert LateDoor(pytest.fail, tmp_path / "nowhere").task_names() == ()


def test_the_nearest_work_tree(tmp_path: Path):
    inner = tmp_path / "outer" / "inner"
    (inner / "src").mkdir(parents=True)
    (tmp_path / "outer" / ".git").mkdir()
    assert work_tree_above(inner / "src") == tmp_path / "outer"
    (inner / ".git").write_text("gitdir: elsewhere")
    assert work_tree_above(inner / "src") == inner
    (tmp_path / "link").symlink_to(inner / "src")
    assert work_tree_above(tmp_path / "link") == inner


def test_a_damaged_repository_is_one_line_after_the_screen(cli: Cli):
    (cli.work / ".git" / "HEAD").write_text("nonsense")
    terminal = Terminal(cli)
    try:
        assert terminal.end() == 2
        last = terminal.raw.rpartition(b"\x1b[?1049l")[2].decode()
        assert "git repository" in last
        assert "Traceback" not in last
    finally:
        terminal.process.close(force=True)


class Moving:
    """A workspace of one root, as far as the door asks."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.read_hints: list[Any] = []

    def read(self, hint: Any) -> Any:
        self.read_hints.append(hint)
        return self.root

    def new_task(self, task: Any) -> Path:
        return self.root / task


def test_the_first_task_of_a_human_moves_the_root_into_the_repository(tmp_path: Path):
    own, usual = tmp_path / "own", tmp_path / ".ai"
    moved: list[int] = []

    def settle() -> Any:
        moved.append(1)
        return Moving(usual)

    opened: Any = lambda: Moving(own)  # noqa: E731
    door = LateDoor(opened, own, settle, usual)
    assert door.read(EVERYTHING) == own
    assert door.new_task("login") == usual / "login"  # type: ignore[arg-type]
    assert door.new_task("other") == usual / "other"  # type: ignore[arg-type]
    assert (door.root, moved) == (usual, [1])


def test_a_root_that_somebody_makes_is_moved_into_once_nothing_waits(tmp_path: Path):
    own, usual = tmp_path / "own", tmp_path / ".ai"
    waiting = [True]

    def settle() -> Any:
        if waiting[0]:
            raise AgsError("calls wait")
        return Moving(usual)

    opened: Any = lambda: Moving(own)  # noqa: E731
    door = LateDoor(opened, own, settle, usual)
    usual.mkdir()
    assert door.read(EVERYTHING) == own
    waiting[0] = False
    assert door.read(EVERYTHING) == usual
