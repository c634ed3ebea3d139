"""One work tree, looked at: in full, or again only where something was touched."""

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ags_tui.core.snapshot import TreeEntry
from ags_tui.io.git import readings
from ags_tui.io.git.beside import Beside
from ags_tui.io.git.contents import HASH_LIMIT, Contents
from ags_tui.io.git.conversions import Conversions
from ags_tui.io.git.failures import GitError, GitFailed
from ags_tui.io.git.head import Head, Heads
from ags_tui.io.git.hiding import NO_HOOKS, SYSTEM_ATTRIBUTES, Hiding
from ags_tui.io.git.hints import under, widen
from ags_tui.io.git.index import LIST, IndexFacts, check_index, index_stamp, parse_index
from ags_tui.io.git.isolated import Isolated
from ags_tui.io.git.located import Located, locate
from ags_tui.io.git.nested import DEPTH_LIMIT, Inner, Nested
from ags_tui.io.git.resolve import Resolver, Terms
from ags_tui.io.git.root import Root
from ags_tui.io.git.run import Runner, version_of
from ags_tui.io.git.settings import Settings, read_settings
from ags_tui.io.git.spots import Spot, View
from ags_tui.io.git.stamps import Clock, all_settled, settled, signature
from ags_tui.io.git.status import QUESTION, Answer, parse_status

UNTRACKED_LIMIT = 20_000
"""Untracked files that are looked at; more make the view unknown, with their number."""

_REVEALS_PRESENT = (2, 36)
_PATHS_A_CHILD = 500


