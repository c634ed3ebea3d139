"""A run read again: its plan and stage results through the rules, held against the receipts on disk."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TypeVar

from ags_tui.core.contracts.workflow import StageResult, WorkflowReceipt, WorkflowStatus
from ags_tui.core.contracts.workflow_plan import WorkflowPlan
from ags_tui.core.digests import digest
from ags_tui.core.layout import RECEIPTS_OF_RUN, RESULTS_OF_RUN, WORKFLOW, run_number
from ags_tui.core.snapshot import Artifact, LoadProblem, TaskFiles
from ags_tui.core.workflow.documents import file_bytes
from ags_tui.core.workflow.failures import WorkflowRefused
from ags_tui.core.workflow.transitions import World, abort, finalize, record, start

T = TypeVar("T")

REMEMBERED = 256
"""Most replays that are remembered; a run that has not changed is not read again."""


@dataclass(frozen=True, slots=True, eq=False)
class RunFiles:
    """The files of one run."""

    run_id: str
    """Name of its folder."""
    plan: Artifact | None
    """Its plan."""
    results: tuple[Artifact, ...]
    """Its stage results in order."""
    receipts: Mapping[int, str]
    """Digest of each receipt file by revision."""
    last: WorkflowReceipt | None
    """The last receipt, where it is valid."""
    problems: tuple[LoadProblem, ...] = ()
    """Files that could not be read."""
    gaps: bool = False
    """Whether numbers of results or receipts are missing in between."""


@dataclass(frozen=True, slots=True, eq=False)
class Replayed:
    """What the rules make of a run's files."""

    files: RunFiles
    """The files."""
    receipt: WorkflowReceipt | None = None
    """The last receipt that the rules come to; None where there is no run to speak of."""
    receipts: tuple[WorkflowReceipt, ...] = ()
    """All that they come to, by revision."""
    differs: str = ""
    """How the files differ from what the rules make of them; empty where they do not."""
    refused: WorkflowRefused | None = None
    """Why the rules do not take one of the results."""
    outdated: str = ""
    """Schema that is no longer as it was planned, so that results cannot be judged again."""
    digest: str = field(default="")
    """Digest of the last receipt's bytes."""


def runs_of(files: TaskFiles) -> tuple[RunFiles, ...]:
    """Return the runs of a task folder, oldest first; a folder without a receipt is none."""
    names: dict[str, None] = {}
    for path in (*files.receipts, *(problem.artifact for problem in files.workflow_problems)):
        parts = path.split("/")
        if len(parts) > 2 and parts[0] == WORKFLOW:
            names[parts[1]] = None
    found = (_run_of(files, run_id) for run_id in sorted(names, key=lambda name: (run_number(name), name)))
    return tuple(run for run in found if run.receipts or run.problems)


def _run_of(files: TaskFiles, run_id: str) -> RunFiles:
    top = f"{WORKFLOW}/{run_id}/"
    results = _numbered(files.workflow, f"{top}{RESULTS_OF_RUN}/")
    receipts = _numbered(files.receipts, f"{top}{RECEIPTS_OF_RUN}/")
    last = files.workflow.get(f"{top}{RECEIPTS_OF_RUN}/{max(receipts, default=0):06}.json")
    document = last.document if last is not None else None
    return RunFiles(
        run_id=run_id,
        plan=files.workflow.get(f"{top}plan.json"),
        results=tuple(results[number] for number in sorted(results)),
        receipts=receipts,
        last=document if isinstance(document, WorkflowReceipt) else None,
        problems=tuple(one for one in files.workflow_problems if one.artifact.startswith(top)),
        gaps=sorted(receipts) != list(range(len(receipts)))
        or sorted(results) != list(range(1, len(results) + 1)),
    )


def _numbered(files: Mapping[str, T], folder: str) -> dict[int, T]:
    found: dict[int, T] = {}
    for path, value in files.items():
        name = path.removeprefix(folder)
        if name != path and name.removesuffix(".json").isdigit():
            found[int(name.removesuffix(".json"))] = value
    return found


@dataclass(frozen=True, slots=True)
class _Asked:
    """A replay that was asked for; equal digests make it the same one."""

    key: tuple[object, ...]
    run: RunFiles = field(compare=False)
    world: World = field(compare=False)


