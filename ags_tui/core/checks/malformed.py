"""Requests that can only be denied: they ask for nothing, for two things, or for what cannot be given."""

import posixpath
from collections.abc import Iterable

from ags_tui.core.assessment import PathClass
from ags_tui.core.checks.facts import Facts
from ags_tui.core.checks.scope import Judgement
from ags_tui.core.checks.stops import PREFIX
from ags_tui.core.checks.targets import inside_tree
from ags_tui.core.checks.unseen import unseen_characters
from ags_tui.core.contracts.human import ApprovalRequest, ApprovalSubject, Escalation
from ags_tui.core.contracts.plan import AgentPlan
from ags_tui.core.contracts.tool_request import ToolRequest, ToolRequestV2
from ags_tui.core.digests import ABSENT, digest
from ags_tui.core.edits_patch import BEGIN, patch_paths
from ags_tui.core.subjects import binds_too_much, inside, reads_too_long

RESERVED = frozenset({"plan", "task", "baseline", "finalize"})
"""Ids of questions that checks ask."""


def malformed_tool_request(facts: Facts, request: ToolRequest, judgement: Judgement | None) -> str:
    """Why a tool request can only be denied; empty where it may be approved."""
    newer = request if isinstance(request, ToolRequestV2) else None
    problem = _reserved(request.request_id) or (_other_task(facts, newer.task_id) if newer else "")
    problem = problem or binds_too_much(request) or reads_too_long(request)
    if problem:
        return problem
    if request.tool in ("shell", "run_tests"):
        return _command(request, newer)
    if request.tool in ("read_file", "edit_file"):
        problem = _path(facts, request, newer)
        if problem or request.tool == "read_file":
            return problem
        if judgement is not None and judgement.path_class is PathClass.EXCLUDED:
            return f"the plan excludes this path ({judgement.why}): deny it or change the plan"
        return _edit(facts, newer) if newer else ""
    if _empty(request.command) and _empty(request.target_path) and not (newer and newer.input):
        return "it names nothing that would be called"
    return ""


def malformed_approval(facts: Facts, request: ApprovalRequest, judgement: Judgement | None) -> str:
    """Why a request for an approval can only be denied."""
    problem = _reserved(request.approval_id) or _other_task(facts, request.task_id) or reads_too_long(request)
    if problem:
        return problem
    subject = request.subject
    if subject.kind == "plan":
        term = facts.terms.plan_term
        if not isinstance(term.current, AgentPlan) or term.current_digest != subject.digest:
            return "it is about another version of plan.json than the one on disk"
    if subject.kind == "edit" and judgement is not None and judgement.path_class is PathClass.EXCLUDED:
        return f"the plan excludes this path ({judgement.why}): deny it or change the plan"
    return _shown(facts, subject) if subject.kind in ("edit", "spec") else ""


def _shown(facts: Facts, subject: ApprovalSubject) -> str:
    """Why a human would not see what is to be approved: only the bytes on disk can be shown."""
    path = inside(subject.path) if subject.path else None
    if path is None or not inside_tree(path, facts.repo.top):
        return "it names no path in the work tree"
    if facts.task.file_digests.get(path) != subject.digest:
        return f"it is about other bytes of {path} than those on disk, which alone can be shown"
    return ""


def malformed_escalation(facts: Facts, escalation: Escalation) -> str:
    """Why a question cannot be answered."""
    problem = (
        _reserved(escalation.escalation_id)
        or _other_task(facts, escalation.task_id)
        or reads_too_long(escalation)
    )
    if problem:
        return problem
    if _empty(escalation.question):
        return "it asks nothing"
    ids = [option.id for option in escalation.options]
    if not ids and not escalation.allow_free_text:
        return "it offers no answer"
    return "two of its answers have the same id" if len(set(ids)) != len(ids) else ""


def _command(request: ToolRequest, newer: ToolRequestV2 | None) -> str:
    if _empty(request.command):
        return "the command is empty"
    raw = newer.input.get("command") if newer else None
    if isinstance(raw, str) and raw != request.command:
        return "the raw input holds another command than the one that is shown"
    return ""


def _path(facts: Facts, request: ToolRequest, newer: ToolRequestV2 | None) -> str:
    """Problems of the path of a read or an edit: none, or two that differ."""
    named: Iterable[str | None] = [request.target_path]
    if newer:
        proposed = newer.proposed_change.path if newer.proposed_change else None
        raw = [newer.input.get(key) for key in ("path", "file_path", "filePath", "target_path", "targetPath")]
        named = [*named, proposed, *(_from(newer.cwd, one) for one in raw if isinstance(one, str))]
    paths = [one for one in named if one is not None]
    if not paths or any(map(_empty, paths)):
        return "the path is empty"
    top = facts.repo.top
    places = {place if (place := inside_tree(one, top)) is not None else one for one in set(paths)}
    if len(places) > 1:
        return "the raw input names another path than the one that is shown"
    if newer and _patches_others(newer, top):
        return "the raw input is a patch of other files than the one that is shown"
    return "the path is the work tree itself" if "" in places else ""


def _patches_others(request: ToolRequestV2, top: str) -> bool:
    """Whether the raw input of a proposed change is a patch that does not name its file."""
    patch, change = request.input.get("command"), request.proposed_change
    if change is None or not isinstance(patch, str) or not patch.lstrip().startswith(BEGIN):
        return False
    named = (_from(request.cwd, one) for one in patch_paths(patch))
    return inside_tree(change.path, top) not in {inside_tree(one, top) for one in named}


def _from(cwd: str, raw: str) -> str:
    """A path of the raw input as the client reads it: a relative one counts from the folder of the call."""
    return raw if _empty(raw) or raw.startswith("~") else posixpath.join(cwd, raw)


def _edit(facts: Facts, request: ToolRequestV2) -> str:
    change = request.proposed_change
    if change is None:
        return "" if request.input else "it does not say what would change"
    after = ABSENT if change.after is None else digest(change.after.encode("utf-8", "surrogatepass"))
    if after == change.before:
        return "it would change nothing"
    path = inside_tree(change.path, facts.repo.top) or change.path
    now = facts.task.file_digests.get(path)
    if now is not None and now not in (change.before, after):
        return "the file is not as the agent saw it: deny it, so that it asks again"
    return ""


def _reserved(item_id: str) -> str:
    if item_id in RESERVED or item_id.startswith(PREFIX):
        return f"the id {item_id} is kept for questions of ags-tui"
    return ""


def _other_task(facts: Facts, task_id: str) -> str:
    return "" if task_id == facts.task_id else f"it is for task {task_id}"


def _empty(text: str | None) -> bool:
    """Whether a text has nothing that anybody could see."""
    if text is None or not text.strip():
        return True
    return bool(unseen_characters(text)) and all(
        character.isspace() or bool(unseen_characters(character)) for character in text
    )
