"""Runs a real client in an empty environment, in a scratch repository, against a scripted model server."""

import json
import os
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.clients.install import CLIENTS
from tests.clients.servers import Gemini, Messages, ModelServer, Responses

SERVERS: dict[str, type[ModelServer]] = {"claude-code": Messages, "codex": Responses, "gemini": Gemini}
"""Which API a client speaks."""


@dataclass(frozen=True)
class Desk:
    """A home folder and a repository of their own."""

    home: Path
    repo: Path

    @classmethod
    def lay(cls, folder: Path) -> "Desk":
        """Make both."""
        desk = cls(folder / "home", folder / "home" / "repo")
        desk.repo.mkdir(parents=True)
        for words in (
            ["git", "init", "-q", "-b", "main"],
            ["git", "config", "user.email", "dev@example.org"],
            ["git", "config", "user.name", "dev"],
        ):
            subprocess.run(words, cwd=desk.repo, env=desk.environment(), check=True)
        (desk.repo / "base.txt").write_text("base\n")
        subprocess.run(["git", "add", "-A"], cwd=desk.repo, env=desk.environment(), check=True)
        subprocess.run(["git", "commit", "-qm", "first"], cwd=desk.repo, env=desk.environment(), check=True)
        return desk

    def environment(self, **more: str) -> dict[str, str]:
        """An environment with nothing of ours in it."""
        path = os.pathsep.join(("/usr/local/bin", "/usr/bin", "/bin", *_node()))
        base = {"PATH": path, "HOME": str(self.home), "LANG": "C.UTF-8", "TERM": "xterm-256color"}
        return {**base, **more}


def _node() -> tuple[str, ...]:
    found = subprocess.run(["which", "node"], capture_output=True, text=True, check=False).stdout.strip()
    return (str(Path(found).parent),) if found else ()


def client_environment(agent: str, desk: Desk, server: ModelServer) -> dict[str, str]:
    """What points a client at the scripted server, and keeps it from anything else."""
    address = f"http://127.0.0.1:{server.port}"
    if agent == "claude-code":
        return desk.environment(
            ANTHROPIC_API_KEY="dummy", ANTHROPIC_BASE_URL=address,
            CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1", DISABLE_TELEMETRY="1",
            DISABLE_AUTOUPDATER="1", DISABLE_ERROR_REPORTING="1",
        )  # fmt: skip
    if agent == "codex":
        _codex_config(desk, address)
        return desk.environment(FAKE_KEY="dummy")
    lay_gemini_settings(desk)
    return desk.environment(
        GEMINI_API_KEY="dummy", GOOGLE_GEMINI_BASE_URL=address, GEMINI_CLI_TRUST_WORKSPACE="true"
    )


def _codex_config(desk: Desk, address: str) -> None:
    folder = desk.home / ".codex"
    folder.mkdir(exist_ok=True)
    path = folder / "config.toml"
    _, mark, trust = (path.read_text() if path.exists() else "").partition("[hooks.state.")
    path.write_text(
        f"""model = "gpt-5.5"
model_provider = "scripted"
check_for_update_on_startup = false
[analytics]
enabled = false
[feedback]
enabled = false
[model_providers.scripted]
name = "scripted"
base_url = "{address}/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
request_max_retries = 0
stream_max_retries = 0
[projects."{desk.repo}"]
trust_level = "trusted"
{mark}{trust}"""
    )


def lay_gemini_settings(desk: Desk) -> None:
    """Write the settings of Gemini's user, unless there are any."""
    folder = desk.home / ".gemini"
    folder.mkdir(exist_ok=True)
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
        "general": {
            "enableAutoUpdate": False,
            "disableAutoUpdate": True,
            "enableAutoUpdateNotification": False,
        },
    }
    path = folder / "settings.json"
    if not path.exists():  # it may hold hooks by now
        path.write_text(json.dumps(settings, indent=1))


WORDS = {
    "claude-code": ("-p", "do it", "--output-format", "json"),
    "codex": ("exec", "-s", "danger-full-access", "do it"),
    "gemini": ("-m", "gemini-2.5-flash", "--approval-mode", "yolo", "-p", "do it"),
}
"""Arguments of one turn without a terminal."""


@dataclass(frozen=True)
class Run:
    """How a client ended."""

    exit_code: int
    out: str
    err: str


class Started:
    """A running client."""

    def __init__(self, words: list[str], desk: Desk, environment: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            words, cwd=desk.repo, env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip

    def end(self, timeout_s: float = 45.0) -> Run:
        """Wait for its end; a client that hangs is killed with all that it started."""
        try:
            out, err = self.process.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            self.kill()
            out, err = self.process.communicate()
            raise AssertionError(f"the client did not end: {out[-500:]} {err[-500:]}") from None
        return Run(self.process.returncode, out, err)

    def kill(self) -> None:
        """Kill it and its children."""
        os.killpg(self.process.pid, signal.SIGKILL)


def start(agent: str, desk: Desk, server: ModelServer, *before: str, words: tuple[str, ...] = ()) -> Started:
    """Start a client for one turn.

    Args:
        agent: Which.
        desk: Where.
        server: What plays the model.
        before: Words before the client's own path (``ags-tui run …`` takes none of these).
        words: Further arguments of the client.
    """
    program = str(CLIENTS[agent].path)
    return Started([*before, program, *WORDS[agent], *words], desk, client_environment(agent, desk, server))
