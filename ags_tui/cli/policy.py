"""``policy``: the rules in force, what a call would get and why, and the self-tests of both files."""

import os
import pwd
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

import ags_tui
from ags_tui.cli.call import Call
from ags_tui.cli.commands import add_group, command, new_app
from ags_tui.cli.failures import FAILED, OK, UsageProblem
from ags_tui.core.policy.calls import Ground, Part, Policies, Terms, ToolCall, Verdict
from ags_tui.core.policy.decide import decide
from ags_tui.core.policy.model import PolicyFile, PolicyProblem, Rule
from ags_tui.core.policy.self_tests import self_test
from ags_tui.core.records import replace
from ags_tui.io.policy_files import POLICY_NAME, read_policies
from ags_tui.io.workspace import Workspace
from ags_tui.view.documents import safe
from ags_tui.view.text import Span

app = new_app()
add_group(app, "Show, try and check the rules for tool calls.")

Tool = Literal["shell", "run_tests", "read_file", "edit_file", "external_api", "unknown"]
Agent = Literal["claude-code", "codex", "gemini"]
_STYLES = {"allow": "ok", "ask": "warn", "deny": "error"}
_NEXT = "correct the file; until then its allows ask, and only its denials count"


@command(app, "list")
def list_rules(call: Call) -> int:
    """List the rules in force: where each comes from, whether it counts, and when it ends."""
    workspace, policies = _opened(call)
    now = call.now()
    rows: list[dict[str, Any]] = []
    files: list[dict[str, Any]] = []
    for source, path, file in _files(call, workspace, policies):
        trusted = source == "user" or policies.repository_trusted
        state = _file_state(file, trusted)
        call.out.line(f"{source}  ", Span(str(path), "muted"), "  ", state)
        files.append(_file_document(source, path, file, trusted))
        for rule in file.rules if file else ():
            counts = _counts(rule, file, trusted, now)
            call.out.line("  ", *_rule_line(rule, counts))
            rows.append({"source": source, **_rule_document(rule), "counts": not counts, "why": counts})
    for one in policies.remembered:
        why = "ended" if one.expires <= now else ""
        ends = f"  until {one.expires:%Y-%m-%d %H:%M}Z"
        call.out.line("remembered  ", *_rule_line(one.rule, why), ends)
        rows.append({"source": "remembered", **_rule_document(one.rule), "counts": not why, "why": why})
    call.out.document({"files": files, "rules": rows})
    return OK


@command(app, "test")
def try_call(
    call: Call,
    *,
    line: Annotated[
        str | None, typer.Argument(metavar="LINE", help="A shell line, as an agent gives it.")
    ] = None,
    tool: Annotated[Tool | None, typer.Option("--tool", help="Tool; default: shell, or edit_file.")] = None,
    path: Annotated[list[str] | None, typer.Option("--path", metavar="P", help="A file; repeatable.")] = None,
    cwd: Annotated[Path | None, typer.Option("--cwd", metavar="DIR", help="Where it would run.")] = None,
    task: Annotated[
        str | None, typer.Option("--task", metavar="TASK", help="Judge by the plan of this task, too.")
    ] = None,
    agent: Annotated[
        Agent | None, typer.Option("--agent", help="Who calls; default: nobody, and rules of one are named.")
    ] = None,
) -> int:
    """Say what a call would get and why, part by part. It runs nothing."""
    workspace, policies = _opened(call)
    chosen: str = tool or ("edit_file" if path and line is None else "shell")
    if line is None and chosen in ("shell", "run_tests"):
        raise UsageProblem("policy test: name a shell line, or --path with --tool edit_file or read_file")
    if line is not None and chosen in ("read_file", "edit_file"):
        raise UsageProblem(f"policy test: {chosen} takes --path, not a line")
    where = str(call.path(cwd) if cwd is not None else call.directory)
    named = ToolCall(
        chosen, chosen, command=line, paths=tuple(path or ()), cwd=where, risk="low", agent=agent or ""
    )
    ground, terms = _ground(call, workspace), None
    if task is not None:
        terms = _terms(call, workspace, task)
        ground = replace(ground, task_folder=f"{ground.root}/tasks/{task}")
    now = call.now()
    verdict = decide(named, ground=ground, policies=policies, terms=terms, now=now)
    others = {
        one: decide(replace(named, agent=one), ground=ground, policies=policies, terms=terms, now=now)
        for one in sorted({rule.agent for rule in policies.remembered if rule.agent} if agent is None else ())
    }
    _say_verdict(call, verdict, {one: other for one, other in others.items() if other != verdict})
    return OK


def _say_verdict(call: Call, verdict: Verdict, others: Mapping[str, Verdict]) -> None:
    """Print what a call would get, and what else it would get from single agents."""
    call.out.line(
        Span(verdict.decision, _STYLES[verdict.decision]), f"  {verdict.reason}",
        Span(f"  risk {verdict.risk}", f"risk-{verdict.risk}"),
    )  # fmt: skip
    for part in verdict.parts:
        source = part.source if not part.rule_id else f"{part.source}: {part.rule_id}"
        call.out.line(
            "  ", Span(f"{part.decision:<5}", _STYLES[part.decision]), f"  {part.what}  ",
            Span(f"{part.reason} [{source}]", "muted"),
        )  # fmt: skip
    for agent, other in others.items():
        call.out.line(
            f"remembered for {agent} only: ", Span(other.decision, _STYLES[other.decision]),
            Span(f"  {other.reason}", "muted"),
        )  # fmt: skip
    agents = [{"agent": safe(agent), **_verdict_document(other)} for agent, other in others.items()]
    call.out.document({**_verdict_document(verdict), "agents": agents})


