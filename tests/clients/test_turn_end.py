"""A turn that wants to end while the gate of its task is open is sent back, with what is missing."""

import json

from tests.clients.scene import Scene, until
from tests.clients.servers import Say

PLAN = {
    "taskId": "greet", "summary": "Greet", "riskLevel": "low", "filesToRead": [],
    "filesToEdit": ["hello.txt"], "filesNotToEdit": [], "testsToRun": [], "requiresHumanApproval": True,
    "stopConditions": [],
    "steps": [
        {"id": "s1", "action": "write", "inputFiles": [], "expectedOutput": "a file", "validation": "read it"}
    ],
}  # fmt: skip
RESULT = {
    "status": "completed",
    "changedFiles": [{"path": "hello.txt", "changeType": "created", "reason": "greets"}],
    "executedSteps": ["s1"], "skippedSteps": [], "commandsRequested": [], "risks": [], "notChanged": [],
}  # fmt: skip
REVIEW = {
    "verdict": "pass", "issues": [], "scopeCheck": {"passed": True, "unexpectedFiles": []},
    "testCheck": {"passed": True, "missingCases": []}, "securityCheck": {"passed": True, "findings": []},
    "requiredFixes": [],
}  # fmt: skip


def test_the_end_waits_for_what_the_gate_misses(scene: Scene):
    done = scene.command("task", "new", "Greet", "--id", "greet", "--risk", "low")
    assert done.returncode == 0, done.stderr
    folder = scene.repo / ".ai/tasks/greet"
    (folder / "plan.json").write_text(json.dumps(PLAN))
    result, review = (
        scene.new_file(f".ai/tasks/greet/{name}.json", json.dumps(document) + "\n")
        for name, document in (("implementation-result", RESULT), ("review-result", REVIEW))
    )
    script = (
        [scene.new_file("hello.txt", "hello\n")], [Say("I am done")], [result], [review], [Say("now it is")],
    )  # fmt: skip
    with scene.human() as human, scene.model(*script) as model:
        human.approve(until(lambda: next(iter(human.look()), None), "asking about the plan"))
        client = scene.start(model, "--task", "greet")
        assert client.end().exit_code == 0
    assert (scene.repo / "hello.txt").read_text() == "hello\n", "the plan covers it"
    sent_back = model.requests[2]
    assert "MISSING_ARTIFACT" in str(sent_back), "the model is told what is missing"
    stops = [one.decision for one in scene.lines() if one.event == "stop"]
    assert stops == ["deny", "allow"]
    assert len(model.requests) >= len(script)
