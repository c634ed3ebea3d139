"""Where a client is known to let things past our hook, by version: what was seen, not what may be."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from ags_tui.agents.connect.clients import Client

Version = tuple[int, ...]
"""Numbers of a version."""


@dataclass(frozen=True, slots=True)
class Hole:
    """A way past the hook."""

    name: str
    """Short and stable, for scripts."""
    text: str
    """What happens."""
    cure: str
    """What helps."""
    applies: Callable[[Version], bool] = lambda _version: True
    """Whether a version has it."""


def version_of(text: str) -> Version:
    """The numbers of the first version in what a client prints; empty where there is none.

    Args:
        text: Output of ``--version``.
    """
    found = re.search(r"\d+(?:\.\d+)+", text)
    return tuple(int(number) for number in found.group().split(".")) if found else ()


def holes_of(client: Client, version: Version) -> tuple[Hole, ...]:
    """The known holes of a client at a version.

    Args:
        client: Which.
        version: Its version; empty for an unknown one, which may have all of them.
    """
    return tuple(hole for hole in _HOLES[client.agent] if not version or hole.applies(version))


_BARRIER = "the check in git and CI is the barrier: ags-tui connect git"
_VARIABLES = (
    "sets variables of the hook, and by LD_PRELOAD or OPENSSL_CONF a file of the repository runs in it"
)
_CLAUDE_CODE = (
    Hole(
        "fail-open",
        "before 2.1.295 a hook that crashes, hangs or is killed lets the call run (onFailure is not known)",
        "use Claude Code 2.1.295 or newer",
        lambda version: version < (2, 1, 295),
    ),
    Hole(
        "no-timeout",
        "before 2.1.295 a time limit above 2,147,483 s is taken for none, and the hook is ended at once",
        "use Claude Code 2.1.295 or newer",
        lambda version: version < (2, 1, 295),
    ),
    Hole(
        "stop-fail-open",
        "Stop and SubagentStop ignore onFailure: where that hook crashes, hangs or is killed the turn ends, "
        "and Esc ends it always",
        _BARRIER,
    ),
    Hole("stop-cap", "after 8 blocks a turn ends whatever the hook says", "ags-tui run raises that number"),
    Hole(
        "bare", "--bare, --safe-mode and CLAUDE_CODE_SIMPLE switch all hooks off", "ags-tui run refuses them"
    ),
    Hole(
        "local-settings",
        "disableAllHooks in a repository's .claude/settings.json or settings.local.json outranks your own "
        "settings when a session starts; in a running one the ConfigChange hook refuses it",
        "start with: ags-tui run claude-code",
    ),
    Hole(
        "repository-env",
        f"env in a repository's .claude/settings.json {_VARIABLES}",
        "start with: ags-tui run claude-code, which sets them first",
    ),
    Hole(
        "mentions",
        "@file in a prompt reads a file, and EndConversation ends the turn, without a hook",
        "they run nothing; look at what you mention",
    ),
    Hole(
        "trust-dialog", "before you accept the trust dialog of a work tree no hook runs", "nothing runs then"
    ),
)
_CODEX = (
    Hole(
        "untrusted",
        "Codex skips untrusted hooks in silence: open codex, /hooks, trust these; a changed entry must be "
        "trusted again",
        "or start with: ags-tui run codex",
    ),
    Hole(
        "fail-open",
        "a hook that crashes, is killed, cannot be found or takes longer than its limit lets the call run",
        f"the limit is a day and the hook ends before; {_BARRIER}",
    ),
    Hole(
        "write-stdin",
        "write_stdin types into a program that runs already, and calls no hook",
        "interactive shells are denied by default: leave it so",
    ),
    Hole(
        "code-mode",
        "in code mode the model goes on while a human still decides, after about 30 s",
        "the Stop hook holds the turn until every approval is settled; codex exec may end before it runs",
    ),
    Hole("stop-fail-open", "a Stop hook that crashes or is killed lets the turn end", _BARRIER),
    Hole(
        "disable",
        "--disable hooks and -c features.hooks=false switch all hooks off",
        "ags-tui run refuses them",
    ),
)
_GEMINI = (
    Hole(
        "fail-open",
        "a hook that is killed, crashes with exit code 1, or takes longer than its limit lets the call run",
        f"the limit is a day and the hook ends before; {_BARRIER}",
    ),
    Hole(
        "skip-trust",
        "--skip-trust runs your own hooks and silently none of the repository's; in a folder that you do not "
        "trust Gemini CLI runs no hook at all",
        "keep the hooks in your own settings, and trust the folder or leave it",
    ),
    Hole("acp", "with --acp no BeforeTool hook runs", "ags-tui run refuses it; use the terminal or -p"),
    Hole(
        "headless",
        "with -p shell and edits are offered only with --approval-mode yolo: the hook is the only gate then",
        "do not use yolo without the hook",
    ),
    Hole(
        "local-settings",
        "hooksConfig in a repository's .gemini/settings.json outranks your own settings and can switch hooks "
        "off",
        "ags-tui run refuses to start there",
    ),
    Hole(
        "repository-env",
        f".env of a repository {_VARIABLES}",
        "start with: ags-tui run gemini, which sets them first",
    ),
    Hole("stop-fail-open", "an AfterAgent hook that crashes or is killed lets the turn end", _BARRIER),
)
_HOLES: Mapping[str, tuple[Hole, ...]] = MappingProxyType(
    {"claude-code": _CLAUDE_CODE, "codex": _CODEX, "gemini": _GEMINI}
)
