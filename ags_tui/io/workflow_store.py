"""AGS runs on disk: ``workflow/RUN_ID/`` in a task folder, create-once, one receipt a revision.

A receipt file is the whole truth of its revision and the one thing that two writers can both want: whoever
creates it has changed the run, the other one is told the revision that there is now. The file of a stage
result is written behind its receipt and holds nothing that the receipt does not; where a crash kept it from
being written, the next writer writes it. A run begins with its first receipt; a folder without one is none.

What a call costs grows with the stages of its run, never with the runs before it.
"""

import os
import re
from collections.abc import Generator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from ags_tui.core.contracts.workflow import WorkflowReceipt
from ags_tui.core.contracts.workflow_plan import ExecutionContext, WorkflowPlan
from ags_tui.core.layout import (
    RECEIPTS_OF_RUN,
    RESULTS_OF_RUN,
    TASKS,
    WORKFLOW,
    task_of_run,
    valid_task_id,
)
from ags_tui.core.workflow.documents import file_bytes, read_bytes, read_document
from ags_tui.core.workflow.failures import WorkflowRefused, stale
from ags_tui.core.workflow.planning import Planner, plan_workflow, read_request
from ags_tui.core.workflow.transitions import (
    UNSUPERVISED,
    Change,
    Supervision,
    World,
    abort,
    check_plan,
    finalize,
    read_result,
    record,
    start,
)
from ags_tui.io.create_once import DISK, Disk, create_once, sync_folder
from ags_tui.io.file_reads import OPEN_FOLDER
from ags_tui.io.places import Places
from ags_tui.io.providers import read_plain, read_registry, schema_source
from ags_tui.io.workflow_secrets import next_number, secret_of

PLAN = "plan.json"
"""The plan as it was signed."""
RESULTS = RESULTS_OF_RUN
"""Folder of the stage results, numbered from 1 in the order of their recording."""
RECEIPTS = RECEIPTS_OF_RUN
"""Folder of the receipts, numbered by revision."""
MAX_TRIES = 10_000
"""Most run numbers that are tried: others may have come with the repository."""

_RECEIPT = re.compile(r"([0-9]{6})\.json", re.ASCII)
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Stored:
    """A receipt with the bytes of its file."""

    receipt: WorkflowReceipt
    """The receipt."""
    data: bytes
    """The file."""


