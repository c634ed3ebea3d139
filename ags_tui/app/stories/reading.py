"""Reading: hint → snapshot → assessment → state. A hint means “look again”, never “this changed”."""

import gc
from typing import TYPE_CHECKING

from ags_tui.app.ahead import import_screens
from ags_tui.app.messages import AssessmentReady, ReadFailed, RowsRecalled, SnapshotTaken, WatchChanged
from ags_tui.app.shell import ShellApp
from ags_tui.core.failures import AgsError
from ags_tui.core.hints import EVERYTHING, Hint
from ags_tui.core.snapshot import EMPTY
from ags_tui.view.status import Watching

if TYPE_CHECKING:
    from datetime import datetime

    from textual.timer import Timer


class ReadingStory(ShellApp):
    """Starts the watch, keeps one reader busy, and turns its messages into state."""

    _expiry: "Timer | None" = None
    _settled: "Timer | None" = None

    def on_mount(self) -> None:
        """Read everything once the first frame is out, and watch."""
        self.call_after_refresh(self._start)

    def _start(self) -> None:
        """Start reading and watching; what they import is imported now, after the first frame."""
        self.look_again(EVERYTHING)
        self.run_worker(self._watch(), name="watch", group="watch", exclusive=True, exit_on_error=False)

    def look_again(self, hint: Hint) -> None:
        """Read again where a hint says so; a run that is under way is followed by one more."""
        if self.reader.ask(hint):
            self.blocking(self.reader.run, "read")

    async def _watch(self) -> None:
        """Turn hints into readings until the app ends."""
        try:
            state = self.door.watch_state
            self.post_message(WatchChanged(state.mode, state.message))
            async for hint in self.door.watch():
                state = self.door.watch_state
                self.post_message(WatchChanged(state.mode, state.message))
                self.look_again(hint)
        except (AgsError, OSError) as error:
            self.post_message(WatchChanged("stopped", f"{error}; restart ags-tui to watch again"))

    def on_watch_changed(self, message: WatchChanged) -> None:
        """Say how the files are watched, where that is new."""
        watching = Watching(message.mode, message.text)
        if watching != self.state.watching:
            self.change(watching=watching)

    def on_rows_recalled(self, message: RowsRecalled) -> None:
        """Show what was shown last of the tasks beyond the first screenful, while nothing is read yet."""
        if self.state.assessment is None:
            self.change(last_shown=message.shown)

    def on_snapshot_taken(self, message: SnapshotTaken) -> None:
        """Show repository and names before the first assessment; later ones come with their assessment."""
        if self.state.assessment is None:
            names = tuple(task.task_id for task in message.snapshot.tasks)
            self.change(snapshot=message.snapshot, names=names)

    def on_assessment_ready(self, message: AssessmentReady) -> None:
        """Show what the checks say, and look again when the next request expires."""
        first = self.state.assessment is None
        tasks = {task.task_id: task for task in message.assessment.tasks}
        self.change(
            snapshot=message.snapshot, assessment=message.assessment, tasks=tasks, names=tuple(tasks),
            last_shown=EMPTY,
        )  # fmt: skip
        self._look_at_expiry()
        self._look_when_settled(message.settles_in)
        if first:
            self.call_after_refresh(self._settle_memory)

    def on_read_failed(self, message: ReadFailed) -> None:
        """Keep the last state and say that it is not the newest."""
        self.say(f"not read: {message.reason}; what is shown may be old", "error")

    def on_app_focus(self) -> None:
        """Look at the whole work tree when the human comes back: what is shown is judged now."""
        if self.state.assessment is not None:
            self.look_again(Hint(paths=None, git=True, why="focus"))

    def on_unmount(self) -> None:
        """Keep what is shown for the first frame of the next start."""
        self.last_rows.close()

    def _settle_memory(self) -> None:
        """Put what lives for ever out of the collector's way, let it work again, and look ahead."""
        gc.collect()
        gc.freeze()
        gc.enable()
        self.blocking(import_screens, "look-ahead")

    def _look_at_expiry(self) -> None:
        """Read again at the moment when the next request expires: no file changes then."""
        if self._expiry is not None:
            self._expiry.stop()
            self._expiry = None
        now = self.look.clock()
        ends: list[datetime] = [item.expires_at for item in self.state.pending if item.expires_at is not None]
        later = [(end - now).total_seconds() for end in ends if end > now]
        if later:
            hint = Hint(why="a request expires")
            self._expiry = self.set_timer(min(later) + 0.1, lambda: self.look_again(hint), name="expiry")

    def _look_when_settled(self, seconds: float | None) -> None:
        """Read again when what is outside the plan has stood for a moment: it is put on record then."""
        if self._settled is not None:
            self._settled.stop()
            self._settled = None
        if seconds is not None:
            hint = Hint(why="what is outside the plan has settled")
            self._settled = self.set_timer(seconds + 0.05, lambda: self.look_again(hint), name="settled")
