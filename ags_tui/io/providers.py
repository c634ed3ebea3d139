"""Provider files: those that ship, the user's own, the project's; and the schemas that they name.

The project's file may add providers for capabilities that nobody has yet. It never replaces one: an agent
that can write into the repository could else soften the audit of its own work. The user's file, in the
configuration folder, may.
"""

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ags_tui.core.contracts.strict_json import MAX_BYTES
from ags_tui.core.layout import PROVIDERS, is_contract_copy
from ags_tui.core.snapshot import LoadProblem
from ags_tui.core.workflow.planning import SchemaSource
from ags_tui.core.workflow.providers import Provider, Registry, read_providers
from ags_tui.io.places import Places
from ags_tui.io.resources import data_folder

FOLDER = "providers"
"""Folder of the packaged contracts that holds them."""
DEFAULTS = "defaults.toml"
"""The providers that ship."""
_PACKAGED = ("contracts/", "providers/schemas/")
_ROOT = ".ai/"
_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class ProvidersRead:
    """All providers that planning may use."""

    registry: Registry
    """The providers."""
    problems: tuple[LoadProblem, ...] = ()
    """What of the files is not used, and why."""


def read_registry(root: Path, places: Places) -> ProvidersRead:
    """Read all provider files, anew at every call.

    Args:
        root: Folder that holds ``tasks/``, with the project's file.
        places: The user's folders, with the user's file.
    """
    shipped = _providers((data_folder("contracts") / FOLDER / DEFAULTS).read_text(encoding="utf-8"), DEFAULTS)
    problems: list[LoadProblem] = []
    own = _read(places.config / PROVIDERS, problems)
    replaced = {one.key for one in own}
    registry = Registry((*own, *(one for one in shipped if one.key not in replaced)))
    registry, refused = registry.adding(_read(root / PROVIDERS, problems))
    problems += [_refused(one) for one in refused]
    return ProvidersRead(registry, tuple(problems))


def _providers(text: str, artifact: str) -> tuple[Provider, ...]:
    found = read_providers(text, artifact)
    if isinstance(found, LoadProblem):
        raise ValueError(f"{artifact} {found.message}")  # the installation itself is broken
    return found


def _read(path: Path, problems: list[LoadProblem]) -> tuple[Provider, ...]:
    data = read_plain(path)
    if data is None:
        return ()
    if isinstance(data, str):
        problems.append(LoadProblem("INVALID_PROVIDERS", data, PROVIDERS))
        return ()
    try:
        found = read_providers(data.decode("utf-8"), PROVIDERS)
    except UnicodeDecodeError:
        found = LoadProblem("INVALID_PROVIDERS", "is not UTF-8", PROVIDERS)
    if isinstance(found, LoadProblem):
        problems.append(found)
        return ()
    return found


def _refused(provider: Provider) -> LoadProblem:
    message = f"{provider.key} is left out: a provider of the project may add capabilities, not replace them"
    step = f"copy it into {PROVIDERS} of your configuration folder to use it"
    return LoadProblem("INVALID_PROVIDERS", message, PROVIDERS, next_step=step)


def schema_source(root: Path) -> SchemaSource:
    """Return what reads schema files: ``contracts/…`` and ``providers/…`` of the program, ``.ai/contracts/…``
    of the project.

    Args:
        root: Folder that holds ``tasks/``.
    """

    def read(path: str) -> bytes | None:
        parts = path.split("/")
        if ".." in parts or not path.endswith(".schema.json"):
            return None
        if path.startswith(_PACKAGED):
            with suppress(OSError):
                return data_folder("contracts").joinpath(*parts[parts[0] == "contracts" :]).read_bytes()
            return None
        inside = path.removeprefix(_ROOT)
        if inside == path or not is_contract_copy(inside):
            return None
        data = read_plain(root / inside)
        return data if isinstance(data, bytes) else None

    return read


def read_plain(path: str | Path) -> bytes | str | None:
    """Read a regular file of at most 16 MiB, not through a link as its last step.

    Args:
        path: Where it is.

    Returns:
        Its bytes (one more than 16 MiB of a longer one), words why it cannot be read, or None where it does
        not exist.
    """
    try:
        descriptor = os.open(path, _FLAGS)
    except FileNotFoundError:
        return None
    except OSError as error:
        return (error.strerror or str(error)).lower()
    try:
        with os.fdopen(descriptor, "rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        return (error.strerror or str(error)).lower()
