"""What a document says against itself: contradictions that need no other file to be seen."""

from dataclasses import dataclass

from ags_tui.core.contracts.base import Contract
from ags_tui.core.contracts.results import TestResult


@dataclass(frozen=True, slots=True)
class Contradiction:
    """One contradiction inside a document."""

    code: str
    """Stable code of ``formats.md`` §3."""
    field: str
    """Field path such as ``commands.0.exitCode``."""
    message: str
    """What contradicts what."""


def contradictions(document: Contract) -> tuple[Contradiction, ...]:
    """Return the contradictions inside a document; empty for contracts that cannot contradict themselves."""
    return _of_test_result(document) if isinstance(document, TestResult) else ()


def _of_test_result(result: TestResult) -> tuple[Contradiction, ...]:
    """``passed`` needs a command, exit code 0 from each, and no failed test (article §15, §20)."""
    if result.status != "passed":
        return ()
    found: list[Contradiction] = []
    if not result.commands:
        found.append(Contradiction("PASSED_WITHOUT_EXIT_CODE", "commands", "passed, and no command was run"))
    for index, command in enumerate(result.commands):
        field = f"commands.{index}.exitCode"
        if command.exit_code is None:
            found.append(
                Contradiction("PASSED_WITHOUT_EXIT_CODE", field, "passed, and a command has no exit code")
            )
        elif command.exit_code != 0:
            message = f"passed, and a command ended with {command.exit_code}"
            found.append(Contradiction("PASSED_WITH_FAILURE", field, message))
    if result.failed_tests:
        count = len(result.failed_tests)
        found.append(Contradiction("PASSED_WITH_FAILURE", "failedTests", f"passed, and {count} tests failed"))
    return tuple(found)
