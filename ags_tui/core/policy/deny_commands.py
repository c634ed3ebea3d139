"""Built-in denials by command: ags-tui under any spelling, and what drives the human's terminal."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType

from ags_tui.core.shell.model import SimpleCommand, Word
from ags_tui.core.shell.words import literal

AGENT_SIDE = frozenset({"request", "wait", "escalate", "status", "scope", "gate", "validate", "report"})
"""Commands of ags-tui that agents may call."""

_READING = frozenset({"--content-file", "--fixtures"})
_GLOBAL_VALUED = frozenset({"-C", "--root", "--state", "--config"})
_OWN_NAME = re.compile(r"ags[-_]tui(?:\.\w+)?(?:[@=~<>\[].*)?\Z")
_OWN_MODULE = re.compile(r"ags_tui(?:\.|\Z)")
_PYTHON = re.compile(r"(?:python|pypy|pythonw)[\d.]*\Z|py\Z|ipython\d*\Z")
_RUNNERS = frozenset({"uv", "uvx", "pipx", "poetry", "pdm", "hatch", "rye", "pixi", "conda", "mamba", "nix"})
_INTERPRETERS = frozenset(
    {"perl", "ruby", "node", "deno", "bun", "php", "lua", "osascript", "expect", "awk", "gawk"}
)
_CODE = re.compile(r"[\s(\"';]")
_KEYS = "it presses keys in a terminal, where a human decides"
_OWN = (
    "ags-tui is for the human; of it agents call only "
    + ", ".join(sorted(AGENT_SIDE))
    + " by that plain name"
)


def denied(command: SimpleCommand) -> tuple[str, str]:
    """Id and reason of the built-in that denies a command; two empty texts for none.

    Args:
        command: a command, one that another starts, or a suspicion.
    """
    words = [word.text if word.value is None else word.value for word in command.words]
    name = words[0].rpartition("/")[2].casefold()
    if _own_call(name, words):
        return "ags-tui", _OWN
    drives = _TERMINALS.get(name)
    if drives and drives([word.casefold() for word in words[1:]]):
        return "terminal", _KEYS
    if interprets(command):
        return program_text(word for word in words[1:] if _CODE.search(word))
    return "", ""


def interprets(command: SimpleCommand) -> bool:
    """Whether a command runs programs that it gets as text."""
    name = (command.name or "").rpartition("/")[2].casefold()
    return _PYTHON.match(name) is not None or name in _INTERPRETERS


def program_text(texts: Iterable[str]) -> tuple[str, str]:
    """Id and reason of the built-in that denies the text of a program; two empty texts for none.

    Only what names ags-tui, or the system call that types into terminals, is found: text can hide the rest.
    """
    for text in texts:
        folded = text.casefold()
        if "tiocsti" in folded:
            return "terminal", _KEYS
        if "ags_tui" in folded or "ags-tui" in folded:
            return "ags-tui", _OWN
    return "", ""


def agent_side_files(command: SimpleCommand) -> list[Word] | None:
    """The files that one of the agent's own commands of ags-tui, in its plain form, reads; None for others.

    What it reads goes into a request, or into a message, which the agent can read.
    """
    words = [word.value for word in command.words]
    if len(words) < 2 or words[0] != "ags-tui" or words[1] not in AGENT_SIDE:
        return None
    chooses = ("--state", "--config", "--root", "--trust", "-C")
    if any(word is None or word.startswith(chooses) for word in words[2:]):
        return None
    found: list[Word] = []
    for word, before in zip(command.words[2:], words[1:], strict=False):
        name, equals, value = (word.value or "").partition("=")
        if equals and name in _READING:
            found.append(literal(value))
        elif before in _READING or (words[1] == "validate" and not name.startswith("-")):
            found.append(word)
    return [word for word in found if word.value != "-"]


def _own_call(name: str, words: Sequence[str]) -> bool:
    """Whether words call ags-tui for anything but the agent's side of it."""
    if _OWN_NAME.match(name):
        return not _agent_side(words[1:])
    if name == "hook.py" and "ags_tui" in words[0]:
        return True
    if _PYTHON.match(name):
        return _own_python(words)
    if name in _RUNNERS:
        for index, word in enumerate(words[1:], start=1):
            if _OWN_NAME.match(word.rpartition("/")[2].casefold()) and not _agent_side(words[index + 1 :]):
                return not _only_packaging(words)
    return False


