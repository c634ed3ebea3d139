"""The small real program that the demo's agents work on, and the contracts that they write."""

from typing import Any

TASK_ID = "login-error-message"
"""The task that the viewer supervises."""
SIDE_TASK_ID = "usage-doc"
"""A second task in the same work tree, by another agent."""

TEST_COMMAND = "python3 -m unittest discover -s tests -q"
"""What really runs the program's tests."""

FILES: dict[str, str] = {
    ".gitignore": "__pycache__/\n",
    "README.md": "# login\n\nSigns people in and says what went wrong.\n",
    "docs/usage.md": "# Usage\n\nCall `sign_in(name, password)`. It retuns a message.\n",
    "login/__init__.py": '"""Sign-in for the demo shop."""\n',
    "login/errors.py": (
        '"""From server errors to what the user reads."""\n'
        "\n"
        "\n"
        "class ServerError(Exception):\n"
        '    """What the server said, word for word."""\n'
        "\n"
        "    def __init__(self, kind: str, raw: str) -> None:\n"
        "        super().__init__(raw)\n"
        "        self.kind = kind\n"
        "        self.raw = raw\n"
        "\n"
        "\n"
        "def message_for(error: ServerError) -> str:\n"
        '    """The message on the screen."""\n'
        "    return error.raw\n"
    ),
    "login/messages.py": (
        '"""Texts that users read, in one place."""\n'
        "\n"
        'WELCOME = "환영합니다."\n'
        'RETRY = "잠시 후 다시 시도해 주세요."\n'
    ),
    "login/repository.py": (
        '"""Talks to the server."""\n'
        "\n"
        "from login.errors import ServerError\n"
        "\n"
        'PASSWORDS = {"kim": "secret"}\n'
        "\n"
        "\n"
        "def authenticate(name: str, password: str) -> None:\n"
        '    """Raise ServerError where the server refuses."""\n'
        "    if PASSWORDS.get(name) != password:\n"
        '        raise ServerError("auth", f"ERR_401 user={name} table=accounts")\n'
    ),
    "login/network_client.py": ('"""Opens connections."""\n\nTIMEOUT_SECONDS = 10\n'),
    "login/view.py": (
        '"""The sign-in screen."""\n'
        "\n"
        "from login import messages\n"
        "from login.errors import ServerError, message_for\n"
        "from login.repository import authenticate\n"
        "\n"
        "\n"
        "def sign_in(name: str, password: str) -> str:\n"
        '    """The text shown after the attempt."""\n'
        "    try:\n"
        "        authenticate(name, password)\n"
        "    except ServerError as error:\n"
        "        return message_for(error)\n"
        "    return messages.WELCOME\n"
    ),
    "tests/test_view.py": (
        "import unittest\n"
        "\n"
        "from login.view import sign_in\n"
        "\n"
        "\n"
        "class SignIn(unittest.TestCase):\n"
        "    def test_welcome(self):\n"
        '        self.assertEqual(sign_in("kim", "secret"), "환영합니다.")\n'
    ),
}
"""The program before the agents touch it, by path."""

_ERRORS_HEAD = FILES["login/errors.py"].split("def message_for")[0]

ERRORS_FIRST = (
    _ERRORS_HEAD + 'AUTH = "아이디 또는 비밀번호를 확인해 주세요."\n'
    'RETRY = "잠시 후 다시 시도해 주세요."\n'
    "\n"
    "\n"
    "def message_for(error: ServerError) -> str:\n"
    '    """The message on the screen: never what the server said."""\n'
    '    return AUTH if error.kind == "auth" else RETRY\n'
)
"""The implementer's first version."""

TIMEOUT_TEXT = {
    "separate": "연결 시간이 초과되었습니다. 네트워크를 확인해 주세요.",
    "same": "잠시 후 다시 시도해 주세요.",
}
"""What a timeout says, by the human's answer to the escalation."""


def messages_with_timeout(option: str) -> str:
    """``login/messages.py`` after the plan was widened to it.

    Args:
        option: The human's answer, ``separate`` or ``same``.
    """
    return FILES["login/messages.py"] + (
        f'AUTH = "아이디 또는 비밀번호를 확인해 주세요."\nTIMEOUT = "{TIMEOUT_TEXT.get(option, option)}"\n'
    )


ERRORS_SECOND = _ERRORS_HEAD.replace(
    '"""From server errors to what the user reads."""\n',
    '"""From server errors to what the user reads."""\n\nfrom login import messages\n',
) + (
    "def message_for(error: ServerError) -> str:\n"
    '    """The message on the screen: never what the server said."""\n'
    '    known = {"auth": messages.AUTH, "timeout": messages.TIMEOUT}\n'
    "    return known.get(error.kind, messages.RETRY)\n"
)
"""The implementer's second version, with the texts in one place."""

