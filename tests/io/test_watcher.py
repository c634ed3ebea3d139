"""The watcher with real folders and other processes: what is on disk is told within two seconds."""

import asyncio
import errno
import os
import shutil
import sys
import threading
import time
from pathlib import Path

import pytest

from ags_tui.io import watch_thread, watcher
from ags_tui.io.hints import MAX_PATHS, MOST_GAP
from ags_tui.io.watcher import Watcher, WatchFailed
from tests.io.watching import LOST, read_tree, run, sweeps, watching

LINUX = sys.platform == "linux"
BACKENDS = ["inotify", "watchfiles"] if LINUX else ["watchfiles"]
CASES = Path(__file__).parents[1] / "cases"

QUEUE = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text()) if LINUX else 0
"""Events that the kernel keeps for us."""

needs_inotify = pytest.mark.skipif(not LINUX, reason="inotify is Linux's")


@pytest.fixture
def queue():
    """The class that covers inotify."""
    return pytest.importorskip("ags_tui.io.inotify_queue").Queue


@pytest.fixture
def tree(tmp_path):
    """A work tree with an empty root."""
    work = tmp_path / "work"
    (work / ".ai" / "tasks").mkdir(parents=True)
    (work / ".git").mkdir()
    return work


@pytest.mark.parametrize("backend", BACKENDS)
async def test_folders_made_and_filled_at_once_are_not_lost(tree, backend):
    script = "for i in $(seq 40); do mkdir -p t$i/tool-requests; echo $i > t$i/tool-requests/a.json; done"
    async with watching(tree / ".ai", tree, backend=backend) as mirror:
        await run(script, tree / ".ai" / "tasks")
        for number in range(1, 41):
            await mirror.sees_task(f"t{number}")
        assert len(mirror.tasks) == 40


@pytest.mark.parametrize("backend", BACKENDS)
async def test_a_folder_that_is_moved_in_is_seen_with_its_files_and_later_edits(tree, tmp_path, backend):
    (tmp_path / "t" / "errors").mkdir(parents=True)
    (tmp_path / "t" / "plan.json").write_text("1")
    (tmp_path / "t" / "errors" / "e.json").write_text("2")
    async with watching(tree / ".ai", tree, backend=backend) as mirror:
        (tmp_path / "t").rename(tree / ".ai" / "tasks" / "t")
        await mirror.sees_task("t")
        await run("echo 3 > errors/e.json; echo 4 > errors/f.json", tree / ".ai" / "tasks" / "t")
        await mirror.sees_task("t")
        (tree / ".ai" / "tasks" / "t").rename(tree / ".ai" / "tasks" / "u")
        await mirror.sees_task("u")
        await mirror.sees_task("t")
        await run("echo 5 > errors/g.json", tree / ".ai" / "tasks" / "u")
        await mirror.sees_task("u")


@pytest.mark.parametrize("backend", BACKENDS)
async def test_the_work_tree_is_seen_with_new_folders_and_renames(tree, backend):
    async with watching(tree / ".ai", tree, backend=backend) as mirror:
        await run("mkdir -p src/a/b; echo 1 > src/a/b/c.py; echo 2 > top.py", tree)
        await mirror.sees("src/a/b/c.py")
        await mirror.sees("top.py")
        await run("mv src/a src/z; echo 3 > src/z/b/d.py; rm top.py", tree)
        await mirror.sees("src/z/b/c.py")
        await mirror.sees("src/z/b/d.py")
        await mirror.sees("top.py")


@pytest.mark.parametrize("backend", BACKENDS)
async def test_saves_by_rename_are_all_seen(tree, backend):
    folder = tree / ".ai" / "tasks" / "t"
    folder.mkdir()
    script = (CASES / "091-atomic-rename" / "writer.sh").read_text()
    async with watching(tree / ".ai", tree, backend=backend) as mirror:
        await run(script, folder, PAUSE="0.1")
        await mirror.sees_task("t")
        assert mirror.tasks["t"] == {"plan.json": b'{"version": 5}\n'}