def _only_packaging(words: Sequence[str]) -> bool:
    """``uv add ags-tui`` and its like install and start nothing."""
    return len(words) > 1 and words[1] in (
        "add",
        "remove",
        "pip",
        "lock",
        "sync",
        "install",
        "uninstall",
        "tree",
    )


def _agent_side(rest: Sequence[str]) -> bool:
    index = 0
    while index < len(rest) and rest[index].startswith("-"):
        index += 2 if rest[index] in _GLOBAL_VALUED else 1
    return index < len(rest) and rest[index] in AGENT_SIDE


def _own_python(words: Sequence[str]) -> bool:
    index = 1
    while index < len(words):
        word = words[index]
        if word == "-m" or re.match(r"-[bBdEhiIOPqsSuvx]*m", word):
            module = (
                words[index + 1] if word.endswith("m") and index + 1 < len(words) else word.partition("m")[2]
            )
            rest = words[index + 2 if word.endswith("m") else index + 1 :]
            if module in ("uv", "pipx", "runpy") and any(
                _OWN_MODULE.match(one) or _OWN_NAME.match(one) for one in rest
            ):
                return True
            own = _OWN_MODULE.match(module.casefold())
            return bool(own) and not (module == "ags_tui" and _agent_side(rest))
        if re.match(r"-[bBdEhiIOPqsSuvx]*c", word):
            return any("ags_tui" in one or "ags-tui" in one for one in words[index:])
        if word.startswith("-") and word != "-":
            index += 2 if word in ("-W", "-X", "--check-hash-based-pycs") else 1
            continue
        break
    script = words[index].casefold() if index < len(words) else ""
    parts = script.split("/")
    if _OWN_NAME.match(parts[-1]):
        return not _agent_side(words[index + 1 :])
    return len(parts) > 1 and "ags_tui" in parts[:-1] and parts[-1] in ("__main__.py", "hook.py", "entry.py")


def _any_prefix(*prefixes: str) -> Callable[[Sequence[str]], bool]:
    return lambda words: any(word.startswith(prefixes) for word in words)


def _any_text(*texts: str) -> Callable[[Sequence[str]], bool]:
    return lambda words: any(text in word for word in words for text in texts)


def _always(words: Sequence[str]) -> bool:
    return True


def _screen(words: Sequence[str]) -> bool:
    return any(re.match(r"-\w*x\Z", word) for word in words) and any(
        word.startswith(
            ("stuff", "paste", "readbuf", "process", "register", "exec", "eval", "source", "writebuf")
        )
        for word in words
    )


_TERMINALS: Mapping[str, Callable[[Sequence[str]], bool]] = MappingProxyType({
    "tmux": _any_prefix("send", "paste", "pipe-p", "pipep", "set-b", "setb", "loadb", "load-b"),
    "byobu": _any_prefix("send", "paste"),
    "screen": _screen,
    "kitty": _any_prefix("@"),
    "kitten": _any_prefix("@"),
    "wezterm": _any_prefix("send-text", "send"),
    "zellij": _any_prefix("write", "write-chars"),
    "osascript": _any_text("keystroke", "key code", "do script", "write text", "key down"),
    "alacritty": _any_prefix("msg"),
    "konsole": _any_text("sendtext"),
    "qdbus": _any_text("sendtext", "runcommand"),
    "dbus-send": _any_text("sendtext", "runcommand"),
    "xdotool": _always, "ydotool": _always, "dotool": _always, "dotoolc": _always, "wtype": _always,
    "xte": _always, "cliclick": _always, "xvkbd": _always, "evemu-play": _always, "evemu-event": _always,
    "reptyr": _always, "ttyecho": _always, "injcode": _always, "dotoold": _always, "ydotoold": _always,
})  # fmt: skip
