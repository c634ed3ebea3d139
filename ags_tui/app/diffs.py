"""The diff in the centre: which path it shows, where it comes from, and what the human has reviewed."""

from typing import TYPE_CHECKING

from ags_tui.app.messages import DiffFailed, DiffLoaded, DiffWanted, Proposal
from ags_tui.app.state import item_of, task_of
from ags_tui.app.widgets.diff_view import DiffView
from ags_tui.app.widgets.row_list import RowList
from ags_tui.core.snapshot import Change
from ags_tui.view.content import Fact, TextDocument
from ags_tui.view.diff import DiffDocument
from ags_tui.view.diff_label import diff_label, first_path
from ags_tui.view.scope import ORDER, path_key
from ags_tui.view.text import Span, printable

if TYPE_CHECKING:
    from ags_tui.app.screens.main import MainScreen


class Diffs:
    """Chooses and fetches the diff of the main screen; marks files as reviewed."""

    def __init__(self, screen: "MainScreen") -> None:
        """Take the screen."""
        self.screen = screen
        self.view = DiffView(id="diff", wrap=True, ascii_only=screen.look.ascii_only)
        self.path = ""
        self._key: tuple[object, ...] = ()
        self._shown: tuple[object, ...] = ()
        self._reviewed: dict[tuple[str, str], object] = {}

    # -- which path ----------------------------------------------------------------------------------

    def choose(self, path: str) -> None:
        """Show the diff of a path that the human selected."""
        self.path = path
        self.refresh()

    def refresh(self) -> None:
        """Fetch the diff again where what it is of has changed."""
        paths = self._changes()
        item = item_of(self.screen.state, self.screen.selection)
        if not self.path or (self.path not in paths and (item is None or item.path != self.path)):
            self.path = first_path(item, task_of(self.screen.state, self.screen.selection), paths)
        if self.path:
            self.screen.query_one("#scope", RowList).select(path_key(self.path))
        wanted = self._wanted(paths)
        self.screen.set_class(wanted is None, "-no-diff")
        if wanted is None:
            self._key = ()
            self._say("")
        elif wanted.key != self._key:
            if self._key[:2] != wanted.key[:2]:
                self._say("Reading the diff…")
            self._key = wanted.key
            self.screen.post_message(wanted)

    def _changes(self) -> dict[str, Change | None]:
        """Give the changed paths of the selected thing, what holds the task first."""
        state, selection = self.screen.state, self.screen.selection
        task = task_of(state, selection)
        if task is not None:
            ordered = sorted(task.scope.paths, key=lambda verdict: ORDER.index(verdict.path_class))
            return {verdict.path: verdict.change for verdict in ordered}
        if selection.kind != "tree" or state.snapshot is None or state.snapshot.work_tree is None:
            return {}
        return {change.path: change for change in state.snapshot.work_tree.entries}

    def _wanted(self, paths: dict[str, Change | None]) -> DiffWanted | None:
        """Say which diff is to be shown."""
        if not self.path:
            return None
        proposal = self._proposal()
        task_id = self.screen.selection.task_id or None
        item = item_of(self.screen.state, self.screen.selection)
        said_of = "" if item is None else item.item_id  # the line above the diff speaks of it
        if proposal is not None and proposal.path == self.path:
            return DiffWanted(
                (task_id, self.path, proposal, self._now_digest(), said_of), task_id, self.path, proposal
            )
        change = paths.get(self.path)
        state = None if change is None else (change.old, change.new, change.staged)
        return DiffWanted((task_id, self.path, state, said_of), task_id, self.path)

    def _proposal(self) -> Proposal | None:
        """Give the edit that the selected request asks for."""
        item = item_of(self.screen.state, self.screen.selection)
        task = task_of(self.screen.state, self.screen.selection)
        artifact = None if item is None or task is None else task.task.files.artifacts.get(item.artifact)
        change = None if artifact is None else getattr(artifact.document, "proposed_change", None)
        return None if change is None else Proposal(change.path, change.before, change.after)

    def _now_digest(self) -> str:
        """Give the digest of the file as it is, so that a change under a proposal fetches it again."""
        task = task_of(self.screen.state, self.screen.selection)
        return "" if task is None else task.task.file_digests.get(self.path, "")

    # -- answers -------------------------------------------------------------------------------------

    def loaded(self, message: DiffLoaded) -> None:
        """Show a diff that was read, if it is still the wanted one."""
        if message.key != self._key:
            return
        proposal, item = self._proposal(), item_of(self.screen.state, self.screen.selection)
        proposed = proposal is not None and proposal.path == self.path
        differs = any(file.kind != "same" for file in message.files)
        facts = [*diff_label(item, self.path, proposed=proposed, differs=differs)]
        if message.note:
            facts.append(Fact((Span(printable(message.note), "warn"),)))
        if not message.files:
            facts.append(Fact((Span(f"{printable(self.path)}: nothing differs now", "muted"),)))
        document = DiffDocument(message.files, facts=facts, glyphs=self.screen.look.glyphs)
        self.view.show(document, keep_place=self._shown == message.key[:2])
        self._shown = message.key[:2]

    def failed(self, message: DiffFailed) -> None:
        """Say why there is no diff."""
        if message.key == self._key:
            self._say(f"No diff: {message.reason}")

    def _say(self, text: str) -> None:
        """Show a sentence instead of a diff."""
        self._shown = ()
        self.view.show(TextDocument([Fact((Span(printable(text), "muted"),))] if text else []))

    def toggle_wrap(self) -> None:
        """Wrap long lines, or not."""
        self.view.wrapping = not self.view.wrapping
        self.screen.say("long lines wrap" if self.view.wrapping else "long lines scroll with ← →", "muted")

    def hunk(self, step: int) -> None:
        """Go to another hunk, or say that there is none."""
        if not self.view.move_hunk(step):
            self.screen.say("no further hunk here; { and } go to another file", "muted")

    # -- reviewed ------------------------------------------------------------------------------------

    def toggle_reviewed(self) -> None:
        """Mark the selected file as reviewed at its present content, or take the mark away."""
        change = self._changes().get(self.path)
        key = (self.screen.selection.task_id, self.path)
        if self._reviewed.get(key, self) == self._content(change):
            del self._reviewed[key]
            self.screen.say("not reviewed any more", "muted")
        else:
            self._reviewed[key] = self._content(change)
            self.screen.say("reviewed at this content; the mark goes when the file changes", "ok")
        self.screen.panes.draw_right()

    def reviewed(self) -> frozenset[str]:
        """Give the paths of the selected task that are reviewed at their present content."""
        task_id = self.screen.selection.task_id
        return frozenset(
            path
            for path, change in self._changes().items()
            if self._reviewed.get((task_id, path), self) == self._content(change)
        )

    @staticmethod
    def _content(change: Change | None) -> object:
        """Give what identifies the present content of a path."""
        return None if change is None else change.new
