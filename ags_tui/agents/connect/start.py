"""How a client is started under supervision: arguments and environment, settings outside of the work tree."""

import json
import os
import ssl
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import cast

from ags_tui.agents.connect.clients import CLAUDE_CODE, CODEX, GEMINI, Client, wanted
from ags_tui.agents.connect.codex_trust import CodexUnasked, KnownHook, known_hooks
from ags_tui.agents.connect.command import SCRIPT, HookCommand, installed_command
from ags_tui.agents.connect.entries import Wanted, lacking, put_in
from ags_tui.agents.connect.json_text import NotJson, parsed
from ags_tui.agents.connect.settings_files import FOLDER, read_settings, replace_file, settings_path
from ags_tui.core.failures import AgsError
from ags_tui.io.places import Places

PINNED = (
    "LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES", "DYLD_LIBRARY_PATH", "BASH_ENV",
    "ENV", "OPENSSL_CONF",
)  # fmt: skip
"""Variables that choose what runs in every child, the hook among them: a repository may not set them."""

STOP_CAP = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"
"""After so many blocks of one turn Claude Code lets it end whatever the hook says."""
_MOST_BLOCKS = "1000"
_GEMINI_PINNED = ("AGS_TASK", "GEMINI_CLI_HOME", "GEMINI_CLI_SYSTEM_SETTINGS_PATH")
_KEPT = ("AGS_TASK", "PATH", "HOME")
_OLD_S = 30 * 86_400.0
_ELSE = (
    f"Use a tested version ({', '.join(CODEX.tested)}), or: ags-tui connect codex, and trust the hooks "
    "in Codex (/hooks)"
)


_REFUSED: Mapping[str, Mapping[str, str]] = {
    "claude-code": {
        "--bare": "switches all hooks off; leave it out",
        "--safe-mode": "switches all hooks off; leave it out",
        "--settings": "is how ags-tui gives its hooks; put yours into ~/.claude/settings.json",
    },
    "codex": {
        "--remote": "Codex works elsewhere then, without these hooks; leave it out",
        "--dangerously-bypass-hook-trust": "would run the repository's own hooks, too; leave it out",
    },
    "gemini": {
        "--acp": "Gemini CLI calls no BeforeTool hook in this mode; leave it out",
        "--experimental-acp": "Gemini CLI calls no BeforeTool hook in this mode; leave it out",
    },
}
"""Options with which our hooks would not hold, and why."""


class CannotStart(AgsError):
    """A client cannot be started so that its hooks hold; the message says why and the next step."""


@dataclass(frozen=True, slots=True)
class Start:
    """A process to become."""

    words: tuple[str, ...]
    """Program and arguments."""
    environment: Mapping[str, str]
    """All of its environment."""
    notes: tuple[str, ...] = ()
    """What the human should know before it starts."""


def start_of(
    client: Client,
    program: str,
    arguments: Sequence[str],
    *,
    folder: Path,
    environment: Mapping[str, str],
    places: Places,
) -> Start:
    """Prepare the start of a client; writes its settings into the state directory.

    Args:
        client: Which.
        program: Absolute path of its program.
        arguments: What the human gave for it.
        folder: Where it is to work.
        environment: What it is to inherit.
        places: The user's folders.

    Raises:
        AgsError: Its hooks would not hold, or the settings cannot be written.
    """
    _refuse(client, arguments, environment)
    command = installed_command(client.agent, places)
    if client is CLAUDE_CODE:
        return _claude_code(command, program, arguments, environment, places)
    if client is CODEX:
        return _codex(command, program, arguments, folder, environment)
    return _gemini(command, program, arguments, folder, environment)


def _claude_code(
    command: HookCommand,
    program: str,
    arguments: Sequence[str],
    environment: Mapping[str, str],
    places: Places,
) -> Start:
    """Settings of the command line outrank the repository's, ``disableAllHooks`` and ``env`` among them."""
    child = {**environment, STOP_CAP: environment.get(STOP_CAP, _MOST_BLOCKS)}
    held = wanted(CLAUDE_CODE, command)
    pinned = {**_pinned("AGS_TASK"), **{name: child[name] for name in (*PINNED, *_KEPT) if name in child}}
    pinned[STOP_CAP] = child[STOP_CAP]
    switches = {**held.switches, **{("env", name): value for name, value in pinned.items()}}
    path = _kept_settings(CLAUDE_CODE, put_in("", Wanted(held.groups, switches)), places)
    return Start((program, "--settings", str(path), *arguments), child)


def _codex(
    command: HookCommand,
    program: str,
    arguments: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
) -> Start:
    """Hooks of the command line, trusted for this start by the digests that Codex itself gives for them."""
    groups = wanted(CODEX, command).groups
    flags = [
        word
        for event, group in groups.items()
        for word in ("-c", f"hooks.{event}=[{_toml(group)}]")
    ]  # fmt: skip
    flags += ["-c", "features.hooks=true"]
    lines = {str(group["hooks"][0]["command"]) for group in groups.values()}
    try:
        known = known_hooks(program, flags, folder, environment)
    except CodexUnasked as error:
        raise CannotStart(
            f"{error}; so it cannot be told whether Codex would call the hooks of ags-tui. {_ELSE}"
        ) from error
    own = [one for one in known if one.source == "sessionFlags" and one.command in lines]
    if len(own) != len(groups):
        raise CannotStart(
            f"{program}: takes {len(own)} of {len(groups)} hooks from its command line. {_ELSE}"
        )
    twice = [one for one in known if one not in own and SCRIPT in one.command]
    flags += ["-c", f"hooks.state={{{','.join((*map(_trusted, own), *map(_switched_off, twice)))}}}"]
    note = (
        "Codex takes the hooks of ags-tui from its command line and trusts exactly these, for this start; "
        "nothing is written into ~/.codex"
    )
    return Start((program, *flags, *arguments), dict(environment), (note,))


