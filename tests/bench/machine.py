"""Names the machine that a table was measured on."""

import os
import platform
import subprocess
from importlib.metadata import version
from pathlib import Path


def machine() -> str:
    """Processor, cores, kernel and the versions that matter, in one line."""
    facts = (
        f"{_processor()}, {os.cpu_count()} cores",
        f"{platform.system()} {platform.release()}",
        f"{platform.python_implementation()} {platform.python_version()}",
        _git(),
        f"Textual {version('textual')}",
    )
    return " · ".join(facts)


def load() -> float:
    """How many processes wanted a core in the last minute."""
    return os.getloadavg()[0]


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, "") or platform.processor() or platform.machine()


def _git() -> str:
    done = subprocess.run(["git", "--version"], capture_output=True, text=True, check=False)
    return done.stdout.strip().replace("git version", "git") or "git is missing"
