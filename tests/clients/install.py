"""Installs the real clients at pinned versions into a cache outside the repository.

``python -m tests.clients.install`` prints where they are; it does nothing where they are already there.
"""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

CACHE = Path("~/.cache/ags-tui-clients").expanduser()
"""Where the clients are kept: about 900 MB."""

CHOICE = "CLIENTS_TO_TEST"
"""Variable that names the clients to try, with blanks between."""


@dataclass(frozen=True)
class Client:
    """One client at one version."""

    name: str
    package: str
    version: str
    program: str
    """Path below ``node_modules``; for Claude Code the native program, which needs no node."""

    @property
    def folder(self) -> Path:
        return CACHE / f"{self.name}-{self.version}"

    @property
    def path(self) -> Path:
        return self.folder / "node_modules" / self.program


def _machine() -> str:
    system = {"linux": "linux", "darwin": "darwin"}.get(sys.platform, sys.platform)
    chip = {"x86_64": "x64", "aarch64": "arm64", "arm64": "arm64"}.get(os.uname().machine, os.uname().machine)
    return f"{system}-{chip}"


CLIENTS = {
    client.name: client
    for client in (
        Client(
            "claude-code",
            "@anthropic-ai/claude-code",
            "2.1.332",
            f"@anthropic-ai/claude-code-{_machine()}/claude",
        ),
        Client("codex", "@openai/codex", "0.171.0", ".bin/codex"),
        Client("gemini", "@google/gemini-cli", "0.61.0", ".bin/gemini"),
    )
}


def install(client: Client, timeout_s: float = 300.0) -> str:
    """Install a client.

    Returns:
        Why it is not there; empty where it is.
    """
    if client.path.exists():
        return ""
    if shutil.which("npm") is None:
        return "npm is not installed"
    client.folder.mkdir(parents=True, exist_ok=True)
    (client.folder / "package.json").write_text('{"private": true}\n')
    words = [
        "npm",
        "install",
        "--no-audit",
        "--no-fund",
        "--ignore-scripts",
        f"{client.package}@{client.version}",
    ]
    try:
        done = subprocess.run(
            words, cwd=client.folder, capture_output=True, text=True, timeout=timeout_s, check=False
        )
    except subprocess.TimeoutExpired:
        return f"npm did not end within {timeout_s:.0f} s"
    if done.returncode or not client.path.exists():
        return f"npm ended with {done.returncode}: {done.stderr.strip()[-300:]}"
    return ""


def main() -> int:
    """Install all; say what is there and what is not."""
    missing = 0
    for client in CLIENTS.values():
        why = install(client)
        missing += bool(why)
        print(f"{client.name} {client.version}: {why or client.path}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
