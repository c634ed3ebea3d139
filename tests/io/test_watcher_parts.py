"""The parts of the watch without any waiting: merging, pace, territory, mounts, sweeps."""

import os
import time

import pytest

from ags_tui.core.hints import Hint
from ags_tui.io import watch_thread
from ags_tui.io.event_source import Trouble
from ags_tui.io.hints import LEAST_GAP, MAX_PATHS, MOST_GAP, SOFT_DELAY, STORM_GAP, Pace, Pending, merge
from ags_tui.io.mounts import file_system_of, is_remote, parse_mount_output, parse_mountinfo
from ags_tui.io.sweep import Sweep
from ags_tui.io.territory import Territory
from ags_tui.io.watch_thread import WatchThread


def test_hints_merge_to_what_covers_all():
    one = Hint(frozenset({"a"}), frozenset({"x"}), False, "events")
    two = Hint(frozenset({"b"}), None, True, "overflow", state_changed=True)
    both = merge([one, two, one])
    assert both == Hint(frozenset({"a", "b"}), None, True, "events, overflow", state_changed=True)
    assert merge([both, Hint(tasks=None)]).everything
    assert merge([]) == Hint()


def test_many_paths_become_all():
    pending = Pending()
    assert not pending
    for number in range(MAX_PATHS):
        pending.add_path(str(number))
    assert not pending.large
    pending.add_path("one more")
    assert pending.large
    hint = pending.take()
    assert hint.paths is None
    assert hint.tasks == frozenset()
    assert not pending


