"""Entries in foreign settings: all that is not ours stays, byte for byte where that can be."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ags_tui.agents.connect import json_text
from ags_tui.agents.connect.clients import CLAUDE_CODE, CLIENTS, CODEX, GEMINI, Client, wanted
from ags_tui.agents.connect.command import HookCommand, is_ours, words_of
from ags_tui.agents.connect.entries import groups_of, lacking, ours_in, put_in, take_out
from ags_tui.agents.connect.json_text import NotJson

PYTHON = "/opt/ags tui/bin/python"


def hook(agent: str = "claude-code", folder: str = "/opt/ags tui/lib") -> HookCommand:
    return HookCommand(PYTHON, f"{folder}/ags_tui/agents/hook.py", agent, "/home/me/state", "/home/me/config")


@pytest.fixture(params=list(CLIENTS.values()), ids=lambda one: one.agent)
def client(request: pytest.FixtureRequest) -> Client:
    return request.param


def test_every_event_runs_the_whole_command(client: Client):
    text = put_in("", wanted(client, hook(client.agent)))
    for event in client.events:
        (words,) = ours_in(text)[event.name]
        assert words == hook(client.agent).words(event.name, event.deadline_s)
        assert words[:4] == (PYTHON, "-I", "-S", "/opt/ags tui/lib/ags_tui/agents/hook.py")


def test_the_hook_answers_before_the_client_gives_up(client: Client):
    for event in client.events:
        assert 0 < event.deadline_s < event.seconds
    groups = wanted(client, hook(client.agent)).groups
    (gate,) = groups[client.events[0].name]["hooks"]
    assert gate["timeout"] == (86_400_000 if client is GEMINI else 86_400)


def test_claude_code_blocks_where_the_hook_fails():
    held = wanted(CLAUDE_CODE, hook())
    blocking = {name for name, group in held.groups.items() if group["hooks"][0].get("onFailure") == "block"}
    assert blocking == {"PreToolUse", "PermissionRequest", "ConfigChange"}
    assert held.groups["PreToolUse"]["matcher"] == "*"
    assert json.loads(put_in('{"disableAllHooks": true}', held))["disableAllHooks"] is False


OWN = """{
    // not a comment in JSON, so this file is refused
}"""
THEIRS = """{
\t"model": "opus",   \r
\t"permissions": {"allow": ["Bash(ls *)", "한글"], "n": 1.50},
\t"hooks": {
\t\t"PreToolUse": [ {"matcher": "Bash", "hooks": [{"type": "command", "command": "mine.sh"}]} ],
\t\t"Notification": []
\t}
}
"""


def test_what_is_not_ours_keeps_its_bytes(client: Client):
    entries = wanted(client, hook(client.agent))
    text = put_in(THEIRS, entries)
    assert text.startswith(THEIRS[: THEIRS.index('"hooks"')])
    assert '{"matcher": "Bash", "hooks": [{"type": "command", "command": "mine.sh"}]}' in text
    assert lacking(text, entries) == ()
    assert put_in(text, entries) == text, "twice is once"
    back = take_out(text, entries, THEIRS)
    assert json.loads(back) == json.loads(THEIRS)
    assert back.startswith(THEIRS[: THEIRS.index('"hooks"')])


def test_an_older_installation_of_ours_is_replaced(client: Client):
    old = put_in(THEIRS, wanted(client, hook(client.agent, "/old/lib")))
    text = put_in(old, wanted(client, hook(client.agent)))
    assert "/old/lib" not in text
    assert [len(calls) for calls in ours_in(text).values()] == [1] * len(client.events)


def test_a_hook_that_somebody_added_to_our_group_stays():
    entries = wanted(CODEX, hook("codex"))
    document = json.loads(put_in("", entries))
    document["hooks"]["Stop"][0]["hooks"].append({"type": "command", "command": "theirs"})
    back = take_out(json.dumps(document), entries, "")
    assert json.loads(back) == {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "theirs"}]}]}}


@pytest.mark.parametrize("text", [OWN, "[]", "{", '{"hooks": []}', '{"hooks": {"Stop": {}}}', "\ufeff{}"])
def test_what_the_client_could_not_read_is_refused(text: str):
    with pytest.raises(NotJson):
        put_in(text, wanted(CLAUDE_CODE, hook()))


def test_a_switch_that_is_no_switch_is_refused():
    with pytest.raises(NotJson):
        put_in('{"hooksConfig": 3}', wanted(GEMINI, hook("gemini")))


def test_switches_go_back_to_what_they_were():
    entries = wanted(GEMINI, hook("gemini"))
    for before in ("{}", '{"hooksConfig": {"enabled": false, "disabled": ["x"]}}', '{"hooksConfig": {}}'):
        text = put_in(before, entries)
        assert json.loads(text)["hooksConfig"]["enabled"] is True
        assert json.loads(take_out(text, entries, before)) == json.loads(before)


def test_foreign_handlers_are_told_from_ours():
    assert is_ours({"command": hook().line("Stop", 5)})
    assert words_of({"command": "exec 'a b' c"}) == ("a b", "c")
    for foreign in (None, 3, {}, {"command": 3}, {"command": "unclosed '"}, {"command": "hook.py"}):
        assert not is_ours(foreign)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=12,
)
GROUP = st.fixed_dictionaries(
    {"hooks": st.lists(st.fixed_dictionaries({"command": st.text(max_size=9)}), max_size=2)}
)
EVENTS = st.sampled_from(["PreToolUse", "BeforeTool", "Stop", "한"])
SETTINGS = st.builds(
    lambda rest, hooks: {**rest, **({"hooks": hooks} if hooks is not None else {})},
    st.dictionaries(
        st.text(max_size=6).filter(lambda name: name not in ("hooks", "hooksConfig")), JSON, max_size=4
    ),
    st.none() | st.dictionaries(EVENTS, st.lists(GROUP | JSON, max_size=3), max_size=3),
)


@given(settings=SETTINGS, indent=st.sampled_from([None, 0, 1, 4, "\t"]), ascii_only=st.booleans())
def test_any_settings_come_back(settings: dict[str, Any], indent: int | str | None, ascii_only: bool):
    before = json.dumps(settings, indent=indent, ensure_ascii=ascii_only)
    for client in CLIENTS.values():
        entries = wanted(client, hook(client.agent))
        text = put_in(before, entries)
        assert lacking(text, entries) == ()
        assert put_in(text, entries) == text
        for event, groups in groups_of(before).items():
            assert groups_of(text)[event][: len(groups)] == groups
        assert json_text.parsed(take_out(text, entries, before)) == settings