class WorkflowStore:
    """The runs of all tasks of one root. Keeps nothing in memory; any number of them may work at once."""

    def __init__(self, root: Path, places: Places, *, disk: Disk = DISK) -> None:
        """Name the folders; nothing is read or made yet.

        Args:
            root: Folder that holds ``tasks/``.
            places: The user's folders: secret, counter, own providers.
            disk: Calls of the file system.
        """
        self.root = root
        self.places = places
        self._disk = disk
        self.world = World(schema_source(root), read_output)
        """Schemas and files as this store reads them."""

    # -- planning and starting ---------------------------------------------------------------------------

    def plan(self, value: object, context: ExecutionContext | None = None) -> WorkflowPlan:
        """Plan a task; nothing is stored. The provider files are read anew.

        Args:
            value: A TaskEnvelope or PlanWorkflowRequest, JSON data.
            context: What plans, where a host saw it.

        Raises:
            WorkflowRefused: INVALID_INPUT.
            PlaceUnusable: The state directory cannot be used.
        """
        request = read_request(value)
        registry = read_registry(self.root, self.places).registry
        planner = Planner(registry, self.world.schemas, secret_of(self.places))
        return plan_workflow(request, planner, context)

    def start(self, value: object) -> Stored:
        """Start a run of a plan that this store has made.

        Args:
            value: The plan, JSON data.

        Raises:
            WorkflowRefused: INVALID_INPUT, INVALID_TRANSITION or MCP_UNAVAILABLE; no number is used up.
            OSError: It cannot be written.
        """
        plan = read_document(WorkflowPlan, value)
        check_plan(plan, secret_of(self.places))
        if not valid_task_id(plan.task_id):
            message = f"{plan.task_id} cannot be the name of a task folder."
            raise WorkflowRefused("INVALID_INPUT", message, {"taskId": plan.task_id})
        folder = self.root / TASKS / plan.task_id / WORKFLOW
        for _ in range(MAX_TRIES):
            run_id = f"run-{plan.task_id}-{next_number(self.places)}"
            try:
                (folder / run_id).mkdir(parents=True)
            except FileExistsError:
                continue  # it came with the repository from another machine
            self._sync(folder)
            return self._begin(plan, run_id)
        raise WorkflowRefused("INVALID_INPUT", "No run number is free.", {"taskId": plan.task_id})

    def _sync(self, folder: Path) -> None:
        """Make the name of a new run durable, and that of the folder around it."""
        for one in (folder, folder.parent):
            descriptor = os.open(one, _FOLDER)
            try:
                sync_folder(descriptor, self._disk)
            finally:
                os.close(descriptor)

    def _begin(self, plan: WorkflowPlan, run_id: str) -> Stored:
        receipt = start(plan, run_id)
        stored = Stored(receipt, file_bytes(receipt))
        with self._run(run_id) as run:
            create_once(run, PLAN, file_bytes(plan), disk=self._disk)
            for name in (RESULTS, RECEIPTS):
                os.mkdir(name, dir_fd=run)
            sync_folder(run, self._disk)
            with _inner(run, RECEIPTS) as receipts:
                create_once(receipts, _receipt_name(0), stored.data, disk=self._disk)
        return stored

    # -- reading -----------------------------------------------------------------------------------------

    def status(self, run_id: object) -> Stored:
        """Return the last receipt of a run.

        Raises:
            WorkflowRefused: RUN_NOT_FOUND, or INVALID_INPUT where its file is no receipt.
        """
        with self._run(run_id) as run, _receipts(run, run_id) as receipts:
            return _latest(receipts, str(run_id))

    # -- changing ----------------------------------------------------------------------------------------

    def record(
        self,
        value: object,
        *,
        strict: bool = False,
        observation: ExecutionContext | None = None,
        now: datetime | None = None,
    ) -> Stored:
        """Record a stage result.

        Args:
            value: The StageResult, JSON data.
            strict: Whether a host must have seen what ran a passed stage.
            observation: What the host saw.
            now: The wall clock, UTC; needed where ``strict``.

        Raises:
            WorkflowRefused: The first check that fails; nothing has changed.
            OSError: It cannot be written.
        """
        result = read_result(value, strict=strict)
        world = replace(self.world, strict=strict, observation=observation)
        if now is not None:
            world = replace(world, now=now)
        return self.change(
            result.run_id, result.expected_revision, lambda receipt: record(receipt, result, world)
        )

    def finalize(
        self, run_id: object, expected_revision: object, supervision: Supervision = UNSUPERVISED
    ) -> Stored:
        """Finalize a run.

        Args:
            run_id: The run, whatever the caller sent.
            expected_revision: Revision that the caller saw, whatever it sent.
            supervision: Log and tree of the task: a human block or a stale audit refuses.

        Raises:
            WorkflowRefused: The first check that fails; nothing has changed.
            OSError: It cannot be written.
        """
        return self.change(
            run_id,
            expected_revision,
            lambda receipt: finalize(receipt, expected_revision, self.world, supervision),
        )

    def abort(self, run_id: object, expected_revision: object) -> Stored:
        """Give a run up.

        Args:
            run_id: The run, whatever the caller sent.
            expected_revision: Revision that the caller saw, whatever it sent.

        Raises:
            WorkflowRefused: RUN_NOT_FOUND, STALE_REVISION or INVALID_TRANSITION; nothing has changed.
            OSError: It cannot be written.
        """
        return self.change(run_id, expected_revision, lambda receipt: abort(receipt, expected_revision))

    def change(self, run_id: object, expected_revision: object, change: Change) -> Stored:
        """Compare and swap: read the last receipt, make the next one, create its file.

        Args:
            run_id: The run.
            expected_revision: Revision that the caller saw.
            change: Makes the next receipt, or refuses.

        Raises:
            WorkflowRefused: The run does not exist, ``change`` refuses, or another writer was first.
            OSError: It cannot be written.
        """
        with self._run(run_id) as run, _receipts(run, run_id) as receipts:
            before = _latest(receipts, str(run_id))
            self._complete(run, before.receipt)
            after = change(before.receipt)
            stored = Stored(after, file_bytes(after))
            try:
                create_once(receipts, _receipt_name(after.revision), stored.data, disk=self._disk)
            except FileExistsError:
                actual = _again(receipts, str(run_id))
                raise stale(expected_revision, actual) from None
            self._complete(run, after)
        return stored

    def _complete(self, run: int, receipt: WorkflowReceipt) -> None:
        """Write the file of the last stage result, where it is not there yet."""
        if not receipt.stage_results:
            return
        number = len(receipt.stage_results)
        with _inner(run, RESULTS, create=True) as results, suppress(FileExistsError):
            if not _exists(results, _result_name(number)):
                data = file_bytes(receipt.stage_results[-1])
                create_once(results, _result_name(number), data, disk=self._disk)

    @contextmanager
    def _run(self, run_id: object) -> Generator[int]:
        """The open folder of a run.

        Raises:
            WorkflowRefused: RUN_NOT_FOUND.
        """
        task = task_of_run(run_id) if isinstance(run_id, str) else None
        if task is None:
            raise _not_found(run_id)
        with ExitStack() as stack:
            try:
                folder = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
                stack.callback(os.close, folder)
                for name in (TASKS, task, WORKFLOW, str(run_id)):
                    folder = os.open(name, OPEN_FOLDER, dir_fd=folder)
                    stack.callback(os.close, folder)
            except OSError as error:
                raise _not_found(run_id) from error
            yield folder


