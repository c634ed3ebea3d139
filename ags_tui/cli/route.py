"""``route``: who goes on after a result, an error or a file that is no valid contract."""

from pathlib import Path
from typing import Annotated

import typer

from ags_tui.cli.call import Call
from ags_tui.cli.commands import command, new_app
from ags_tui.cli.failures import FAILED, OK
from ags_tui.core.checks.routing import Route, route_problem
from ags_tui.core.checks.routing import route as routed
from ags_tui.core.digests import digest as digest_of
from ags_tui.core.snapshot import LoadProblem
from ags_tui.io.contract_files import read_contract_file
from ags_tui.io.keys import Keys
from ags_tui.io.log import verify
from ags_tui.io.policy_files import read_policy
from ags_tui.view.documents import problem_document, safe
from ags_tui.view.text import Span

app = new_app()


@command(app)
def route(call: Call, file: Annotated[Path, typer.Argument(metavar="FILE", help="A contract file.")]) -> int:
    """Say who goes on after a file: 0 with the next role; 1 where the file is no valid contract.

    After an invalid file it names the failing fields alone, for the one retry; after the last, a human.
    """
    path = call.path(file)
    read = read_contract_file(path, str(file))
    if isinstance(read.result, LoadProblem):
        found = _after_problem(call, path, read.result)
        _say(call, str(file), found)
        for name, said in read.result.fields or ((read.result.field, read.result.message),):
            call.out.line("  ", f"{name}: {said}" if name else said)
        call.out.document({**_document(found), "valid": False, "problem": problem_document(read.result)})
        return FAILED
    found = routed(read.result.document)
    _say(call, str(file), found)
    call.out.document({**_document(found), "valid": True, "problem": None})
    return OK


def _after_problem(call: Call, path: Path, problem: LoadProblem) -> Route:
    """Count the attempts that the log of its task has seen; a file elsewhere is a first attempt."""
    folder = next((one for one in path.parents if one.parent.name == "tasks"), None)
    limit = read_policy(folder.parent.parent if folder else call.directory, call.places).max_schema_attempts
    failed = {problem.digest or digest_of(b"")}
    if folder is not None:
        log = verify(folder, Keys.open(call.places, create=False), call.places)
        artifact = path.relative_to(folder).as_posix()
        failed |= {seen.digest for seen in log.observations if seen.path == artifact and not seen.valid}
    return route_problem(problem, len(failed), limit)


def _say(call: Call, shown: str, found: Route) -> None:
    call.out.line(f"{shown} → ", Span(found.to, "title"), Span(f"  {found.reason}", "muted"))


def _document(found: Route) -> dict[str, str]:
    return {"nextAction": safe(found.to), "reason": safe(found.reason)}
