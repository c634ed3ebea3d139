"""The agents of the demo: real processes that write real contracts, edit real files and run real tests.

Started as ``python -I -m ags_tui.cli.demo.agents ROLE FOLDER PACE``. They know nothing of the TUI: they ask
with ``ags-tui request`` and ``escalate``, wait with ``ags-tui wait``, and read ``ags-tui log``.
"""

import sys
from collections.abc import Callable
from pathlib import Path

from ags_tui.cli.demo import program, project
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
    desk.say("plan")
    desk.write_contract("plan.json", project.plan(desk.texts))
    desk.wait_for_plan()


@role
def implementer(desk: Desk) -> None:
    """Edits inside the plan, strays once, asks once, and needs the plan widened once."""
    texts = desk.texts
    desk.say("edits")
    desk.write_file("login/errors.py", program.errors_first(texts))
    desk.write_file("tests/test_errors.py", program.TESTS_FIRST)
    desk.pause(3)
    _stray(desk)
    answer = _ask_about_timeouts(desk)
    _widen_plan(desk)
    desk.say("moves")
    desk.write_file("login/messages.py", program.messages_with_timeout(texts, answer))
    desk.write_file("login/errors.py", program.ERRORS_SECOND)
    if answer == "same":
        desk.write_file("tests/test_errors.py", program.tests_same(texts))
    changed = ["login/errors.py", "login/messages.py"]
    files = [project.changed(path, texts.changed[0]) for path in changed]
    files.append(project.changed("tests/test_errors.py", texts.changed[1], "created"))
    steps = ["inspect-mapping", "update-mapping", "add-tests"]
    result = project.implementation(files, steps=steps, risks=[texts.risk])
    desk.write_evidence("implementation-result.json", result)


def _stray(desk: Desk) -> None:
    """Touches a file outside the plan and lets it stand, so that the viewer can decide about it.

    Where the viewer does nothing it takes the file back and asks; only an approval lets it do so again.
    """
    path = program.STRAYED
    desk.say("strays", path)
    desk.write_file(path, program.REPOSITORY_STRAY)
    then = desk.stand(path, 20)
    if then not in ("restored", "kept"):
        desk.write_file(path, program.REPOSITORY)
    desk.say(then, path)
    if then != "asks-first":
        return
    after = program.REPOSITORY_STRAY
    request = desk.request_edit(path, after=after, reason=desk.texts.stray, risk="high")
    if desk.wait(request):
        desk.say("allowed", path)
        desk.write_file(path, program.REPOSITORY_STRAY)
    else:
        desk.say("denied", path)


def _ask_about_timeouts(desk: Desk) -> str:
    """Asks the human what the task leaves open."""
    desk.say("escalates")
    return desk.escalate(desk.texts.question, dict(desk.texts.options))


def _widen_plan(desk: Desk) -> None:
    desk.say("widens")
    desk.write_contract("plan.json", project.plan(desk.texts, widened=True))
    desk.wait_for_plan()


@role
def reviewer(desk: Desk) -> None:
    """Finds a missing test; changes nothing itself."""
    desk.say("reviews")
    desk.write_evidence("review-result.json", project.first_review(desk.texts))


@role
def fixer(desk: Desk) -> None:
    """Does what the review asks, and only that."""
    desk.say("fixes")
    tests = desk.read_file("tests/test_errors.py")
    desk.write_file("tests/test_errors.py", tests + program.test_unknown(desk.texts))
    files = [project.changed("tests/test_errors.py", desk.texts.fixed)]
    result = project.implementation(files, steps=["add-tests"], risks=[])
    desk.write_evidence("fix-result.json", result)


@role
def second_reviewer(desk: Desk) -> None:
    """Looks again at the new difference."""
    desk = desk.on_task(project.TASK_ID, "reviewer")  # as the log names whoever writes a review
    desk.say("reviews-again")
    desk.write_evidence("review-result.json", project.review([], [], []))


@role
def tester(desk: Desk) -> None:
    """Claims first, then runs: only the second counts."""
    desk.say("claims")
    desk.write_evidence("test-result.json", project.test_result(None, None, None))
    desk.pause(4)
    request = desk.request_command(project.TEST_COMMAND, reason=desk.texts.run_tests, risk="low")
    if not desk.wait(request):
        desk.say("may-not-run")
        desk.write_evidence("test-result.json", project.tests_not_run(desk.texts.not_run))
        return
    code, milliseconds, artifact = desk.run_tests(project.TEST_COMMAND)
    desk.say("ran", code)
    desk.write_evidence("test-result.json", project.test_result(code, milliseconds, artifact))


@role
def side_worker(desk: Desk) -> None:
    """Another agent on another task in the same work tree."""
    desk = desk.on_task(project.SIDE_TASK_ID, "planner")
    desk.say("side-plan")
    desk.write_contract("plan.json", project.side_plan())
    desk.wait_for_plan()
    desk = desk.on_task(project.SIDE_TASK_ID, "implementer")
    desk.write_file("docs/usage.md", program.USAGE_FIXED)
    desk.write_evidence("implementation-result.json", project.side_result())
    desk.say("side")


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
