"""The agent's side of the queue: requests, escalations and claims as create-once files."""

import json
import re
import secrets
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from ags_tui.core.contracts.base import Contract
from ags_tui.core.contracts.write import to_bytes
from ags_tui.core.digests import text_digest
from ags_tui.core.failures import AgsError
from ags_tui.core.layout import CONSUMPTIONS
from ags_tui.io.create_once import sweep
from ags_tui.io.plain_files import NotPlain, open_folder, write_new

TOOL_REQUESTS = "tool-requests"
"""Folder of tool requests."""
ESCALATIONS = "escalations"
"""Folder of escalations."""

_NOT_NAME = re.compile(r"[^A-Za-z0-9._-]+")


class CannotFile(AgsError):
    """A file for the queue cannot be written; the message says why."""


class Claim(NamedTuple):
    """What lets one waiter, and nobody else, take an approval."""

    token: str
    """The secret that the asker keeps."""
    digest: str
    """Its digest, which the request carries."""


def new_claim() -> Claim:
    """Make a claim from 256 random bits."""
    token = secrets.token_urlsafe(32)
    return Claim(token, text_digest(token))


def new_id(prefix: str, now: datetime) -> str:
    """Make an id such as ``tool-20260721T090000-4f9a1c2e``.

    Args:
        prefix: what sort of thing.
        now: the time.
    """
    return f"{prefix}-{now.astimezone(UTC):%Y%m%dT%H%M%S}-{secrets.token_hex(4)}"


def name_part(text: str, longest: int = 40) -> str:
    """Make a text fit to be part of a file name: ASCII letters, digits, ``.``, ``_`` and ``-``.

    Args:
        text: any text.
        longest: most characters.
    """
    return _NOT_NAME.sub("-", text)[:longest].strip("-.") or "x"


def file_contract(task_folder: Path, folder: str, identity: str, document: Contract) -> None:
    """Write a request or an escalation, create-once.

    Args:
        task_folder: the task folder.
        folder: ``tool-requests`` or ``escalations``.
        identity: its id.
        document: the contract.

    Raises:
        CannotFile: the id is taken, or nothing can be written there.
    """
    try:
        data = to_bytes(document)
    except ValueError as error:
        raise CannotFile(f"a text cannot be written as strict JSON: {error}") from error
    if not _write(task_folder, folder, f"{identity}.json", data):
        raise CannotFile(f"{folder}/{identity}.json exists already; leave out --id or choose another")


def take_approval(task_folder: Path, request_id: str, digest: str, claim: str, now: datetime) -> bool:
    """Leave the unsigned claim of a waiter; the first taker wins.

    Args:
        task_folder: the task folder.
        request_id: which request.
        digest: digest of the request's bytes that are taken.
        claim: digest of the waiter's token.
        now: the waiter's time.

    Returns:
        Whether this waiter is the first.

    Raises:
        CannotFile: the claim cannot be written; nothing was taken.
    """
    document = {
        "requestId": request_id,
        "digest": digest,
        "claim": claim,
        "takenAt": now.astimezone(UTC).isoformat().replace("+00:00", "Z"),
    }
    data = json.dumps(document, indent=2).encode() + b"\n"
    return _write(task_folder, CONSUMPTIONS, f"{request_id}.json", data)


def _write(task_folder: Path, folder: str, name: str, data: bytes) -> bool:
    try:
        with open_folder(task_folder, folder, create=True) as descriptor:
            sweep(descriptor, time.time())  # the wall clock: it is compared with times of files
            return write_new(descriptor, name, data)
    except (NotPlain, OSError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise CannotFile(f"{task_folder.name}/{folder}/{name}: cannot be written: {why}") from error
