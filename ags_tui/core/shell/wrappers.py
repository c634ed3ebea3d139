"""Programs that start another one: which of their words is its name, or which string is its line."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from ags_tui.core.shell.marks import CWD, HOME, UNKNOWN
from ags_tui.core.shell.model import Word

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
_NUMERIC = re.compile(r"-\d+")
SHELLS = frozenset(
    {"sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "mksh", "rbash", "yash", "csh", "tcsh"}
)
"""Names of shells: their ``-c`` is a line of its own."""

_MOST = 64
_COMPUTED = "a line that a shell would run is computed"
_FED = "a shell would run what it reads"
_UNCLEAR = "the options of a wrapper are not known"


class _Wrapper(NamedTuple):
    """How the command line of a wrapper is read."""

    flags: str = ""
    """Short options without a value."""
    valued: str = ""
    """Short options with a value, attached or as the next word."""
    long_flags: tuple[str, ...] = ()
    """Long options without a value (or with one behind ``=``)."""
    long_valued: tuple[str, ...] = ()
    """Long options whose value may be the next word."""
    operands: int = 0
    """Words between the options and the name."""
    assignments: bool = False
    """Whether ``NAME=value`` words may stand before the name."""


_KEYWORD = _Wrapper(assignments=True)
"""A word of the shell itself, behind which a command begins anew."""

_EXACT = {
    "env": _Wrapper("i0v", "uCa", ("--ignore-environment", "--null", "--debug"),
                    ("--unset", "--chdir", "--argv0"), assignments=True),
    "timeout": _Wrapper("v", "ks", ("--preserve-status", "--foreground", "--verbose"),
                        ("--kill-after", "--signal"), operands=1),
    "nice": _Wrapper("", "n", (), ("--adjustment",)),
    "nohup": _Wrapper(),
    "stdbuf": _Wrapper("", "ioe", (), ("--input", "--output", "--error")),
    "time": _Wrapper("pvaqV", "fo", ("--portability", "--verbose", "--append", "--quiet"),
                     ("--format", "--output"), assignments=True),
    "sudo": _Wrapper("AbBEeHiKklNnPSs", "CDghpRrTtuU",
                     ("--askpass", "--background", "--preserve-env", "--set-home", "--login", "--shell",
                      "--non-interactive", "--stdin", "--reset-timestamp", "--preserve-groups"),
                     ("--user", "--group", "--host", "--prompt", "--chdir", "--chroot", "--role", "--type",
                      "--close-from", "--command-timeout"), assignments=True),
    "doas": _Wrapper("Lns", "aCu"),
    "xargs": _Wrapper("0rtpxo", "IELnPsdaJRS",
                      ("--null", "--no-run-if-empty", "--verbose", "--interactive", "--exit", "--open-tty"),
                      ("--replace", "--max-lines", "--max-args", "--max-procs", "--max-chars", "--delimiter",
                       "--arg-file", "--eof", "--process-slot-var")),
    "command": _Wrapper("p"),
    "builtin": _Wrapper(),
    "exec": _Wrapper("cl", "a"),
    "busybox": _Wrapper(),
    "toybox": _Wrapper(),
    "setsid": _Wrapper("cfw", "", ("--ctty", "--fork", "--wait")),
    "ionice": _Wrapper("t", "cnpPu", ("--ignore",), ("--class", "--classdata")),
    "caffeinate": _Wrapper("dimsu", "tw"),
    "unbuffer": _Wrapper("p"),
    "noglob": _KEYWORD, "nocorrect": _KEYWORD, "coproc": _KEYWORD, "-": _KEYWORD,
    "repeat": _Wrapper(operands=1),
    "then": _KEYWORD, "do": _KEYWORD, "else": _KEYWORD, "!": _KEYWORD, "{": _KEYWORD,
    "(": _KEYWORD, "if": _KEYWORD, "while": _KEYWORD, "until": _KEYWORD, "elif": _KEYWORD,
}  # fmt: skip

_LOOSE = frozenset({
    "flock", "watch", "script", "strace", "ltrace", "gdb", "lldb", "unshare", "nsenter", "chroot", "su",
    "runuser", "systemd-run", "parallel", "entr", "watchexec", "rlwrap", "xvfb-run", "taskset", "chrt",
    "numactl", "prlimit", "setpriv", "setarch", "linux32", "linux64", "direnv", "dotenv", "uv", "uvx",
    "pipx", "poetry", "pdm", "hatch", "rye", "pixi", "conda", "mamba", "micromamba", "npx", "pnpx",
    "bunx", "npm", "pnpm", "yarn", "bun", "bundle", "nix", "nix-shell", "devbox", "mise", "asdf",
    "docker", "podman", "ssh", "start-stop-daemon", "daemonize", "tmux", "screen", "zellij", "xterm",
    "kitty", "alacritty", "wezterm", "gnome-terminal", "konsole", "foot", "trap", "at", "batch",
    "crontab", "expect", "chronic", "ts", "retry", "hyperfine", "perf", "valgrind", "firejail", "bwrap",
    "sandbox-exec", "dbus-run-session", "ssh-agent", "fakeroot", "proot", "eatmydata", "catchsegv", "sg",
    "newgrp", "pkexec", "gosu", "su-exec", "tini", "dumb-init", "s6-setuidgid", "chpst", "make", "just",
    "task", "xdg-open", "open", "osascript", "winpty", "wsl", "mosh", "mapfile", "readarray", "complete",
    "bind", "enable", "hash",
})  # fmt: skip
"""Launchers whose options are not known one by one: any later word may begin what they start."""


_PACKAGING = frozenset({
    "add", "remove", "pip", "lock", "sync", "install", "uninstall", "tree", "update", "outdated",
    "list", "info",
})  # fmt: skip
"""What launchers that are package managers do without starting anything that is named."""


class Inner(NamedTuple):
    """What a wrapper starts."""

    spans: tuple[tuple[int, int], ...] = ()
    """Ranges of words that are commands."""
    scripts: tuple[str, ...] = ()
    """Strings that are shell lines."""
    sure: bool = True
    """Whether all options were known; otherwise it is a suspicion."""
    nothing: bool = False
    """Whether it is a wrapper that names nothing to start."""
    doubt: str = ""
    """Why what it starts cannot be told for certain, where that matters."""


def base_name(word: Word) -> str | None:
    """Name of the program without its folder; None where computed."""
    if word.value is None:
        return None
    return word.value.rpartition("/")[2] or word.value


def look_through(words: Sequence[Word]) -> Inner:
    """Find what a command starts, one level deep.

    Args:
        words: name and arguments.
    """
    name = base_name(words[0])
    if name is None and words[0].shape.startswith("="):  # zsh puts the path of the program in its place
        return Inner(scripts=(" ".join([words[0].shape[1:], *map(_likely, words[1:])]),), sure=False)
    if name is None:  # it may be empty, and then the next word is the name
        return Inner(((1, len(words)),), sure=False) if len(words) > 1 else Inner()
    name = name.casefold()
    if name in SHELLS:
        return _shell(words)
    if name in ("eval", "source", "."):
        values = [word.value for word in words[1:]]
        joined = " ".join(_likely(word) for word in words[1:])
        computed = None in values
        return (
            Inner((), (joined,), not computed, doubt=_COMPUTED if computed else "")
            if name == "eval" and joined
            else Inner()
        )
    if name in ("find", "fd", "fdfind"):
        return _find(words)
    if name == "git":
        return _git(words)
    if name in _EXACT:
        return _exact(words, name, _EXACT[name])
    packaging = len(words) > 1 and words[1].value in _PACKAGING
    return _loose(words) if name in _LOOSE and not packaging else Inner()


def _likely(word: Word) -> str:
    """The text of a word as far as it is known."""
    return word.shape.replace(UNKNOWN, " ").replace(HOME, "~").replace(CWD, ".")


def _loose(words: Sequence[Word]) -> Inner:
    """Every later word may begin a command, and every string with a blank may be a line."""
    spans: list[tuple[int, int]] = []
    scripts: list[str] = []
    for index, word in enumerate(words[1 : _MOST + 1], start=1):
        if word.value is None:
            continue
        if re.search(r"[\s;|&]", word.value):
            scripts.append(word.value.removeprefix("!"))
        elif not word.value.startswith("-") and not _ASSIGNMENT.match(word.value):
            spans.append((index, len(words)))
    return Inner(tuple(spans), tuple(scripts), sure=False)


def _unclear(words: Sequence[Word]) -> Inner:
    return _loose(words)._replace(doubt=_UNCLEAR)


def _exact(words: Sequence[Word], name: str, wrapper: _Wrapper) -> Inner:
    index = 1
    while index < len(words):
        value = words[index].value
        if value is None:
            if wrapper.assignments and "=" in words[index].shape:
                break
            return _unclear(words)
        if value == "--":
            index += 1
            break
        if name == "env" and (value.startswith(("-S", "--split-string")) or re.match(r"-[iv0]+S", value)):
            return _split_string(words, index)
        if name == "command" and value in ("-v", "-V", "-pv", "-pV"):
            return Inner()
        step = _option(value, name, wrapper)
        if step < 0:
            return _unclear(words)
        if step == 0:
            break
        index += step
    index += wrapper.operands
    while index < len(words) and _is_assignment(words[index], name):
        index += 1
    return Inner(((index, len(words)),)) if index < len(words) else Inner(nothing=True)


def _is_assignment(word: Word, name: str) -> bool:
    """``env`` takes any word with a ``=`` for one, whatever stands before it."""
    return "=" in word.shape if name == "env" else _ASSIGNMENT.match(word.shape) is not None


def _option(value: str, name: str, wrapper: _Wrapper) -> int:
    """How many words an option takes: 0 = it is none, -1 = it is not known."""
    if value == "-" and name == "env":
        return 1
    if len(value) < 2 or not value.startswith("-"):
        return 0
    if value.startswith("--"):
        option, equals, _ = value.partition("=")
        if option in wrapper.long_valued:
            return 1 if equals else 2
        return 1 if option in wrapper.long_flags else -1
    if name == "nice" and _NUMERIC.fullmatch(value):
        return 1
    for position, letter in enumerate(value[1:], start=2):
        if letter in wrapper.valued:
            return 1 if position < len(value) else 2
        if letter not in wrapper.flags:
            return -1
    return 1


def _split_string(words: Sequence[Word], index: int) -> Inner:
    value = words[index].value or ""
    text = re.sub(r"^(?:--split-string=?|-[iv0]*S)", "", value)
    rest = [word.value or word.text for word in words[index + 1 :]]
    return Inner(scripts=(" ".join([text, *rest]),), sure=False, doubt=_UNCLEAR)


def _shell(words: Sequence[Word]) -> Inner:
    """``sh -c LINE``: the first operand after an option that holds ``c``."""
    wanted = False
    index = 1
    while index < len(words):
        value = words[index].value
        if value is None:
            return Inner((), (_likely(words[index]),), sure=False, doubt=_COMPUTED)
        if value.startswith(("-", "+")) and value not in ("-", "--"):
            if value in ("--rcfile", "--init-file", "-o", "+o", "-O", "+O") or re.fullmatch(
                r"[-+]\w+[oO]", value
            ):
                index += 1
            wanted |= value == "--command" or (not value.startswith("--") and "c" in value)
            index += 1
            continue
        if value in ("-", "--"):
            index += 1
            continue
        return Inner(scripts=(value,)) if wanted else Inner()
    return Inner(doubt=_FED)


def _find(words: Sequence[Word]) -> Inner:
    spans: list[tuple[int, int]] = []
    index = 1
    while index < len(words):
        value = words[index].value
        if value in ("-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"):
            end = index + 1
            while end < len(words) and words[end].value not in (";", "+"):
                end += 1
            if index + 1 < end:
                spans.append((index + 1, end))
            index = end
        index += 1
    return Inner(tuple(spans))


def _git(words: Sequence[Word]) -> Inner:
    """Aliases on the command line, ``bisect run``, ``submodule foreach`` and ``--exec`` start programs."""
    spans: list[tuple[int, int]] = []
    scripts: list[str] = []
    for index, word in enumerate(words):
        value, before = word.value or "", words[index - 1].value
        if "=!" in value:
            scripts.append(value.partition("=!")[2])
        if value in ("run", "foreach") and index + 1 < len(words):
            spans.append((index + 1, len(words)))
            scripts.append(words[index + 1].value or "")
        if (
            before in ("-x", "--exec", "--extcmd", "--tree-filter", "--index-filter", "--msg-filter")
            and index > 1
        ):
            scripts.append(value)
        elif value.startswith(("--exec=", "--extcmd=", "--upload-pack=", "--receive-pack=")):
            scripts.append(value.partition("=")[2])
    return Inner(tuple(spans), tuple(scripts), sure=False)
