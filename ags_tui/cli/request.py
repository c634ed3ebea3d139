"""``request``: the agent's side of the queue, for a tool call."""

import sys
from pathlib import Path
from typing import Annotated, Any, Literal, cast

import typer

from ags_tui.cli.call import Call
from ags_tui.cli.commands import command, new_app
from ags_tui.cli.failures import OK, CommandFailed, UsageProblem
from ags_tui.core.contracts.parse import read_json
from ags_tui.core.contracts.tool_request import ProposedChange
from ags_tui.core.digests import is_digest
from ags_tui.core.layout import valid_id
from ags_tui.core.snapshot import LoadProblem
from ags_tui.core.subjects import inside
from ags_tui.io.filing import file_request, open_folder_of
from ags_tui.io.plain_files import NotPlain, read_plain
from ags_tui.io.rehash import file_digest
from ags_tui.io.workspace import Workspace

app = new_app()

LARGEST_INPUT = 16 * 1024 * 1024
"""Most bytes of ``--input`` and of a proposed text."""

Tool = Literal["read_file", "edit_file", "run_tests", "shell", "external_api"]
Risk = Literal["low", "medium", "high", "critical"]

Task = Annotated[str, typer.Option("--task", metavar="TASK", help="Task it belongs to.")]
RiskOption = Annotated[Risk, typer.Option("--risk", help="Risk as the agent sees it.")]
Expires = Annotated[
    int | None,
    typer.Option("--expires", metavar="SECONDS", min=1, help="Give up after; policy can be shorter."),
]
Agent = Annotated[str, typer.Option("--agent", help="Who asks.")]
Identity = Annotated[
    str | None, typer.Option("--id", metavar="ID", help="Id of the request; default: a new one.")
]


@command(app)
def request(
    call: Call,
    *,
    task: Task,
    tool: Annotated[Tool, typer.Option("--tool", help="Which tool.")],
    reason: Annotated[str, typer.Option("--reason", metavar="WORDS", help="Why.")],
    risk: RiskOption,
    path: Annotated[
        str | None, typer.Option("--path", help="File it touches, from the top of the work tree.")
    ] = None,
    command_line: Annotated[
        str | None, typer.Option("--command", metavar="LINE", help="Command it runs.")
    ] = None,
    raw_input: Annotated[
        str | None, typer.Option("--input", metavar="JSON", help="Raw input of the tool; - reads stdin.")
    ] = None,
    before: Annotated[
        str | None,
        typer.Option("--before", metavar="DIGEST", help="Digest of the file now; default: hashed."),
    ] = None,
    after: Annotated[
        str | None, typer.Option("--after", metavar="TEXT", help="The whole text afterwards.")
    ] = None,
    content_file: Annotated[
        Path | None,
        typer.Option("--content-file", metavar="FILE", help="File with that text; - reads stdin."),
    ] = None,
    delete: Annotated[bool, typer.Option("--delete", help="The edit deletes the file.")] = False,
    expires: Expires = None,
    agent: Agent = "agent",
    session: Annotated[str, typer.Option("--session", help="Session of the agent's client.")] = "",
    requires_approval: Annotated[
        bool, typer.Option("--requires-approval/--no-requires-approval", help="What the agent thinks.")
    ] = True,
    identity: Identity = None,
) -> int:
    """Ask for a tool call; prints TASK/ID and the claim token with which to wait for the decision."""
    workspace, now = call.workspace(), call.now()
    folder = open_folder_of(workspace, task)
    identity = checked_id(identity)
    change = _proposed(call, workspace, path, before, _text_after(call, after, content_file), delete=delete)
    fields: dict[str, Any] = {
        "tool": tool,
        "target_path": path,
        "command": command_line,
        "reason": reason,
        "risk_level": risk,
        "requires_approval": requires_approval,
        "agent": agent,
        "session_id": session,
        "cwd": str(call.directory),
        "input": _input(raw_input),
        "proposed_change": change,
    }
    filed = file_request(workspace, folder, fields, identity=identity, expires_s=expires, now=now)
    call.out.line(f"{filed.name} {filed.claim}")
    call.out.document({"id": filed.name, "claim": filed.claim})
    return OK


def checked_id(identity: str | None) -> str | None:
    """An id from the command line.

    Raises:
        UsageProblem: it cannot be one.
    """
    if identity is not None and not valid_id(identity):
        raise UsageProblem(f"--id {identity}: is no id; use letters, digits, dots, dashes and underscores")
    return identity


def stdin_bytes(option: str) -> bytes:
    """Read stdin to its end, because an option asks for it.

    Raises:
        UsageProblem: stdin is a terminal: nothing waits for a human to type.
        CommandFailed: there is too much.
    """
    if sys.stdin.isatty():
        raise UsageProblem(f"{option} -: reads stdin, which is a terminal; pipe the text in")
    data = sys.stdin.buffer.read(LARGEST_INPUT + 1)
    if len(data) > LARGEST_INPUT:
        raise CommandFailed(f"{option} -: more than {LARGEST_INPUT} bytes")
    return data


def _input(given: str | None) -> dict[str, Any]:
    if given is None:
        return {}
    data = stdin_bytes("--input") if given == "-" else given.encode("utf-8", "surrogateescape")
    found = read_json(data, "--input")
    if isinstance(found, LoadProblem):
        raise UsageProblem(f"--input: {found.message}")
    value: object = found.value
    if not isinstance(value, dict):
        raise UsageProblem("--input: must be a JSON object")
    return cast("dict[str, Any]", value)


def _text_after(call: Call, after: str | None, content_file: Path | None) -> str | None:
    if after is not None and content_file is not None:
        raise UsageProblem("--after and --content-file exclude each other; give one of them")
    if content_file is None:
        return after
    if str(content_file) == "-":
        data = stdin_bytes("--content-file")
    else:
        try:
            data = read_plain(call.path(content_file), limit=LARGEST_INPUT, follow=True)
        except FileNotFoundError as error:
            raise UsageProblem(f"--content-file {content_file}: no such file") from error
        except NotPlain as error:
            raise UsageProblem(f"--content-file {content_file}: {error}") from error
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise UsageProblem(
            "--content-file: the text is not UTF-8; a change of bytes cannot be proposed"
        ) from error


def _proposed(
    call: Call, workspace: Workspace, path: str | None, before: str | None, after: str | None, *, delete: bool
) -> ProposedChange | None:
    """The proposed edit; None where none was given."""
    if after is None and not delete:
        if before is not None:
            raise UsageProblem(
                "--before: needs the text afterwards; give --after, --content-file or --delete"
            )
        return None
    if after is not None and delete:
        raise UsageProblem("--delete and a text afterwards exclude each other")
    target = inside(path or "")
    if target is None:
        raise UsageProblem("a proposed change needs --path, a file below the top of the work tree")
    if before is not None and before != "absent" and not is_digest(before):
        raise UsageProblem("--before: must be sha256: and 64 hex digits, or absent")
    return ProposedChange(path=target, before=before or file_digest(workspace.top / target), after=after)