class WorkTree:
    """Looks at one work tree; not safe for several threads at once."""

    def __init__(
        self,
        located: Located,
        runner: Runner,
        *,
        root: str = "",
        scratch: Path | None = None,
        hash_limit: int = HASH_LIMIT,
        untracked_limit: int = UNTRACKED_LIMIT,
        clock: Clock = time.time_ns,
        depth: int = 0,
        own_hooks: Mapping[str, frozenset[str]] = NO_HOOKS,
    ) -> None:
        """Make the isolated git folder.

        Args:
            located: the repository.
            runner: starts git.
            root: path of the root folder in it; empty for none.
            scratch: where the isolated folder is made.
            hash_limit: largest file that is hashed, bytes.
            untracked_limit: most untracked files that are looked at.
            clock: the clock that stamps files.
            depth: how many repositories this one lies in.
            own_hooks: digests by name of the hooks that this program writes.

        Raises:
            GitFailed: it cannot be made.
        """
        self.located = located
        self.runner = runner
        self.root = Root(root)
        self.isolated = Isolated(runner, located, scratch)
        self.contents = Contents(located.top, located.algorithm, limit=hash_limit, clock=clock)
        self._resolver = Resolver(
            located.top, self.contents, Conversions(self.isolated, self.contents, located.algorithm)
        )
        self._nested = Nested(located.top, self.isolated, self._resolver, self._open_inner)
        self._heads = Heads(located, runner, clock)
        self._hiding = Hiding(located, runner.home, clock, own_hooks)
        self._scratch = scratch
        self._limits = (hash_limit, untracked_limit)
        self._clock = clock
        self._depth = depth
        self._settings: Settings | None = None
        self._settings_branch: str | None = None
        self._view: View | None = None
        self._git_entry = _git_entry(located.top)

    @property
    def same(self) -> bool:
        """Whether ``.git`` is still the one that was opened."""
        return _git_entry(self.located.top) == self._git_entry

    def close(self) -> None:
        """Remove the isolated folder and close what lies inside."""
        self._nested.close()
        self.isolated.close()

    def check_index(self) -> None:
        """Compare the index with its checksum.

        Raises:
            GitFailed: it is damaged.
        """
        check_index(self.located)

    def operation(self) -> str:
        """Return the operation in progress, empty for none."""
        return self._heads.operation()

    def prepare(self) -> tuple[Head, Settings]:
        """Bring the isolated folder up to date before children look at HEAD or the index.

        Returns:
            HEAD and the configuration.

        Raises:
            GitFailed: the repository is gone or damaged.
        """
        missing = self.located.missing()
        if missing:
            raise GitFailed(missing)
        head = self._heads.read()
        settings = self._read_settings(head)
        ignore_case = self._ignore_case(settings)
        self.isolated.settings = settings.passed_on(ignore_case=ignore_case, home=self.runner.home)
        self.isolated.prepare(head.commit)
        return head, settings

    def look(self, hints: frozenset[str] | None) -> View:
        """Return what differs between HEAD, index and work tree; failures become an unknown view.

        Args:
            hints: the only paths that were touched since the last look; None for a full look.
        """
        head = Head(None, None)
        try:
            head, settings = self.prepare()
            self._view = self._bring_up(head, settings, hints)
        except GitError as failure:
            self._view = None
            return View(head, unknown=str(failure))
        return self._view

    def terms(self, view: View) -> Terms:
        """Return the terms under which further paths are resolved after a look."""
        return Terms(self.root, view.index, view.settings, self._attributes(view.settings, view.hiding), {})

    def entry(self, path: bytes, view: View) -> Spot:
        """Return what one path holds, changed or not, after a look.

        Raises:
            GitFailed: attributes cannot be read.
        """
        return self._resolver.entry(path, self.terms(view))

    def _bring_up(self, head: Head, settings: Settings, hints: frozenset[str] | None) -> View:
        last = self._view
        rules = signature(self._outer_rules(settings))
        stamp = index_stamp(self.located)
        usable = (
            hints is not None
            and last is not None
            and last.stable
            and not last.unknown
            and (last.head, last.settings, last.index.stamp, last.rules) == (head, settings, stamp, rules)
        )
        paths = (
            widen(
                hints,
                top=self.located.top,
                last=last,
                root=self.root,
                ignore_case=self._ignore_case(settings),
            )
            if usable and hints is not None and last is not None
            else None
        )
        if last is None or paths is None:
            return self._full(head, settings)
        if self._hidden_by(last.rule_files, settings) != last.hiding:
            return self._full(head, settings)
        if not paths:
            return last
        return self._limited(last, paths) or self._full(head, settings)

    def _full(self, head: Head, settings: Settings) -> View:
        rules = signature(self._outer_rules(settings))
        now = self._clock()
        index, answer, problem = self._listed()
        stable = all_settled(rules, now) and (index.stamp is None or settled(index.stamp, now, replaced=True))
        rule_files = frozenset(index.rules) | readings.rule_files(answer)
        hiding = self._hidden_by(rule_files, settings)
        terms = Terms(
            self.root, index, settings, self._attributes(settings, hiding), self._hidden(index, settings)
        )
        more = len(answer.untracked) - self._limits[1]
        answer.untracked = sorted(answer.untracked)[: self._limits[1]]
        answer = self._with_heads(answer, head)
        spots = self._resolver.spots(answer, terms)
        spots |= self._nested.spots(readings.submodules(index, answer), readings.repositories(answer), terms)
        if more > 0:
            problem = f"{more} more untracked files were not looked at; ignore or remove them"
        self.contents.forget(frozenset(spots))
        return View(
            head=head,
            settings=settings,
            index=index,
            spots=spots,
            conflicts=readings.conflicts(answer),
            ignored=tuple(answer.ignored),
            rule_files=rule_files,
            rules=rules,
            hiding=hiding,
            stable=stable,
            unknown=problem,
            notes=readings.notes(settings, index),
        )

    def _hidden_by(self, rule_files: frozenset[bytes], settings: Settings) -> dict[str, str]:
        hiding = self._hiding.digests(sorted(rule_files), settings)
        return self.root.without_own(hiding, self.located.top)

    def _limited(self, last: View, paths: Sequence[bytes]) -> View | None:
        """Look again at some paths; None where a full look is needed after all."""
        if any(under(path, paths) for path in last.rule_files):
            return None
        said = self.isolated.run([*QUESTION, "--", *paths])
        answer = parse_status(said.stdout)
        if said.stderr or readings.rule_files(answer) or len(answer.untracked) > self._limits[1]:
            return None
        hidden = self._hidden(last.index, last.settings, paths)
        terms = replace(self.terms(last), hidden=hidden)
        answer = self._with_heads(answer, last.head)
        spots = {path: spot for path, spot in last.spots.items() if not under(path, paths)}
        spots |= self._resolver.spots(answer, terms)
        submodules = [link for link in readings.submodules(last.index, answer) if under(link.path, paths)]
        spots |= self._nested.spots(submodules, readings.repositories(answer), terms)
        if sum(spot.untracked for spot in spots.values()) > self._limits[1]:
            return None
        ignored = [path for path in last.ignored if not under(path.rstrip(b"/"), paths)]
        return replace(last, spots=spots, ignored=tuple(sorted({*ignored, *answer.ignored})))

    def _listed(self) -> tuple[IndexFacts, Answer, str]:
        """Ask git for the status and, where the index has changed, for what it says; both at once."""
        last = self._view
        if last is not None and last.stable and last.index.stamp == index_stamp(self.located) is not None:
            said = self.isolated.run(QUESTION)
            return last.index, parse_status(said.stdout), readings.complaint(said.stderr)
        check_index(self.located)
        beside = Beside(self._index_facts)
        try:
            said = self.isolated.run(QUESTION)
        finally:
            index, complaint = beside.result()
        return index, parse_status(said.stdout), readings.complaint(said.stderr) or complaint

    def _index_facts(self) -> tuple[IndexFacts, str]:
        """Ask git what the index says beside contents."""
        stamp = index_stamp(self.located)
        said = self.isolated.run(LIST, settings={"core.sparsecheckout": "false"})
        return parse_index(said.stdout, stamp), readings.complaint(said.stderr)

    def _with_heads(self, answer: Answer, head: Head) -> Answer:
        """Fill in what HEAD holds at unmerged paths: the index has three stages, none of which must be
        HEAD's.
        """
        paths = [path for path, record in answer.tracked.items() if record.conflict]
        found: dict[bytes, TreeEntry] = {}
        for start in range(0, len(paths) if head.commit else 0, _PATHS_A_CHILD):
            batch = paths[start : start + _PATHS_A_CHILD]
            said = self.isolated.run(["ls-tree", "-z", "--full-tree", str(head.commit), "--", *batch]).stdout
            for record in said.split(b"\0")[:-1]:
                facts, _, path = record.partition(b"\t")
                mode, _kind, blob = facts.decode("ascii").split(" ")
                found[path] = TreeEntry(mode, blob)
        for path in paths:
            answer.tracked[path] = replace(answer.tracked[path], head=found.get(path))
        return answer

    def _hidden(
        self, index: IndexFacts, settings: Settings, only: Sequence[bytes] | None = None
    ) -> dict[bytes, TreeEntry]:
        """Return the tracked paths at which ``git status`` does not look, though they may be there.

        In a sparse checkout git (since 2.36) looks at skipped files that are there by itself.
        """
        sparse = settings.flag("core.sparsecheckout", default=False)
        looked_at = sparse and version_of(self.runner.executable) >= _REVEALS_PRESENT
        hidden = {**({} if looked_at else index.skipped), **index.assumed}
        return {
            path: entry
            for path, entry in hidden.items()
            if path not in index.links
            and (only is None or under(path, only))
            and (path in index.assumed or os.path.lexists(self.contents.place(path)))
        }

    def _attributes(self, settings: Settings, hiding: Mapping[str, str]) -> object:
        """Return what stands for the attribute files; None where nothing can be converted."""
        files = tuple((name, seen) for name, seen in hiding.items() if name.endswith("attributes"))
        converts = settings.get("core.autocrlf").lower() not in {"", "false", "no", "off", "0"}
        return (files, settings.hiding) if files or converts else None

    def _outer_rules(self, settings: Settings) -> tuple[str, ...]:
        located, home = self.located, self.runner.home
        return (
            os.path.join(located.common_dir, "info", "exclude"),
            os.path.join(located.common_dir, "info", "attributes"),
            os.path.join(located.git_dir, "info", "sparse-checkout"),
            os.path.join(located.top, settings.file_named("core.excludesfile", "ignore", home)),
            os.path.join(located.top, settings.file_named("core.attributesfile", "attributes", home)),
            SYSTEM_ATTRIBUTES,
        )

    def _read_settings(self, head: Head) -> Settings:
        known = self._settings
        if known is not None and self._settings_branch == head.branch:
            state = signature([name for name, _ in known.signature])
            if state == known.signature and all_settled(state, self._clock()):
                return known
        located = self.located
        fresh = read_settings(
            self.runner, top=located.top, git_dir=located.git_dir, common_dir=located.common_dir
        )
        self._settings = known if known == fresh else fresh
        self._settings_branch = head.branch
        return self._settings or fresh

    def _ignore_case(self, settings: Settings) -> bool:
        """Whether names are compared without case: configured **and** true, else a name could hide behind
        another.
        """
        if not settings.flag("core.ignorecase", default=False):
            return False
        top = self.located.top
        try:
            return os.path.samefile(os.path.join(top, ".git"), os.path.join(top, ".GIT"))
        except OSError:
            return False

    def _open_inner(self, place: str) -> Inner:
        if self._depth >= DEPTH_LIMIT:
            raise GitFailed("too many repositories inside each other")
        located = locate(place, self.runner)
        if located.top != os.path.realpath(place):
            raise GitFailed(f"its repository is {located.top}")
        return WorkTree(
            located,
            self.runner,
            scratch=self._scratch,
            hash_limit=self._limits[0],
            untracked_limit=self._limits[1],
            clock=self._clock,
            depth=self._depth + 1,
        )


def _git_entry(top: str) -> object:
    try:
        facts = os.lstat(os.path.join(top, ".git"))
        text = Path(top, ".git").read_bytes() if os.path.isfile(os.path.join(top, ".git")) else b""
    except OSError:
        return None
    return facts.st_dev, facts.st_ino, text
