"""A full disk, a read-only one, folders of somebody else: clear words from every command, nothing lost."""

import os
import pwd
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import TOP
from tests.io.test_log_disks import mounting
from tests.logs import fast_folder
from tests.other_user import as_ordinary_user

PREPARE = """
import atexit, os, subprocess, sys
from pathlib import Path
from ags_tui.__main__ import main
from tests.cli.human import Human
from tests.flows.stage import MAPPER, TASK, begin

class Forked:
    def run(self, arguments, cwd, environment, stdin):
        files = [top / name for name in ("in", "out", "err")]
        files[0].write_bytes(stdin)
        pid = os.fork()
        if pid == 0:
            code = 99
            try:
                for number, file in enumerate(files):
                    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC if number else os.O_RDONLY
                    os.dup2(os.open(file, flags, 0o600), number)
                os.chdir(cwd)
                os.environ.clear()
                os.environ.update(environment)
                sys.argv = ["ags-tui", *arguments]
                code = main()
            finally:
                sys.stdout.flush()
                atexit._run_exitfuncs()
                os._exit(code)
        _, status = os.waitpid(pid, 0)
        return os.waitstatus_to_exitcode(status), files[1].read_bytes(), files[2].read_bytes()

def check(condition, *facts):
    if not condition:
        sys.exit(f"not so: {facts}")

top, disk = Path(sys.argv[1]), Path(sys.argv[2])
(disk / "work").mkdir()
stage = begin(disk / "work", Forked())
stage.cli.folder = top
stage.human = Human(stage.cli)
stage.new_task()
stage.plan(MAPPER)
stage.look()
ask = ("--task", TASK, "--tool", "shell", "--command", "true", "--reason", "r", "--risk", "low")
done = stage.cli("request", *ask)
check(done.code == 0, done)
name, claim = done.out.split()
stage.human.approve(TASK, name.partition("/")[2])
log, taken = stage.folder() / "log", stage.folder() / "consumptions"

def refused(word):
    before = sorted(log.iterdir())
    for words in (
        ("block", TASK, "--reason", "no"), ("deny", name, "--reason", "no"), ("request", *ask),
        ("escalate", "--task", TASK, "--question", "q", "--option", "a=A"),
        ("wait", name, "--claim", claim, "--timeout", "0"), ("baseline", TASK, "--again"),
    ):
        done = stage.cli(*words)
        check(done.code in (1, 3), words, done)
        check(word in done.err, words, done)
        check("Traceback" not in done.err and done.err.count("\\n") == 1, words, done)
        check(done.out == "", words, done)
    check(sorted(log.iterdir()) == before)
    check(not taken.exists() or not list(taken.iterdir()))
    for words in (("status",), ("gate",), ("verify", TASK), ("log", TASK), ("scope", TASK)):
        done = stage.cli(*words)
        check(done.code in (0, 1, 3, 10) and "Traceback" not in done.err and done.out, words, done)
    check(stage.cli("verify", TASK).code == 0)

def works():
    check(stage.cli("block", TASK, "--reason", "no").code == 0)
    check(stage.cli("wait", name, "--claim", claim, "--timeout", "0").code == 0)
    check(stage.cli("verify", TASK).code == 0)
"""

FULL = """
ballast = disk / "ballast"
with ballast.open("wb", buffering=0) as stream:
    for size in (4096, 1):
        try:
            while True:
                stream.write(b"x" * size)
        except OSError:
            pass
refused("")
done = stage.cli("block", TASK, "--reason", "no")
check("disk is full" in done.err, done)
ballast.unlink()
works()
"""

READ_ONLY = """
subprocess.run(["mount", "-o", "remount,bind,ro", str(disk)], check=True)
refused("ead-only")
subprocess.run(["mount", "-o", "remount,bind,rw", str(disk)], check=True)
works()
"""

STATE_READ_ONLY = """
(disk / "state").mkdir()
for place in (top / "state").iterdir():
    subprocess.run(["cp", "-a", str(place), str(disk / "state")], check=True)
subprocess.run(["mount", "-o", "remount,bind,ro", str(disk)], check=True)
where = ("--state", str(disk / "state"), "--config", str(top / "config"))
for words in (("status",), ("gate",), ("verify", TASK)):
    done = stage.bare(*words, *where)
    check(done.code in (0, 1, 3) and "Traceback" not in done.err and done.out, words, done)
"""


@pytest.mark.parametrize(
    "body", [FULL, READ_ONLY, STATE_READ_ONLY], ids=["full", "read-only", "read-only-state"]
)
def test_a_real_disk_that_refuses(tmp_path: Path, body: str):
    words = mounting()
    if words is None:
        pytest.skip("this machine lets nobody mount a small file system")
    disk = tmp_path / "disk"
    disk.mkdir()
    script = tmp_path / "script.py"
    script.write_text(PREPARE + body)
    mount = 'mount -t tmpfs -o size=2m small "$1" && shift && exec "$@"'
    if os.geteuid() != 0:  # inside, this user is root, whose real home is closed to it
        mount = f"mount -t tmpfs home {shlex.quote(pwd.getpwuid(0).pw_dir)} && {mount}"
    done = subprocess.run(
        [*words, "sh", "-c", mount, "sh", str(disk), sys.executable, str(script), str(tmp_path), str(disk)],
        cwd=TOP, env={**os.environ, "PYTHONPATH": str(TOP)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


NOT_OURS = """
for place in (stage.folder(), log, stage.folder() / "tool-requests"):
    place.chmod(0o555)
refused("")
for place in (stage.folder(), log, stage.folder() / "tool-requests"):
    place.chmod(0o755)
works()
"""


def test_folders_that_this_user_may_not_write():
    with fast_folder() as top:
        script, disk = top / "script.py", top / "disk"
        script.write_text(PREPARE + NOT_OURS)
        disk.mkdir()
        command = as_ordinary_user([sys.executable, str(script), str(top), str(disk)], top, disk, script)
        own = {"PYTHONPATH": str(TOP), "HOME": str(top), "TMPDIR": str(top)}
        done = subprocess.run(
            command, cwd=TOP, env={**os.environ, **own}, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
