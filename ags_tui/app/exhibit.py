"""What a decision screen puts before the human: one state of an item, and what happens to it meanwhile."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ags_tui.app.messages import DiffFailed, DiffLoaded, DiffWanted, Proposal
from ags_tui.app.widgets.diff_view import DiffView
from ags_tui.core.assessment import Assessment, Pending, PendingKind, TaskAssessment
from ags_tui.core.contracts.tool_request import ToolRequestV2
from ags_tui.core.diffs import FileDiff, between
from ags_tui.core.edits_shown import unshown
from ags_tui.core.effective import Effective
from ags_tui.core.subjects import inside, reads_too_long
from ags_tui.view.decision import changed_words, difference, edit_text
from ags_tui.view.effective import effective_document
from ags_tui.view.meanwhile import over_words, same_item
from ags_tui.view.request import request_document, request_text

if TYPE_CHECKING:
    from ags_tui.app.look import Look


class Exhibit:
    """The item as it is shown, and what is known to have changed since.

    A decision is made from :attr:`shown` alone. What comes later only takes the approving key away.
    """

    def __init__(
        self,
        pending: Pending,
        task: TaskAssessment | None,
        look: "Look",
        renewed: Callable[[], None],
        post: Callable[[DiffWanted], object],
        *,
        view: DiffView | None = None,
    ) -> None:
        """Take the item.

        Args:
            pending: The item.
            task: Its task.
            look: How the shell looks.
            renewed: Called whenever other content stands on the screen than before.
            post: Asks the app for a diff.
            view: Shows the content; a plain one where not given.
        """
        self.shown = pending
        """The state that the human sees."""
        self.latest = pending
        """The newest state."""
        self.task = task
        """The newest assessment of its task."""
        self.changed: tuple[str, ...] = ()
        """What differs between the two; empty where nothing does."""
        self.over = ""
        """Why the item does not wait any more; empty while it does."""
        self.loading = False
        """The diff is still being read."""
        self.effective: Effective | None = None
        """What the human made of the input; None while what was asked for is what would run."""
        self.view = view or DiffView(id="content", wrap=True, ascii_only=look.ascii_only)
        """The content."""
        self._look = look
        self._renewed = renewed
        self._post = post
        self._shown_task = task
        self._files: tuple[FileDiff, ...] = ()
        self._newer: tuple[FileDiff, ...] | None = None
        self._note = ""
        self._wish: tuple[object, ...] = ()
        self._before: bytes | None = None
        self._unshown: dict[str, Any] | None = None
        self._too_long = ""
        self._evidence: dict[str, str] = {}

    def show(self, pending: Pending) -> None:
        """Show a state of the item; what was seen and done for another state is void."""
        self.shown = self.latest = pending
        self.changed = ()
        self.effective = None
        self._shown_task = self.task
        self._files, self._newer, self._note = (), None, ""
        self._before = None
        self._unshown, self._too_long = None, ""
        self._evidence = {}
        wanted = self._wanted(pending)
        self.loading = wanted is not None
        self._fill()
        if wanted is not None:
            self._wish = wanted.key
            self._post(wanted)

    def amend(self, effective: Effective | None) -> None:
        """Show what the human made of the input, or what was asked for again; what was seen is void.

        Args:
            effective: What is to run instead; None takes it back.
        """
        if not (self.changed or self.over or self.loading):
            self.effective = effective
            self._fill()

    def _fill(self) -> None:
        if self.effective is not None:
            self.view.show(
                effective_document(self.effective, self._written(self.effective), self._look.glyphs)
            )
            self._renewed()
            return
        document = request_document(
            self.shown,
            self.task,
            self._look.glyphs,
            self._look.clock(),
            files=self._files,
            note=self._note,
            evidence=self._evidence,
            unshown=self._unshown,
        )
        self.view.show(document)
        self._renewed()

    @property
    def malformed(self) -> str:
        """Why the item can only be denied; empty where it may be approved."""
        return self.shown.malformed or self._too_long

    def before(self) -> bytes | None:
        """The file as the shown diff has it on its old side; None where that is not known."""
        return self._before

    def _written(self, effective: Effective) -> tuple[FileDiff, ...]:
        if not effective.path:
            return ()
        text = effective.text.encode("utf-8", "surrogateescape")
        return (between(self._before, text, effective.path),)

    # -- meanwhile -----------------------------------------------------------------------------------

    def update(self, assessment: Assessment) -> None:
        """Take a new assessment: the item may be the same, changed, or gone."""
        task_id = self.shown.task_id
        self.task = next((one for one in assessment.tasks if one.task_id == task_id), None)
        item = next((one for one in assessment.pending if same_item(self.shown, one)), None)
        over = over_words(self.shown, self.task) if item is None else ""
        if over != self.over:
            self.over = over
            self._renewed()
        if item is not None:
            self._compare(item)

    def _compare(self, item: Pending) -> None:
        """Show the difference where the item is not as it was shown; the content again where it is."""
        words = changed_words(self.shown, item)
        newer = words != self.changed or item.digest != self.latest.digest
        again = bool(self.changed) and not words
        self.changed, self.latest = words, item
        if words and newer:
            self._newer = None
            self._show_difference()
            wanted = self._wanted(item)
            if wanted is not None:
                self._wish = wanted.key
                self._post(wanted)
        elif again:
            self.show(item)

    def _show_difference(self) -> None:
        """Show what is not as it was: of the request, and of the edit once that was read again."""
        now, glyphs = self._look.clock(), self._look.glyphs
        states = ((self.shown, self._shown_task), (self.latest, self.task))
        has_diff = all(self._proposal(*state) is not None for state in states)
        before, after = (request_text(*state, glyphs, now, has_diff=has_diff) for state in states)
        edits = ("", "") if self._newer is None else (edit_text(self._files), edit_text(self._newer))
        self.view.show(difference(self.changed, before, after, glyphs, edits=edits))
        self._renewed()

    # -- diff ----------------------------------------------------------------------------------------

    def _request(self, pending: Pending, task: TaskAssessment | None) -> ToolRequestV2 | None:
        artifact = None if task is None else task.task.files.artifacts.get(pending.artifact)
        document = None if artifact is None else artifact.document
        return document if isinstance(document, ToolRequestV2) else None

    def _proposal(self, pending: Pending, task: TaskAssessment | None) -> Proposal | None:
        """The edit that a state of the request carries."""
        document = self._request(pending, task)
        change = None if document is None else document.proposed_change
        return None if change is None else Proposal(change.path, change.before, change.after)

    def _wanted(self, pending: Pending) -> DiffWanted | None:
        """The diff of what is asked for; None where there is none to ask for."""
        proposal = self._proposal(pending, self.task)
        path = proposal.path if proposal else pending.path
        if path is None or (proposal is None and pending.kind not in (PendingKind.EDIT, PendingKind.SPEC)):
            return None
        now = pending.bound.files.get(path, "")
        key = ("decision", pending.task_id, pending.item_id, pending.digest, path, now)
        return DiffWanted(key, pending.task_id, path, proposal, binding=True)

    def answered(self, message: DiffLoaded | DiffFailed) -> None:
        """Take the diff that was asked for, or why there is none; an answer to an older wish is dropped."""
        if message.key != self._wish or not (self.loading or self.changed):
            return
        if isinstance(message, DiffLoaded):
            files, note = message.files, message.note
        else:
            files, note = self._whole(), f"no diff: {message.reason}"
        if self.changed:
            self._newer = files
            self._show_difference()
            return
        self.loading = False
        if isinstance(message, DiffLoaded) and not self._bound_to(message):
            self.changed = (self.shown.path or "the file",)
            self._show_difference()
            return
        self._files, self._note = files, note
        self._before = message.before if isinstance(message, DiffLoaded) else None
        self._weigh(told=isinstance(message, DiffLoaded) and not any(file.binary for file in files))
        self._fill()

    def _weigh(self, *, told: bool) -> None:
        """Find what of the raw input stands beside the diff, and whether all of it can be read.

        Args:
            told: The diff shows the file before and after.
        """
        document = self._request(self.shown, self.task)
        change = None if document is None else document.proposed_change
        if document is None or change is None:
            return
        self._unshown = dict(document.input)
        if told:
            after = None if change.after is None else change.after.encode("utf-8", "surrogatepass")
            self._unshown = unshown(document.input, self._before, after, path=change.path, cwd=document.cwd)
        self._too_long = reads_too_long(document, self._unshown)

    def _bound_to(self, message: DiffLoaded) -> bool:
        """Whether a diff shows the bytes that a decision is bound to: the file may have changed and changed
        back while it was read.
        """
        wanted = self._wanted(self.shown)
        if wanted is None:
            return True
        blob = self.shown.facts.get("effectiveBlob") if wanted.proposal is None else None
        if blob and message.blob:
            return message.blob == blob
        held = self.shown.bound.files.get(inside(wanted.path) or wanted.path)
        return not held or not message.digest or message.digest == held

    def attach(self, ref: str, text: str) -> None:
        """Show evidence in place: the content is another one then."""
        self._evidence[ref] = text
        if not self.changed:
            self._fill()

    def _whole(self) -> tuple[FileDiff, ...]:
        """The whole proposed text, where it cannot be compared with the file."""
        proposal = self._proposal(self.latest, self.task)
        if proposal is None or proposal.after is None:
            return ()
        return (between(None, proposal.after.encode("utf-8", "surrogatepass"), proposal.path),)
