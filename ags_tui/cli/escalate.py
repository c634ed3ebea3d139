"""``escalate``: the agent's side of the queue, for a question."""

from typing import Annotated, Any, Literal

import typer

from ags_tui.cli.call import Call
from ags_tui.cli.commands import command, new_app
from ags_tui.cli.failures import OK, UsageProblem
from ags_tui.cli.request import Agent, Expires, Identity, RiskOption, Task, checked_id
from ags_tui.core.contracts.human import EscalationOption, EscalationSource, Evidence
from ags_tui.io.filing import built, file_escalation, open_folder_of

app = new_app()

EvidenceKind = Literal["code", "test", "document", "execution"]

_KINDS = ("code", "test", "document", "execution")


@command(app)
def escalate(
    call: Call,
    *,
    task: Task,
    question: Annotated[str, typer.Option("--question", metavar="WORDS", help="What is asked.")],
    option: Annotated[
        list[str] | None,
        typer.Option("--option", metavar="ID=LABEL::CONSEQUENCE", help="An answer to choose; repeatable."),
    ] = None,
    free_text: Annotated[bool, typer.Option("--free-text", help="The answer may be free text.")] = False,
    risk: RiskOption = "medium",
    evidence: Annotated[
        list[str] | None,
        typer.Option(
            "--evidence", metavar="KIND:REF", help="Something to look at: code, test, document, execution."
        ),
    ] = None,
    next_action: Annotated[
        list[str] | None,
        typer.Option("--next", metavar="ACTION", help="retry, human, planner or stop; repeatable."),
    ] = None,
    expires: Expires = None,
    agent: Agent = "agent",
    identity: Identity = None,
) -> int:
    """Ask a human a question; prints TASK/ID and the claim token with which to wait for the answer."""
    workspace, now = call.workspace(), call.now()
    folder = open_folder_of(workspace, task)
    identity = checked_id(identity)
    options = tuple(_option(given) for given in option or [])
    if not options and not free_text:
        raise UsageProblem("a question needs an answer: give --option ID=LABEL::CONSEQUENCE, or --free-text")
    if len({one.id for one in options}) < len(options):
        raise UsageProblem("--option: two answers have the same id")
    fields: dict[str, Any] = {
        "source": EscalationSource(system="agent", ref=agent),
        "question": question,
        "options": options,
        "allow_free_text": free_text,
        "risk_level": risk,
        "evidence": tuple(_evidence(given) for given in evidence or []),
        "next_actions": tuple(dict.fromkeys(next_action or ["human"])),
    }
    filed = file_escalation(folder, fields, identity=identity, expires_s=expires, now=now)
    call.out.line(f"{filed.name} {filed.claim}")
    call.out.document({"id": filed.name, "claim": filed.claim})
    return OK


def _option(given: str) -> EscalationOption:
    identity, equals, rest = given.partition("=")
    label, _, consequence = rest.partition("::")
    if not equals or not label.strip():
        raise UsageProblem(f"--option {given}: expected ID=LABEL::CONSEQUENCE")
    fields: dict[str, Any] = {"id": identity, "label": label.strip(), "consequence": consequence.strip()}
    return built(EscalationOption, **fields)


def _evidence(given: str) -> Evidence:
    kind, colon, ref = given.partition(":")
    if not colon or not ref or kind not in _KINDS:
        raise UsageProblem(f"--evidence {given}: expected KIND:REF with KIND one of {', '.join(_KINDS)}")
    return Evidence(kind=kind, ref=ref)
