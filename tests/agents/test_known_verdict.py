"""A verdict that was given before holds for exactly the same call on the same ground, and no other."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ags_tui.agents.known_verdict import read_call, state_folder
from ags_tui.core.policy.calls import RememberedRule
from ags_tui.core.policy.model import Rule
from ags_tui.core.tree_rules import remember
from ags_tui.io.keys import Keys
from ags_tui.io.places import default_places
from ags_tui.io.tree_log import TreeLog
from tests.agents.judging import Desk
from tests.agents.test_offline import hook

LINE = "cat src/app.py"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    made = Desk(tmp_path.resolve())
    assert hook(made, made.event("SessionStart", source="startup")).returncode == 0
    return made


def decided(desk: Desk, payload: bytes) -> tuple[str, bool]:
    """The decision, and whether it was known: then nothing of the judge was imported."""
    done = hook(desk, payload, "-X", "importtime")
    document = json.loads(done.stdout)["hookSpecificOutput"]
    return document["permissionDecision"], b"ags_tui.agents.judge" not in done.stderr


def test_the_same_call_is_known_and_written_down_again(desk: Desk):
    assert decided(desk, desk.bash("one", LINE)) == ("allow", False)
    assert decided(desk, desk.bash("two", LINE, prompt_id="p2")) == ("allow", True)
    first, second = desk.lines()
    assert (first.call_id, second.call_id, second.turn) == ("one", "two", "p2")
    for name in ("decision", "source", "reason", "command", "input_digest", "task", "tool", "risk"):
        assert getattr(first, name) == getattr(second, name)
    assert second.at > first.at
    assert decided(desk, desk.bash("three", LINE + " ")) == ("allow", False)


def test_a_link_in_the_way_is_judged_anew(desk: Desk):
    decided(desk, desk.bash("one", LINE))
    (desk.work / "src" / "app.py").unlink()
    (desk.work / "src" / "app.py").symlink_to(desk.places.state / "keys" / "human.key")
    assert decided(desk, desk.bash("two", LINE)) == ("deny", False)


def test_a_rule_that_came_later_holds(desk: Desk):
    decided(desk, desk.bash("one", LINE))
    desk.places.config.mkdir(mode=0o700, exist_ok=True)
    rule = '[[rule]]\nid = "no-cat"\ndecision = "deny"\ntool = "shell"\ncommand = "cat *"\n'
    (desk.places.config / "policy.toml").write_text(rule)
    assert decided(desk, desk.bash("two", LINE)) == ("deny", False)
    assert decided(desk, desk.bash("three", LINE)) == ("deny", True)
    (desk.places.config / "policy.toml").unlink()
    assert decided(desk, desk.bash("four", LINE))[0] == "allow"


def test_a_plan_or_a_signed_rule_ends_it(desk: Desk):
    decided(desk, desk.bash("one", LINE))
    now = datetime.now(UTC)
    rule = RememberedRule(Rule("r1", "allow", "shell", command="touch made"), now, now + timedelta(hours=1))
    draft = remember(desk.tree.key, rule, preview=0, call={})
    TreeLog(desk.tree, desk.places).record(draft, Keys.open(desk.places), now)
    assert decided(desk, desk.bash("two", LINE)) == ("allow", False)
    for call_id in ("three", "four"):  # what leans on a signature is verified each time
        assert decided(desk, desk.bash(call_id, "touch made")) == ("allow", False)


def test_what_waits_for_a_human_is_never_kept(desk: Desk):
    for call_id in ("one", "two"):
        assert decided(desk, desk.bash(call_id, "touch made")) == ("deny", False)


def test_a_damaged_or_foreign_file_is_no_verdict(desk: Desk):
    decided(desk, desk.bash("one", LINE))
    (kept,) = (desk.places.state / "verdicts").rglob("*.json")
    whole = kept.read_bytes()
    for data in (b"", b"{", b"[]", b"\xff", whole[:-9], whole.replace(b'"tree"', b'"tre"')):
        kept.write_bytes(data)
        assert decided(desk, desk.bash("two", LINE))[0] == "allow"
    kept.write_bytes(whole)
    kept.chmod(0o666)
    assert decided(desk, desk.bash("two", LINE)) == ("allow", False)


def test_what_is_not_understood_is_judged(desk: Desk):
    good = json.loads(desk.bash("one", LINE))
    assert read_call("claude-code", json.dumps(good).encode(), "") is not None
    for changes in (
        {"tool_use_id": "a\nb"}, {"tool_use_id": 7}, {"tool_use_id": ""}, {"session_id": "../x"},
        {"tool_input": []}, {"hook_event_name": "PostToolUse"},
    ):  # fmt: skip
        assert read_call("claude-code", json.dumps({**good, **changes}).encode(), "") is None
    twice = json.dumps(good)[:-1] + ', "cwd": "/"}'
    with pytest.raises(ValueError, match="twice"):
        read_call("claude-code", twice.encode(), "")
    assert state_folder("") == str(default_places().state)
