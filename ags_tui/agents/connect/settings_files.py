"""Writes settings of clients; what was there before is kept in the state directory, to come back whole."""

import base64
import json
import os
import stat
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

from ags_tui.agents.connect.clients import Client
from ags_tui.agents.connect.entries import Wanted, ours_in, put_in, take_out
from ags_tui.agents.connect.json_text import NotJson
from ags_tui.core.failures import AgsError
from ags_tui.io.places import Places

FOLDER = "connect"
"""Folder in the state directory."""

_LARGEST = 8 * 1024 * 1024
_NEW_MODE = 0o600


class CannotConnect(AgsError):
    """The settings of a client cannot be read or written; the message says why and the next step."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """What would be written into a file."""

    path: Path
    """The file, links resolved."""
    before: bytes | None
    """Its bytes; None where it does not exist."""
    after: bytes | None
    """The bytes to write; None removes it."""
    note: str = ""
    """What the human should know."""

    @property
    def changes(self) -> bool:
        """Whether there is anything to write."""
        return self.before != self.after


@dataclass(frozen=True, slots=True)
class _Kept:
    """What is remembered of a file that was written."""

    before: bytes | None
    written: str


def settings_path(client: Client, home: Path) -> Path:
    """The settings of a client's user, links resolved.

    Args:
        client: Which.
        home: Home folder.
    """
    return Path(os.path.realpath(home / client.settings))


def read_settings(path: Path) -> bytes | None:
    """Read settings; None where there are none.

    Args:
        path: The file.

    Raises:
        CannotConnect: It cannot be read.
    """
    try:
        facts = path.stat()
        if not stat.S_ISREG(facts.st_mode) or facts.st_size > _LARGEST:
            raise CannotConnect(f"{path}: is no file of settings; look at it")
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise CannotConnect(f"{path}: cannot be read: {error.strerror}") from error


def proposal(client: Client, wanted: Wanted, home: Path) -> Proposal:
    """What connecting would write.

    Args:
        client: Which.
        wanted: What is to stand in its settings.
        home: Home folder of its user.

    Raises:
        CannotConnect: The settings are not what the client could read.
    """
    path = settings_path(client, home)
    before = read_settings(path)
    return Proposal(path, before, _edited(path, before, lambda text: put_in(text, wanted)))


def removal(client: Client, wanted: Wanted, home: Path, places: Places) -> Proposal:
    """What taking our entries out would write.

    Args:
        client: Which.
        wanted: What was put in.
        home: Home folder of its user.
        places: The user's folders.

    Raises:
        CannotConnect: The settings are not what the client could read.
    """
    path = settings_path(client, home)
    now, kept = read_settings(path), _kept(client, path, places)
    if now is None:
        return Proposal(path, None, None)
    if kept is not None and kept.written == _digest(now):
        return Proposal(path, now, kept.before)
    before = _text(path, kept.before) if kept is not None and kept.before is not None else ""
    try:
        there = bool(ours_in(_text(path, now)))
    except NotJson as error:
        raise _no_json(path, error) from error
    if not there:
        return Proposal(path, now, now)
    after = _edited(path, now, lambda text: take_out(text, wanted, before))
    note = (
        f"{path} was changed since it was connected, so only the entries of ags-tui go; "
        "all else stays as it is now"
    )
    return Proposal(path, now, after, note)


def write(client: Client, made: Proposal, wanted: Wanted, places: Places, *, connected: bool) -> None:
    """Write what was shown.

    Args:
        client: Which.
        made: What was shown.
        wanted: What was put in, or taken out.
        places: The user's folders.
        connected: Whether our entries stand there afterwards.

    Raises:
        AgsError: The file changed since it was shown, or cannot be written.
    """
    if read_settings(made.path) != made.before:
        raise CannotConnect(f"{made.path}: changed since it was shown; nothing was written, look again")
    places.state_folder(FOLDER, client.agent)
    record = _record_path(client, made.path, places)
    if connected and made.after is not None:
        _remember(record, made, wanted, _kept(client, made.path, places))
    replace_file(made.path, made.after)
    if not connected:
        with suppress(FileNotFoundError):
            record.unlink()


def replace_file(path: Path, data: bytes | None, mode: int | None = None) -> None:
    """Replace a file as a whole, keeping its mode; or remove it.

    Args:
        path: The file, links resolved.
        data: Its new bytes; None removes it.
        mode: Its mode; None keeps the old one, 0600 for a new file.

    Raises:
        CannotConnect: It cannot be written.
    """
    temporary = path.with_name(f".{path.name}.ags-tui-{os.getpid()}")
    try:
        if data is None:
            path.unlink(missing_ok=True)
            return
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with suppress(FileNotFoundError):
            mode = stat.S_IMODE(path.stat().st_mode) if mode is None else mode
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _NEW_MODE)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fchmod(stream.fileno(), _NEW_MODE if mode is None else mode)
            os.fsync(stream.fileno())
        os.replace(temporary, path)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink()
        raise CannotConnect(f"{path}: cannot be written: {error.strerror}") from error


def _edited(path: Path, before: bytes | None, edit: Callable[[str], str]) -> bytes:
    try:
        return edit(_text(path, before or b"")).encode()
    except NotJson as error:
        raise _no_json(path, error) from error


def _no_json(path: Path, error: NotJson) -> CannotConnect:
    return CannotConnect(
        f"{path}: is not the JSON that ags-tui could add to ({error}); nothing was written. Correct it (JSON "
        "has no comments), or add by hand what this shows: ags-tui connect … --print --home /an/empty/folder"
    )


def _text(path: Path, data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise CannotConnect(f"{path}: is no UTF-8 text; nothing was written") from error


def _digest(data: bytes) -> str:
    return "sha256:" + sha256(data).hexdigest()


def _record_path(client: Client, path: Path, places: Places) -> Path:
    name = sha256(os.fsencode(path)).hexdigest()[:16]
    return places.state / FOLDER / client.agent / f"connected-{name}.json"


def _kept(client: Client, path: Path, places: Places) -> _Kept | None:
    try:
        row: object = json.loads(_record_path(client, path, places).read_bytes())
    except (OSError, ValueError):
        return None
    if not isinstance(row, dict):
        return None
    held = cast("dict[str, Any]", row)
    before, written = held.get("before"), held.get("written")
    if not isinstance(written, str) or not (before is None or isinstance(before, str)):
        return None
    return _Kept(None if before is None else base64.b64decode(before), written)


def _remember(record: Path, made: Proposal, wanted: Wanted, kept: _Kept | None) -> None:
    """Keep what was there before any entry of ours, also where an older entry of ours is replaced."""
    before = made.before
    if before is not None and kept is not None and kept.written == _digest(before):
        before = kept.before
    elif before is not None and ours_in(before.decode()):
        earlier = "" if kept is None or kept.before is None else kept.before.decode()
        before = take_out(before.decode(), wanted, earlier).encode()
    row = {
        "version": 1,
        "path": os.fsdecode(os.fsencode(made.path)),
        "before": None if before is None else base64.b64encode(before).decode(),
        "written": _digest(made.after or b""),
    }
    replace_file(record, json.dumps(row, indent=1).encode() + b"\n", _NEW_MODE)
