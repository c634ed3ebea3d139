"""``connect --check``: proves that a client calls our hook and that it decides; names what it cannot hold."""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ags_tui.agents.connect.clients import CLAUDE_CODE, CODEX, GEMINI, Client, wanted
from ags_tui.agents.connect.codex_trust import CodexUnasked, known_hooks
from ags_tui.agents.connect.command import HookCommand
from ags_tui.agents.connect.entries import lacking, ours_in
from ags_tui.agents.connect.holes import holes_of, version_of
from ags_tui.agents.connect.json_text import NotJson, parsed
from ags_tui.agents.connect.settings_files import CannotConnect, read_settings, settings_path
from ags_tui.agents.connect.start import PINNED, switched_off_by
from ags_tui.core.failures import AgsError
from ags_tui.io.places import Places
from ags_tui.io.trees import opt_in

State = Literal["ok", "hole", "broken"]
"""Proven; known and not to be closed here; does not hold."""

CALL_S = 60.0
"""Seconds for one call of the hook."""
VERSION_S = 30.0
"""Seconds for ``--version``."""
DENIED, ALLOWED = "ags-tui connect claude-code --remove", "ls"
"""Shell lines about which policy leaves no doubt."""

_PATH = "/usr/local/bin:/usr/bin:/bin"


@dataclass(frozen=True, slots=True)
class CheckRow:
    """What one check says."""

    area: str
    """``paths``, ``entries``, ``call``, ``version``, ``trust``, ``repository``; or the name of a hole."""
    state: State
    """How it stands."""
    message: str
    """What was found."""
    next_step: str = ""
    """What helps."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where a client is checked."""

    home: Path
    """Home folder of its user."""
    program: str
    """Absolute path of its program; empty where it was not found."""
    folder: Path
    """Where it would work."""
    top: str
    """Work tree around that folder; empty where there is none."""
    environment: Mapping[str, str]
    """What it would inherit."""
    places: Places
    """The user's folders."""


def check(client: Client, command: HookCommand, around: Surroundings) -> tuple[CheckRow, ...]:
    """Check everything about one client; runs its program and our hook.

    Args:
        client: Which.
        command: Our hook, as it should be called.
        around: Where.
    """
    version_row, version = _version(client, around)
    rows = [
        *_paths(command, around),
        _entries(client, command, around),
        _calls(client, command, around),
        version_row,
        *_trust(client, around),
        *_repository(client, around),
    ]
    holes = (CheckRow(one.name, "hole", one.text, one.cure) for one in holes_of(client, version))
    return (*rows, *holes)


def _paths(command: HookCommand, around: Surroundings) -> list[CheckRow]:
    rows: list[CheckRow] = []
    for path, what in ((command.python, "interpreter"), (command.script, "hook")):
        usable = os.access(path, os.X_OK if what == "interpreter" else os.R_OK) and os.path.isfile(path)
        if not usable:
            rows.append(
                CheckRow("paths", "broken", f"{path}: the {what} is not there", "install ags-tui again")
            )
    inside = [one for one in (command.script, command.python) if around.top and _within(one, around.top)]
    if inside:
        rows.append(
            CheckRow(
                "paths",
                "hole",
                f"{inside[0]} lies in this work tree, where an agent can change it",
                "install ags-tui elsewhere: uv tool install ags-tui",
            )
        )
    return rows or [CheckRow("paths", "ok", f"{command.python} and {command.script} are there")]


def _within(path: str, top: str) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(top)


