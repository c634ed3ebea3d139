"""From git's list to spots: what each listed path really holds now."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ags_tui.core.snapshot import TreeEntry
from ags_tui.io.git import links
from ags_tui.io.git.contents import Contents, Held, ModeRules
from ags_tui.io.git.conversions import Conversions, File, Stored
from ags_tui.io.git.index import IndexFacts
from ags_tui.io.git.root import Root
from ags_tui.io.git.settings import Settings
from ags_tui.io.git.spots import Spot
from ags_tui.io.git.status import Answer

_BATCH = 500


@dataclass(frozen=True, slots=True)
class Terms:
    """Under which a look is resolved."""

    root: Root
    """The root folder."""
    index: IndexFacts
    """The index."""
    settings: Settings
    """The configuration."""
    attributes: object = None
    """Stands for the attribute files; None where nothing converts."""
    hidden: Mapping[bytes, TreeEntry] = field(default_factory=dict[bytes, TreeEntry])
    """Tracked paths at which git does not look."""

    @property
    def modes(self) -> ModeRules:
        """How file modes become git modes."""
        return ModeRules(
            self.settings.flag("core.filemode", default=True),
            self.settings.flag("core.symlinks", default=True),
        )


class Resolver:
    """Finds out what paths of one work tree hold."""

    def __init__(self, top: str, contents: Contents, conversions: Conversions) -> None:
        """Prepare; nothing is read yet.

        Args:
            top: the work tree.
            contents: hashes files.
            conversions: settles what git would store.
        """
        self._top = os.fsencode(top)
        self._contents = contents
        self._conversions = conversions

    def spots(self, answer: Answer, terms: Terms) -> dict[bytes, Spot]:
        """Return the spots of files and links; submodules and nested repositories are not among them.

        Args:
            answer: what git listed.
            terms: under which it is read.

        Raises:
            GitFailed: attributes cannot be read.
        """
        drafts, at_work = _drafts(answer, terms)
        held = {path: self._contents.hold(path, drafts[path].index, terms.modes) for path in at_work}
        stored = self._stored(held, drafts, terms)
        escaping: dict[bytes, bool] = {}
        found: dict[bytes, Spot] = {}
        for path, draft in drafts.items():
            spot = draft if path not in held else self._spot(draft, held[path], stored.get(path))
            if path in terms.hidden and spot.work == spot.index == spot.head and not spot.problem:
                continue
            if spot.work is not None:
                spot = self._placed(spot, escaping)
            found[path] = spot
        return found

    def entry(self, path: bytes, terms: Terms) -> Spot:
        """Return what one path holds, changed or not, beside its entry in the index.

        Raises:
            GitFailed: attributes cannot be read.
        """
        draft = Spot(path, None, terms.index.entry(path), None)
        held = {path: self._contents.hold(path, draft.index, terms.modes)}
        return self._spot(draft, held[path], self._stored(held, {path: draft}, terms).get(path))

    def _stored(
        self, held: Mapping[bytes, Held], drafts: Mapping[bytes, Spot], terms: Terms
    ) -> Mapping[bytes, Stored]:
        if terms.attributes is None:
            return {}
        files = {
            path: File(one, drafts[path].index)
            for path, one in held.items()
            if one.entry is not None and one.target is None
        }
        return self._conversions.settle(files, terms.settings, terms.attributes)

    def _spot(self, draft: Spot, held: Held, stored: Stored | None) -> Spot:
        if held.problem:
            like = draft.index or draft.head
            zero = "0" * (len(like.blob) if like else 40)
            work = TreeEntry(like.mode if like else "100644", zero)
            return replace(draft, work=work, problem=held.problem, unread=True)
        work, problem = (held.entry, "") if stored is None else (stored.entry, stored.problem)
        return replace(draft, work=work, target=held.target, problem=problem)

    def _placed(self, spot: Spot, escaping: dict[bytes, bool]) -> Spot:
        folder = os.path.dirname(spot.path)
        if folder not in escaping:
            escaping[folder] = links.escapes(self._top, spot.path, None)
        out = escaping[folder]
        if spot.target is not None and not out:
            out = links.escapes(self._top, spot.path, spot.target.encode("utf-8", "surrogateescape"))
        return replace(spot, escapes=True) if out else spot


def _drafts(answer: Answer, terms: Terms) -> tuple[dict[bytes, Spot], list[bytes]]:
    """Return spots as far as git's list says, and the paths whose content must be looked at."""
    drafts: dict[bytes, Spot] = {}
    at_work: dict[bytes, None] = {}
    for path, record in answer.tracked.items():
        if path in terms.index.links or terms.root.knows(path):
            continue
        work = None if record.touched else record.index
        drafts[path] = Spot(
            path, record.head, record.index, work, conflict=record.conflict, aside=terms.root.holds(path)
        )
        if (record.touched and record.work_mode != "000000") or path in terms.hidden:
            at_work[path] = None
    for path in answer.untracked:
        if terms.root.knows(path):
            continue
        head = drafts[path].head if path in drafts else None
        drafts[path] = Spot(path, head, None, None, untracked=True, aside=terms.root.holds(path))
        at_work[path] = None
    for path, entry in terms.hidden.items():
        if path not in drafts and not terms.root.knows(path):
            drafts[path] = Spot(path, entry, entry, None, aside=terms.root.holds(path))
            at_work[path] = None
    return drafts, list(at_work)
