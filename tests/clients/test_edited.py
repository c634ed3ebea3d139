"""Edit-and-approve: what a human made of a call runs, and what was asked for is kept beside it."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ags_tui.core.assessment import Pending
from ags_tui.core.contracts.parse import parse_contract
from ags_tui.core.contracts.tool_request import ToolRequestV2
from ags_tui.core.drafts import amend
from ags_tui.core.effective import Effective, effective_of
from ags_tui.core.snapshot import LoadProblem
from tests.clients.scene import DONE, SEEN, Human, Scene
from tests.clients.test_without_hooks import look


def approve_changed(human: Human, item: Pending, text: str) -> Effective:
    """Approve a request with another input, as the decision screen does after its editor."""
    data = (human.workspace.folder(item.task_id) / item.artifact).read_bytes()
    parsed = parse_contract(data, contract="ToolRequest", artifact=item.artifact)
    assert not isinstance(parsed, LoadProblem)
    assert isinstance(parsed.document, ToolRequestV2)
    effective = effective_of(parsed.document, text, blob=str(item.facts.get("effectiveBlob", "")))
    assert effective is not None
    human.workspace.record(amend(item, effective, SEEN))
    return effective


def decided(scene: Scene, item: Pending) -> Mapping[str, Any]:
    """What the log holds of the human's entry about a request."""
    folder = Path(scene.tree.root) / "tasks" / item.task_id / "log"
    entries = [json.loads(path.read_bytes())["payload"] for path in sorted(folder.glob("*.json"))]
    (found,) = (
        one for one in entries if one["verdict"] == "amended" and one["subject"]["id"] == item.item_id
    )
    return found["data"]


def test_what_a_human_changed_runs_and_what_was_asked_is_kept(scene: Scene):
    whole = scene.agent != "codex"  # which takes another input for shell lines alone
    edit = [[scene.new_file("new.txt", "asked\n")]] if whole else []
    script = ([scene.shell("echo asked > made.txt")], *edit, DONE)
    with scene.human() as human, scene.model(*script) as model:
        client = scene.start(model)
        shell = human.asked("made.txt")
        effective = approve_changed(human, shell, "echo edited > made.txt")
        if whole:
            approve_changed(human, human.asked("new.txt"), "edited\n")
        assert client.end().exit_code == 0
    assert (scene.repo / "made.txt").read_text() == "edited\n"
    assert not whole or (scene.repo / "new.txt").read_text() == "edited\n"
    request = json.loads((human.workspace.folder(shell.task_id) / shell.artifact).read_bytes())["payload"]
    assert request["command"] == "echo asked > made.txt", "what was proposed stays"
    data = decided(scene, shell)
    assert data["effective"]["command"] == "echo edited > made.txt"
    assert data["effectiveDigest"] == effective.digest
    assert look(scene) == []
    assert not [one for one in scene.lines() if one.event == "ungated"], "its transcript agrees"
    assert "APPLIED_DIFFERS" not in str(human.findings(shell.task_id))
