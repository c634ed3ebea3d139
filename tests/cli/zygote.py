"""A process that has imported everything once and forks for each command: real processes, a quick start.

Each command gets its own arguments, folder, environment and streams, and ends with its own exit code, as when
it is started by hand; only interpreter and imports are shared.
"""

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

PROGRAM = r"""
import atexit, contextlib, gc, importlib, importlib.util, json, os, sys
from ags_tui.cli.arguments import COMMANDS
from ags_tui.cli import entry, tui
for name, (module, _) in COMMANDS.items():
    if name != "demo" and importlib.util.find_spec(module):
        importlib.import_module(module)
for name in ("pydantic.type_adapter", "typer._adapters", "typer._click.decorators"):
    with contextlib.suppress(ImportError):  # typer of this version loads them for every command
        importlib.import_module(name)
from ags_tui.io import workspace
from ags_tui.__main__ import main

gc.freeze()  # a child does not copy the pages of what it only reads
for line in sys.stdin:
    job = json.loads(line)
    pid = os.fork()
    if pid == 0:
        for number, name in enumerate(job["streams"]):
            flags = os.O_RDONLY if number == 0 else os.O_WRONLY
            os.dup2(os.open(name, flags), number)
        os.chdir(job["cwd"])
        os.environ.clear()
        os.environ.update(job["env"])
        sys.argv = ["ags-tui", *job["arguments"]]
        sys.stdin = open(0, encoding="utf-8", closefd=False)
        code = 99
        try:
            code = main()
        finally:
            atexit._run_exitfuncs()  # folders of our own go when a process ends
            sys.stdout.flush()
            os._exit(code)
    _, status = os.waitpid(pid, 0)
    print(json.dumps(os.waitstatus_to_exitcode(status)), flush=True)
"""


@dataclass
class Zygote:
    """The waiting process."""

    top: Path
    process: "subprocess.Popen[str]" = field(init=False)

    def __post_init__(self) -> None:
        environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(self.top)}
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            text=True,
        )

    def run(
        self, arguments: list[str], cwd: Path, environment: dict[str, str], stdin: bytes
    ) -> tuple[int, bytes, bytes]:
        """Run one command; gives exit code, stdout and stderr."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with tempfile.TemporaryDirectory() as folder:
            paths = [Path(folder, name) for name in ("in", "out", "err")]
            paths[0].write_bytes(stdin)
            for path in paths[1:]:
                path.touch()
            job = {
                "arguments": arguments,
                "cwd": str(cwd),
                "env": environment,
                "streams": [str(p) for p in paths],
            }
            self.process.stdin.write(json.dumps(job) + "\n")
            self.process.stdin.flush()
            code = json.loads(self.process.stdout.readline())
            return code, paths[1].read_bytes(), paths[2].read_bytes()

    def end(self) -> None:
        """Let it end."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(30)
        assert self.process.stdout is not None
        self.process.stdout.close()
