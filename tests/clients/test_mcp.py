"""Real clients that call a tool of ``ags-tui mcp``, registered as the README says, without any hooks."""

import json

import pytest

from tests.clients.conftest import CHOSEN
from tests.clients.scene import DONE, Scene
from tests.clients.servers import Call

TASK = "login"
NAMES = {"claude-code": ("mcp__ags-tui__gate_status", ""), "codex": ("gate_status", "mcp__ags_tui")}
"""How a client calls the tool: name and namespace."""


def registered(scene: Scene) -> tuple[str, ...]:
    """Arguments that register the server for one run of the client."""
    program, *arguments = scene.ags("mcp")
    server = {"command": program, "args": arguments}
    if scene.agent == "codex":
        fields = (f"mcp_servers.ags-tui.{name}={json.dumps(value)}" for name, value in server.items())
        return tuple(word for field in fields for word in ("-c", field))
    path = scene.folder / "mcp.json"
    path.write_text(json.dumps({"mcpServers": {"ags-tui": server}}))
    return ("--mcp-config", str(path), "--allowedTools", NAMES[scene.agent][0])


@pytest.mark.parametrize("scene", [name for name in CHOSEN if name in NAMES], indirect=True)
def test_the_model_is_told_what_the_gate_says(scene: Scene):
    done = scene.command("task", "new", "Login", "--id", TASK, "--description", "d", "--risk", "low")
    assert done.returncode == 0, done.stderr
    name, namespace = NAMES[scene.agent]
    call = Call(name, {"taskIds": [TASK], "detail": "compact"}, namespace)
    with scene.model([call], DONE) as model:
        ended = scene.start_by_hand(model, words=registered(scene)).end()
    assert ended.exit_code == 0, ended.err
    told = json.dumps(model.requests[-1]).replace("\\", "")
    assert f'"taskId":"{TASK}","outcome":"failed","headline":"MISSING_ARTIFACT"' in told
