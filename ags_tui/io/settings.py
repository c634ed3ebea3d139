"""The user's ``config.toml``: looks, keys, roots and limits of this program.

Unknown keys warn and stay; a wrong value warns and the default holds. The environment sets looks only
(``AGS_TUI_THEME``, ``AGS_TUI_GLYPHS``): it never chooses policy, keys, roots or sockets.
"""

import os
import secrets
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, cast

from ags_tui.io.places import Places
from ags_tui.io.plain_files import NotPlain, read_plain

SETTINGS_NAME = "config.toml"
"""Name of the file in the configuration folder."""

VERSION = 1
"""Version of the file's shape."""

LARGEST_FILE = 1024 * 1024
"""Bytes; a larger file is refused."""

Glyphs = Literal["auto", "unicode", "narrow", "ascii"]
"""Which symbols are drawn; ``auto`` lets the program choose by what the terminal shows."""

Notifications = Literal["bell", "title", "off"]
"""How a new request is announced: bell and title, title alone, or not at all."""

GLYPHS = ("auto", "unicode", "narrow", "ascii")
"""All values of ``glyphs``."""

NOTIFICATIONS = ("bell", "title", "off")
"""All values of ``notifications``."""

DEFAULT_ROOT = ".ai"
"""The root where nothing else is set."""

EVERY_WORK_TREE = "*"
"""Key of ``[roots]`` that stands for every work tree without a line of its own."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What the user has chosen."""

    theme: str = "auto"
    """Name of a theme; ``auto`` follows the terminal."""
    glyphs: Glyphs = "auto"
    """Which symbols are drawn."""
    notifications: Notifications = "bell"
    """How a new request is announced."""
    guard_ms: int = 700
    """Milliseconds for which deciding keys are dead after a decision screen has been painted."""
    poll: bool = False
    """Whether files are polled instead of watched (network folders)."""
    test_timeout_s: int = 1800
    """Seconds after which a planned test command is ended."""
    keys: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Other keys by binding id, such as ``inbox.open = "o"``."""
    roots: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Root folder by absolute work tree, or by ``*`` for all others."""

    def root_for(self, work_tree: Path) -> str:
        """The root folder of a work tree, relative to its top or absolute."""
        chosen = self.roots.get(str(work_tree))
        return chosen or self.roots.get(EVERY_WORK_TREE, DEFAULT_ROOT)


@dataclass(frozen=True, slots=True)
class SettingsRead:
    """Settings and what was wrong with their sources."""

    settings: Settings
    """What holds."""
    warnings: tuple[str, ...] = ()
    """One sentence for each key or variable that was passed over; raw text."""


def settings_path(places: Places) -> Path:
    """Where the file is, whether or not it exists."""
    return places.config / SETTINGS_NAME


def read_settings(places: Places, environment: Mapping[str, str]) -> SettingsRead:
    """Read the file and let the environment set the looks.

    Args:
        places: the user's folders.
        environment: the process environment; only ``AGS_TUI_THEME`` and ``AGS_TUI_GLYPHS`` are looked at.
    """
    path = settings_path(places)
    try:
        data = read_plain(path, limit=LARGEST_FILE, follow=True)
        document = tomllib.loads(data.decode("utf-8-sig"))
    except FileNotFoundError:
        read = SettingsRead(Settings())
    except (NotPlain, UnicodeDecodeError, ValueError, RecursionError) as error:
        read = SettingsRead(Settings(), (f"{path}: not read, defaults hold: {error}",))
    else:
        read = parse_settings(document, str(path))
    return _with_looks(read, environment)


def parse_settings(document: Mapping[str, Any], source: str) -> SettingsRead:
    """Make settings of a parsed document.

    Args:
        document: the TOML document.
        source: name of the file, for warnings.
    """
    warnings: list[str] = []
    values: dict[str, Any] = {}
    for key, value in document.items():
        if key == "version":
            if value is True or value != VERSION:
                warnings.append(f"{source}: version {value!r} is not {VERSION}; read as {VERSION}")
        elif key not in _CHECKS:
            warnings.append(f"{source}: unknown key {key!r}; it is left alone")
        elif (problem := _CHECKS[key](value)) is not None:
            warnings.append(f"{source}: {key} {problem}; the default holds")
        else:
            values[key] = _frozen(value)
    if "version" not in document and document:
        warnings.append(f"{source}: no version; read as {VERSION}")
    return SettingsRead(Settings(**values), tuple(warnings))


def save_settings(places: Places, settings: Settings, names: tuple[str, ...]) -> None:
    """Write some settings into the file; every other line of it, comments included, stays.

    Args:
        places: the user's folders.
        settings: where the values come from.
        names: fields to write, such as ``("theme",)``.

    Raises:
        OSError: the file cannot be read or written.
        ValueError: the file is not TOML: it is left as it is.
    """
    import tomlkit

    known = {item.name for item in fields(Settings)}
    path = settings_path(places)
    target = Path(os.path.realpath(path))
    text = target.read_text(encoding="utf-8-sig") if target.exists() else ""
    document = tomlkit.parse(text)
    if "version" not in document:
        document["version"] = VERSION
    for name in names:
        if name not in known:
            raise ValueError(f"no setting {name!r}")
        value = getattr(settings, name)
        document[name] = dict(cast("Mapping[str, str]", value)) if isinstance(value, Mapping) else value
    _replace_file(target, tomlkit.dumps(document).encode())


def _replace_file(target: Path, data: bytes) -> None:
    temporary = target.with_name(f".tmp-{os.getpid()}-{secrets.randbelow(10**9)}")
    try:
        with temporary.open("xb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def _with_looks(read: SettingsRead, environment: Mapping[str, str]) -> SettingsRead:
    looks: dict[str, Any] = {}
    warnings = list(read.warnings)
    for name in ("theme", "glyphs"):
        variable = f"AGS_TUI_{name.upper()}"
        value = environment.get(variable)
        if value is None:
            continue
        problem = _CHECKS[name](value)
        if problem is None:
            looks[name] = value
        else:
            warnings.append(f"{variable} {problem}; ignored")
    return SettingsRead(replace(read.settings, **looks), tuple(warnings))


def _frozen(value: object) -> object:
    return MappingProxyType(cast("dict[str, str]", value)) if isinstance(value, dict) else value


def _text(value: object) -> str | None:
    return None if isinstance(value, str) and value.strip() else "must be a text that is not empty"


def _yes_no(value: object) -> str | None:
    return None if isinstance(value, bool) else "must be true or false"


def _one_of(allowed: tuple[str, ...]) -> Callable[[object], str | None]:
    def check(value: object) -> str | None:
        return None if value in allowed else f"must be one of {', '.join(allowed)}"

    return check


def _whole(low: int, high: int) -> Callable[[object], str | None]:
    def check(value: object) -> str | None:
        fits = isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
        return None if fits else f"must be a whole number from {low} to {high}"

    return check


def _table(value: object) -> str | None:
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value).values()
        if all(isinstance(item, str) and item.strip() for item in items):
            return None
    return "must be a table of texts"


_CHECKS: Mapping[str, Callable[[object], str | None]] = MappingProxyType({
    "theme": _text,
    "glyphs": _one_of(GLYPHS),
    "notifications": _one_of(NOTIFICATIONS),
    "guard_ms": _whole(300, 10_000),
    "poll": _yes_no,
    "test_timeout_s": _whole(1, 24 * 3600),
    "keys": _table,
    "roots": _table,
})  # fmt: skip