@pytest.mark.parametrize("backend", BACKENDS)
async def test_a_root_that_is_deleted_and_made_again_is_seen(tree, backend):
    async with watching(tree / ".ai", tree, backend=backend) as mirror:
        await run("mkdir t; echo 1 > t/plan.json", tree / ".ai" / "tasks")
        await mirror.sees_task("t")
        shutil.rmtree(tree / ".ai")
        await mirror.until(lambda: not mirror.tasks, LOST)
        await run("mkdir -p .ai/tasks/t; echo 2 > .ai/tasks/t/plan.json", tree)
        await mirror.sees_task("t")
        await run("echo 3 > .ai/tasks/t/task.json", tree)
        await mirror.sees_task("t")


@pytest.mark.parametrize("backend", [*BACKENDS, "poll"])
async def test_a_root_elsewhere_that_comes_late_and_comes_again(tree, tmp_path, backend, monkeypatch):
    monkeypatch.setattr(watch_thread, "SWEEP_EVERY", 0.1)
    monkeypatch.setattr(watch_thread, "POLL_EVERY", 0.1)
    root = tmp_path / "state" / "tasks-of-x"
    options = {"poll": True} if backend == "poll" else {"backend": backend}
    async with watching(root, tree, **options) as mirror:
        for number in (1, 2):
            (root / "tasks" / "t").mkdir(parents=True)
            (root / "tasks" / "t" / "plan.json").write_text(str(number))
            await mirror.sees_task("t")
            (root / "tasks" / "t" / "plan.json").write_text(f"{number} and more")
            await mirror.sees_task("t")
            shutil.rmtree(root)
            await mirror.until(lambda: not mirror.tasks, LOST)


@pytest.mark.parametrize("backend", [*BACKENDS, "poll"])
async def test_a_work_tree_that_vanishes_is_said_and_watched_again(tree, backend, monkeypatch):
    monkeypatch.setattr(watch_thread, "SWEEP_EVERY", 0.1)
    monkeypatch.setattr(watch_thread, "POLL_EVERY", 0.1)
    monkeypatch.setattr(watch_thread, "POLL_TREE_EVERY", 0.1)
    options = {"poll": True} if backend == "poll" else {"backend": backend}
    async with watching(tree / ".ai", tree, **options) as mirror:
        shutil.rmtree(tree)
        await mirror.until(lambda: "is gone" in mirror.watcher.state.message)
        (tree / "src").mkdir(parents=True)
        (tree / "src" / "a.py").write_text("1")
        await mirror.until(lambda: "is gone" not in mirror.watcher.state.message)
        await mirror.sees("src/a.py")
        await run("echo 2 > src/b.py", tree)
        await mirror.sees("src/b.py")


@pytest.mark.parametrize("backend", BACKENDS)
async def test_git_is_told_apart_from_its_own_bookkeeping(tree, backend):
    shutil.rmtree(tree / ".git")
    await run("git init -q -b main . && echo 1 > a && git add a", tree)
    commit = "git -c user.name=a -c user.email=a@b -c gc.auto=0 commit -q --allow-empty -m"
    async with watching(tree / ".ai", tree, git_dirs=[tree / ".git"], backend=backend) as mirror:
        for script in (
            f"{commit} x",
            "git branch other",
            "git checkout -q other",
            "git add -f .git/../a; echo 2 > .git/info/exclude",
        ):
            seen = mirror.git_hints
            await run(script, tree)
            await mirror.until(lambda seen=seen: mirror.git_hints > seen, LOST)
        await asyncio.gather(
            run("echo x | git hash-object -w --stdin > /dev/null", tree), run("echo 1 > b", tree)
        )
        await mirror.sees("b")
        await run("echo 1 > c", tree)
        await mirror.sees("c")
        loose = [hint for hint in mirror.hints if hint.paths and any(".git" in path for path in hint.paths)]
        assert not loose


