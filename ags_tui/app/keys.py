"""The one registry of keys: ids, keys, labels, tooltips and groups.

Bindings, key bar, help, palette and the key table of the README are all made from it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from textual.binding import Binding

MOVE, LOOK, DECIDE, WORK, PROGRAM, DIALOG, ANSWER, FINAL = (
    "Move", "Look", "Decide", "Work", "Program", "In the decision screen", "In the answer screen",
    "In the finalization screen",
)  # fmt: skip
"""Groups, in the order of the key table."""

GROUPS = (MOVE, LOOK, DECIDE, WORK, PROGRAM, DIALOG, ANSWER, FINAL)
"""All groups in order."""


@dataclass(frozen=True, slots=True)
class Key:
    """One thing that a key can do."""

    id: str
    """Stable id: name of the binding, of the palette command and in the ``[keys]`` table of the settings."""
    keys: tuple[str, ...]
    """Textual key names, the shown one first."""
    label: str
    """One or two words for the key bar."""
    tooltip: str
    """One sentence for help, palette and README."""
    group: str
    """One of ``GROUPS``."""
    bar: int = 0
    """Rank in the key bar: 1 is pinned to its end, then 2 stays longest; 0 keeps it out."""
    palette: bool = True
    """Whether the palette offers it."""
    bound: bool = True
    """False for keys that a dialog handles itself and that can therefore not be rebound."""


KEYS: tuple[Key, ...] = (
    Key("down", ("j", "down"), "down", "Move down.", MOVE, palette=False),
    Key("up", ("k", "up"), "up", "Move up.", MOVE, palette=False),
    Key("top", ("g", "home"), "top", "Go to the first line.", MOVE, palette=False),
    Key("bottom", ("G", "end"), "bottom", "Go to the last line.", MOVE, palette=False),
    Key("half-down", ("ctrl+d", "pagedown"), "half down", "Move half a page down.", MOVE, palette=False),
    Key("half-up", ("ctrl+u", "pageup"), "half up", "Move half a page up.", MOVE, palette=False),
    Key("left", ("left",), "left", "Show more at the left of long diff lines.", MOVE, palette=False),
    Key("right", ("right",), "right", "Show more at the right of long diff lines.", MOVE, palette=False),
    Key("next-pane", ("tab",), "pane", "Go to the next pane.", MOVE, bar=9, palette=False),
    Key("previous-pane", ("shift+tab",), "back", "Go to the previous pane.", MOVE, palette=False),
    Key("open", ("enter",), "open", "Open the selected thing; opening decides nothing.", MOVE, bar=7),
    Key("back", ("escape",), "back",
        "Close, clear the search, or return to the inbox.", MOVE, palette=False),
    Key("tab-1", ("1",), "needs you", "Show what needs you.", LOOK),
    Key("tab-2", ("2",), "request", "Show the request, or the task, in full.", LOOK),
    Key("tab-3", ("3",), "diff", "Show the diff.", LOOK),
    Key("tab-4", ("4",), "scope", "Show changed paths and the scope verdict.", LOOK),
    Key("tab-5", ("5",), "gate", "Show the gate.", LOOK),
    Key("tab-6", ("6",), "log", "Show the log of the task.", LOOK),
    Key("tab-7", ("7",), "calls", "Show the last calls of agents with their verdicts.", LOOK),
    Key("search", ("slash",), "search", "Search in the focused pane.", LOOK, bar=13),
    Key("search-next", ("n",), "next hit",
        "Go to the next hit; without a search, to what newly needs you.", LOOK, palette=False),
    Key("search-previous", ("N",), "previous hit",
        "Go to the previous hit, while a search is on.", LOOK, palette=False),
    Key("filter", ("f", "backslash"), "filter", "Keep only matching requests and tasks.", LOOK),
    Key("next-hunk", ("right_square_bracket",), "hunk",
        "Go to the next hunk of the diff.", LOOK, palette=False),
    Key("previous-hunk", ("left_square_bracket",), "hunk back",
        "Go to the previous hunk.", LOOK, palette=False),
    Key("next-file", ("right_curly_bracket",), "file",
        "Show the diff of the next changed file.", LOOK, palette=False),
    Key("previous-file", ("left_curly_bracket",), "file back",
        "Show the previous changed file.", LOOK, palette=False),
    Key("wrap", ("w",), "wrap", "Wrap long lines of the diff, or not.", LOOK, bar=15),
    Key("reviewed", ("m", "ctrl+g"), "reviewed",
        "Mark the file as reviewed at this content; ends when it changes.", LOOK, bar=10),
    Key("approve", ("a", "ctrl+a"), "approve…",
        "Open the decision screen; nothing is approved yet.", DECIDE, bar=2),
    Key("deny", ("d", "ctrl+x"), "deny…", "Deny the request with a reason.", DECIDE, bar=3),
    Key("answer", ("r", "ctrl+r"), "answer…", "Answer the escalation.", DECIDE, bar=2),
    Key("attest", ("space",), "attest…",
        "Attest sentences of the task that no rule can read.", DECIDE, bar=3),
    Key("block", ("b", "ctrl+b"), "block…", "Block finalization with a reason.", DECIDE, bar=5),
    Key("lift", ("u", "ctrl+l"), "lift…", "Lift a block.", DECIDE, bar=6),
    Key("finalize", ("F", "ctrl+f"), "finalize…",
        "Open the finalization screen with every condition.", DECIDE, bar=4),
    Key("close", ("C", "ctrl+k"), "close…", "Close the task without finalizing it, or reopen it.", DECIDE),
    Key("dismiss", ("x", "delete"), "dismiss",
        "Put away an expired or withdrawn request, or a call past the gate.", DECIDE, bar=2),
    Key("edit", ("e", "ctrl+e"), "editor",
        "Open the request (read-only) or the file in $EDITOR.", WORK, bar=8),
    Key("new-task", ("N", "ctrl+n"), "new task", "Write a new task with its baseline.", WORK, bar=12),
    Key("promote", ("p", "f6"), "promote…",
        "Make a session a planned task, by a plan drawn from what it touched.", WORK),
    Key("tests", ("t", "ctrl+t"), "tests",
        "Run the planned tests and record what is observed.", WORK, bar=11),
    Key("copy", ("y", "ctrl+y"), "copy", "Copy the path, command or id to the clipboard (OSC 52).", WORK),
    Key("demo", ("D", "f5"), "demo", "Play the demo, while there is no task.", WORK, bar=3),
    Key("rules", ("P",), "rules", "Show the rules for tool calls; try, trust and revoke.", PROGRAM),
    Key("alarms", ("exclamation_mark",), "alarms", "Read the alarms.", PROGRAM),
    Key("settings", ("comma",), "settings", "Glyphs, bell and theme.", PROGRAM),
    Key("theme", ("T",), "theme", "Choose a theme with live preview.", PROGRAM),
    Key("palette", ("ctrl+p", "colon"), "palette",
        "Find any command by its name.", PROGRAM, bar=1, palette=False),
    Key("help", ("question_mark", "f1"), "help", "Show all keys.", PROGRAM, bar=1),
    Key("quit", ("q", "ctrl+q"), "quit", "Go back, or quit from the inbox.", PROGRAM, bar=16),
    Key("interrupt", ("ctrl+c",), "quit", "Like q; copies instead while text is selected.", PROGRAM,
        palette=False, bound=False),
    Key("decision.approve", ("ctrl+o",), "approve once",
        "Approve, once everything asked for was seen.", DIALOG, palette=False, bound=False),
    Key("decision.reload", ("R",), "show new state",
        "Show the new state after “changed since shown”.", DIALOG, palette=False, bound=False),
    Key("decision.remember", ("ctrl+r",), "remember a rule",
        "Make a rule of exactly this call of an agent, widen it, and let it end.", DIALOG, palette=False,
        bound=False),
    Key("decision.deny", ("d", "ctrl+x"), "deny…",
        "Ask for a reason, then deny.", DIALOG, palette=False, bound=False),
    Key("decision.back", ("escape",), "back",
        "Leave without deciding.", DIALOG, palette=False, bound=False),
    *(
        Key(key_id, names, label, tooltip, group, palette=False, bound=False)
        for key_id, names, label, tooltip, group in (
            ("decision.code", ("0-9",), "code",
             "Type the code that a high risk asks for, once all was read.", DIALOG),
            ("decision.amend", ("p",), "for the task",
             "Let the approving key allow the path for the whole task, or only this once.", DIALOG),
            ("decision.edit", ("e",), "change it",
             "Change what the call of a client would run, or read the request in $EDITOR.", DIALOG),
            ("decision.undo", ("u",), "undo", "Take back what you changed of it.", DIALOG),
            ("decision.mark", ("m",), "mark", "Mark the hunk in sight as read, or not.", DIALOG),
            ("decision.wrap", ("w",), "wrap", "Wrap long lines, or not.", DIALOG),
            ("answer.choose", ("1-9",), "choose", "Choose an answer by its number.", ANSWER),
            ("answer.next", ("left_square_bracket", "right_square_bracket"), "next answer",
             "Choose the previous or the next answer.", ANSWER),
            ("answer.words", ("t",), "own words",
             "Answer in your own words, where the question takes them.", ANSWER),
            ("answer.evidence", ("e",), "evidence", "Open the evidence in place.", ANSWER),
            ("answer.give", ("ctrl+o",), "answer",
             "Give the chosen answer, once everything asked for was seen.", ANSWER),
            ("final.attest", ("space",), "attest",
             "Attest the sentence under the cursor, or take that back.", FINAL),
            ("final.tests", ("t", "ctrl+t"), "tests",
             "Run the planned tests; the screen then shows what was observed.", FINAL),
            ("final.code", ("0-9",), "code", "Type the code that a high risk asks for.", FINAL),
            ("final.block", ("b", "ctrl+b"), "block…", "Block finalization with a reason.", FINAL),
            ("final.finalize", ("ctrl+o",), "finalize", "Finalize, once every condition holds.", FINAL),
        )
    ),
)  # fmt: skip
"""The registry."""

BY_ID: Mapping[str, Key] = MappingProxyType({key.id: key for key in KEYS})
"""The registry by id."""

BAR_ORDER = (
    "approve", "deny", "answer", "dismiss", "attest", "block", "lift", "finalize", "edit", "open", "reviewed",
    "tests", "new-task", "demo", "search", "wrap", "next-pane", "help", "palette", "quit",
)  # fmt: skip
"""Ids of the key bar, left to right."""

NAVIGATION = frozenset({"down", "up", "top", "search-next"})
"""Ids whose single letters a Hangul layout may reach: they only move."""

_NAMES = {
    "slash": "/", "backslash": "\\", "question_mark": "?", "exclamation_mark": "!", "colon": ":",
    "comma": ",", "space": "Space", "enter": "Enter", "escape": "Esc", "tab": "Tab", "shift+tab": "Shift+Tab",
    "up": "↑", "down": "↓", "left": "←", "right": "→", "home": "Home", "end": "End", "pageup": "PgUp",
    "pagedown": "PgDn", "delete": "Del", "left_square_bracket": "[", "right_square_bracket": "]",
    "left_curly_bracket": "{", "right_curly_bracket": "}",
}  # fmt: skip


def shown(key: str, *, short: bool = False) -> str:
    """Name a key for a human: ``Ctrl+D`` in words, ``^d`` in the key bar."""
    if key in _NAMES:
        return _NAMES[key]
    if key.startswith("ctrl+"):
        rest = key.removeprefix("ctrl+")
        return f"^{rest}" if short else f"Ctrl+{rest.upper()}"
    return key.upper() if key.startswith("f") and key[1:].isdigit() else key


def bindings() -> list[Binding]:
    """Make the bindings of the main screen; every one runs ``do(id)``."""
    return [
        Binding(
            key=",".join(key.keys), action=f"do('{key.id}')", description=key.label, show=False,
            tooltip=key.tooltip, id=key.id,
        )
        for key in KEYS
        if key.bound
    ]  # fmt: skip


_SHEET = ("down", "up", "top", "bottom", "half-down", "half-up", "open")


def sheet_bindings() -> list[Binding]:
    """Make the bindings of sheets: the keys that move and open, and Esc or q to close."""
    made = [
        Binding(
            ",".join(BY_ID[key_id].keys), f"sheet('{key_id}')", BY_ID[key_id].label, show=False,
            tooltip=BY_ID[key_id].tooltip, id=key_id,
        )
        for key_id in _SHEET
    ]  # fmt: skip
    for key_id in ("back", "quit"):
        key = BY_ID[key_id]
        names = ",".join(name for name in key.keys if name != "ctrl+q")
        made.append(Binding(names, "sheet('close')", "close", show=False, tooltip="Close.", id=key_id))
    return made


def form_bindings() -> list[Binding]:
    """Make the bindings of forms: fields, writing, and Esc to leave."""
    return [
        Binding("tab", "app.focus_next", "next field", show=False, id="form.next", tooltip="Next field."),
        Binding(
            "shift+tab", "app.focus_previous", "field back", show=False, id="form.previous",
            tooltip="Previous field.",
        ),
        Binding("ctrl+s", "save", "write", show=False, id="form.save", tooltip="Write the task."),
        Binding("escape", "cancel", "back", show=False, id="back", tooltip="Leave without writing."),
    ]  # fmt: skip


def run_bindings() -> list[Binding]:
    """Make the bindings of a running test: scroll, cancel, close."""
    made = [
        Binding(",".join(key.keys), f"run('{key.id}')", key.label, show=False, tooltip=key.tooltip, id=key.id)
        for key in (BY_ID[key_id] for key_id in _SHEET if key_id != "open")
    ]
    made.append(
        Binding("x,delete", "run('cancel')", "cancel", show=False, id="run.cancel", tooltip="Cancel.")
    )
    made.append(Binding("escape,q", "run('close')", "close", show=False, id="back", tooltip="Close."))
    return made


def with_overrides(overrides: Mapping[str, str]) -> tuple[Mapping[str, Key], tuple[str, ...]]:
    """Apply the ``[keys]`` table of the settings.

    Args:
        overrides: Comma-separated Textual key names by id.

    Returns:
        The registry by id with the accepted keys, and one sentence for each override that was refused: an
        unknown id, a key that a dialog handles itself, no key at all, or a key that another id has.
    """
    wanted: dict[str, tuple[str, ...]] = {}
    problems: list[str] = []
    for key_id, text in overrides.items():
        known = BY_ID.get(key_id)
        names = tuple(_normal(part) for part in _split(text))
        if known is None:
            problems.append(f"keys.{key_id}: there is no such key id")
        elif not known.bound:
            problems.append(f"keys.{key_id}: this key is fixed")
        elif not names:
            problems.append(f"keys.{key_id}: names no key")
        else:
            wanted[key_id] = names
    taken = {name: key.id for key in KEYS if key.bound and key.id not in wanted for name in key.keys}
    result = dict(BY_ID)
    for key_id, names in wanted.items():
        clash = next((name for name in names if taken.get(name, key_id) != key_id), None)
        if clash is not None:
            problems.append(f"keys.{key_id}: {shown(clash)} already means “{taken[clash]}”")
            names = tuple(name for name in BY_ID[key_id].keys if taken.get(name, key_id) == key_id)
        taken.update(dict.fromkeys(names, key_id))
        known = BY_ID[key_id]
        result[key_id] = Key(
            known.id, names or known.keys, known.label, known.tooltip, known.group, known.bar, known.palette
        )
    return MappingProxyType(result), tuple(problems)


def keymap(registry: Mapping[str, Key]) -> dict[str, str]:
    """Give what ``App.set_keymap`` wants: only the ids whose keys differ from the built-in ones."""
    return {
        key.id: ",".join(key.keys)
        for key in registry.values()
        if key.bound and key.keys != BY_ID[key.id].keys
    }


def _split(text: str) -> Iterable[str]:
    """Split a list of keys; a lone comma means the comma key."""
    return ["comma"] if text.strip() == "," else filter(None, (part.strip() for part in text.split(",")))


def _normal(name: str) -> str:
    """Give the long name of a key written as a symbol (``?`` → ``question_mark``)."""
    return next((long for long, symbol in _NAMES.items() if symbol == name), name)


def table_markdown(registry: Mapping[str, Key] = BY_ID) -> str:
    """Write the key table of the README, one table a group."""
    parts: list[str] = []
    for group in GROUPS:
        parts += [f"**{group}**", "", "| Key | Does |", "|---|---|"]
        for key in registry.values():
            if key.group == group:
                names = " ".join(f"`{_cell(name)}`" for name in key.keys)
                parts.append(f"| {names} | {key.tooltip} |")
        parts.append("")
    return "\n".join(parts).rstrip() + "\n"


def _cell(name: str) -> str:
    """Name a key inside a table cell."""
    return shown(name).replace("|", "\\|")
