"""Attributes and line ends: what git would store where that is not the raw bytes of the file.

* Line ends, ``ident`` and ``working-tree-encoding`` are git's own: git stores the file into an index and an
  object folder of ours, which gives what ``git add`` would (``git hash-object`` would not: it does not look
  at the indexed blob, on which the conversion of CR LF depends).
* ``filter=lfs`` is settled by us: the pointer holds the digest and the size of the bytes.
* Any other configured filter is not run: the path is *unsettled*, and the id of its raw bytes stands in, so
  that a further edit still shows.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ags_tui.core.digests import blob_id
from ags_tui.core.snapshot import TreeEntry
from ags_tui.io.git.contents import HASH_LIMIT, Contents, Held
from ags_tui.io.git.failures import GitFailed
from ags_tui.io.git.isolated import Isolated
from ags_tui.io.git.located import Algorithm
from ags_tui.io.git.settings import Settings

CONVERT_LIMIT = 64 * 1024**2
"""Largest file that git converts for us, bytes (it is written as an object)."""

_ATTRIBUTES = ("text", "crlf", "eol", "ident", "working-tree-encoding", "filter")
_OFF = ("unspecified", "unset")
_POINTER = re.compile(
    rb"version https://git-lfs\.github\.com/spec/v1\n(ext-\d-[^\n]+\n)*oid sha256:[0-9a-f]{64}\nsize \d+\n",
    re.ASCII,
)
_POINTER_LIMIT = 1024
_KEPT = 50_000


@dataclass(frozen=True, slots=True)
class Stored:
    """What git would store for a path."""

    entry: TreeEntry | None
    """Mode and blob."""
    problem: str = ""
    """Why that is not certain; the entry then holds the raw bytes' id."""


@dataclass(frozen=True, slots=True)
class File:
    """A regular file whose stored form is asked for."""

    held: Held
    """Its raw bytes."""
    like: TreeEntry | None
    """Its entry in the index."""


