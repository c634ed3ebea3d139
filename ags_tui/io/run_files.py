"""The files of AGS runs as a task folder holds them, and what they are held against."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from ags_tui.core.contracts.workflow_plan import SchemaRef, WorkflowPlan
from ags_tui.core.layout import RECEIPTS_OF_RUN, WORKFLOW, Place
from ags_tui.core.snapshot import Artifact, LoadProblem, RunFacts, TaskFiles
from ags_tui.core.workflow.documents import is_genuine
from ags_tui.io.places import Places
from ags_tui.io.providers import schema_source
from ags_tui.io.workflow_secrets import known_secret

RUNS = f"{WORKFLOW}/"
"""How the path of a run's file begins."""
RECEIPT = "WorkflowReceipt"
"""Contract of a receipt."""
NO_RUNS = RunFacts()
"""Of a task without runs."""


def last_receipts(known: Mapping[str, tuple[object, Place]]) -> frozenset[str]:
    """Return the path of the last receipt of each run.

    Args:
        known: Files of a task folder by path.
    """
    last: dict[str | None, str] = {}
    for path, (_, place) in known.items():
        if place.contract == RECEIPT and path > last.get(place.id, ""):
            last[place.id] = path
    return frozenset(last.values())


def is_whole(data: bytes) -> bool:
    """Whether bytes have the ends of a receipt that was written to its end."""
    return data.startswith(b"{") and data.endswith(b"}\n")


def gather_run_file(
    path: str,
    result: object,
    workflow: dict[str, Artifact],
    receipts: dict[str, str],
    problems: list[LoadProblem],
) -> None:
    """Put what a file of a run turned out to be where it belongs.

    Args:
        path: Relative to the task folder.
        result: A document, the digest of an older receipt, or a problem.
        workflow: Documents by path.
        receipts: Digests of receipts by path.
        problems: Files that are nothing.
    """
    if isinstance(result, LoadProblem):
        problems.append(result)
        if result.digest is not None and f"/{RECEIPTS_OF_RUN}/" in path:
            receipts[path] = result.digest
    elif isinstance(result, Artifact):
        workflow[path] = result
        if result.contract == RECEIPT:
            receipts[path] = result.digest
    elif isinstance(result, str):
        receipts[path] = result


def run_facts(files: TaskFiles, places: Places) -> RunFacts:
    """Gather what the runs of a task are held against; nothing is read for a task without runs.

    Args:
        files: The task folder.
        places: The user's folders, with the secret that signs plans.
    """
    plans = {
        path.split("/")[1]: artifact.document
        for path, artifact in files.workflow.items()
        if isinstance(artifact.document, WorkflowPlan)
    }
    if not plans:
        return NO_RUNS
    secret = known_secret(places)
    read = schema_source(Path(files.folder).parent.parent)
    references = {one.path for plan in plans.values() for one in _references(plan)}
    found = {path: data for path in sorted(references) if (data := read(path)) is not None}
    genuine = {} if secret is None else {run: is_genuine(plan, secret) for run, plan in plans.items()}
    return RunFacts(genuine, found)


def _references(plan: WorkflowPlan) -> Iterable[SchemaRef]:
    for stage in plan.stages:
        yield stage.output_schema
        yield stage.result_schema
        if stage.gate.validator_schema is not None:
            yield stage.gate.validator_schema