@needs_inotify
@pytest.mark.parametrize("where", ["state", "tree"])
async def test_nothing_is_lost_when_the_queue_of_the_kernel_overflows(tree, where):
    if QUEUE > 400_000:
        pytest.skip("the queue of this kernel is too large to fill quickly")
    held, entered = threading.Event(), threading.Event()

    def ignored(relative: str) -> bool:
        if relative == "hold":
            entered.set()
            held.wait(30)
        return False

    folder = tree / ".ai" / "tasks" / "t" if where == "state" else tree / "src"
    folder.mkdir()
    for name in "ab":
        (folder / name).write_bytes(b"x")
    async with watching(tree / ".ai", tree, ignored=ignored) as mirror:
        (tree / "hold").mkdir()
        await asyncio.to_thread(entered.wait, 10)
        for number in range(QUEUE + 500):  # only equal neighbours are merged by the kernel
            os.utime(folder / "ab"[number % 2])
        os.mkdir(folder / "late")
        held.set()
        (folder / "late" / "last").write_bytes(b"y")
        if where == "state":
            await mirror.sees_task("t", 2 * LOST)
        else:
            await mirror.until(lambda: read_tree(folder) == read_tree_of(mirror, "src/"), 2 * LOST)
        await mirror.until(lambda: any("overflow" in hint.why for hint in mirror.hints))
        assert "events came faster" in mirror.watcher.state.message
        assert mirror.watcher.state.mode == "events"
        (folder / "late" / "later").write_bytes(b"z")
        await (mirror.sees_task("t") if where == "state" else mirror.sees("src/late/later"))


def read_tree_of(mirror, prefix):
    return {path[len(prefix) :]: data for path, data in mirror.paths.items() if path.startswith(prefix)}


@needs_inotify
async def test_a_watch_limit_leads_to_polling_and_is_said(tree, queue, monkeypatch):
    monkeypatch.setattr(watch_thread, "POLL_TREE_EVERY", 0.1)
    real, watched = queue.add, []

    def add(self, folder):
        if len(watched) >= 30:
            raise OSError(errno.ENOSPC, "no space")
        watched.append(folder)
        return real(self, folder)

    monkeypatch.setattr(queue, "add", add)
    for number in range(60):
        (tree / "lib" / f"p{number}").mkdir(parents=True)
    async with watching(tree / ".ai", tree, git_dirs=[tree / ".git"]) as mirror:
        assert mirror.watcher.state.mode == "polling"
        assert "limit of inotify watches" in mirror.watcher.state.message
        assert "work tree" in mirror.watcher.state.message
        assert "task folders" not in mirror.watcher.state.message
        await run("echo 1 > lib/p59/new", tree)
        await mirror.sees("lib/p59/new")
        watched.clear()
        await run("mkdir .ai/tasks/t; echo 1 > .ai/tasks/t/plan.json", tree)
        await mirror.sees_task("t")


@needs_inotify
async def test_a_watch_limit_that_comes_late_leads_to_polling_too(tree, queue, monkeypatch):
    monkeypatch.setattr(watch_thread, "POLL_TREE_EVERY", 0.1)
    real, full = queue.add, threading.Event()

    def add(self, folder):
        if full.is_set() and "/lib" in folder:
            raise OSError(errno.ENOSPC, "no space")
        return real(self, folder)

    monkeypatch.setattr(queue, "add", add)
    async with watching(tree / ".ai", tree) as mirror:
        assert mirror.watcher.state.mode == "events"
        full.set()
        await run("mkdir -p lib/a; echo 1 > lib/a/b", tree)
        await mirror.until(lambda: mirror.watcher.state.mode == "polling")
        await mirror.sees("lib/a/b")
        await run("echo 2 > lib/a/c", tree)
        await mirror.sees("lib/a/c")


@needs_inotify
async def test_without_inotify_instances_everything_is_polled(tree, queue, monkeypatch):
    def no_queue(self):
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(queue, "__init__", no_queue)
    monkeypatch.setattr(watch_thread, "POLL_EVERY", 0.1)
    async with watching(tree / ".ai", tree) as mirror:
        assert mirror.watcher.state.mode == "polling"
        assert "no events (Too many open files)" in mirror.watcher.state.message
        await run("mkdir .ai/tasks/t; echo 1 > .ai/tasks/t/plan.json", tree)
        await mirror.sees_task("t")


