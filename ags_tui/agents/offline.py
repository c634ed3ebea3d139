"""The slow road: a hook that found no decision server judges in its own process.

The same judge, with the same files; what needs a human gets ``when_absent``. Every call of a tool pays for
what is imported here: no contract, log or git is, unless the call needs it.
"""

import os
import sys
import time

from ags_tui.agents.alone import answer_alone
from ags_tui.agents.clients import adapter, deny_without_reading
from ags_tui.agents.events import SILENT, Reply, UnreadableEvent, silent
from ags_tui.agents.judge import UNHELD, Judge, failed
from ags_tui.agents.keep_verdict import Reals, keep_verdict, sweep_verdicts
from ags_tui.agents.tree_policy import TreePolicy
from ags_tui.core.failures import AgsError
from ags_tui.core.light import suppress
from ags_tui.io.places import Places, default_places
from ags_tui.io.sessions import tree_for_hook

KEPT_S = 2 * 86_400.0
"""Seconds for which the verdicts of a silent session are kept."""

_TASK = "AGS_TASK"


def run(agent: str, payload: bytes, why: str, arguments: list[str]) -> tuple[int, bytes, bytes]:
    """Answer one call of a hook without a decision server.

    Args:
        agent: ``claude-code``, ``codex`` or ``gemini``.
        payload: What its client wrote.
        why: ``absent``, ``stale``, ``unsound`` or ``no-verdict``: it makes no difference to the verdict.
        arguments: The hook's options: ``--state DIR``, ``--config DIR``, ``--event NAME``.

    Returns:
        Exit code, stdout, stderr.
    """
    del why
    reply = answered(agent, payload, arguments)
    return reply.exit_code, reply.stdout, reply.stderr


def answered(agent: str, payload: bytes, arguments: list[str]) -> Reply:
    """Answer one call of a hook.

    Args:
        agent: Which client.
        payload: What it wrote.
        arguments: The hook's options.
    """
    options = _options(arguments)
    try:
        client = adapter(agent)
        event = client.read(payload)
    except KeyError:
        return deny_without_reading(agent, f"there is no hook for {agent!r}")
    except UnreadableEvent as error:
        return deny_without_reading(
            agent, f"ags-tui cannot read this event: {error}", options.get("--event", "")
        )
    try:
        places = _places(options)
        tree = tree_for_hook(event.cwd, event.session_id, places)
        if tree is None:
            return SILENT
        reals, task = Reals(), os.environ.get(_TASK, "")
        judge = Judge(tree, places, policy=TreePolicy(tree, places, real=reals))
        answer = answer_alone(judge, event, task)
        reply = client.reply(event, answer)
        with suppress(AgsError, OSError, ValueError):  # what is not kept is judged again
            keep_verdict(judge, event, answer, reply, agent=agent, payload=payload, task=task, reals=reals)
            if event.event == "session-start":
                sweep_verdicts(places.state_dir, time.time() - KEPT_S)
        return reply
    except AgsError as error:
        if event.event in UNHELD:
            print(f"ags-tui: {error}", file=sys.stderr)
        answer = silent() if event.event in UNHELD else failed(error)
    return client.reply(event, answer)


def _places(options: dict[str, str]) -> Places:
    """The user's folders: as the arguments say, else by the password database; never by the environment."""
    state, config = options.get("--state"), options.get("--config")
    if state and config:
        return Places(state=os.path.abspath(state), config=os.path.abspath(config))
    usual = default_places()
    return Places(
        state=os.path.abspath(state) if state else usual.state_dir,
        config=os.path.abspath(config) if config else usual.config_dir,
    )


def _options(arguments: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for number, word in enumerate(arguments, 1):
        name, equals, value = word.partition("=")
        if name.startswith("--"):
            found[name] = value if equals else "".join(arguments[number : number + 1])
    return found
