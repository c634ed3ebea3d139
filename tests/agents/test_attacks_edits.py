"""What an agent may try with edits: to do another thing than its plan allows, or than a human was shown."""

import json

import pytest

from ags_tui.agents import codex
from ags_tui.core.policy.calls import Policies
from ags_tui.core.policy.decide import decide
from tests.core.policy.ground import GROUND, NOW, STATE, TOP, ground, path, shell, terms

CHANGED = frozenset({"create", "update"})


def verdict(patch: str, operations: frozenset[str] | None) -> str:
    text = f"*** Begin Patch\n{patch}\n*** End Patch"
    payload = {
        "session_id": "s", "cwd": TOP, "hook_event_name": "PreToolUse", "turn_id": "t",
        "tool_name": "apply_patch", "tool_input": {"command": text}, "tool_use_id": "x",
    }  # fmt: skip
    call = codex.read(json.dumps(payload).encode()).call
    assert call is not None
    plan = terms(operations=operations)
    return decide(call, ground=GROUND, policies=Policies(), terms=plan, now=NOW).decision


@pytest.mark.parametrize(
    "patch",
    [
        "*** Delete File: src/a.py",
        "*** Update File: src/a.py\n*** Move to: src/b.py\n@@\n-x\n+y",
        "*** Add File: src/c.py\n+x\n  *** Delete File: src/a.py",
    ],
)
def test_a_patch_removes_only_what_the_plan_lets_it(patch: str):
    assert verdict(patch, CHANGED) == "ask"
    assert verdict(patch, CHANGED | {"delete"}) == "ask"  # or else moves
    assert verdict(patch, CHANGED | {"delete", "rename"}) == "allow"
    assert verdict(patch, None) == "allow"


def test_a_patch_that_only_changes_does_not_need_more():
    assert verdict("*** Update File: src/a.py\n@@\n-x\n+y", CHANGED) == "allow"


def test_a_link_whose_name_looks_like_a_pattern_is_followed():
    on = ground(links={f"{TOP}/src/[x]": "/home/u/other", f"{TOP}/src/*": f"{TOP}/.git/hooks"})
    assert path("edit_file", f"{TOP}/src/[y]/page.tsx", plan=terms(), on=on).decision == "allow"
    assert path("edit_file", f"{TOP}/src/[x]/a", plan=terms(), on=on).decision == "ask"
    assert path("edit_file", f"{TOP}/src/*/pre-commit", plan=terms(), on=on).decision == "deny"
    assert path("read_file", f"{TOP}/src/[x]/a", on=on).decision == "ask"


def test_a_tilde_may_be_the_home_folder():
    assert path("read_file", "~/.ssh/id").decision == "ask"
    assert path("read_file", "~u/.ssh/id").decision == "ask"
    assert path("edit_file", "~/.local/state/ags-tui/keys/human").decision == "deny"
    assert path("read_file", "a~").decision == "allow"


def test_keys_are_not_read_behind_a_link_and_a_star():
    on = ground(links={f"{TOP}/src/st": STATE})
    assert shell("cat src/st/keys/*", on=on).decision == "deny"


@pytest.mark.parametrize("line", ["cat src/l*/../secret", "cat s*/a/../../../x", "cat < src/?/../x"])
def test_nobody_knows_where_a_line_is_above_a_pattern(line: str):
    assert shell(line).decision == "ask"
