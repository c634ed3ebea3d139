"""What every path below the root means (``formats.md`` §1): pure, by name alone.

Three callers share it: the reader (which contract does this file hold), git (which names of the root are out
of scope) and the commands (is this a task id). Names are matched exactly, never folded: ``Plan.json`` is not
``plan.json``.
"""

import re
import unicodedata
from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

Kind = Literal[
    "contract", "log", "consumption", "report", "evidence", "workflow", "debate", "temporary"
]  # fmt: skip
"""What a file in a task folder is: a contract, a log entry, a waiter's claim, ``final-report.md``, a file
under ``artifacts/``, a file of an AGS run, a file of a debate, or a temporary file of our own."""

SINGLE: Mapping[str, str] = MappingProxyType({
    "task.json": "AgentTask",
    "plan.json": "AgentPlan",
    "implementation-result.json": "ImplementationResult",
    "fix-result.json": "ImplementationResult",
    "review-result.json": "ReviewResult",
    "test-result.json": "TestResult",
    "final-report.json": "FinalReport",
})  # fmt: skip
"""Contract by name, of the files that a task folder holds at most once."""

COLLECTIONS: Mapping[str, str] = MappingProxyType({
    "tool-requests": "ToolRequest",
    "approval-requests": "ApprovalRequest",
    "escalations": "Escalation",
    "handoffs": "AgentHandoff",
    "errors": "AgentError",
})  # fmt: skip
"""Contract by folder name, of the folders that hold ``ID.json`` files."""

PHASES = ("spec", "build", "delivery")
"""Phases of a debate, in order."""

LOG = "log"
"""Folder of the log."""
CONSUMPTIONS = "consumptions"
"""Folder of the waiters' claims."""
EVIDENCE = "artifacts"
"""Folder of logs and evidence; any names below."""
WORKFLOW = "workflow"
"""Folder of AGS runs."""
RESULTS_OF_RUN = "results"
"""Folder of a run's stage results."""
RECEIPTS_OF_RUN = "receipts"
"""Folder of a run's receipts."""
DEBATE = "debate"
"""Folder of the debate."""
REPORT = "final-report.md"
"""The human-readable report."""
TASKS = "tasks"
"""Folder of the root that holds the task folders."""

PROVIDERS = "providers.toml"
"""File of the root with the project's own providers."""

MAX_TASK_ID_BYTES = 128
"""Longest task id, bytes of UTF-8."""

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,159}", re.ASCII)
_OWN_TEMPORARY = re.compile(r"\.tmp-[0-9]{1,10}-[0-9]{1,10}", re.ASCII)
_ENTRY = re.compile(r"[0-9]{6}\.json", re.ASCII)
_STAGE_RESULT = re.compile(r"[0-9]{4}\.json", re.ASCII)
_RUN = re.compile(r"run-(.+)-([0-9]{1,12})", re.ASCII)
_ROUND = re.compile(r"round-[0-9]{2}", re.ASCII)
_SCHEMA = re.compile(r"[0-9]{1,6}\.[0-9]{1,6}\.[0-9]{1,6}\.schema\.json", re.ASCII)
_CONTRACT_NAME = re.compile(r"[A-Z][A-Za-z0-9]{0,63}", re.ASCII)
_TRANSCRIPT = frozenset({"transcript.jsonl", "review-package.json", "review-package.md"})
_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)
"""Letters and marks that are drawn as nothing: two ids that look the same must be the same."""


class Place(NamedTuple):
    """What a path inside a task folder is."""

    contract: str | None
    """Registry name of the contract that belongs there; None where the name alone does not say."""
    id: str | None
    """The id that the file name carries (of the run for workflow files); None for single files."""
    kind: Kind
    """What sort of file."""


CALL_PREFIX = "call-"
"""How ids of requests begin that a hook files."""


def valid_id(name: str) -> bool:
    """Whether ``name`` can be the id of a request, escalation, handoff, error or run."""
    return _ID.fullmatch(name) is not None


def valid_task_id(name: str) -> bool:
    """Whether ``name`` can be a task id: one path segment of letters and digits of any script plus ``._-``.

    In NFC, not starting with ``.``, at most 128 bytes of UTF-8. A combining mark counts as part of the letter
    before it (many scripts cannot be written without); letters and marks without a shape do not count.
    """
    if not name or name[0] == ".":
        return False
    try:
        if len(name.encode()) > MAX_TASK_ID_BYTES:
            return False
    except UnicodeEncodeError:
        return False
    if name.isascii():
        return all(char.isalnum() or char in "._-" for char in name)
    if not unicodedata.is_normalized("NFC", name) or _BLANK.search(name):
        return False
    return _letters_and_digits(name)


def _letters_and_digits(name: str) -> bool:
    follows_letter = False
    for char in name:
        category = unicodedata.category(char)
        if category in {"Mn", "Mc"}:
            if not follows_letter:
                return False
            continue
        follows_letter = category[0] == "L"
        if not follows_letter and category != "Nd" and char not in "._-":
            return False
    return True


def valid_run_id(name: str) -> bool:
    """Whether ``name`` can be the id of an AGS run: an id, or ``run-TASK_ID-N`` of any task."""
    if valid_id(name):
        return True
    found = _RUN.fullmatch(name)
    return found is not None and valid_task_id(found[1])


