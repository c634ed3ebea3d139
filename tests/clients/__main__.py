"""Tries the real clients; what cannot be tried is said loudly, and is never a pass."""

import os
import subprocess
import sys

from tests.clients.install import CHOICE, CLIENTS, install

INSTALL_S = 120.0
"""Seconds for the installation of one client."""


def main(arguments: list[str]) -> int:
    """Install what can be installed, run the tests on that, and say what was not run.

    Args:
        arguments: Further arguments for pytest.

    Returns:
        Exit code of pytest; 0 where no client can be had, which is said.
    """
    missing = {name: install(client, INSTALL_S) for name, client in CLIENTS.items()}
    if sys.platform != "linux":
        missing = dict.fromkeys(missing, "these tests look into /proc, which only Linux has")
    there = [name for name, why in missing.items() if not why]
    code = 0
    if there:
        code = tried(there, arguments)
        if code == 1:  # programs of others, with clocks of their own: a fault that stays fails
            print("real clients: FAILED once, tried again")
            code = tried(there, arguments)
    verdict = "FAILED" if code else "passed"
    versions = [f"{name} {CLIENTS[name].version}" for name in there]
    print(f"real clients: {verdict}: {', '.join(versions)}" if there else "real clients: none was tried")
    for name, why in missing.items():
        if why:
            print(f"NOT RUN: {name} {CLIENTS[name].version}: {why}")
    return code


def tried(there: list[str], arguments: list[str]) -> int:
    """Run the tests on these clients; gives pytest's exit code."""
    words = [sys.executable, "-m", "pytest", "tests/clients", "-n", "2", "--dist", "worksteal", *arguments]
    return subprocess.run(words, env={**os.environ, CHOICE: " ".join(there)}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