@needs_inotify
async def test_under_a_real_limit_it_starts_says_so_and_notices(tree):
    case = CASES / "089-watch-limit"
    await run((case / "tree.sh").read_text(), tree)
    allowed = await asyncio.create_subprocess_exec(
        "/bin/sh", str(case / "run.sh"), "true", stderr=asyncio.subprocess.DEVNULL
    )
    if await allowed.wait():
        pytest.skip("no user namespaces here")
    process = await asyncio.create_subprocess_exec(
        "/bin/sh", str(case / "run.sh"), sys.executable, "-m", "tests.io.watch_once", str(tree),
        stdout=asyncio.subprocess.PIPE, cwd=CASES.parents[1],
    )  # fmt: skip
    output, _ = await asyncio.wait_for(process.communicate(), 30)
    assert output.decode().splitlines() == ["polling limit", "noticed"]


async def test_polling_as_asked_notices_new_and_edited_files(tree, monkeypatch):
    monkeypatch.setattr(watch_thread, "POLL_EVERY", 0.1)
    monkeypatch.setattr(watch_thread, "POLL_TREE_EVERY", 0.1)
    async with watching(tree / ".ai", tree, git_dirs=[tree / ".git"], poll=True) as mirror:
        assert mirror.watcher.state.mode == "polling"
        assert mirror.watcher.state.message == "polling: task folders, git folder, work tree"
        await run("mkdir -p .ai/tasks/t src; echo 1 > .ai/tasks/t/plan.json; echo 1 > src/a", tree)
        await mirror.sees_task("t")
        await mirror.sees("src/a")
        await run("echo 2 > .ai/tasks/t/plan.json; echo 2 > src/a", tree)
        await mirror.sees_task("t")
        await mirror.sees("src/a")
        seen = mirror.git_hints
        (tree / ".git" / "HEAD").write_text("ref: refs/heads/other\n")
        await mirror.until(lambda: mirror.git_hints > seen, LOST)
        quiet = len(mirror.hints)
        await sweeps(mirror, 3)
        assert len(mirror.hints) == quiet


async def test_network_folders_are_polled_and_named(tree, monkeypatch):
    monkeypatch.setattr(watch_thread, "POLL_EVERY", 0.1)
    mounts = {"/": "ext4", str((tree / ".ai").resolve()): "nfs4"}
    monkeypatch.setattr(watcher, "read_mounts", lambda: mounts)
    async with watching(tree / ".ai", tree) as mirror:
        assert mirror.watcher.state.mode == "polling"
        assert "nfs4" in mirror.watcher.state.message
        assert mirror.watcher.state.message.endswith("polling: task folders")
        await run("mkdir .ai/tasks/t; echo 1 > .ai/tasks/t/plan.json; echo 2 > top", tree)
        await mirror.sees_task("t")
        await mirror.sees("top")


@pytest.mark.parametrize("backend", BACKENDS)
async def test_a_storm_in_an_ignored_folder_costs_nothing_and_hides_nothing(tree, backend):
    asked: list[str] = []

    def ignored(relative: str) -> bool:
        asked.append(relative)
        return relative == "node_modules"

    script = (CASES / "096-event-storm" / "storm.sh").read_text()
    async with watching(tree / ".ai", tree, ignored=ignored, backend=backend) as mirror:
        began = time.monotonic()
        await run(script, tree, FILES="3000")
        for number in range(1, 201):
            await mirror.sees(f"src/many/{number}.py")
        told = [hint for hint in mirror.hints[1:] if hint.paths]
        assert not [path for hint in told for path in hint.paths or () if path.startswith("node_modules/")]
        assert "node_modules/x" not in asked
        assert len(mirror.hints) <= 10 + (time.monotonic() - began) / MOST_GAP


@pytest.mark.parametrize("backend", BACKENDS)
async def test_a_storm_of_real_files_becomes_a_hint_about_everything(tree, tmp_path, backend):
    (tmp_path / "many").mkdir()
    for number in range(MAX_PATHS + 1):
        (tmp_path / "many" / f"{number}").write_bytes(b"x")
    async with watching(tree / ".ai", tree, backend=backend) as mirror:
        (tmp_path / "many").rename(tree / "src")
        await mirror.until(lambda: len(mirror.paths) == MAX_PATHS + 1, LOST)
        assert any(hint.paths is None for hint in mirror.hints[1:])
        assert all(hint.tasks == frozenset() for hint in mirror.hints[1:])