def _not_found(run_id: object) -> WorkflowRefused:
    shown = run_id if isinstance(run_id, str) else type(run_id).__name__
    return WorkflowRefused("RUN_NOT_FOUND", f"There is no run {shown[:200]}.", {"runId": shown})


@contextmanager
def _inner(run: int, name: str, *, create: bool = False) -> Generator[int]:
    if create:
        with suppress(FileExistsError):
            os.mkdir(name, dir_fd=run)
    folder = os.open(name, _FOLDER, dir_fd=run)
    try:
        yield folder
    finally:
        os.close(folder)


@contextmanager
def _receipts(run: int, run_id: object) -> Generator[int]:
    """The open folder of a run's receipts; a folder without it is no run."""
    try:
        folder = os.open(RECEIPTS, _FOLDER, dir_fd=run)
    except OSError as error:
        raise _not_found(run_id) from error
    try:
        yield folder
    finally:
        os.close(folder)


def _latest(receipts: int, run_id: str) -> Stored:
    numbers = [int(found[1]) for name in os.listdir(receipts) if (found := _RECEIPT.fullmatch(name))]
    if not numbers:
        raise _not_found(run_id)
    name = _receipt_name(max(numbers))
    descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=receipts)
    with os.fdopen(descriptor, "rb") as file:
        data = file.read()
    receipt = read_bytes(WorkflowReceipt, data)
    if receipt.run_id != run_id or receipt.revision != max(numbers):
        message = f"{name} is not the receipt of {run_id} at this revision."
        errors = [{"path": "revision", "message": message}]
        raise WorkflowRefused("INVALID_INPUT", message, {"validationErrors": errors})
    return Stored(receipt, data)


def _again(receipts: int, run_id: str) -> int | None:
    """The revision now, read again after a lost race."""
    try:
        return _latest(receipts, run_id).receipt.revision
    except (OSError, WorkflowRefused):
        return None


def _exists(folder: int, name: str) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _receipt_name(revision: int) -> str:
    return f"{revision:06}.json"


def _result_name(number: int) -> str:
    return f"{number:04}.json"


def read_output(path: str) -> bytes | str:
    """Read a file that holds the output of a provider.

    Args:
        path: Its absolute path.

    Returns:
        Its bytes, or words why there are none.
    """
    found = read_plain(path)
    return "does not exist" if found is None else found
