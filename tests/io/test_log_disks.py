"""Real file systems that are full, read-only or not ours; a small one is mounted where that is allowed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.logs import fast_folder
from tests.other_user import as_ordinary_user

TOP = Path(__file__).resolve().parents[2]

PREPARE = """
import errno, os, sys
from pathlib import Path
from tests.logs import NOW, Desk, baseline_draft, block_draft, places_in
from ags_tui.core.checks.findings import Outcome
from ags_tui.io.keys import Keys
from ags_tui.io.log import LogUnwritable, read_log, record

top, disk = Path(sys.argv[1]), Path(sys.argv[2])
places = places_in(top)
folder = disk / "tasks" / "login-error-message"

def write(draft):
    return record(folder, draft, Keys.open(places), places, now=NOW, current=None)

def check(condition, *facts):
    if not condition:
        sys.exit(f"not so: {facts}")
"""

FULL = """
folder.mkdir(parents=True)
write(baseline_draft())
ballast = disk / "ballast"
with ballast.open("wb", buffering=0) as stream:
    try:
        while True:
            stream.write(b"x" * 4096)
    except OSError as error:
        check(error.errno == errno.ENOSPC, error)
try:
    write(block_draft())
    sys.exit("it was recorded on a full disk")
except LogUnwritable as error:
    check("disk is full" in str(error), error)
state = read_log(folder, Keys.open(places), places)
check(state.integrity is Outcome.PASSED and len(state.entries) == 1, state)
check(os.listdir(folder / "log") == ["000000.json"], os.listdir(folder / "log"))
ballast.unlink()
check(write(block_draft()).entry.sequence == 1)
"""

READ_ONLY = """
import subprocess
folder.mkdir(parents=True)
write(baseline_draft())
subprocess.run(["mount", "-o", "remount,bind,ro", str(disk)], check=True)
try:
    write(block_draft())
    sys.exit("it was recorded on a read-only disk")
except LogUnwritable as error:
    check("read-only" in str(error), error)
state = read_log(folder, Keys.open(places), places)
check(state.integrity is Outcome.PASSED and len(state.entries) == 1, state)
"""


def mounting() -> list[str] | None:
    """The words that run a command where it may mount; None where nothing may."""
    if sys.platform != "linux" or shutil.which("unshare") is None or shutil.which("mount") is None:
        return None
    words = ["unshare", "--mount", "--map-root-user", "--user"]
    tried = subprocess.run([*words, "mount", "-t", "tmpfs", "x", "/mnt"], capture_output=True, check=False)
    return words if tried.returncode == 0 else None


@pytest.mark.parametrize("body", [FULL, READ_ONLY], ids=["full", "read-only"])
def test_a_real_disk_that_refuses(tmp_path: Path, body: str):
    words = mounting()
    if words is None:
        pytest.skip("this machine lets nobody mount a small file system")
    disk = tmp_path / "disk"
    disk.mkdir()
    script = tmp_path / "script.py"
    script.write_text(PREPARE + body)
    mount = 'mount -t tmpfs -o size=256k small "$1" && shift && exec "$@"'
    done = subprocess.run(
        [*words, "sh", "-c", mount, "sh", str(disk), sys.executable, str(script), str(tmp_path), str(disk)],
        cwd=TOP, env={**os.environ, "PYTHONPATH": str(TOP)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


NOT_OURS = """
(folder / "log").chmod(0o555)
try:
    write(block_draft())
    sys.exit("it was recorded where we may not write")
except LogUnwritable as error:
    check("may not write" in str(error), error)
state = read_log(folder, Keys.open(places), places)
check(state.integrity is Outcome.PASSED and len(state.entries) == 1, state)
(folder / "log" / "000000.json").chmod(0)
state = read_log(folder, Keys.open(places), places)
check(state.integrity is Outcome.UNKNOWN, state)
(folder / "log" / "000000.json").chmod(0o644)
(folder / "log").chmod(0)
state = read_log(folder, Keys.open(places), places)
check(state.integrity is Outcome.UNKNOWN, state)
(folder / "log").chmod(0o755)
"""


def test_a_folder_that_this_user_may_not_write_or_read():
    with fast_folder() as top:
        script = top / "script.py"
        script.write_text(PREPARE + "folder.mkdir(parents=True)\nwrite(baseline_draft())\n" + NOT_OURS)
        command = as_ordinary_user([sys.executable, str(script), str(top), str(top / "disk")], top, script)
        own = {"PYTHONPATH": str(TOP), "TMPDIR": str(top)}
        done = subprocess.run(
            command, cwd=TOP, env={**os.environ, **own}, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
