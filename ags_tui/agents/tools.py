"""What the adapters share when they map a client's tools to contract names."""

import posixpath

from ags_tui.core.light import Iterable
from ags_tui.core.policy.calls import UNKNOWN_TOOL, ToolCall

INTERACTIVE = (
    "starts an interactive program; what is typed into it later passes no gate. Run one command instead."
)
"""Why a shell without a script is refused."""

_SHELLS = frozenset(["sh", "bash", "dash", "zsh", "ksh", "fish", "ash", "csh", "tcsh"])
_REPLS = frozenset(
    [
        "python",
        "python2",
        "python3",
        "pypy",
        "pypy3",
        "ipython",
        "bpython",
        "node",
        "deno",
        "bun",
        "irb",
        "pry",
        "ruby",
        "php",
        "lua",
        "perl",
        "ghci",
        "scala",
        "jshell",
        "julia",
        "R",
        "sqlite3",
        "psql",
        "mysql",
        "mongosh",
        "redis-cli",
        "bc",
        "dc",
        "gdb",
        "lldb",
        "pdb",
        "ed",
        "ex",
        "vi",
        "vim",
        "nvim",
        "nano",
        "emacs",
        "screen",
        "tmux",
        "script",
        "su",
        "ssh",
        "telnet",
        "nc",
    ]
)
_WRAPPERS = frozenset(
    [
        "exec",
        "env",
        "command",
        "builtin",
        "nohup",
        "nice",
        "time",
        "sudo",
        "doas",
        "setsid",
        "stdbuf",
        "winpty",
        "unbuffer",
    ]
)
_WILD = frozenset("*?[{")


def unknown_call(name: str, cwd: str, agent: str) -> ToolCall:
    """A call of a tool that no contract name fits."""
    return ToolCall(UNKNOWN_TOOL, name, cwd=cwd, agent=agent)


def searched_paths(path: str, pattern: str) -> tuple[str, ...]:
    """Folders that a search looks into, by its folder and its file pattern.

    Args:
        path: Folder or file of the search; empty for the folder of the call.
        pattern: Glob pattern of file names, from that folder; may be absolute.

    Returns:
        The folder, and where the pattern leads out of it; ``/`` where that cannot be told.
    """
    base = path or "."
    names = pattern.split("/")
    literal: list[str] = []
    for name in names:
        if _WILD.intersection(name):
            break
        literal.append(name)
    if pattern.startswith("~"):
        return (base, "/")
    if ".." in names[len(literal) :] or (
        "{" in pattern and (".." in pattern or "{/" in pattern or ",/" in pattern)
    ):
        return (base, "/")
    if pattern.startswith("/"):
        return ("/".join(literal) or "/",)
    if ".." in literal:
        return (base, posixpath.join(base, *literal))
    return (base,)


def interactive_shell(command: str) -> str:
    """Say why a shell line cannot be gated: it starts a program that reads commands from its terminal.

    A quick look at words, for the client whose model can type into a running program. It finds the plain
    cases; others are for the shell analysis to ask about.

    Returns:
        The reason, or empty text.
    """
    for line in command.replace("||", "\n").replace("&&", "\n").replace(";", "\n").split("\n"):
        first, *_ = line.split("|")
        words = first.replace("(", " ").replace(")", " ").replace("{", " ").replace("}", " ").split()
        name = _interactive(words)
        if name:
            return f"{name} {INTERACTIVE}"
    return ""


def _interactive(words: list[str]) -> str:
    while words and (words[0].rpartition("/")[2].lstrip("\\") in _WRAPPERS or "=" in words[0]):
        words = words[1:]
        while words and words[0].startswith("-"):
            words = words[1:]
    if not words:
        return ""
    name = words[0].rpartition("/")[2].lstrip("\\").strip("'\"")
    plain = name.rstrip("0123456789.")
    rest = words[1:]
    if any("<" in word for word in rest):
        return ""
    if name in _SHELLS:
        return name if _only_options(rest) or _asks_for_it(rest) else ""
    if name in _REPLS or plain in _REPLS:
        return name if not rest or _asks_for_it(rest) else ""
    return ""


def _only_options(words: Iterable[str]) -> bool:
    """Whether nothing names a script or a command: ``-c`` does."""
    return all(word.startswith(("-", "+", "2>", ">", "&")) and not _runs_text(word) for word in words)


def _runs_text(word: str) -> bool:
    return word.startswith("-") and not word.startswith("--") and "c" in word


def _asks_for_it(words: Iterable[str]) -> bool:
    """``-i`` keeps a program at its prompt also behind a script."""
    return any(word in ("-i", "-s", "--interactive", "-li", "-il", "-ic", "-lic", "-is") for word in words)
