"""What workers, screens and widgets tell the app, named as the story of one operation.

Workers post, handlers change state. A newer reading replaces an older one that still waits in the queue.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ags_tui.core.assessment import Assessment
    from ags_tui.core.contracts.task import AgentTask
    from ags_tui.core.decisions import Draft
    from ags_tui.core.diffs import FileDiff
    from ags_tui.core.snapshot import Snapshot
    from ags_tui.view.remembered import LastShown


@dataclass(eq=False)
class SnapshotTaken(Message):
    """The reader has read the folder."""

    snapshot: "Snapshot"
    """What it read."""

    def can_replace(self, message: Message) -> bool:
        """A newer snapshot makes an older one useless."""
        return isinstance(message, SnapshotTaken)


@dataclass(eq=False)
class RowsRecalled(Message):
    """The reader has looked up what was shown of all tasks the last time."""

    shown: "Mapping[str, LastShown]"
    """By task id."""


@dataclass(eq=False)
class AssessmentReady(Message):
    """The checks have run over a snapshot."""

    snapshot: "Snapshot"
    """What was assessed."""
    assessment: "Assessment"
    """What came out."""
    settles_in: float | None = None
    """Seconds until what is outside the plan has stood long enough to be recorded; None where nothing is."""

    def can_replace(self, message: Message) -> bool:
        """A newer assessment makes an older one useless."""
        return isinstance(message, AssessmentReady)


@dataclass(eq=False)
class Narrated(Message):
    """An agent of the demo has said something to the viewer."""

    text: str
    """Its words."""


@dataclass(eq=False)
class ReadFailed(Message):
    """Reading or assessing stopped with an error; the screen keeps the last state and says so."""

    reason: str
    """One sentence; foreign text."""


@dataclass(eq=False)
class WatchChanged(Message):
    """The watcher works otherwise than before."""

    mode: str
    """``events`` or ``polling``; ``stopped`` where it ended."""
    text: str
    """Why, for the status line; empty where all is well."""


@dataclass(eq=False)
class DecisionDrafted(Message):
    """A decision screen returned what the human decided."""

    draft: "Draft"
    """To be recorded."""


@dataclass(eq=False)
class DecisionRecorded(Message):
    """The log holds the decision."""

    draft: "Draft"
    """What was recorded."""
    sequence: int
    """Number of its log entry."""


@dataclass(eq=False)
class DecisionRefused(Message):
    """The log did not take the decision; nothing was recorded."""

    draft: "Draft"
    """What was to be recorded."""
    reason: str
    """Why, with the next step; foreign text."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """An edit that was asked for and has not happened."""

    path: str
    """Relative to the work tree."""
    before: str
    """Digest of the file when it was asked, or ``absent``."""
    after: str | None
    """The whole text afterwards; None where the file is to be deleted."""


@dataclass(eq=False)
class DiffWanted(Message):
    """A pane needs the diff of one path."""

    key: tuple[object, ...]
    """What the diff is of: comes back with the answer, so that a late answer is recognised."""
    task_id: str | None
    """Whose baseline; None for HEAD."""
    path: str
    """Relative to the work tree."""
    proposal: Proposal | None = None
    """Compare the file as it is with what is asked for, instead of the baseline with the file."""
    binding: bool = False
    """A decision is bound to what it shows."""

    def can_replace(self, message: Message) -> bool:
        """Only the last wanted diff is fetched."""
        return isinstance(message, DiffWanted)


@dataclass(eq=False)
class DiffLoaded(Message):
    """The diff of one path was read."""

    key: tuple[object, ...]
    """Key of the wish."""
    files: "tuple[FileDiff, ...]"
    """The parsed diff; empty where nothing differs."""
    note: str = ""
    """What the human should know about it, such as that the file changed since it was asked."""
    digest: str = ""
    """Digest of the work-tree bytes that it shows, ``absent`` for none; empty where nobody can say."""
    blob: str = ""
    """Blob id of these bytes; empty for none, or where nobody can say."""
    before: bytes | None = None
    """Those bytes, where an edit is proposed; None where there is no file."""


@dataclass(eq=False)
class DiffFailed(Message):
    """The diff of one path could not be read."""

    key: tuple[object, ...]
    """Key of the wish."""
    reason: str
    """Why; foreign text."""


@dataclass(eq=False)
class EvidenceRead(Message):
    """A piece of evidence was read, or could not be."""

    task_id: str
    """Whose evidence."""
    ref: str
    """Reference as the escalation gives it."""
    text: str
    """What it says, or why it cannot be shown; foreign text."""


@dataclass(eq=False)
class TaskDrafted(Message):
    """The form for a new task was filled in and valid."""

    task: "AgentTask"
    """The contract to write."""


@dataclass(eq=False)
class TaskCreated(Message):
    """A new task folder exists, with its baseline."""

    task_id: str
    """Its name."""
    promoted: bool = False
    """Whether it was a session before."""


@dataclass(eq=False)
class TaskRefused(Message):
    """The new task could not be written."""

    reason: str
    """Why; foreign text."""


@dataclass(eq=False)
class CheckAsked(Message):
    """The planned tests are to be run."""

    task_id: str
    """Of which task."""


@dataclass(eq=False)
class CheckCancelled(Message):
    """The human stopped the run."""

    task_id: str
    """Of which task."""


@dataclass(eq=False)
class CheckPrinted(Message):
    """The running tests printed lines."""

    task_id: str
    """Of which task."""
    lines: tuple[str, ...]
    """Raw lines; foreign text."""


@dataclass(eq=False)
class CheckFinished(Message):
    """The run of the planned tests has ended and was recorded."""

    task_id: str
    """Of which task."""
    passed: bool
    """Every command ended with 0."""
    summary: str
    """One line; foreign text."""


@dataclass(eq=False)
class CheckFailed(Message):
    """The planned tests could not be run or recorded."""

    task_id: str
    """Of which task."""
    reason: str
    """Why; foreign text."""


@dataclass(eq=False)
class EditorAsked(Message):
    """Something is to be opened in ``$EDITOR``."""

    path: str
    """Absolute path of a work-tree file; a name only where ``data`` is given."""
    data: bytes | None = None
    """Bytes to show in a read-only copy instead of the file itself."""


@dataclass(eq=False)
class CopyAsked(Message):
    """Text is to go to the clipboard."""

    text: str
    """Printable text."""
    what: str
    """What it is, for the status line."""


@dataclass(eq=False)
class ThemePreviewed(Message):
    """A theme is to be shown, not yet kept."""

    name: str
    """Its name."""


@dataclass(eq=False)
class SettingChanged(Message):
    """The human changed a setting that only looks."""

    name: str
    """``theme``, ``glyphs`` or ``notifications``."""
    value: str
    """The new value."""


@dataclass(eq=False)
class DemoAsked(Message):
    """The human wants the demo instead of the empty screen."""


@dataclass(eq=False)
class Said(Message):
    """A screen has one sentence for the status line."""

    text: str
    """The sentence; made inert when shown."""
    level: str = "muted"
    """Style name: ``muted``, ``ok``, ``warn`` or ``error``."""


@dataclass(eq=False)
class QuitAsked(Message):
    """The human wants to leave."""


@dataclass(eq=False)
class ThemesAsked(Message):
    """The human wants to choose a theme."""


@dataclass(eq=False)
class SettingsAsked(Message):
    """The human wants to see the settings."""
