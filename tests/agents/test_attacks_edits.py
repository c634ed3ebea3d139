"""What an agent may try with edits: to do another thing than its plan allows, or than a human was shown."""

import json

import pytest

from ags_tui.agents import codex
from ags_tui.core.policy.calls import Policies
from ags_tui.core.policy.decide import decide
from tests.core.policy.ground import GROUND, NOW, TOP, terms

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