@pytest.mark.parametrize("backend", BACKENDS)
async def test_reading_and_looking_never_wake_the_watch(tree, backend, monkeypatch):
    monkeypatch.setattr(watch_thread, "SWEEP_EVERY", 0.05)
    shutil.rmtree(tree / ".git")
    await run("git init -q .; mkdir -p .ai/tasks/t src; echo 1 > .ai/tasks/t/plan.json", tree)
    await run("echo 1 > src/a; git add src", tree)
    async with watching(tree / ".ai", tree, git_dirs=[tree / ".git"], backend=backend) as mirror:
        await run("echo 2 > src/a; echo 2 > .ai/tasks/t/plan.json", tree)
        await mirror.sees("src/a")
        await mirror.sees_task("t")
        await sweeps(mirror, 3)
        quiet = len(mirror.hints)
        for _ in range(5):
            read_tree(tree)
            await run("git --no-optional-locks status --porcelain=v2 -z > /dev/null", tree)
            await sweeps(mirror, 2)
        assert mirror.hints[quiet:] == []


@pytest.mark.parametrize("backend", BACKENDS)
async def test_the_sweep_does_not_tell_again_what_events_told(tree, backend, monkeypatch):
    monkeypatch.setattr(watch_thread, "SWEEP_EVERY", 0.2)
    (tree / ".ai" / "tasks" / "t").mkdir()
    swept: list[int] = []
    async with watching(tree / ".ai", tree, backend=backend) as mirror:
        for number in range(3):  # a sweep may be quicker than the event of one change, not of each
            before = len(mirror.hints)
            await run(f"echo {number} > new; mv new plan.json", tree / ".ai" / "tasks" / "t")
            await mirror.sees_task("t")
            await sweeps(mirror, 3)
            swept.append(sum("sweep" in hint.why for hint in mirror.hints[before:]))
    assert min(swept) == 0


@needs_inotify
async def test_a_folder_that_was_moved_away_is_no_longer_watched(tree, tmp_path):
    (tree / "src" / "inner").mkdir(parents=True)
    async with watching(tree / ".ai", tree) as mirror:
        await run(f"mv src {tmp_path}/away; echo 1 > told", tree)
        await mirror.sees("told")
        before = len(mirror.hints)
        await run("echo 1 > inner/a; echo 2 > b", tmp_path / "away")
        await run("echo 2 > told-too", tree)
        await mirror.sees("told-too")
        told = {path for hint in mirror.hints[before:] for path in hint.paths or ()}
        assert told <= {"told", "told-too"}


@pytest.mark.parametrize("backend", BACKENDS)
async def test_a_rule_that_changes_brings_an_ignored_folder_back(tree, backend):
    rules = {"build"}
    async with watching(tree / ".ai", tree, ignored=rules.__contains__, backend=backend) as mirror:
        await run("mkdir build; echo 1 > build/a", tree)
        await run("echo 1 > seen", tree)
        await mirror.sees("seen")
        assert "build/a" not in mirror.paths
        rules.clear()
        await run(": > .gitignore", tree)
        await mirror.sees("build/a")
        await run("echo 2 > build/a", tree)
        await mirror.sees("build/a")


@needs_inotify
async def test_what_turns_out_to_be_ignored_is_left_and_what_is_tracked_is_entered(tree, monkeypatch):
    monkeypatch.setattr("ags_tui.io.inotify.ASK_AGAIN", (0.05, 0.1, 0.15, 0.3, 0.6, 1.2, 2.4))
    rules = {"build"}
    (tree / "build").mkdir()
    asked: list[str] = []

    def ignored(relative: str) -> bool:
        asked.append(relative)
        return relative in rules

    async with watching(tree / ".ai", tree, ignored=ignored, git_dirs=[tree / ".git"]) as mirror:
        await run("mkdir -p node_modules/x", tree)
        await mirror.until(lambda: "node_modules/x" in asked)
        rules.add("node_modules")
        before = asked.count("node_modules")
        await until(lambda: asked.count("node_modules") > before)
        await run(
            "echo 1 > node_modules/a; echo 1 > node_modules/x/b; echo 1 > build/seen-later; echo 1 > c", tree
        )
        await mirror.sees("c")
        assert "build/seen-later" not in mirror.paths
        rules.discard("build")  # not earlier: a slow machine would ask again before
        await run("echo 1 > .git/index", tree)
        await mirror.sees("build/seen-later")
        assert not [path for path in mirror.paths if path.startswith("node_modules/")]


