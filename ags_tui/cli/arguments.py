"""Tells ``ags-tui [PATH]`` from a command, without importing anything: the TUI must not pay for commands."""

COMMANDS = {
    "init": ("ags_tui.cli.init", "make the .ai/ skeleton in this repository"),
    "doctor": ("ags_tui.cli.doctor", "check terminal, git, file system, keys and clients"),
    "config": ("ags_tui.cli.config", "where the settings file is"),
    "schema": ("ags_tui.cli.schema", "write the JSON Schemas of all contracts"),
    "task": ("ags_tui.cli.task", "make a task with its baseline"),
    "baseline": ("ags_tui.cli.baseline", "record the state from which a task is measured"),
    "close": ("ags_tui.cli.close", "close a session task"),
    "status": ("ags_tui.cli.status", "everything the overview shows"),
    "validate": ("ags_tui.cli.validate", "check contract files"),
    "scope": ("ags_tui.cli.scope", "classes of the changed paths, and the verdict"),
    "gate": ("ags_tui.cli.gate", "all conditions for finalization"),
    "route": ("ags_tui.cli.route", "what a result or an error asks for next"),
    "migrate": ("ags_tui.cli.migrate", "write a contract in a newer version beside the old file"),
    "report": ("ags_tui.cli.report", "the final report from observed facts"),
    "check": ("ags_tui.cli.check", "run the approved test commands of the plan and record what came out"),
    "request": ("ags_tui.cli.request", "agent side: ask for a tool call"),
    "escalate": ("ags_tui.cli.escalate", "agent side: ask a human a question"),
    "wait": ("ags_tui.cli.wait", "agent side: wait for the decision and take it"),
    "deny": ("ags_tui.cli.deny", "deny a request"),
    "block": ("ags_tui.cli.block", "block the finalization of a task"),
    "policy": ("ags_tui.cli.policy", "the rules for tool calls: list them, try a call, check the files"),
    "log": ("ags_tui.cli.log", "the log of a task"),
    "verify": ("ags_tui.cli.verify", "check chain and signatures of logs"),
    "run": ("ags_tui.cli.run", "start a coding agent with the hooks of ags-tui in place"),
    "connect": ("ags_tui.cli.connect", "write the hooks into an agent's own settings, or check them"),
    "hook": ("ags_tui.cli.hook", "what clients call: one verdict on one tool call"),
    "mcp": ("ags_tui.cli.mcp", "serve the tools of ags-tui to an agent's client, over MCP on stdio"),
    "demo": ("ags_tui.cli.demo", "play a scripted session in a scratch repository"),
}
"""Command names in the order of the help: module that holds it, and one line of help."""

VALUED = {"-C": "directory", "--root": "root", "--state": "state", "--config": "config"}
"""Global options that take a value."""


def split(arguments: list[str]) -> dict[str, str] | None:
    """Read the arguments of ``ags-tui [PATH]``.

    Args:
        arguments: what follows the program name.

    Returns:
        Options for the TUI by name (``directory``, ``root``, ``state``, ``config``, ``path``), or None where
        a command, an option of commands or something that must be explained was given.
    """
    found: dict[str, str] = {}
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        name, equals, value = word.partition("=")
        if word in VALUED:
            if not rest:
                return None
            found[VALUED[word]] = rest.pop(0)
        elif equals and name.startswith("--") and name in VALUED:
            found[VALUED[name]] = value
        elif word.startswith("-C") and not word.startswith("--"):
            found["directory"] = word[2:]
        elif word == "--":
            if len(rest) != 1 or "path" in found:
                return None if rest else found
            found["path"] = rest.pop(0)
        elif word.startswith("-") or "path" in found or word in COMMANDS:
            return None
        else:
            found["path"] = word
    return found
