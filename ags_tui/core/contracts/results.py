"""ImplementationResult and TestResult 1.0.0: what was done and what was run (article §6, §15)."""

from typing import Annotated, ClassVar, Literal

from pydantic import GetPydanticSchema, WithJsonSchema
from pydantic_core import core_schema

from ags_tui.core.contracts.base import Absent, Contract
from ags_tui.core.contracts.tool_request import RequestedCommand

Milliseconds = Annotated[
    int | float,
    GetPydanticSchema(
        lambda _source, _handler: core_schema.union_schema(
            [core_schema.int_schema(ge=0), core_schema.float_schema(ge=0, allow_inf_nan=False)],
            mode="left_to_right",
            custom_error_type="milliseconds",
            custom_error_message="must be a number, 0 or more",
        )
    ),
    WithJsonSchema({"type": "number", "minimum": 0}),
]
"""A duration; whole where the runner says so, for the digits of the file are kept."""


class ChangedFile(Contract):
    """A file that the implementer says it changed."""

    path: str
    """Relative to the work tree."""
    change_type: Literal["created", "updated", "deleted"]
    """What happened to it."""
    reason: str
    """Why; a fix names its issue id here."""


class SkippedStep(Contract):
    """A planned step that was left out."""

    step_id: str
    """Step of the plan."""
    reason: str
    """Why."""


class ImplementationResult(Contract):
    """What an implementer (or fixer) says it did."""

    contract_name: ClassVar[str] = "ImplementationResult"

    status: Literal["completed", "blocked", "failed"]
    """How it ended."""
    changed_files: tuple[ChangedFile, ...]
    """What it changed, as claimed; git says what is true."""
    executed_steps: tuple[str, ...]
    """Ids of plan steps that were done."""
    skipped_steps: tuple[SkippedStep, ...]
    """Plan steps that were not."""
    commands_requested: tuple[RequestedCommand, ...]
    """Commands it wants to have run."""
    risks: tuple[str, ...]
    """What may go wrong."""
    not_changed: tuple[str, ...]
    """Paths or patterns that it says it left alone."""


class TestCommandResult(Contract):
    """One command that a tester ran, or could not run."""

    __test__: ClassVar[bool] = False

    command: str
    """Command line."""
    exit_code: int | None
    """Exit code; null where it did not run."""
    duration_ms: Milliseconds | None
    """How long it ran, milliseconds; null where it did not run."""
    stdout_artifact: Absent[str] = None
    """File with its output."""
    stderr_artifact: Absent[str] = None
    """File with its errors."""


class FailedTest(Contract):
    """A test that failed."""

    name: str
    """Name of the test."""
    message: str
    """What it said."""
    file: Absent[str] = None
    """Where it stands."""
    line: Absent[int] = None
    """Line, counted from 1."""


class TestResult(Contract):
    """What a tester says came out; ``not_run`` is not ``passed``."""

    __test__: ClassVar[bool] = False
    contract_name: ClassVar[str] = "TestResult"

    status: Literal["passed", "failed", "not_run"]
    """The claim."""
    commands: tuple[TestCommandResult, ...]
    """What was run."""
    failed_tests: tuple[FailedTest, ...]
    """What failed."""
    environment_issues: tuple[str, ...]
    """What kept tests from running."""
    artifacts: tuple[str, ...]
    """Files of evidence, looked up in the task folder first, then in the work tree."""