async def until(fact, within=LOST):
    """Wait for a fact of another thread."""
    async with asyncio.timeout(within):
        while not fact():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def test_the_rules_are_asked_afresh_after_they_changed(tree):
    forgotten = []
    async with watching(
        tree / ".ai", tree, ignored=lambda _: False, forget=lambda: forgotten.append(1)
    ) as mirror:
        before = len(forgotten)
        await run("echo x > .gitignore", tree)
        await mirror.until(lambda: len(forgotten) > before)


def open_descriptors():
    return sorted(
        os.readlink(f"/proc/self/fd/{fd}")
        for fd in os.listdir("/proc/self/fd")
        if os.path.lexists(f"/proc/self/fd/{fd}")
    )


@needs_inotify
async def test_closing_gives_back_descriptors_watches_and_thread(tree):
    await asyncio.to_thread(open_descriptors)
    before = [name for name in open_descriptors() if "fd" not in name]
    for _ in range(3):
        async with watching(tree / ".ai", tree):
            assert any("inotify" in name for name in open_descriptors())
    assert [name for name in open_descriptors() if "fd" not in name] == before
    assert not [thread for thread in threading.enumerate() if thread.name == "watch"]


async def test_a_reminder_is_a_hint_in_time(tree):
    async with watching(tree / ".ai", tree) as mirror:
        before = len(mirror.hints)
        mirror.watcher.remind(frozenset({"t"}), 60)
        mirror.watcher.remind(frozenset({"t", "u"}), 0.05)
        await mirror.until(lambda: len(mirror.hints) > before, LOST)
        assert mirror.hints[-1].tasks == {"t", "u"}
        assert mirror.hints[-1].paths == frozenset()
        assert mirror.hints[-1].why == "reminder"


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_whatever_happens_the_mirror_equals_the_disk_in_the_end(tree, backend, seed):
    (tree / "src").mkdir()
    (tree / ".ai" / "tasks" / "t").mkdir()
    async with watching(tree / ".ai", tree, backend=backend) as mirror:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "tests.io.disturb", str(seed), "300", str(tree), cwd=CASES.parents[1]
        )
        assert await process.wait() == 0

        def equal() -> bool:
            src = {path: data for path, data in mirror.paths.items() if path.startswith("src/")}
            on_disk = {f"src/{name}": data for name, data in read_tree(tree / "src").items()}
            tasks = {
                name: read_tree(tree / ".ai" / "tasks" / name) for name in os.listdir(tree / ".ai" / "tasks")
            }
            return src == on_disk and mirror.tasks == tasks

        await mirror.until(equal)  # hundreds of events at once: in the end, however busy the machine is


async def test_a_watcher_can_run_again_but_not_twice_at_once(tree):
    one = Watcher(tree / ".ai", tree)
    first = one.hints()
    await anext(first)
    with pytest.raises(RuntimeError):
        await anext(one.hints())
    await first.aclose()
    second = one.hints()
    assert (await anext(second)).everything
    await second.aclose()


async def test_a_failure_in_the_thread_is_raised_where_hints_are_awaited(tree):
    def ignored(_relative: str) -> bool:
        raise ValueError("a bug of the caller")

    (tree / "src").mkdir()
    with pytest.raises(WatchFailed, match="a bug of the caller"):
        async for _hint in Watcher(tree / ".ai", tree, ignored=ignored).hints():
            pass
    assert not [thread for thread in threading.enumerate() if thread.name == "watch"]


async def test_what_comes_while_the_caller_works_is_one_hint(tree):
    watch = Watcher(tree / ".ai", tree)
    hints = watch.hints()
    await anext(hints)
    for number in range(20):
        await run(f"echo {number} > f{number}", tree)
    told: set[str] = set()
    taken = 0
    while told != {f"f{number}" for number in range(20)}:
        told |= (await asyncio.wait_for(anext(hints), LOST)).paths or set()
        taken += 1
    assert taken <= 3
    await hints.aclose()