TESTS_FIRST = (
    "import unittest\n"
    "\n"
    "from login.errors import ServerError, message_for\n"
    "from login.view import sign_in\n"
    "\n"
    "\n"
    "class Messages(unittest.TestCase):\n"
    "    def test_server_text_is_not_shown(self):\n"
    '        self.assertNotIn("ERR_401", sign_in("kim", "wrong"))\n'
    "\n"
    "    def test_timeout_differs_from_a_wrong_password(self):\n"
    '        wrong = message_for(ServerError("auth", "ERR_401"))\n'
    '        late = message_for(ServerError("timeout", "ETIMEDOUT"))\n'
    "        self.assertNotEqual(wrong, late)\n"
)
"""``tests/test_errors.py``."""

TESTS_SAME = TESTS_FIRST.replace(
    "test_timeout_differs_from_a_wrong_password", "test_timeout_asks_to_try_again"
).replace(
    "self.assertNotEqual(wrong, late)",
    'self.assertNotEqual(wrong, late)\n        self.assertIn("다시", late)',
)
"""``tests/test_errors.py`` where the human wants the general text for a timeout."""

TEST_UNKNOWN = (
    "\n"
    "    def test_unknown_errors_ask_to_try_again(self):\n"
    '        self.assertIn("다시", message_for(ServerError("disk", "ENOSPC /var/lib")))\n'
)
"""The missing test that the review asks for."""

REPOSITORY_STRAY = FILES["login/repository.py"].replace('f"ERR_401 user={name} table=accounts"', '"ERR_401"')
"""What the implementer does to a file outside the plan."""

USAGE_FIXED = FILES["docs/usage.md"].replace("retuns", "returns")
"""The side task's whole change."""

TASK: dict[str, Any] = {
    "id": TASK_ID,
    "title": "로그인 실패 메시지 안전하게 변경",
    "description": "서버 에러 원문 대신 사용자 친화적 메시지를 표시하고 테스트를 추가한다.",
    "category": "bug_fix",
    "riskLevel": "medium",
    "expectedBehavior": ["서버 원문은 화면에 노출되지 않는다.", "인증 실패와 타임아웃이 구분된다."],
    "forbiddenChanges": ["NetworkClient 수정", "신규 라이브러리 추가"],
    "requiredEvidence": ["수정된 파일 목록", "실행한 테스트 명령", "테스트 종료 코드"],
}
"""The task."""

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
"""The side task."""


def plan(*, widened: bool = False) -> dict[str, Any]:
    """The planner's AgentPlan 2.0.0, in its envelope.

    Args:
        widened: Whether ``login/messages.py`` was added.
    """
    edit = ["login/errors.py", "tests/test_errors.py"] + (["login/messages.py"] if widened else [])
    payload = {
        "taskId": TASK_ID,
        "summary": "로그인 실패 시 서버 원문 대신 사용자용 메시지를 표시한다.",
        "riskLevel": "medium",
        "filesToRead": ["login/view.py", "login/repository.py"],
        "filesToEdit": edit,
        "filesNotToEdit": ["login/network_client.py"],
        "steps": [
            _step(
                "inspect-mapping", "현재 오류 매핑을 확인한다.", "login/view.py", "원문이 화면까지 가는 경로"
            ),
            _step("update-mapping", "안전한 메시지를 반환한다.", "login/errors.py", "원문이 없는 메시지"),
            _step(
                "add-tests",
                "실패 유형별 테스트를 추가한다.",
                "tests/test_errors.py",
                "실패 유형마다 테스트 하나",
            ),
        ],
        "testsToRun": [TEST_COMMAND],
        "requiresHumanApproval": True,
        "stopConditions": ["NetworkClient 수정이 필요할 경우 중단한다."],
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
        "steps": [_step("correct", "Correct the word.", "docs/usage.md", "The page reads well.")],
        "testsToRun": [TEST_COMMAND],
        "requiresHumanApproval": True,
        "stopConditions": [],
    }


def _step(step_id: str, action: str, path: str, expected: str) -> dict[str, Any]:
    return {
        "id": step_id,
        "action": action,
        "inputFiles": [path],
        "expectedOutput": expected,
        "validation": "변경 파일과 테스트로 확인한다.",
    }


def changed(path: str, reason: str, change: str = "updated") -> dict[str, Any]:
    """One ``changedFiles`` item."""
    return {"path": path, "changeType": change, "reason": reason}


def implementation(files: list[dict[str, Any]], *, steps: list[str]) -> dict[str, Any]:
    """An ImplementationResult that claims completion."""
    return {
        "status": "completed",
        "changedFiles": files,
        "executedSteps": steps,
        "skippedSteps": [],
        "commandsRequested": [],
        "risks": ["새 서버 오류 코드가 생기면 매핑을 갱신해야 한다."],
        "notChanged": ["login/network_client.py"],
    }


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
