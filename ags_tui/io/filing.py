"""Files what waits for a human: tool requests and escalations of agents, each with a claim for its waiter."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from pydantic import ValidationError

from ags_tui.core.contracts.base import Contract
from ags_tui.core.contracts.human import Escalation
from ags_tui.core.contracts.tool_request import ToolRequestV2
from ags_tui.core.failures import AgsError
from ags_tui.io.log import read_log
from ags_tui.io.policy_files import read_policy
from ags_tui.io.request_files import (
    ESCALATIONS,
    TOOL_REQUESTS,
    CannotFile,
    file_contract,
    new_claim,
    new_id,
)
from ags_tui.io.workspace import Workspace

M = TypeVar("M", bound=Contract)

LONGEST_LIFE_S = 10**8
"""Most seconds that a request can live."""


class Unfit(AgsError):
    """A field does not fit its contract; the message names the first."""


class Filed(NamedTuple):
    """What was filed."""

    name: str
    """``TASK/ID``."""
    claim: str
    """Token with which its waiter takes the decision."""


def open_folder_of(workspace: Workspace, task_id: str) -> Path:
    """The folder of a task that is still open.

    Raises:
        NoSuchTask: it does not exist.
        CannotFile: it is finalized or closed, so nobody would ever answer.
    """
    folder = workspace.folder(task_id)
    log = read_log(folder, workspace.keys, workspace.places)
    if log.frozen:
        word = "finalized" if log.finalized is not None else "closed"
        raise CannotFile(f"{task_id}: is {word}; a human reopens it in ags-tui, or makes another task")
    return folder


def built(model: type[M], **fields: Any) -> M:  # noqa: ANN401  whatever a caller gave
    """Make a contract of fields.

    Raises:
        Unfit: a field does not fit.
    """
    try:
        return model(**fields)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        name = ".".join(map(str, first["loc"]))
        raise Unfit(f"{name}: {first['msg']}") from error


def file_request(
    workspace: Workspace,
    folder: Path,
    fields: Mapping[str, Any],
    *,
    identity: str | None,
    expires_s: int | None,
    now: datetime,
) -> Filed:
    """File a tool request.

    Args:
        workspace: the repository.
        folder: an open task folder.
        fields: fields of ToolRequest 2.0.0 that the asker chose.
        identity: id of the request; None makes one.
        expires_s: seconds that the asker waits; None takes what policy gives.
        now: the time.

    Raises:
        Unfit: a field does not fit.
        CannotFile: the id is taken, or nothing can be written there.
    """
    request_id = identity or new_id("tool", now)
    claim = new_claim()
    ends = expires_s or read_policy(workspace.root, workspace.places).request_timeout_s
    document = built(
        ToolRequestV2,
        **fields,
        request_id=request_id,
        task_id=folder.name,
        created_at=now,
        expires_at=now + timedelta(seconds=min(ends, LONGEST_LIFE_S)),
        claim=claim.digest,
    )
    file_contract(folder, TOOL_REQUESTS, request_id, document)
    return Filed(f"{folder.name}/{request_id}", claim.token)


def file_escalation(
    folder: Path, fields: Mapping[str, Any], *, identity: str | None, expires_s: int | None, now: datetime
) -> Filed:
    """File a question.

    Args:
        folder: an open task folder.
        fields: fields of Escalation 1.0.0 that the asker chose.
        identity: id of the escalation; None makes one.
        expires_s: seconds that the asker waits; None for no limit.
        now: the time.

    Raises:
        Unfit: a field does not fit.
        CannotFile: the id is taken, or nothing can be written there.
    """
    escalation_id = identity or new_id("escalation", now)
    life = min(expires_s or 0, LONGEST_LIFE_S)
    ends = {} if expires_s is None else {"expires_at": now + timedelta(seconds=life)}
    document = built(
        Escalation, **fields, **ends, escalation_id=escalation_id, task_id=folder.name, created_at=now
    )
    file_contract(folder, ESCALATIONS, escalation_id, document)
    return Filed(f"{folder.name}/{escalation_id}", new_claim().token)
