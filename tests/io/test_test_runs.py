"""Planned test commands: run as approved, streamed, bounded, and ended as a whole group."""

import os
import signal
import threading
from pathlib import Path

import pytest

from ags_tui.core.digests import digest
from ags_tui.io import run_logs
from ags_tui.io.processes import clean_environment, command_line
from ags_tui.io.test_runs import CommandRun, CommandRunner, RunImpossible

ENVIRONMENT = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"}


class Bench:
    """A task folder and a work tree."""

    def __init__(self, folder: Path) -> None:
        self.task = folder / "task"
        self.tree = folder / "tree"
        self.task.mkdir()
        self.tree.mkdir()
        self.output = b""
        self.cancel = threading.Event()

    def runner(self, *, timeout_s: float = 30) -> CommandRunner:
        return CommandRunner(
            self.task, self.tree, environment=ENVIRONMENT, timeout_s=timeout_s, cancel=self.cancel
        )

    def keep(self, data: bytes) -> None:
        self.output += data

    def run(self, command: str, *, timeout_s: float = 30) -> CommandRun:
        return self.runner(timeout_s=timeout_s).run(command, 1, self.keep)

    def log(self, run: CommandRun) -> bytes:
        return (self.task / run.artifact).read_bytes()


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("npm test -- login", ("npm", "test", "--", "login")),
        ("xcodebuild test -only-testing:A/B", ("xcodebuild", "test", "-only-testing:A/B")),
        ("a && b", ("/bin/sh", "-c", "a && b")),
        ("CI=1 npm test", ("/bin/sh", "-c", "CI=1 npm test")),
        ("ls *.py", ("/bin/sh", "-c", "ls *.py")),
        ("echo $HOME", ("/bin/sh", "-c", "echo $HOME")),
        ("echo 'a b'", ("/bin/sh", "-c", "echo 'a b'")),
        ("a\nb", ("/bin/sh", "-c", "a\nb")),
        ("~/bin/x", ("/bin/sh", "-c", "~/bin/x")),
        ("   ", ("/bin/sh", "-c", "   ")),
        ("테스트", ("/bin/sh", "-c", "테스트")),
    ],
)
def test_only_plain_words_run_without_a_shell(command: str, arguments: tuple[str, ...]):
    assert command_line(command) == arguments


def test_environment_of_a_child_carries_nothing_of_ours():
    cleaned = clean_environment({
        "PATH": "/bin", "AGS_TASK": "x", "AGS_TUI_THEME": "y", "GIT_DIR": "/other", "GIT_INDEX_FILE": "/i",
        "GIT_AUTHOR_NAME": "me",
    })  # fmt: skip
    assert cleaned == {"PATH": "/bin", "GIT_AUTHOR_NAME": "me"}


def test_exit_code_output_and_log_agree(bench: Bench):
    run = bench.run("echo out; echo err >&2; exit 3")
    assert run.end.exit_code == 3
    assert not run.passed
    assert bench.output == b"out\nerr\n"
    assert bench.log(run) == bench.output
    assert run.digest == digest(bench.log(run))
    assert run.artifact.startswith("artifacts/check-1-echo-out")


def test_runs_in_the_work_tree_with_nothing_on_stdin(bench: Bench):
    run = bench.run("pwd; cat")
    assert run.passed
    assert bench.output.decode().strip() == str(bench.tree)


def test_missing_program_is_127_and_says_so(bench: Bench):
    run = bench.run("no-such-program-here --now")
    assert run.end.exit_code == 127
    assert b"no-such-program-here" in bench.log(run)


def test_signal_counts_as_128_and_more(bench: Bench):
    assert bench.run("kill -KILL $$").end.exit_code == 128 + signal.SIGKILL


def test_numbers_go_on_and_never_overwrite(bench: Bench):
    (bench.task / "artifacts").mkdir()
    (bench.task / "artifacts" / "check-7-old.log").write_text("kept")
    first, second = bench.run("echo a"), bench.run("echo a")
    assert (first.number, second.number) == (8, 9)
    assert (bench.task / "artifacts" / "check-7-old.log").read_text() == "kept"


def test_log_is_bounded_and_says_what_is_missing(bench: Bench, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(run_logs, "HEAD_BYTES", 1000)
    monkeypatch.setattr(run_logs, "TAIL_BYTES", 500)
    run = bench.run("i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done")
    log = bench.log(run)
    assert log.startswith(b"line 0\n")
    assert log.endswith(b"line 2999\n")
    note = f"[ags-tui: {run.left_out} bytes left out here]".encode()
    assert note in log
    assert len(log) == 1000 + len(note) + 2 + 500
    assert run.left_out == len(bench.output) - 1500
    assert run.digest == digest(log)


def test_time_limit_ends_the_group(bench: Bench):
    run = bench.run("sleep 300 & echo $!; wait", timeout_s=0.5)
    assert run.end.timed_out
    assert run.end.exit_code is None
    assert not alive(int(bench.output))


def test_cancel_ends_the_group_and_all_that_follows(bench: Bench):
    runner = bench.runner()
    started = threading.Event()

    def keep(data: bytes) -> None:
        bench.keep(data)
        started.set()

    runs: list[CommandRun] = []
    thread = threading.Thread(target=lambda: runs.append(runner.run("sleep 300 & echo $!; wait", 1, keep)))
    thread.start()
    assert started.wait(10)
    bench.cancel.set()
    thread.join(10)
    assert runs[0].end.cancelled
    assert runs[0].end.exit_code is None
    assert not alive(int(bench.output))
    assert runner.run("echo never", 2, bench.keep).end.cancelled


def test_child_that_ignores_the_polite_signal_is_killed(bench: Bench):
    run = bench.run("trap '' TERM; echo $$; sleep 300; sleep 300", timeout_s=0.3)
    assert run.end.timed_out
    assert not alive(int(bench.output.split()[0]))


def test_what_a_command_leaves_running_ends_with_it(bench: Bench):
    run = bench.run("(trap '' HUP; sleep 300) & echo $!")
    assert run.passed
    assert not alive(int(bench.output))


def test_link_instead_of_artifacts_is_refused_and_nothing_runs(bench: Bench, tmp_path: Path):
    (tmp_path / "elsewhere").mkdir()
    (bench.task / "artifacts").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(RunImpossible, match="link"):
        bench.run("touch ran")
    assert not (bench.tree / "ran").exists()
    assert not list((tmp_path / "elsewhere").iterdir())


def test_full_disk_ends_the_command(bench: Bench, monkeypatch: pytest.MonkeyPatch):
    def full(self: run_logs.RunLog, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(run_logs.RunLog, "write", full)
    with pytest.raises(RunImpossible, match="No space"):
        bench.run("echo a; sleep 300")


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return not zombie(pid)


def zombie(pid: int) -> bool:
    """A killed grandchild that nobody reaps (no init in a container) has ended all the same."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return False


def test_reader_of_a_dead_process_is_right():
    assert alive(os.getpid())


def test_log_is_bounded_where_all_comes_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(run_logs, "HEAD_BYTES", 4)
    monkeypatch.setattr(run_logs, "TAIL_BYTES", 3)
    with run_logs.RunLog(tmp_path, "cmd", 1) as log:
        log.write(b"0123456789")
    assert log.left_out == 3
    assert (tmp_path / log.name).read_bytes() == b"0123\n[ags-tui: 3 bytes left out here]\n789"
