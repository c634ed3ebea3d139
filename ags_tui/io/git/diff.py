"""The diff of one path in one pinned format, whatever the user's or the repository's settings say.

The new side is always read from disk through an index of ours with that one entry, so that untracked,
ignored, conflicting and nested files all come out the same way, and a repository of 50,000 files costs no
more than a small one.
"""

import os
from collections.abc import Sequence

from ags_tui.core.snapshot import TreeEntry
from ags_tui.io.git.contents import Contents
from ags_tui.io.git.failures import GitFailed
from ags_tui.io.git.isolated import Isolated
from ags_tui.io.git.located import Located
from ags_tui.io.git.objects import Objects

DIFF_LIMIT = 20 * 1024**2
"""Longest diff that is returned, bytes; where it is cut, its last line says so."""

FILE_LIMIT = 32 * 1024**2
"""Largest file of which a diff is made, bytes."""

FORMAT = (
    "--patch",
    "--full-index",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--no-relative",
    "--diff-algorithm=histogram",
    "--unified=3",
    "--inter-hunk-context=0",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--submodule=short",
    "--ignore-submodules=dirty",
    "--ws-error-highlight=none",
    "-O/dev/null",
)
"""Options of every diff. Submodules are written by us: git would look into them with their own configuration.
"""

_LINK = "160000"
_SNIFF = 8000
_NO_OBJECT = "0"
_ESCAPES = {7: b"a", 8: b"b", 9: b"t", 10: b"n", 11: b"v", 12: b"f", 13: b"r", 34: b'"', 92: b"\\"}