def _entries(client: Client, command: HookCommand, around: Surroundings) -> CheckRow:
    path, again = settings_path(client, around.home), f"ags-tui connect {client.agent}"
    try:
        data = read_settings(path)
        text = data.decode() if data else ""
        if not text.strip() or not ours_in(text):
            return CheckRow("entries", "broken", f"{path}: holds no hook of ags-tui", again)
        gone = [
            word
            for calls in ours_in(text).values()
            for words in calls
            for word in words
            if os.path.isabs(word) and word.endswith((".py", "/python")) and not os.path.exists(word)
        ]
        missing = lacking(text, wanted(client, command))
    except (NotJson, UnicodeDecodeError, CannotConnect) as error:
        return CheckRow("entries", "broken", f"{path}: cannot be read: {error}", "correct it")
    if gone:
        return CheckRow("entries", "broken", f"{path}: calls {gone[0]}, which is not there", again)
    if missing:
        return CheckRow(
            "entries", "broken", f"{path}: not as it should be: {', '.join(missing)}", again
        )  # fmt: skip
    return CheckRow("entries", "ok", f"{path}: all {len(client.events)} events call this hook")


def _calls(client: Client, command: HookCommand, around: Surroundings) -> CheckRow:
    """Call the hook as the client would, with a state directory and a work tree for the occasion."""
    scratch = Path(os.path.realpath(tempfile.mkdtemp(prefix="ags-tui-check-")))
    try:
        top = scratch / "tree"
        top.mkdir()
        subprocess.run(
            ["git", "init", "-q", "--template=", str(top)],
            env={"PATH": around.environment.get("PATH", _PATH), "HOME": str(scratch)},
            capture_output=True, check=True, timeout=CALL_S,
        )  # fmt: skip
        opt_in(str(top), Places(scratch / "state", around.places.config))
        denied = _call(client, command, scratch, DENIED)
        allowed = _call(client, command, scratch, ALLOWED)
    except (OSError, subprocess.SubprocessError, AgsError) as error:
        return CheckRow("call", "broken", f"the hook could not be called: {error}", "run: ags-tui doctor")
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    if denied.returncode != 2 or not _denies(client, denied.stdout):
        return CheckRow(
            "call", "broken", f"the hook did not deny {DENIED!r}: {_said(denied)}", "install ags-tui again"
        )
    if allowed.returncode != 0:
        return CheckRow(
            "call",
            "broken",
            f"the hook did not allow {ALLOWED!r}: {_said(allowed)}",
            "run: ags-tui policy check",
        )
    reason = denied.stderr.decode("utf-8", "replace").strip().split("\n")[0]
    return CheckRow("call", "ok", f"called it: {ALLOWED!r} is allowed, {DENIED!r} is denied ({reason})")


def _call(
    client: Client, command: HookCommand, scratch: Path, line: str
) -> "subprocess.CompletedProcess[bytes]":
    gate = client.events[0]
    words = list(command.words(gate.name, gate.deadline_s))
    words[words.index("--state") + 1] = str(scratch / "state")
    payload: dict[str, Any] = {
        "session_id": "connect-check",
        "transcript_path": "",
        "cwd": str(scratch / "tree"),
        "hook_event_name": gate.name,
        "tool_name": "run_shell_command" if client is GEMINI else "Bash",
        "tool_input": {"command": line},
    }
    if client is not GEMINI:
        payload["tool_use_id"] = "check-1"
    return subprocess.run(
        words, input=json.dumps(payload).encode(), cwd=scratch / "tree", env={"PATH": _PATH},
        capture_output=True, check=False, timeout=CALL_S,
    )  # fmt: skip


def _denies(client: Client, out: bytes) -> bool:
    try:
        document: Any = json.loads(out)
        if client is GEMINI:
            return document["decision"] == "deny" and bool(document["reason"])
        said = document["hookSpecificOutput"]
        return said["permissionDecision"] == "deny" and bool(said["permissionDecisionReason"])
    except (ValueError, KeyError, TypeError):
        return False


def _said(done: "subprocess.CompletedProcess[bytes]") -> str:
    text = (done.stderr or done.stdout).decode("utf-8", "replace").strip()
    return f"exit code {done.returncode}: {text[:300]}"


