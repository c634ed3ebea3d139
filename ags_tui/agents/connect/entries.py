"""Our entries in the settings of a client: put in, found again, taken out. Pure: text in, text out.

All three clients keep hooks as ``{"hooks": {EVENT: [{"matcher": …, "hooks": [HANDLER, …]}]}}``.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from ags_tui.agents.connect import json_text
from ags_tui.agents.connect.command import is_ours, words_of
from ags_tui.agents.connect.json_text import NotJson

HOOKS = "hooks"
"""Member that holds the hooks by event."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What we want to stand in the settings of a client."""

    groups: Mapping[str, Mapping[str, Any]]
    """One group of hooks for each event."""
    switches: Mapping[tuple[str, ...], object]
    """Further members that keep hooks switched on, by their path."""


def put_in(text: str, wanted: Wanted) -> str:
    """Put our entries into settings, in place of older ones of ours.

    Args:
        text: The settings; empty for none.
        wanted: What is to stand there.

    Raises:
        NotJson: The settings, or their hooks, have another form than the client reads.
    """
    text = text if text.strip() else "{}\n"
    text = _without_others(text, wanted)
    for path, value in wanted.switches.items():
        text = _switched(text, path, value)
    if HOOKS not in json_text.parsed(text):
        text = json_text.put(text, (HOOKS,), {})
    for event, group in wanted.groups.items():
        there = groups_of(text)
        if event not in there:
            text = json_text.put(text, (HOOKS, event), [group])
        elif group not in there[event]:
            text = json_text.append(text, (HOOKS, event), group)
    return text


def take_out(text: str, wanted: Wanted, before: str) -> str:
    """Remove all entries of ours, and what only they needed.

    Args:
        text: The settings as they are now.
        wanted: What we had put in.
        before: The settings as they were before; empty for none.

    Raises:
        NotJson: The settings have another form than the client reads.
    """
    old = json_text.parsed(before) if before.strip() else {}
    text = _without(text, keep=lambda _event, _group: False)
    for event, groups in groups_of(text).items():
        if not groups and event not in cast("dict[str, Any]", old.get(HOOKS, {})):
            text = json_text.drop(text, (HOOKS, event))
    if not json_text.parsed(text).get(HOOKS, True) and HOOKS not in old:
        text = json_text.drop(text, (HOOKS,))
    for path, value in wanted.switches.items():
        text = _switched_back(text, path, value, old)
    return text


def groups_of(text: str) -> dict[str, list[Any]]:
    """The groups of hooks in settings, by event.

    Args:
        text: The settings.

    Raises:
        NotJson: The settings have another form than the client reads.
    """
    held: object = json_text.parsed(text).get(HOOKS, {})
    if not isinstance(held, dict):
        raise NotJson('"hooks" is no object')
    found = cast("dict[str, object]", held)
    for event, groups in found.items():
        if not isinstance(groups, list):
            raise NotJson(f'"hooks"."{event}" is no array')
    return cast("dict[str, list[Any]]", found)


def ours_in(text: str) -> dict[str, list[tuple[str, ...]]]:
    """What our entries in settings would run, by event.

    Args:
        text: The settings.

    Raises:
        NotJson: The settings have another form than the client reads.
    """
    return {
        event: found
        for event, groups in groups_of(text).items()
        if (found := [words_of(one) for group in groups for one in _handlers(group) if is_ours(one)])
    }


def lacking(text: str, wanted: Wanted) -> tuple[str, ...]:
    """What of ours is missing in settings, or other than it should be: events, and members as ``a.b``.

    Args:
        text: The settings.
        wanted: What should stand there.

    Raises:
        NotJson: The settings have another form than the client reads.
    """
    there, document = groups_of(text), json_text.parsed(text)
    events = [event for event, group in wanted.groups.items() if group not in there.get(event, [])]
    switches = [".".join(path) for path, value in wanted.switches.items() if _member(document, path) != value]
    return (*events, *switches)


def _handlers(group: object) -> list[Any]:
    held: object = cast("dict[str, Any]", group).get(HOOKS) if isinstance(group, dict) else None
    return cast("list[Any]", held) if isinstance(held, list) else []


def _without_others(text: str, wanted: Wanted) -> str:
    """Drop what is of ours and other than wanted: of an older installation, of another deadline."""
    return _without(text, keep=lambda event, group: group == wanted.groups.get(event))


def _without(text: str, *, keep: Callable[[str, object], bool]) -> str:
    for event, groups in groups_of(text).items():
        for number in reversed(range(len(groups))):
            group, handlers = groups[number], _handlers(groups[number])
            ours = [at for at, one in enumerate(handlers) if is_ours(one)]
            if not ours or keep(event, group):
                continue
            if len(ours) == len(handlers):
                text = json_text.drop(text, (HOOKS, event, number))
                continue
            for at in reversed(ours):
                text = json_text.drop(text, (HOOKS, event, number, HOOKS, at))
    return text


def _member(document: Mapping[str, Any], path: tuple[str, ...]) -> object:
    value: object = document
    for name in path:
        value = cast("Mapping[str, object]", value).get(name) if isinstance(value, Mapping) else None
    return value


def _switched(text: str, path: tuple[str, ...], value: object) -> str:
    for depth in range(1, len(path)):
        holder = _member(json_text.parsed(text), path[:depth])
        if holder is None:
            text = json_text.put(text, path[:depth], {})
        elif not isinstance(holder, dict):
            raise NotJson(f'"{".".join(path[:depth])}" is no object')
    return text if _member(json_text.parsed(text), path) == value else json_text.put(text, path, value)


def _switched_back(text: str, path: tuple[str, ...], value: object, old: Mapping[str, Any]) -> str:
    if _member(json_text.parsed(text), path) != value:
        return text  # it was changed since; that is not ours
    earlier = _member(old, path)
    if earlier is not None:
        return text if earlier == value else json_text.put(text, path, earlier)
    text = json_text.drop(text, path)
    above = path[:-1]
    if above and not _member(json_text.parsed(text), above) and _member(old, above) is None:
        text = json_text.drop(text, above)
    return text
