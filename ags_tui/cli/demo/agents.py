"""The agents of the demo: real processes that write real contracts, edit real files and run real tests.

Started as ``python -I -m ags_tui.cli.demo.agents ROLE FOLDER PACE``. They know nothing of the TUI: they ask
with ``ags-tui request`` and ``escalate``, wait with ``ags-tui wait``, and read ``ags-tui log``.
"""

import sys
from collections.abc import Callable
from pathlib import Path

from ags_tui.cli.demo import project
from ags_tui.cli.demo.desk import Desk

ROLES: dict[str, Callable[[Desk], None]] = {}
"""Roles by name, in the order in which they take part."""


def role(function: Callable[[Desk], None]) -> Callable[[Desk], None]:
    """Register a role under its function's name."""
    ROLES[function.__name__] = function
    return function


@role
def planner(desk: Desk) -> None:
    """Writes the plan and waits for the human."""
    desk.say("reads the task and writes plan.json")
    desk.write_contract("plan.json", project.plan())
    desk.wait_for_plan()


@role
def implementer(desk: Desk) -> None:
    """Edits inside the plan, strays once, asks once, and needs the plan widened once."""
    desk.say("changes login/errors.py and adds tests, both in the plan")
    desk.write_file("login/errors.py", project.ERRORS_FIRST)
    desk.write_file("tests/test_errors.py", project.TESTS_FIRST)
    desk.pause(3)
    _stray(desk)
    answer = _ask_about_timeouts(desk)
    _widen_plan(desk)
    desk.say("moves the texts to login/messages.py, now in the plan")
    desk.write_file("login/messages.py", project.messages_with_timeout(answer))
    desk.write_file("login/errors.py", project.ERRORS_SECOND)
    if answer == "same":
        desk.write_file("tests/test_errors.py", project.TESTS_SAME)
    changed = ["login/errors.py", "login/messages.py"]
    files = [project.changed(path, "서버 원문 대신 사용자용 메시지를 반환한다.") for path in changed]
    files.append(project.changed("tests/test_errors.py", "실패 유형별 테스트를 추가했다.", "created"))
    result = project.implementation(files, steps=["inspect-mapping", "update-mapping", "add-tests"])
    desk.write_evidence("implementation-result.json", result)


def _stray(desk: Desk) -> None:
    """Touches a file outside the plan, takes it back, and asks; only an approval lets it do so again."""
    path = "login/repository.py"
    desk.say(f"strays: {path} is not in the plan")
    desk.write_file(path, project.REPOSITORY_STRAY)
    desk.pause(5)
    desk.say(f"takes {path} back and asks first")
    desk.write_file(path, project.FILES[path])
    reason = "서버 오류를 더 짧게 보내기 위해 수정한다."
    request = desk.request_edit(path, after=project.REPOSITORY_STRAY, reason=reason, risk="high")
    if desk.wait(request):
        desk.say(f"was allowed to edit {path}")
        desk.write_file(path, project.REPOSITORY_STRAY)
    else:
        desk.say(f"was denied and leaves {path} alone")


def _ask_about_timeouts(desk: Desk) -> str:
    """Asks the human what the task leaves open."""
    desk.say("does not know whether a timeout reads like a wrong password: escalates")
    return desk.escalate(
        "타임아웃을 인증 실패와 다른 문구로 보여 줄까요?",
        {
            "separate": ("다른 문구", "사용자가 원인을 구분할 수 있다."),
            "same": ("일반 문구", "모든 실패가 같은 안내로 보인다."),
        },
    )


def _widen_plan(desk: Desk) -> None:
    desk.say("needs login/messages.py: the planner widens the plan, and the human must agree")
    desk.write_contract("plan.json", project.plan(widened=True))
    desk.wait_for_plan()


@role
def reviewer(desk: Desk) -> None:
    """Finds a missing test; changes nothing itself."""
    desk.say("reviews, and wants one more test")
    issue = {
        "id": "review-001",
        "severity": "high",
        "category": "test",
        "file": "tests/test_errors.py",
        "description": "알 수 없는 오류의 메시지를 확인하는 테스트가 없다.",
        "evidence": "message_for의 기본 분기를 지나는 테스트가 없다.",
    }
    fix = {
        "issueId": "review-001",
        "allowedFiles": ["tests/test_errors.py"],
        "expectedChange": "기본 분기를 확인하는 테스트를 추가한다.",
    }
    desk.write_evidence("review-result.json", project.review([issue], [fix], ["알 수 없는 오류"]))


@role
def fixer(desk: Desk) -> None:
    """Does what the review asks, and only that."""
    desk.say("adds the test that the review asked for")
    desk.write_file("tests/test_errors.py", desk.read_file("tests/test_errors.py") + project.TEST_UNKNOWN)
    files = [project.changed("tests/test_errors.py", "review-001: 기본 분기 테스트를 추가했다.")]
    desk.write_evidence("fix-result.json", project.implementation(files, steps=["add-tests"]))


@role
def second_reviewer(desk: Desk) -> None:
    """Looks again at the new difference."""
    desk.say("reviews again and passes")
    desk.write_evidence("review-result.json", project.review([], [], []))


@role
def tester(desk: Desk) -> None:
    """Claims first, then runs: only the second counts."""
    desk.say("claims “passed” without having run anything")
    desk.write_evidence("test-result.json", project.test_result(None, None, None))
    desk.pause(4)
    request = desk.request_command(project.TEST_COMMAND, reason="회귀 여부를 확인한다.", risk="low")
    if not desk.wait(request):
        desk.say("may not run the tests and says so")
        desk.write_evidence("test-result.json", project.tests_not_run("테스트 실행이 거부되었다."))
        return
    code, milliseconds, artifact = desk.run_tests(project.TEST_COMMAND)
    desk.say(f"ran the tests: exit code {code}")
    desk.write_evidence("test-result.json", project.test_result(code, milliseconds, artifact))


@role
def side_worker(desk: Desk) -> None:
    """Another agent on another task in the same work tree."""
    desk = desk.on_task(project.SIDE_TASK_ID, "codex")
    desk.write_contract("plan.json", project.side_plan())
    desk.wait_for_plan()
    desk.write_file("docs/usage.md", project.USAGE_FIXED)
    result = project.implementation(
        [project.changed("docs/usage.md", "Corrected one word.")], steps=["correct"]
    )
    desk.write_evidence("implementation-result.json", {**result, "risks": [], "notChanged": []})
    desk.say("corrected docs/usage.md, on its own task")


def main(arguments: list[str]) -> int:
    """Play one role.

    Args:
        arguments: Role, folder of the demo, pace (seconds are multiplied by it).
    """
    name, folder, pace = arguments
    desk = Desk(Path(folder), project.TASK_ID, name.replace("_", "-"), float(pace))
    ROLES[name](desk)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
