"""Starts commands in forked processes and kills them at a given moment; only the imports are shared."""

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PROGRAM = r"""
import atexit, importlib, importlib.util, json, os, select, signal, sys, time
from ags_tui.cli.arguments import COMMANDS
from ags_tui.__main__ import main
from ags_tui.core import drafts
from ags_tui.core.checks.assess import assess
from ags_tui.io.places import Places
from ags_tui.io.workspace import Workspace
for name, (module, _) in COMMANDS.items():
    if name not in ("demo",) and importlib.util.find_spec(module):
        importlib.import_module(module)

def approve(work, state, config, task, item):
    workspace = Workspace.open(work, places=Places(state, config))
    snapshot = workspace.read()
    pending = assess(snapshot, snapshot.taken_at).pending
    found = [one for one in pending if (one.task_id, one.item_id) == (task, item)]
    if not found:
        return 1
    workspace.record(drafts.approve(found[0], drafts.Viewing()))
    return 0

for line in sys.stdin:
    job = json.loads(line)
    pid = os.fork()
    if pid == 0:
        code = 99
        try:
            os.setsid()
            out = os.open(job["out"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            for number, target in ((0, os.open(os.devnull, os.O_RDONLY)), (1, out), (2, out)):
                os.dup2(target, number)
            os.chdir(job["cwd"])
            os.environ.clear()
            os.environ.update(job["env"])
            from pathlib import Path
            if job["words"][0] == "approve":
                paths = [Path(word) for word in job["words"][1:4]]
                code = approve(*paths, *job["words"][4:])
            else:
                sys.argv = ["ags-tui", *job["words"]]
                code = main()
        finally:
            sys.stdout.flush()
            atexit._run_exitfuncs()
            os._exit(code)
    watched = os.pidfd_open(pid)
    ended, _, _ = select.select([watched], [], [], job["after"])
    if not ended:
        os.kill(pid, signal.SIGKILL)
    os.close(watched)
    _, status = os.waitpid(pid, 0)
    print(json.dumps(os.waitstatus_to_exitcode(status)), flush=True)
"""


@dataclass
class Killer:
    """The waiting process."""

    top: Path
    out: Path
    process: "subprocess.Popen[str]" = field(init=False)
    took_s: float = 0.0
    """How long the last one took that was not killed."""

    def __post_init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(self.top)},
        )  # fmt: skip

    def run(self, words: list[str], *, cwd: Path, env: dict[str, str], after: float) -> tuple[int, str]:
        """Run a command and kill it after some seconds.

        Returns:
            Exit code (-9 where it was killed) and what it had printed.
        """
        job: dict[str, Any] = {"words": words, "cwd": str(cwd), "env": env, "after": after}
        job["out"] = str(self.out)
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        started = time.monotonic()
        self.process.stdin.write(json.dumps(job) + "\n")
        self.process.stdin.flush()
        code = json.loads(self.process.stdout.readline())
        if code >= 0:
            self.took_s = time.monotonic() - started
        return code, self.out.read_text(errors="replace")

    def end(self) -> None:
        """Let it end."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(30)
        assert self.process.stdout is not None
        self.process.stdout.close()
