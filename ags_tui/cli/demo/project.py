"""What the demo is about: its two tasks, and the contracts that its agents write."""

from typing import Any

from ags_tui.cli.demo.texts import Texts

TASK_ID = "login-error-message"
"""The task that the viewer supervises."""
SIDE_TASK_ID = "usage-doc"
"""A second task in the same work tree, by another agent."""

TEST_COMMAND = "python3 -m unittest discover -s tests -q"
"""What really runs the program's tests."""

SIDE_TASK: dict[str, Any] = {
    "id": SIDE_TASK_ID,
    "title": "Fix a typo in the usage page",
    "description": "`retuns` should read `returns`.",
    "category": "documentation",
    "riskLevel": "low",
    "expectedBehavior": [],
    "forbiddenChanges": [],
    "requiredEvidence": [],
}
"""The side task, in English in either language."""


def task(texts: Texts) -> dict[str, Any]:
    """The task.

    Args:
        texts: Its language.
    """
    return {
        "id": TASK_ID,
        "title": texts.title,
        "description": texts.description,
        "category": "bug_fix",
        "riskLevel": "medium",
        "expectedBehavior": list(texts.behavior),
        "forbiddenChanges": list(texts.forbidden),
        "requiredEvidence": list(texts.evidence),
    }


def plan(texts: Texts, *, widened: bool = False) -> dict[str, Any]:
    """The planner's AgentPlan 2.0.0, in its envelope.

    Args:
        texts: Its language.
        widened: Whether ``login/messages.py`` was added.
    """
    edit = ["login/errors.py", "tests/test_errors.py"] + (["login/messages.py"] if widened else [])
    names = (
        ("inspect-mapping", "login/view.py"),
        ("update-mapping", "login/errors.py"),
        ("add-tests", "tests/test_errors.py"),
    )
    payload = {
        "taskId": TASK_ID,
        "summary": texts.widened if widened else texts.plan,
        "riskLevel": "medium",
        "filesToRead": ["login/view.py", "login/repository.py"],
        "filesToEdit": edit,
        "filesNotToEdit": ["login/network_client.py"],
        "steps": [
            _step(name, action, path, expected, texts.validation)
            for (name, path), (action, expected) in zip(names, texts.steps, strict=True)
        ],
        "testsToRun": [TEST_COMMAND],
        "requiresHumanApproval": True,
        "stopConditions": [texts.stop],
        "allowedOperations": ["create", "update"],
        "approvalPolicy": "plan",
    }
    return {"schema": "AgentPlan", "version": "2.0.0", "payload": payload}


def side_plan() -> dict[str, Any]:
    """The side task's plan: bare, so version 1.0.0."""
    return {
        "taskId": SIDE_TASK_ID,
        "summary": "Correct one word.",
        "riskLevel": "low",
        "filesToRead": ["docs/usage.md"],
        "filesToEdit": ["docs/usage.md"],
        "filesNotToEdit": ["login/**"],
        "steps": [
            _step("correct", "Correct the word.", "docs/usage.md", "The page reads well.", "Read the page.")
        ],
        "testsToRun": [TEST_COMMAND],
        "requiresHumanApproval": True,
        "stopConditions": [],
    }


def _step(step_id: str, action: str, path: str, expected: str, validation: str) -> dict[str, Any]:
    return {
        "id": step_id,
        "action": action,
        "inputFiles": [path],
        "expectedOutput": expected,
        "validation": validation,
    }


def changed(path: str, reason: str, change: str = "updated") -> dict[str, Any]:
    """One ``changedFiles`` item."""
    return {"path": path, "changeType": change, "reason": reason}


def implementation(files: list[dict[str, Any]], *, steps: list[str], risks: list[str]) -> dict[str, Any]:
    """An ImplementationResult that claims completion.

    Args:
        files: What was changed.
        steps: Ids of the steps that were done.
        risks: What may go wrong.
    """
    return {
        "status": "completed",
        "changedFiles": files,
        "executedSteps": steps,
        "skippedSteps": [],
        "commandsRequested": [],
        "risks": risks,
        "notChanged": ["login/network_client.py"],
    }


def side_result() -> dict[str, Any]:
    """The side task's ImplementationResult."""
    result = implementation([changed("docs/usage.md", "Corrected one word.")], steps=["correct"], risks=[])
    return {**result, "notChanged": []}


def first_review(texts: Texts) -> dict[str, Any]:
    """A ReviewResult that asks for one more test.

    Args:
        texts: Its language.
    """
    description, evidence, case = texts.missing
    issue = {
        "id": "review-001",
        "severity": "high",
        "category": "test",
        "file": "tests/test_errors.py",
        "description": description,
        "evidence": evidence,
    }
    fix = {
        "issueId": "review-001",
        "allowedFiles": ["tests/test_errors.py"],
        "expectedChange": texts.fix,
    }
    return review([issue], [fix], [case])


def review(issues: list[dict[str, Any]], fixes: list[dict[str, Any]], missing: list[str]) -> dict[str, Any]:
    """A ReviewResult: ``pass`` where nothing is open, else ``needs_changes``."""
    return {
        "verdict": "needs_changes" if issues else "pass",
        "issues": issues,
        "scopeCheck": {"passed": True, "unexpectedFiles": []},
        "testCheck": {"passed": not missing, "missingCases": missing},
        "securityCheck": {"passed": True, "findings": []},
        "requiredFixes": fixes,
    }


def test_result(exit_code: int | None, duration_ms: int | None, artifact: str | None) -> dict[str, Any]:
    """A TestResult as the tester claims it; without an exit code it is only a sentence."""
    command: dict[str, Any] = {"command": TEST_COMMAND, "exitCode": exit_code, "durationMs": duration_ms}
    if artifact is not None:
        command["stdoutArtifact"] = artifact
    return {
        "status": "passed" if exit_code in (0, None) else "failed",
        "commands": [command],
        "failedTests": [],
        "environmentIssues": [],
        "artifacts": [] if artifact is None else [artifact],
    }


def tests_not_run(reason: str) -> dict[str, Any]:
    """A TestResult that says why nothing was run."""
    return {
        "status": "not_run",
        "commands": [{"command": TEST_COMMAND, "exitCode": None, "durationMs": None}],
        "failedTests": [],
        "environmentIssues": [reason],
        "artifacts": [],
    }