class Conversions:
    """Settles the stored form of files of one repository, remembering what did not change."""

    def __init__(self, isolated: Isolated, contents: Contents, algorithm: Algorithm) -> None:
        """Prepare; nothing is asked yet.

        Args:
            isolated: starts git.
            contents: reads files.
            algorithm: object format.
        """
        self._isolated = isolated
        self._contents = contents
        self._algorithm: Algorithm = algorithm
        self._known: dict[bytes, tuple[TreeEntry | None, TreeEntry | None, object, Stored]] = {}

    def settle(self, files: Mapping[bytes, File], settings: Settings, rules: object) -> dict[bytes, Stored]:
        """Say what git would store for each file.

        Args:
            files: by path; each holds an entry and a stamp.
            settings: the repository's settings.
            rules: stands for the attribute files; equal rules let earlier answers hold.

        Raises:
            GitFailed: the attributes cannot be read.
        """
        found: dict[bytes, Stored] = {}
        unknown: dict[bytes, File] = {}
        for path, file in files.items():
            known = self._known.get(path)
            if known is not None and known[:3] == (file.held.entry, file.like, rules):
                found[path] = known[3]
            else:
                unknown[path] = file
        if unknown:
            if len(self._known) > _KEPT:
                self._known.clear()
            fresh = self._settle(unknown, settings)
            for path, stored in fresh.items():
                self._known[path] = (unknown[path].held.entry, unknown[path].like, rules, stored)
            found |= fresh
        return found

    def _settle(self, files: dict[bytes, File], settings: Settings) -> dict[bytes, Stored]:
        attributes = self._attributes(files)
        found: dict[bytes, Stored] = {}
        convert: dict[bytes, File] = {}
        for path, file in files.items():
            values = attributes.get(path, {})
            driver = values.get("filter", "unspecified")
            if driver not in _OFF and any(settings.filters(driver)):
                found[path] = self._filtered(path, file.held, driver, settings)
            elif _converts(values, file.held, settings):
                convert[path] = file
            else:
                found[path] = Stored(file.held.entry)
        return found | self._convert(convert)

    def _attributes(self, paths: Iterable[bytes]) -> dict[bytes, dict[str, str]]:
        stdin = b"".join(path + b"\0" for path in paths)
        said = self._isolated.run(["check-attr", "-z", "--stdin", *_ATTRIBUTES], stdin=stdin).stdout.split(
            b"\0"
        )
        found: dict[bytes, dict[str, str]] = {}
        for path, name, value in zip(said[0::3], said[1::3], said[2::3], strict=False):
            found.setdefault(path, {})[name.decode()] = value.decode("utf-8", "surrogateescape")
        return found

    def _filtered(self, path: bytes, held: Held, driver: str, settings: Settings) -> Stored:
        clean, process = settings.filters(driver)
        if driver == "lfs" and (
            clean.startswith("git-lfs clean") or process.startswith("git-lfs filter-process")
        ):
            return self._lfs(path, held)
        return Stored(held.entry, f"its content passes the filter {driver!r}, which is not run here")

    def _lfs(self, path: bytes, held: Held) -> Stored:
        assert held.entry is not None
        assert held.stamp is not None
        size = held.stamp[1]
        small = self._contents.read(path, _POINTER_LIMIT) if size <= _POINTER_LIMIT else None
        if size == 0 or (small is not None and _POINTER.fullmatch(small)):
            return Stored(held.entry)
        digest = self._contents.sha256(path, HASH_LIMIT)
        if digest is None:
            return Stored(held.entry, "its content cannot be read")
        pointer = f"version https://git-lfs.github.com/spec/v1\noid {digest}\nsize {size}\n"
        return Stored(TreeEntry(held.entry.mode, blob_id(pointer.encode(), self._algorithm)))

    def _convert(self, files: dict[bytes, File]) -> dict[bytes, Stored]:
        small = {
            path: file for path, file in files.items() if (file.held.stamp or (0, 0))[1] <= CONVERT_LIMIT
        }
        found = {
            path: Stored(file.held.entry, "it is too large to be converted")
            for path, file in files.items()
            if path not in small
        }
        if not small:
            return found
        try:
            return found | self._stored(small)
        except GitFailed as failure:
            if len(small) > 1:  # one file that git refuses must not unsettle the others
                return {
                    **found,
                    **{p: s for path in small for p, s in self._convert({path: small[path]}).items()},
                }
            return {
                **found,
                **{p: Stored(f.held.entry, f"git does not convert it: {failure}") for p, f in small.items()},
            }
        finally:
            self._isolated.drop_objects()

    def _stored(self, files: dict[bytes, File]) -> dict[bytes, Stored]:
        before = [
            (file.like.mode, file.like.blob, path) for path, file in files.items() if file.like is not None
        ]
        index = self._isolated.own_index("convert-index", before, own_objects=True)
        self._isolated.run(
            ["update-index", "--add", "-z", "--stdin"],
            index=index,
            own_objects=True,
            settings={"core.looseCompression": "0"},
            stdin=b"".join(path + b"\0" for path in files),
        )
        found: dict[bytes, Stored] = {}
        for record in self._isolated.run(["ls-files", "-s", "-z"], index=index).stdout.split(b"\0"):
            head, _, path = record.partition(b"\t")
            held = files[path].held.entry if path in files else None
            if held is not None:
                found[path] = Stored(TreeEntry(held.mode, head.split(b" ")[1].decode("ascii")))
        missing = [path for path in files if path not in found]
        if missing:
            raise GitFailed(f"git did not store {missing[0]!r}")
        return found


def _converts(values: Mapping[str, str], held: Held, settings: Settings) -> bool:
    """Whether git's own conversions can change the bytes of a file."""
    if values.get("working-tree-encoding", "unspecified") not in _OFF or values.get("ident") == "set":
        return True
    if not held.carriage:
        return False
    text = values.get("text", "unspecified")
    if text == "unspecified":
        text = values.get("crlf", "unspecified")
    if text == "unspecified":
        automatic = settings.get("core.autocrlf").lower() == "input" or settings.flag(
            "core.autocrlf", default=False
        )
        return automatic or values.get("eol", "unspecified") not in _OFF
    return text != "unset"