@command(app)
def check(call: Call) -> int:
    """Check the form, the self-tests and the patterns of both files; exit code 1 where something is wrong."""
    workspace, policies = _opened(call)
    ground = _ground(call, workspace)
    rows: list[dict[str, Any]] = []
    for source, path, file in _files(call, workspace, policies):
        if file is None:
            call.out.line(f"{source}  ", Span(f"{path}: there is none", "muted"))
            continue
        problems = (*file.problems, *self_test(file, ground))
        for problem in problems:
            call.out.line(Span(_place(path, problem), "error"), f": {problem.message}; {_NEXT}")
            rows.append({"source": source, **_problem_document(path, problem)})
        if not problems:
            tests = sum(len(rule.match) + len(rule.not_match) for rule in file.rules)
            told = f", {len(file.rules)} rules, {tests} self-tests"
            call.out.line(f"{source}  {path}: ", Span("ok", "ok"), told)
    call.out.document({"valid": not rows, "problems": rows})
    return FAILED if rows else OK


def _opened(call: Call) -> tuple[Workspace, Policies]:
    workspace = call.workspace()
    return workspace, read_policies(workspace.root, workspace.top, call.places, workspace.keys, call.now())


def _terms(call: Call, workspace: Workspace, task: str) -> Terms | None:
    """What the plan of a task allows; None where it has none."""
    from ags_tui.io.session_tasks import terms_of_task
    from ags_tui.io.trees import tree_of

    workspace.folder(task)  # raises where there is no such task
    tree = tree_of(str(workspace.top.resolve()), call.places)
    if tree is None:
        return None
    found = terms_of_task(replace(tree, root=str(workspace.root)), task, call.places, call.now())
    return None if found is None else found.terms(ignore_case=workspace.git.repo().ignore_case)


def _files(
    call: Call, workspace: Workspace, policies: Policies
) -> tuple[tuple[str, Path, PolicyFile | None], ...]:
    return (
        ("user", call.places.config / POLICY_NAME, policies.user),
        ("repository", workspace.root / POLICY_NAME, policies.repository),
    )


def _ground(call: Call, workspace: Workspace) -> Ground:
    program = os.path.dirname(os.path.abspath(ags_tui.__file__))
    return Ground(
        top=str(workspace.top),
        root=str(workspace.root),
        home=pwd.getpwuid(os.getuid()).pw_dir,
        own=(str(call.places.state), str(call.places.config), program),
        real=os.path.realpath,
        git_dirs=tuple(str(path) for path in workspace.git.git_dirs),
        ignore_case=workspace.git.repo().ignore_case,
    )


def _file_state(file: PolicyFile | None, trusted: bool) -> Span:
    if file is None:
        return Span("there is none", "muted")
    if file.problems:
        return Span("broken: only its denials count, everything else asks", "error")
    return Span("counts", "ok") if trusted else Span("not trusted: its allows do not count", "warn")


def _counts(rule: Rule, file: PolicyFile | None, trusted: bool, now: datetime) -> str:
    """Why a rule does not count; empty where it does."""
    if rule.expires is not None and rule.expires <= now:
        return "ended"
    if rule.decision == "deny":
        return ""
    if file is not None and file.problems:
        return "the file is broken"
    return "" if trusted or rule.decision == "ask" else "not trusted"


def _rule_line(rule: Rule, why: str) -> list[str | Span]:
    what = [
        rule.command or "",
        " ".join(rule.paths or ()),
        f"risk ≤ {rule.risk_at_most}" if rule.risk_at_most else "",
    ]
    until = f"until {rule.expires:%Y-%m-%d %H:%M}Z" if rule.expires else ""
    told = "  ".join(one for one in (*what, until) if one)
    return [
        Span(f"{rule.decision:<5}", "muted" if why else _STYLES[rule.decision]),
        f"  {rule.rule_id}  {rule.tool}  {told}",
        Span(f"  {why or rule.reason}", "muted"),
    ]


def _place(path: Path, problem: PolicyProblem) -> str:
    line = f":{problem.line}" if problem.line else ""
    return f"{path}{line}" + (f" {problem.field}" if problem.field else "")


def _file_document(source: str, path: Path, file: PolicyFile | None, trusted: bool) -> dict[str, Any]:
    return {
        "source": source,
        "path": safe(str(path)),
        "exists": file is not None,
        "digest": file.digest if file else None,
        "trusted": trusted and file is not None,
        "problems": [_problem_document(path, one) for one in (file.problems if file else ())],
    }


def _rule_document(rule: Rule) -> dict[str, Any]:
    return {
        "id": safe(rule.rule_id),
        "decision": rule.decision,
        "tool": rule.tool,
        "command": None if rule.command is None else safe(rule.command),
        "paths": None if rule.paths is None else [safe(one) for one in rule.paths],
        "riskAtMost": rule.risk_at_most,
        "reason": safe(rule.reason),
        "expires": None if rule.expires is None else rule.expires.isoformat().replace("+00:00", "Z"),
        "line": rule.line,
    }


def _problem_document(path: Path, problem: PolicyProblem) -> dict[str, Any]:
    return {
        "path": safe(str(path)),
        "line": problem.line,
        "field": safe(problem.field),
        "message": safe(problem.message),
        "nextStep": _NEXT,
    }


def _verdict_document(verdict: Verdict) -> dict[str, Any]:
    return {
        "decision": verdict.decision,
        "reason": safe(verdict.reason),
        "source": verdict.source,
        "ruleId": safe(verdict.rule_id),
        "risk": verdict.risk,
        "parts": [_part_document(part) for part in verdict.parts],
    }


def _part_document(part: Part) -> dict[str, Any]:
    return {
        "what": safe(part.what),
        "decision": part.decision,
        "reason": safe(part.reason),
        "source": part.source,
        "ruleId": safe(part.rule_id),
    }