def task_of_run(run_id: str) -> str | None:
    """The task that a run id of the form ``run-TASK_ID-N`` belongs to; None for any other name."""
    found = _RUN.fullmatch(run_id)
    return found[1] if found is not None and valid_task_id(found[1]) else None


def run_number(run_id: str) -> int:
    """The number at the end of a run id; -1 where it has none."""
    found = _RUN.fullmatch(run_id)
    return int(found[2]) if found is not None else -1


def is_own_temporary(name: str) -> bool:
    """Whether a file name is one of our own unfinished writes, ``.tmp-PID-N``."""
    return _OWN_TEMPORARY.fullmatch(name) is not None


def place_of(relative: str) -> Place | None:
    """Say what a file inside a task folder is, by its path alone.

    Args:
        relative: Path relative to the task folder, ``/``-separated, as spelled on disk.

    Returns:
        The place, or None for an unknown name or a known name in the wrong place.
    """
    parts = relative.split("/")
    if not all(map(_plain_segment, parts)):
        return None
    if len(parts) == 1:
        return _single(parts[0])
    head, rest = parts[0], parts[1:]
    if head == EVIDENCE:
        return Place(None, None, "evidence")
    if is_own_temporary(rest[-1]) and is_known_folder("/".join(parts[:-1])):
        return Place(None, None, "temporary")
    if head == WORKFLOW:
        return _workflow(rest)
    if head == DEBATE:
        return _debate(rest)
    return _numbered_or_named(head, rest[0]) if len(rest) == 1 else None


def is_known_folder(relative: str) -> bool:
    """Whether a folder inside a task folder is one of ``formats.md`` §1 (``""`` is the task folder)."""
    parts = relative.split("/") if relative else []
    if not all(map(_plain_segment, parts)):
        return False
    match parts:
        case []:
            return True
        case [head] if head in COLLECTIONS or head in {LOG, CONSUMPTIONS, WORKFLOW, DEBATE}:
            return True
        case [head, *_] if head == EVIDENCE:
            return True
        case ["workflow", run] | ["workflow", run, "results" | "receipts"]:
            return valid_run_id(run)
        case ["debate", phase]:
            return phase in PHASES
        case ["debate", phase, number]:
            return phase in PHASES and _ROUND.fullmatch(number) is not None
        case _:
            return False


def known_in_root(relative: str) -> bool:
    """Whether a path below the root (``.ai/``) is one that ``formats.md`` §1 names, and so is out of scope.

    Args:
        relative: Path relative to the root, ``/``-separated, as git spells it; ``x/`` is never known.
    """
    parts = relative.split("/")
    if not all(map(_plain_segment, parts)):
        return False
    match parts:
        case ["policy.toml" | ".gitignore" | "providers.toml"]:
            return True
        case [name]:
            return is_own_temporary(name)
        case ["contracts", _, _]:
            return is_contract_copy(relative)
        case ["tasks", task_id, *rest] if rest:
            return valid_task_id(task_id) and place_of("/".join(rest)) is not None
        case _:
            return False


def is_contract_copy(relative: str) -> bool:
    """Whether a path below the root is that of a schema, ``contracts/NAME/VERSION.schema.json``."""
    match relative.split("/"):
        case ["contracts", name, version]:
            return _CONTRACT_NAME.fullmatch(name) is not None and _SCHEMA.fullmatch(version) is not None
        case _:
            return False


def _plain_segment(segment: str) -> bool:
    return segment not in {"", ".", ".."} and "\0" not in segment


def _single(name: str) -> Place | None:
    contract = SINGLE.get(name)
    if contract is not None:
        return Place(contract, None, "contract")
    if name == REPORT:
        return Place(None, None, "report")
    return Place(None, None, "temporary") if is_own_temporary(name) else None


def _numbered_or_named(folder: str, name: str) -> Place | None:
    if folder == LOG:
        return Place("LogEntry", name[:-5], "log") if _ENTRY.fullmatch(name) else None
    stem = name.removesuffix(".json")
    if stem == name or not valid_id(stem):
        return None
    if folder == CONSUMPTIONS:
        return Place(None, stem, "consumption")
    contract = COLLECTIONS.get(folder)
    return None if contract is None else Place(contract, stem, "contract")


def _workflow(rest: list[str]) -> Place | None:
    if not valid_run_id(rest[0]):
        return None
    match rest:
        case [run, "plan.json"]:
            return Place("WorkflowPlan", run, "workflow")
        case [run, "results", name] if _STAGE_RESULT.fullmatch(name):
            return Place("StageResult", run, "workflow")
        case [run, "receipts", name] if _ENTRY.fullmatch(name):
            return Place("WorkflowReceipt", run, "workflow")
        case _:
            return None


def _debate(rest: list[str]) -> Place | None:
    match rest:
        case [name] if name in _TRANSCRIPT:
            return Place(None, None, "debate")
        case [phase, number, name] if phase in PHASES and _ROUND.fullmatch(number):
            stem = name.removesuffix(".json")
            if stem == name or not valid_id(stem):
                return None
            return Place("OrchestratorDecision" if stem == "orchestrator" else None, stem, "debate")
        case _:
            return None
