"""Real clients that call a tool of ``ags-tui mcp``, registered as the README says, with hooks and without."""

import json

import pytest

from tests.clients.conftest import CHOSEN
from tests.clients.scene import DONE, Scene
from tests.clients.servers import Call

TASK = "login"
NAMES = {"claude-code": ("mcp__ags__gate_status", ""), "codex": ("gate_status", "mcp__ags")}
"""How a client calls the tool: name and namespace."""


def registered(scene: Scene) -> tuple[str, ...]:
    """Arguments that register the server for one run of the client."""
    program, *arguments = scene.ags("mcp")
    server = {"command": program, "args": arguments}
    if scene.agent == "codex":
        waited_for = {"required": True, "startup_timeout_sec": 60}  # else a turn may begin without it
        fields = (
            f"mcp_servers.ags.{name}={json.dumps(value)}" for name, value in {**server, **waited_for}.items()
        )
        return tuple(word for field in fields for word in ("-c", field))
    path = scene.folder / "mcp.json"
    path.write_text(json.dumps({"mcpServers": {"ags": server}}))
    return ("--mcp-config", str(path), "--allowedTools", NAMES[scene.agent][0])


RULE = """
[[rule]]
id = "ags-mcp"
decision = "allow"
tool = "external_api"
command = "mcp__ags__*"
reason = "tools of ags-tui itself; none of them approves"
"""
"""The rule of the README."""


@pytest.mark.parametrize("scene", [name for name in CHOSEN if name in NAMES], indirect=True)
@pytest.mark.parametrize("hooks", [False, True], ids=["alone", "with hooks"])
def test_the_model_is_told_what_the_gate_says(scene: Scene, hooks: bool):
    done = scene.command("task", "new", "Login", "--id", TASK, "--description", "d", "--risk", "low")
    assert done.returncode == 0, done.stderr
    (scene.places.config_folder() / "policy.toml").write_text(RULE)
    name, namespace = NAMES[scene.agent]
    call = Call(name, {"taskIds": [TASK], "detail": "compact"}, namespace)
    with scene.model([call], DONE) as model:
        start = scene.start if hooks else scene.start_by_hand
        ended = start(model, words=registered(scene)).end()
    assert ended.exit_code == 0, ended.err
    told = json.dumps(model.requests[1]).replace("\\", "")
    assert f'"taskId":"{TASK}","outcome":"failed","headline":"MISSING_ARTIFACT"' in told
    calls = [one for one in scene.lines() if one.event == "verdict"]
    assert [(one.decision, one.name) for one in calls] == (
        [("allow", "mcp__ags__gate_status")] if hooks else []
    )