def _trusted(hook: KnownHook) -> str:
    return f"{_toml(hook.key)}={{trusted_hash={_toml(hook.digest)},enabled=true}}"


def _switched_off(hook: KnownHook) -> str:
    """The same hooks from another file would ask the human twice."""
    return f"{_toml(hook.key)}={{enabled=false}}"


def _gemini(
    command: HookCommand, program: str, arguments: Sequence[str], folder: Path, environment: Mapping[str, str]
) -> Start:
    """Gemini takes hooks from no argument, system settings from root alone: its user's must hold them.

    A repository's ``.env`` sets only what is not there: what runs foreign code in a hook is there, empty.
    """
    home = Path(environment.get("GEMINI_CLI_HOME") or environment.get("HOME") or os.sep)
    path = settings_path(GEMINI, home)
    step = "put them there: ags-tui connect gemini"
    try:
        missing = lacking((read_settings(path) or b"{}").decode(), wanted(GEMINI, command))
    except (NotJson, UnicodeDecodeError) as error:
        raise CannotStart(f"{path}: is not the JSON that ags-tui could read: {error}; {step}") from error
    if missing:
        raise CannotStart(f"{path}: lacks the hooks of this ags-tui ({', '.join(missing)}); {step}")
    off = switched_off_by(folder)
    if off:
        raise CannotStart(off)
    return Start((program, *arguments), {**_pinned(*_GEMINI_PINNED), **environment})


def _pinned(*more: str) -> dict[str, str]:
    """Values that change nothing, for what is not set; for OpenSSL the file that it reads anyway."""
    usual = Path(ssl.get_default_verify_paths().openssl_cafile).with_name("openssl.cnf")
    return {**dict.fromkeys((*PINNED, *more), ""), "OPENSSL_CONF": str(usual) if usual.is_file() else ""}


def switched_off_by(folder: Path) -> str:
    """Say how the settings of a work tree switch Gemini's hooks off; empty where they do not.

    Args:
        folder: Where Gemini works.

    Raises:
        AgsError: They cannot be read.
    """
    path = folder / ".gemini" / "settings.json"
    data = read_settings(path)
    if not data or not data.strip():
        return ""
    try:
        document = parsed(data.decode())
    except (NotJson, UnicodeDecodeError) as error:
        return f"{path}: cannot be read ({error}), so it cannot be told whether it switches the hooks off"
    found: object = document.get("hooksConfig")
    if found is None:
        return ""
    return f"{path}: sets hooksConfig, which can switch the hooks of ags-tui off; remove it there"


def _refuse(client: Client, arguments: Sequence[str], environment: Mapping[str, str]) -> None:
    """Refuse what would switch our hooks off.

    Raises:
        CannotStart: It would.
    """
    before = list(arguments[: list(arguments).index("--")] if "--" in arguments else arguments)
    given = [
        _option(word, following)
        for word, following in zip(before, [*before, ""][1:], strict=True)
        if word.startswith("-")
    ]
    simple = environment.get("CLAUDE_CODE_SIMPLE", "").lower()
    if client is CLAUDE_CODE and simple not in ("", "0", "false"):
        raise CannotStart("CLAUDE_CODE_SIMPLE switches all hooks of Claude Code off; unset it")
    for name, value in given:
        why = _REFUSED[client.agent].get(name, "")
        if not why and client is CODEX:
            why = _hooks_changed(name, value)
        if why:
            raise CannotStart(f"{name}: {why}")


def _option(word: str, following: str) -> tuple[str, str]:
    """Name and value of an option, in whatever form it was written."""
    if word.startswith("-c") and len(word) > 2:
        return "-c", word[2:].removeprefix("=")
    name, equals, value = word.partition("=")
    return name, value if equals else following


def _hooks_changed(name: str, value: str) -> str:
    """Why an option of Codex may not be given; empty where it may."""
    off = name == "--disable" and value == "hooks"
    config = name if name in ("-c", "--config") else ""
    changed = bool(config) and value.replace(" ", "").startswith(("hooks", "features.hooks", "features="))
    return f"{value!r} changes the hooks that ags-tui gives; leave it out" if off or changed else ""


def _kept_settings(client: Client, text: str, places: Places) -> Path:
    """Keep settings under a name of their content: they never change while a client watches them."""
    folder = places.state_folder(FOLDER, client.agent)
    path = folder / f"settings-{sha256(text.encode()).hexdigest()[:16]}.json"
    if read_settings(path) != text.encode():
        replace_file(path, text.encode(), 0o600)
    with suppress(OSError):
        os.utime(path)
        for old in folder.glob("settings-*.json"):
            if time.time() - old.stat().st_mtime > _OLD_S:
                old.unlink()
    return path


def _toml(value: object) -> str:
    """A value as TOML on one line."""
    if isinstance(value, Mapping):
        members = cast("Mapping[str, object]", value).items()
        return "{" + ",".join(f"{_toml(name)}={_toml(one)}" for name, one in members) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_toml, cast("list[object]", value))) + "]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