class Diffs:
    """Makes the diff of one path."""

    def __init__(self, isolated: Isolated, objects: Objects, contents: Contents, located: Located) -> None:
        """Prepare; nothing is read yet.

        Args:
            isolated: starts git.
            objects: reads the old side.
            contents: reads the work tree.
            located: the repository.
        """
        self._isolated = isolated
        self._objects = objects
        self._contents = contents
        self._located = located

    def work_tree(
        self,
        base: str,
        path: bytes,
        new: TreeEntry | None,
        *,
        like: TreeEntry | None,
        dirty: bool,
        renamed_from: bytes | None,
        limit: int,
    ) -> bytes:
        """Return the diff from a commit to the work tree.

        Args:
            base: commit id, or that of the empty tree.
            path: relative to the work tree.
            new: what the work tree holds there.
            like: its entry in the repository's index, on which conversions of line ends depend.
            dirty: a submodule with changes inside.
            renamed_from: the other end, where the path was renamed; the header says so.
            limit: most bytes.

        Raises:
            GitFailed: git did not answer, or objects are missing.
        """
        old = self._entry(base, renamed_from if renamed_from is not None else path)
        if self._is_link(old) or self._is_link(new):
            return self._link(path, old, new, dirty=dirty)
        too_large = self._too_large(path, old, self._size_on_disk(path) if new else None)
        if too_large:
            return too_large
        blob = like.blob if like is not None and not self._is_link(like) else self._blank
        index = self._isolated.own_index("diff-index", [(new.mode, blob, path)] if new else [])
        paths = [path] if renamed_from is None else [renamed_from, path]
        renames = "--no-renames" if renamed_from is None else "--find-renames=1%"
        text = self._text(old, self._head_on_disk(path) if new else b"")
        return self._diff([renames, *text, base, "--", *paths], index=index, limit=limit, expected=old != new)

    def trees(self, base: str, other: str | None, path: bytes, *, limit: int) -> bytes:
        """Return the diff of a path from a commit to another, or to the index.

        Args:
            base: commit id, or that of the empty tree.
            other: commit id; None for the index.
            path: relative to the top.
            limit: most bytes.

        Raises:
            GitFailed: git did not answer, or objects are missing.
        """
        old = self._entry(base, path)
        new = self._entry(other, path) if other is not None else self._staged(path)
        if self._is_link(old) or self._is_link(new):
            return self._link(path, old, new, dirty=False)
        size = self._objects.size(new.blob) if new else None
        too_large = self._too_large(path, old, size)
        if too_large:
            return too_large
        head = self._objects.read_blob(new.blob, FILE_LIMIT)[:_SNIFF] if new else b""
        revisions = [base, other] if other is not None else ["--cached", base]
        return self._diff(
            ["--no-renames", *self._text(old, head), *revisions, "--", path], limit=limit, expected=old != new
        )

    def kept(self, data: bytes | None, mode: str, path: bytes, new: TreeEntry | None, *, limit: int) -> bytes:
        """Return the diff from bytes that were kept to the work tree.

        Args:
            data: raw bytes of the file then; None where it did not exist.
            mode: its git mode then.
            path: relative to the work tree.
            new: what the work tree holds there now.
            limit: most bytes.

        Raises:
            GitFailed: git did not answer.
        """
        sizes = (len(data) if data is not None else 0, (self._size_on_disk(path) or 0) if new else 0)
        if max(sizes) > FILE_LIMIT:
            return self._remark(
                path, mode, f"{max(sizes)} bytes are too many to be shown (limit {FILE_LIMIT})"
            )
        head = (self._head_on_disk(path) if new else b"") or b""
        text = () if b"\0" in (data or b"")[:_SNIFF] + head else ("--text",)
        try:
            before: list[tuple[str, str, bytes]] = []
            if data is not None:
                stored = self._isolated.run(
                    ["hash-object", "-w", "--stdin", "--path", path], own_objects=True, stdin=data
                ).stdout
                before = [(mode, stored.decode("ascii").strip(), path)]
            index = self._isolated.own_index("kept-index", before, own_objects=True)
            tree = self._isolated.run(["write-tree"], index=index, own_objects=True).stdout.decode().strip()
            now = [(new.mode, self._blank, path)] if new else []
            index = self._isolated.own_index("kept-index", now, own_objects=True)
            arguments = ["--no-renames", *text, tree, "--", path]
            return self._diff(arguments, index=index, own_objects=True, limit=limit, expected=False)
        finally:
            self._isolated.drop_objects()

    @property
    def _blank(self) -> str:
        """Id of the empty file, for an entry whose content is read from disk."""
        return (
            "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
            if self._located.algorithm == "sha1"
            else ("473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813")
        )

    def _diff(
        self,
        arguments: Sequence[str | bytes],
        *,
        limit: int,
        expected: bool,
        index: str | None = None,
        own_objects: bool = False,
    ) -> bytes:
        said = self._isolated.run(
            ["diff", *FORMAT, *arguments], index=index, own_objects=own_objects, limit=limit + 1
        )
        if said.truncated:
            whole = said.stdout[: said.stdout.rfind(b"\n") + 1]
            return whole + b"\\ The diff is cut here: it is longer than %d bytes\n" % limit
        if not said.stdout and expected:
            raise GitFailed("git shows no difference where there is one; it was changing while it was read")
        return said.stdout

    def _entry(self, tree: str, path: bytes) -> TreeEntry | None:
        said = self._isolated.run(["ls-tree", "-z", "--full-tree", tree, "--", path]).stdout
        facts, _, found = said.rstrip(b"\0").partition(b"\t")
        if found != path:
            return None
        mode, _kind, blob = facts.decode("ascii").split(" ")
        return TreeEntry(mode, blob)

    def _staged(self, path: bytes) -> TreeEntry | None:
        for record in self._isolated.run(["ls-files", "-s", "-z", "--", path]).stdout.split(b"\0"):
            facts, _, found = record.partition(b"\t")
            if found == path:
                mode, blob, _stage = facts.decode("ascii").split(" ")
                return TreeEntry(mode, blob)
        return None

    def _is_link(self, entry: TreeEntry | None) -> bool:
        return entry is not None and entry.mode == _LINK

    def _text(self, old: TreeEntry | None, new_head: bytes | None) -> tuple[str, ...]:
        """Show text as text: an attribute of the change itself must not turn its content into "binary files
        differ".
        """
        old_head = self._objects.read_blob(old.blob, FILE_LIMIT)[:_SNIFF] if old else b""
        return () if new_head is None or b"\0" in old_head + new_head else ("--text",)

    def _size_on_disk(self, path: bytes) -> int | None:
        try:
            return os.lstat(self._contents.place(path)).st_size
        except OSError:
            return None

    def _head_on_disk(self, path: bytes) -> bytes | None:
        data = self._contents.read(path, FILE_LIMIT)
        return data[:_SNIFF] if data is not None else None

    def _too_large(self, path: bytes, old: TreeEntry | None, new_size: int | None) -> bytes:
        size = max(self._objects.size(old.blob) if old else 0, new_size or 0)
        if size <= FILE_LIMIT:
            return b""
        mode = old.mode if old else "100644"
        return self._remark(path, mode, f"{size} bytes are too many to be shown (limit {FILE_LIMIT})")

    def _remark(self, path: bytes, mode: str, words: str) -> bytes:
        """Return a diff that says why it shows nothing: a hunk without lines, with a remark."""
        head = _header(path, None, None, mode)
        return head + b"@@ -0,0 +0,0 @@\n\\ " + words.encode() + b"\n"

    def _link(self, path: bytes, old: TreeEntry | None, new: TreeEntry | None, *, dirty: bool) -> bytes:
        """Write the diff of a submodule as git does."""
        before = [f"-Subproject commit {old.blob}\n"] if old and self._is_link(old) else []
        after = (
            [f"+Subproject commit {new.blob}{'-dirty' if dirty else ''}\n"]
            if new and self._is_link(new)
            else []
        )
        if old == new and not dirty:
            return b""
        other = (
            []
            if len(before) == len(after)
            else ["\\ The other side is no submodule\n"]
            if old and new
            else []
        )
        counts = f"@@ -{len(before)},{len(before)} +{len(after)},{len(after)} @@\n"
        zero = _NO_OBJECT * len((new or old or TreeEntry("", "")).blob)
        blobs = (old.blob if old else zero, new.blob if new else zero)
        head = _header(path, old, new, _LINK, blobs)
        return head + (counts + "".join([*before, *after, *other])).encode()


def _header(
    path: bytes,
    old: TreeEntry | None,
    new: TreeEntry | None,
    mode: str,
    blobs: tuple[str, str] | None = None,
) -> bytes:
    before, after = _quoted(b"a/" + path), _quoted(b"b/" + path)
    lines = [b"diff --git " + before + b" " + after]
    if blobs is not None:
        if old is None:
            lines.append(b"new file mode " + mode.encode())
        elif new is None:
            lines.append(b"deleted file mode " + mode.encode())
        lines.append(f"index {blobs[0]}..{blobs[1]} {mode}".encode())
    gone, added = blobs is not None and new is None, blobs is not None and old is None
    lines.append(b"--- " + (b"/dev/null" if added else before))
    lines.append(b"+++ " + (b"/dev/null" if gone else after))
    return b"\n".join(lines) + b"\n"


def _quoted(path: bytes) -> bytes:
    """Return a path as git writes it with ``core.quotePath`` off."""
    if not any(code < 32 or code in (34, 92, 127) for code in path):
        return path
    parts = [
        b"\\" + _ESCAPES[code]
        if code in _ESCAPES
        else b"\\%03o" % code
        if code < 32 or code == 127
        else bytes([code])
        for code in path
    ]
    return b'"' + b"".join(parts) + b'"'