def test_two_hints_that_are_too_long_together_become_all():
    halves = [Hint(paths=frozenset(f"{n}/{i}" for i in range(MAX_PATHS // 2 + 1))) for n in range(2)]
    assert merge(halves).paths is None


def test_the_first_hint_leaves_at_once_and_a_soft_one_waits_for_the_content():
    pace = Pace()
    pace.note(100.0, urgent=False)
    assert pace.due == 100.0 + SOFT_DELAY
    pace.note(100.005, urgent=True)
    assert pace.due == 100.005


def test_a_stream_slows_down_and_silence_makes_quick_again():
    pace, now, gaps = Pace(), 100.0, []
    for _ in range(6):
        pace.note(now, urgent=True)
        assert pace.due is not None
        gaps.append(pace.due - now)
        now = pace.due
        pace.told(now, storm=False)
    assert gaps[:2] == [0, pytest.approx(LEAST_GAP)]
    assert gaps[-1] == pytest.approx(MOST_GAP)
    pace.note(now + 10, urgent=True)
    assert pace.due == now + 10
    pace.told(now + 10, storm=False)
    pace.note(now + 10, urgent=True)
    assert pace.due == pytest.approx(now + 10 + LEAST_GAP)


def test_a_storm_slows_down_further_but_never_stops():
    pace, now = Pace(), 0.0
    for _ in range(12):
        pace.note(now, urgent=True)
        assert pace.due is not None
        assert pace.due - now <= STORM_GAP + 1e-9
        now = pace.due
        pace.told(now, storm=True)
    pace.note(now, urgent=True)
    assert pace.due == pytest.approx(now + STORM_GAP)


@pytest.fixture
def territory(tmp_path):
    top = tmp_path / "w"
    for folder in (".ai/tasks/t/log", ".git/refs", "src", "build"):
        (top / folder).mkdir(parents=True)
    return Territory.of(top / ".ai", top, [top / ".git"], {"build", ".ai"}.__contains__)


@pytest.mark.parametrize(("path", "hint"), [
    (".ai/tasks/t/plan.json", Hint(frozenset({"t"}))),
    (".ai/tasks/t/log", Hint(frozenset({"t"}))),
    (".ai/tasks/t/evil.py", Hint(frozenset({"t"}), frozenset({".ai/tasks/t/evil.py"}))),
    (".ai/tasks/stray", Hint(frozenset({"stray"}), frozenset({".ai/tasks/stray"}))),
    (".ai/tasks/t", Hint(frozenset({"t"}))),
    (".ai/tasks", Hint(tasks=None)),
    (".ai", Hint(tasks=None)),
    (".ai/policy.toml", Hint()),
    (".ai/evil.py", Hint(paths=frozenset({".ai/evil.py"}))),
    (".git/HEAD", Hint(git=True)),
    (".git/refs/heads/x", Hint(git=True)),
    (".git", Hint(git=True)),
    ("vendor/x/.git/HEAD", Hint(git=True)),
    (".github/workflows/a.yml", Hint(paths=frozenset({".github/workflows/a.yml"}))),
    ("src/a.py", Hint(paths=frozenset({"src/a.py"}))),
    ("", Hint(paths=None)),
])  # fmt: skip
def test_what_a_path_asks_for(territory, path, hint):
    pending = Pending()
    territory.note(f"{territory.work_tree}/{path}".rstrip("/"), pending)
    assert pending
    assert pending.take() == hint


@pytest.mark.parametrize("path", [".git/index.lock", ".git/objects", ".git/refs/heads/x.lock", ".git/logs",
                                  ".git/COMMIT_EDITMSG", ".git/tmp_obj_1"])  # fmt: skip
def test_bookkeeping_of_git_asks_for_nothing(territory, path):
    pending = Pending()
    territory.note(f"{territory.work_tree}/{path}", pending)
    assert not pending


def test_a_path_that_nobody_can_place_asks_for_everything(territory):
    pending = Pending()
    territory.note("/elsewhere/x", pending)
    assert pending.take().everything


@pytest.mark.parametrize(("path", "watched"), [
    ("", True), ("src", True), ("build", False), (".ai", True), (".ai/tasks/t", True),
    (".ai/tasks/t/artifacts", True), (".git", True), (".git/refs", True), (".git/refs/heads", True),
    (".git/objects", False), (".git/objects/ab", False), (".git/logs", False), (".git/worktrees", False),
    (".git/modules/x", True), (".git/modules/x/objects", False), (".git/rebase-merge", False),
    ("vendor/.git", True), ("vendor/.git/objects", False), ("vendor/.git/refs", True), (".github", True),
])  # fmt: skip
def test_which_folders_are_watched(territory, path, watched):
    assert territory.descends(f"{territory.work_tree}/{path}".rstrip("/")) is watched


@pytest.mark.parametrize(("path", "rules"), [
    (".gitignore", True), ("src/.gitignore", True), (".git/info/exclude", True), (".git/config", True),
    ("src/config", False), (".git/HEAD", False), (".ai/.gitignore", False),
])  # fmt: skip
def test_which_files_change_the_rules(territory, path, rules):
    assert territory.note(f"{territory.work_tree}/{path}", Pending()) is rules


def test_a_folder_replaced_by_a_file_in_the_root_is_told_to_git(territory):
    os.rmdir(f"{territory.root}/tasks/t/log")
    pending = Pending()
    territory.note(f"{territory.root}/tasks/t/log", pending)
    assert pending.take().paths == {".ai/tasks/t/log"}


def test_mounts_are_read_with_escapes_and_the_last_one_wins():
    data = (
        b"22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
        b"30 22 0:40 / /mnt/my\\040share rw shared:2 - cifs //server/x rw,user=a - b\n"
        b"31 22 0:41 / /home rw - ext4 /dev/b rw\n"
        b"32 31 0:42 / /home rw - nfs4 server:/home rw\n"
        b"broken line\n"
    )
    mounts = parse_mountinfo(data)
    assert mounts == {"/": "ext4", "/mnt/my share": "cifs", "/home": "nfs4"}
    assert file_system_of("/mnt/my share/a/b", mounts) == "cifs"
    assert file_system_of("/mnt/my shares", mounts) == "ext4"
    assert file_system_of("/home", mounts) == "nfs4"
    assert file_system_of("/x", {}) == ""


def test_the_output_of_mount_on_macos():
    data = (
        b"/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)\n"
        b"//guest:@server/x y on /Volumes/x y (smbfs, nodev, nosuid, mounted by me)\n"
        b"map auto_home on /System/Volumes/Data/home (autofs, automounted)\n"
    )
    mounts = parse_mount_output(data)
    assert mounts["/"] == "apfs"
    assert mounts["/Volumes/x y"] == "smbfs"


@pytest.mark.parametrize(("kind", "remote"), [
    ("nfs4", True), ("cifs", True), ("9p", True), ("smbfs", True), ("fuse.sshfs", True), ("fuse", True),
    ("fuse.unknown", True), ("ext4", False), ("btrfs", False), ("overlay", False), ("tmpfs", False),
    ("fuseblk", False), ("fuse.fuse-overlayfs", False), ("apfs", False), ("", False),
])  # fmt: skip
def test_which_file_systems_are_remote(kind, remote):
    assert is_remote(kind) is remote


@pytest.fixture
def swept(tmp_path):
    top = tmp_path / "root"
    (top / "t" / "log").mkdir(parents=True)
    (top / "t" / "plan.json").write_text("1")
    sweep = Sweep([str(top)], lambda path: not path.endswith("/skipped"))
    sweep.reset()
    assert look_all(sweep, top) == set()
    return sweep, top


def look_all(sweep, top, full=False):
    return {os.path.relpath(path, top) for path in sweep.look(full=full)}


def test_a_quick_look_sees_what_comes_goes_and_is_renamed(swept):
    sweep, top = swept
    (top / "t" / "log" / "000000.json").write_text("x")
    (top / "t" / "plan.json").rename(top / "t" / "old.json")
    assert look_all(sweep, top) == {"t/log/000000.json", "t/plan.json", "t/old.json"}
    (top / "u" / "errors").mkdir(parents=True)
    (top / "u" / "errors" / "e.json").write_text("1")
    (top / "u" / "skipped").mkdir()
    (top / "u" / "skipped" / "x").write_text("1")
    assert look_all(sweep, top) == {"u", "u/errors", "u/errors/e.json"}
    os.unlink(top / "t" / "log" / "000000.json")
    os.rmdir(top / "t" / "log")
    assert look_all(sweep, top) == {"t/log"}
    assert look_all(sweep, top) == set()


def test_a_full_look_sees_an_edit_in_place(swept):
    sweep, top = swept
    assert look_all(sweep, top) == set()
    with open(top / "t" / "plan.json", "r+") as file:
        file.write("2")
    assert look_all(sweep, top, full=True) == {"t/plan.json"}
    assert look_all(sweep, top, full=True) == set()


def test_an_edit_that_restores_size_and_time_is_seen(swept):
    sweep, top = swept
    facts = os.stat(top / "t" / "plan.json")
    with open(top / "t" / "plan.json", "r+") as file:
        file.write("2")
    os.utime(top / "t" / "plan.json", ns=(facts.st_atime_ns, facts.st_mtime_ns))
    assert look_all(sweep, top, full=True) == {"t/plan.json"}


def test_what_was_told_is_not_found_again_but_its_neighbour_is(swept):
    sweep, top = swept
    (top / "t" / "task.json").write_text("1")
    (top / "t" / "errors").mkdir()
    (top / "t" / "errors" / "e.json").write_text("1")
    os.unlink(top / "t" / "plan.json")
    (top / "t" / "missed.json").write_text("1")
    sweep.absorb(str(top / "t" / name) for name in ("task.json", "errors", "plan.json"))
    assert look_all(sweep, top) == {"t/missed.json"}
    assert look_all(sweep, top, full=True) == set()


def test_a_top_that_comes_goes_and_comes(tmp_path):
    top = tmp_path / "late"
    sweep = Sweep([str(top)], lambda _: True)
    sweep.reset()
    for _ in range(2):
        assert look_all(sweep, top) == set()
        top.mkdir()
        (top / "a").write_text("1")
        assert look_all(sweep, top) == {".", "a"}
        os.unlink(top / "a")
        top.rmdir()
        assert "." in look_all(sweep, top)
    assert sweep.folders == 0


def test_links_are_looked_at_but_not_into(swept, tmp_path):
    sweep, top = swept
    (tmp_path / "elsewhere").mkdir()
    (top / "t" / "link").symlink_to(tmp_path / "elsewhere")
    assert look_all(sweep, top) == {"t/link"}
    (tmp_path / "elsewhere" / "x").write_text("1")
    assert look_all(sweep, top, full=True) == set()


class Deaf:
    """A source that watches and never hears a thing."""

    def __init__(self):
        self.trouble = Trouble()
        self.completed = 0

    def start(self, parts):
        self.completed += 1

    def restart(self):
        self.completed += 1

    def wait(self, timeout):
        time.sleep(min(timeout, 0.02))

    def collect(self, now, pending):
        return []

    def wake(self):
        pass

    def close(self):
        pass


def test_the_sweep_finds_what_no_event_told(territory, monkeypatch):
    monkeypatch.setattr(watch_thread, "SWEEP_EVERY", 0.02)
    told: list[Hint] = []
    thread = WatchThread(territory, Deaf, dict, lambda hint, _state: told.append(hint), told.append)  # type: ignore[arg-type]
    thread.start()
    try:
        wait(lambda: told)
        with open(f"{territory.root}/tasks/t/plan.json", "w") as file:
            file.write("1")
        wait(lambda: len(told) > 1)
        before = thread.sweeps
        wait(lambda: thread.sweeps > before + 3)
        assert told[1:] == [Hint(frozenset({"t"}), why="sweep")] * len(told[1:])
        quiet = len(told)
        with open(f"{territory.root}/tasks/t/plan.json", "r+") as file:
            file.write("2")
        wait(lambda: len(told) > quiet)
        assert told[-1] == Hint(frozenset({"t"}), why="sweep")
    finally:
        thread.stop()
        thread.join(5)
    assert not thread.is_alive()


def wait(fact, within=10.0):
    end = time.monotonic() + within
    while not fact():
        assert time.monotonic() < end
        time.sleep(0.005)