def _version(client: Client, around: Surroundings) -> tuple[CheckRow, tuple[int, ...]]:
    if not around.program:
        text = f"{client.program}: not found on PATH, so its version and its holes are not known"
        return CheckRow("version", "broken", text, f"install {client.title}, or name it: --client FILE"), ()
    try:
        done = subprocess.run(
            [around.program, "--version"], cwd=around.folder, env=dict(around.environment),
            stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=VERSION_S,
        )  # fmt: skip
        said = done.stdout.decode("utf-8", "replace").strip().split("\n")[0]
    except (OSError, subprocess.SubprocessError) as error:
        return CheckRow("version", "broken", f"{around.program} --version: {error}", "look at it"), ()
    version = version_of(said)
    text = ".".join(map(str, version))
    if text in client.tested:
        return CheckRow("version", "ok", f"{client.title} {text}, with which this was tested"), version
    known = f"{client.title} {text}" if version else f"{client.title}: says {said[:80]!r}"
    message = (
        f"{known} is an unknown version: nothing here was tested with it (tested: {', '.join(client.tested)})"
    )
    return CheckRow("version", "hole", message, "try it before you rely on it"), version


def _trust(client: Client, around: Surroundings) -> Sequence[CheckRow]:
    """Whether Codex runs what stands in its file; it skips untrusted hooks in silence."""
    if client is not CODEX or not around.program:
        return ()
    path = str(settings_path(client, around.home))
    try:
        known = known_hooks(around.program, (), around.folder, around.environment)
    except CodexUnasked as error:
        return (CheckRow("trust", "hole", f"{error}", "open codex, /hooks, and look"),)
    ours = [one for one in known if os.path.realpath(one.path) == path]
    idle = [one for one in ours if not one.runs]
    if not ours:
        text = f"Codex knows no hook from {path}"
        return (CheckRow("trust", "broken", text, "ags-tui connect codex, or: ags-tui run codex"),)
    if idle:
        text = f"Codex skips {len(idle)} of {len(ours)} hooks in silence: they are {idle[0].trust}"
        return (CheckRow("trust", "broken", text, "open codex, /hooks, trust these; or: ags-tui run codex"),)
    return (CheckRow("trust", "ok", f"Codex trusts all {len(ours)} hooks"),)


def _loosened(settings: Mapping[str, object]) -> str:
    """What settings of a repository do to the hooks of Claude Code; empty for nothing."""
    if settings.get("disableAllHooks") is True:
        return "switches all hooks off"
    variables = settings.get("env")
    names = [name for name in (*PINNED, "PATH") if isinstance(variables, dict) and name in variables]
    return f"sets {', '.join(names)}, with which foreign code runs in the hook" if names else ""


def _variables_of(folder: Path, top: str) -> str:
    """What the ``.env`` that Gemini would read sets; empty for nothing that matters."""
    for place in (folder, *folder.parents):
        for path in (place / ".gemini" / ".env", place / ".env"):
            lines = (read_settings(path) or b"").decode("utf-8", "replace").split("\n")
            names = {line.removeprefix("export ").partition("=")[0].strip() for line in map(str.strip, lines)}
            found = [name for name in PINNED if name in names]
            if found:
                return f"{path}: sets {', '.join(found)}, with which foreign code runs in the hook"
        if str(place) == top:
            break
    return ""


def _repository(client: Client, around: Surroundings) -> Sequence[CheckRow]:
    """What the settings of this repository do to the hooks."""
    try:
        if client is GEMINI:
            found = switched_off_by(around.folder) or _variables_of(around.folder, around.top)
            return (CheckRow("repository", "broken", found, "remove it there"),) if found else ()
        if client is not CLAUDE_CODE:
            return ()
        for folder in {around.folder, Path(around.top or around.folder)}:
            for name in ("settings.json", "settings.local.json"):
                path = folder / ".claude" / name
                data = read_settings(path)
                found = _loosened(parsed(data.decode())) if data and data.strip() else ""
                if found:
                    step = "start with: ags-tui run claude-code"
                    return (CheckRow("repository", "broken", f"{path}: {found}", step),)
    except (NotJson, UnicodeDecodeError, CannotConnect) as error:
        return (CheckRow("repository", "hole", f"settings of this repository cannot be read: {error}"),)
    return ()