def replay(run: RunFiles, schemas: Mapping[str, bytes]) -> Replayed:
    """Apply the rules to a run's plan and results, and compare each receipt.

    Args:
        run: The files.
        schemas: Schema files that its plan names, as they are now, by path.
    """
    key = (
        run.run_id,
        run.plan.digest if run.plan is not None else None,
        tuple(one.digest for one in run.results),
        tuple(sorted(run.receipts.items())),
        run.problems,
        tuple(sorted((path, digest(data)) for path, data in schemas.items())),
    )
    return replace(_replayed(_Asked(key, run, World(schemas.get, replaying=True))), files=run)


@lru_cache(maxsize=REMEMBERED)
def _replayed(asked: _Asked) -> Replayed:
    run, world = asked.run, asked.world
    plan = run.plan.document if run.plan is not None else None
    if run.problems or not isinstance(plan, WorkflowPlan) or run.gaps:
        why = run.problems[0].message if run.problems else "files of it are missing"
        return Replayed(run, differs=why, receipt=run.last)
    receipts = [start(plan, run.run_id)]
    refused: WorkflowRefused | None = None
    outdated = ""
    for result in _results(run):
        try:
            receipts.append(record(receipts[-1], result, world))
        except WorkflowRefused as error:
            if "schemaPath" in (error.details or {}) and error.code == "STALE_REVISION":
                outdated = str((error.details or {})["schemaPath"])
            else:
                refused = error
            break
    if refused is None and not outdated:
        receipts += _ending(run, receipts[-1], world)
    return _compared(run, tuple(receipts), refused, outdated)


def _results(run: RunFiles) -> Iterable[StageResult]:
    """The results; one that a crash kept from being written stands in the last receipt."""
    found = [one.document for one in run.results if isinstance(one.document, StageResult)]
    in_last = run.last.stage_results if run.last is not None else ()
    return [*found, *in_last[len(found) :]] if len(in_last) == len(found) + 1 else found


def _ending(run: RunFiles, receipt: WorkflowReceipt, world: World) -> list[WorkflowReceipt]:
    """What ended the run after its last result: finalizing or aborting, whichever the receipt on disk is."""
    wanted = run.receipts.get(receipt.revision + 1)
    if wanted is None:
        return []
    made: list[WorkflowReceipt] = []
    for end in (lambda: finalize(receipt, receipt.revision, world), lambda: abort(receipt, receipt.revision)):
        try:
            made.append(end())
        except WorkflowRefused:
            continue
        if digest(file_bytes(made[-1])) == wanted:
            return [made[-1]]
    return []


def _compared(
    run: RunFiles, receipts: tuple[WorkflowReceipt, ...], refused: WorkflowRefused | None, outdated: str
) -> Replayed:
    differs = ""
    head = ""
    for receipt in receipts:
        head = digest(file_bytes(receipt))
        if run.receipts.get(receipt.revision) != head:
            differs = f"receipt {receipt.revision} is not what the plan and the results make of it"
            break
    if not differs and refused is None and not outdated and len(run.receipts) > len(receipts):
        differs = f"receipt {len(receipts)} follows from nothing"
    last = run.last if outdated and run.last is not None else receipts[-1]
    return Replayed(run, last, receipts, differs, refused, outdated, head)


def status_of(receipt: WorkflowReceipt, data: bytes | None = None) -> WorkflowStatus:
    """Return a receipt in a line.

    Args:
        receipt: The receipt.
        data: Bytes of its file; made where they are not given.
    """
    plan, results = receipt.plan, receipt.stage_results
    return WorkflowStatus(
        schema_version="1.0.0",
        run_id=receipt.run_id,
        revision=receipt.revision,
        state=receipt.state,
        current_stage_id=plan.current_stage_id,
        next_stage_id=plan.next_stage_id,
        last_recorded_stage_id=results[-1].stage_id if results else None,
        completed_stage_count=sum(stage.state == "passed" for stage in plan.stages),
        total_stage_count=len(plan.stages),
        blocker_count=len(receipt.blockers),
        unresolved_count=len(receipt.unresolved),
        error_code=receipt.error.code if receipt.error else None,
        receipt_digest=digest(data if data is not None else file_bytes(receipt)),
    )
