"""Draws the panes of the main screen from the state: every pane a pure source of rows."""

from datetime import timedelta
from typing import TYPE_CHECKING

from ags_tui.app import keys
from ags_tui.app.beside_messages import ClockTicked
from ags_tui.app.look import Look
from ags_tui.app.state import ShellState, artifact_of, item_of, passed_of, sessions_for, task_of
from ags_tui.app.widgets.line_bar import LineBar
from ags_tui.app.widgets.row_list import RowList
from ags_tui.core.assessment import TaskAssessment
from ags_tui.view import (
    alarms,
    asking,
    events,
    gate,
    inbox,
    overview,
    remembered,
    scope,
    sessions,
    status,
    timeline,
)
from ags_tui.view.about import subjects_of, task_heading
from ags_tui.view.drawn import Drawn
from ags_tui.view.pipeline import rail, stage_reason
from ags_tui.view.rows import Row, blank, heading, matching, paragraph
from ags_tui.view.said_once import referring_gate
from ags_tui.view.text import Line, Span, line_len, printable

if TYPE_CHECKING:
    from ags_tui.app.screens.main import MainScreen

TABS = ("Needs you", "Request", "Diff", "Scope", "Gate", "Log", "Calls")
"""Labels of the tabs, in order."""

COMPACT = 50
"""Below this many cells the gate puts what holds nothing side by side."""


SHORT = 60
"""Below this many cells the status line keeps only verdict and count."""

SAID_FOR = timedelta(seconds=8)
"""How long a sentence stays in the status line, at least."""


class Panes:
    """Draws one main screen; holds no state but the marks of what was drawn last."""

    def __init__(self, screen: "MainScreen", look: Look) -> None:
        """Take the screen whose panes are drawn.

        Args:
            screen: The screen; only its public state and widgets are used.
            look: Glyphs, clock and zone.
        """
        self.screen = screen
        self.glyphs = look.glyphs
        self.zone = look.zone
        self.clock = look.clock
        self.said_at = look.clock()
        self.now = look.clock()
        self._drawn: Drawn = {}

    def relook(self, look: Look) -> None:
        """Use other glyphs from now on."""
        self.screen.look = look
        self.glyphs = look.glyphs
        self.screen.set_class(look.plain_lines, "-plain-lines")
        for pane in self.screen.query(RowList):
            pane.glyphs = look.glyphs
        self.draw()

    def draw(self, *, mark: bool = False) -> None:
        """Draw everything; ``mark`` marks rows that changed."""
        self.draw_left(mark=mark)
        self.draw_centre(mark=mark)
        self.draw_right(mark=mark)
        self.draw_edges()

    def draw_left(self, *, mark: bool = False) -> None:
        """Draw inbox and tasks."""
        self._list("inbox").show(self._inbox, mark=mark)
        self._list("tasks").show(self._tasks, mark=mark)

    def draw_centre(self, *, mark: bool = False) -> None:
        """Draw the selected thing and the log of its task."""
        self._bar("about").draw(self._about)
        self._list("request").show(self._request, mark=False)
        self._list("log").show(self._log, mark=mark)
        self.draw_calls(mark=mark)

    def draw_calls(self, *, mark: bool) -> None:
        """Draw the calls, while they are in sight: a flood of them costs nothing else."""
        if self.screen.has_class("-calls"):
            self._list("calls").show(self._calls, mark=mark)

    def draw_beside(self) -> None:
        """Draw what agents' clients did; the files are as they were."""
        self._list("request").show(self._request, mark=False)
        self.draw_calls(mark=True)
        self.draw_edges()

    def draw_right(self, *, mark: bool = False) -> None:
        """Draw scope and gate."""
        self._list("scope").show(self._scope, mark=mark)
        self._list("gate").show(self._gate, mark=mark)

    def draw_edges(self) -> None:
        """Draw header, tabs, status line and key bar."""
        self._bar("header").draw(self._header)
        self._alarm_bar()
        self._bar("tabs").draw(lambda width: [status.tab_line(TABS, self.screen.tab, width)])
        self._bar("status").draw(self._status)
        self._bar("keys").draw(lambda width: [status.key_line(self.screen.dispatch.hints(), width)])

    def tick(self) -> None:
        """Draw again what shows an age; rows whose text is the same are not repainted."""
        self.now = self.clock()
        if self._state.beside:
            self.screen.post_message(ClockTicked())
        for name in ("inbox", "tasks", "scope", "gate", "log", "calls"):
            self._list(name).settle()
        if self.screen.said and self.clock() - self.said_at > SAID_FOR:
            self.screen.said = ()
            self._bar("status").draw(self._status)
        self._list("inbox").show(self._inbox, mark=False)
        self._bar("header").draw(self._header)
        self.draw_calls(mark=False)
        if sessions_for(self._state, self.screen.selection) or item_of(self._state, self.screen.selection):
            self._list("request").show(self._request, mark=False)

    # -- sources -------------------------------------------------------------------------------------

    @property
    def _state(self) -> ShellState:
        """Give what is shown."""
        return self.screen.state

    def _task(self) -> TaskAssessment | None:
        """Give the selected task."""
        return task_of(self._state, self.screen.selection)

    def _inbox(self, width: int) -> list[Row]:
        """Make the rows of the inbox."""
        state, needle = self._state, self.screen.needle
        new = self.screen.moves.arrivals.new
        found = inbox.inbox_rows(
            state.pending, state.passed, width, self.glyphs, self.now, new=new, drawn=self._drawn
        )
        total = len(found) if needle else len(state.pending)
        if needle:
            found = matching(found, needle)
        rows: list[Row] = [inbox.pane_title("NEEDS YOU", len(found), total, filtered=bool(needle))]
        rows += [self._filter_row()] if needle else []
        rows += found
        if not state.pending and not state.passed:
            tasks = len(state.tasks) or len(state.names)
            attest = [task.task_id for task in state.tasks.values() if inbox.attest_only(task)]
            rows += inbox.inbox_hint(
                width, self.glyphs, tasks=tasks, reading=state.assessment is None, attest=attest
            )
        rows += events.lately_rows(
            state.tasks.values(), width, self.glyphs, self.now, quiet=not state.pending, aside=state.aside
        )
        return rows

    def _tasks(self, width: int) -> list[Row]:
        """Make the rows of the tasks, with the work tree and what cannot be read."""
        state, needle = self._state, self.screen.needle
        if state.assessment is None:
            every = remembered.last_rows(state.names, state.last_shown, width, self.glyphs)
        else:
            every = inbox.task_rows(state.assessment, state.names, width, self.glyphs)
        found = matching(every, needle) if needle else every
        rows: list[Row] = [inbox.pane_title("TASKS", len(found), len(every), filtered=bool(needle))]
        if state.troubles:
            rows.append(inbox.problems_row(state.troubles, width, self.glyphs))
        rows += found
        if state.snapshot is not None:
            tree = state.snapshot.work_tree
            changed = None if tree is None or tree.unknown else len(tree.entries)
            rows.append(inbox.tree_row(changed, width, self.glyphs))
        return rows

    def _filter_row(self) -> Row:
        """Say that a filter hides rows."""
        return heading("filter", Span("only ", "muted"), Span(printable(self.screen.needle), "accent"))

    def _about(self, width: int) -> list[Line]:
        """Draw the heading of the centre: task and stage rail."""
        state, selection, task = self._state, self.screen.selection, self._task()
        if task is not None:
            head = task_heading(task.task_id, task.title, width)
            lines = [*head, *rail(task.stages, width, self.glyphs)]
            return [*lines, *stage_reason(task.stages, width)]
        if selection.kind in ("item", "task"):
            return [(Span(printable(selection.task_id), "title"), Span("   reading…", "muted"))]
        if selection.kind == "problems":
            return [(Span("What cannot be read", "title"),)]
        if state.snapshot is None:
            return [(Span("Reading the task folders…", "muted"),)]
        return [(Span("Work tree", "title"), Span("   the live diff against HEAD", "muted"))]

    def _request(self, width: int) -> list[Row]:
        """Make the rows of the selected request, task, or of what cannot be read."""
        state, selection, task = self._state, self.screen.selection, self._task()
        item = item_of(state, selection)
        if item is not None:
            key = "" if self.screen.moves.wide else keys.shown(self.screen.look.registry["tab-3"].keys[0])
            rows = asking.asking_rows(item, task, width, self.glyphs, self.now, diff_key=key)
            seen = self._sessions(width)
            return [*rows, *([blank("sessions:begin")] if seen else []), *seen]
        over = passed_of(state, selection)
        if over is not None:
            return list(asking.passed_rows(over.status, task, width))
        if selection.kind == "problems" and state.snapshot is not None and state.assessment is not None:
            return list(overview.root_rows(state.snapshot, state.assessment.findings, width, self.glyphs))
        if task is not None:
            key = self._key("promote")
            rows = overview.overview_rows(task, width, self.glyphs, promote=key)
            return [*self._sessions(width), *rows]
        return self._sessions(width) if selection.kind == "tree" else []

    def _scope(self, width: int) -> list[Row]:
        """Make the rows of the scope pane."""
        task = self._task()
        if task is not None:
            return list(scope.task_scope_rows(task, self.screen.diffs.reviewed(), width, self.glyphs))
        snapshot = self._state.snapshot
        if snapshot is None or self.screen.selection.kind in ("item", "task"):
            return [heading("scope", Span("SCOPE", "title"))]
        return list(scope.tree_rows(snapshot.work_tree, width, self.glyphs))

    def _gate(self, width: int) -> list[Row]:
        """Make the rows of the gate pane."""
        task = self._task()
        if task is not None:
            key = self._key("tab-2")
            return list(
                gate.gate_rows(referring_gate(task, key), width, self.glyphs, compact=width < COMPACT)
            )
        text = "A task has a gate: what must hold before its work is done."
        return [heading("gate", Span("GATE", "title")), paragraph("gate:none", text, width, style="muted")]

    def _log(self, width: int) -> list[Row]:
        """Make the rows of the log pane."""
        task = self._task()
        if task is None:
            return [heading("log", Span("LOG", "title"))]
        known = subjects_of(task)
        return list(timeline.timeline_rows(task.task.log, width, self.glyphs, self.zone, known))

    def _calls(self, width: int) -> list[Row]:
        """Make the rows of the calls pane."""
        seen = sessions_for(self._state, self.screen.selection)
        away = self._state.away
        return list(sessions.call_rows(seen, width, self.glyphs, now=self.now, top=self._top(), away=away))

    def _key(self, key_id: str) -> str:
        """Name the key that does something."""
        return keys.shown(self.screen.look.registry[key_id].keys[0])

    def _sessions(self, width: int) -> list[Row]:
        """Make the rows of those who work in the selected task."""
        state, selection = self._state, self.screen.selection
        seen, task = sessions_for(state, selection), self._task()
        pending = () if task is None else task.pending
        return list(
            sessions.session_rows(
                seen, pending, width, self.glyphs, now=self.now, top=self._top(), away=state.away
            )
        )

    def _top(self) -> str:
        """Give the top of the work tree."""
        return "" if self._state.snapshot is None else self._state.snapshot.repo.top

    def _header(self, width: int) -> list[Line]:
        """Draw the first line."""
        state, now = self._state, self.now
        repo = None if state.snapshot is None else state.snapshot.repo
        unknown = "" if state.snapshot is None else state.snapshot.git_unknown
        beats = sessions.heartbeats(state.sessions, state.heard, now, state.away)
        line = status.header_line(
            repo, state.assessment, state.watched, width=width, glyphs=self.glyphs, now=now,
            unknown=unknown, demo=state.demo,
            beats=lambda room: sessions.heartbeat_spans(beats, room, self.glyphs),
        )  # fmt: skip
        return [line]

    def _alarm_bar(self) -> None:
        """Draw the alarm that nobody has read, in a line that is there only then."""
        bar, state = self._bar("alarm"), self._state
        bar.display = state.unread > 0
        bar.draw(lambda width: [alarms.alarm_line(state.alarms, state.unread, width, self.glyphs)])

    def _status(self, width: int) -> list[Line]:
        """Draw the line above the keys."""
        left = status.verdict_status(self._task(), self.glyphs, short=width < SHORT)
        if self._state.recording:
            said: Line = (Span("recording…", "accent"),)
        else:
            said = self.screen.said or self.screen.moves.arrivals.line(_room(left, width), self.glyphs)
        if line_len(said) > _room(left, width):
            left = status.verdict_status(self._task(), self.glyphs, short=True)
        elsewhere = self._state.seat == "other"
        return [status.status_line(left, said, self._state.watching, width, self.glyphs, elsewhere=elsewhere)]

    def readable(self) -> tuple[str, bytes] | None:
        """Give name and bytes of the selected request's file, for the editor."""
        item = item_of(self._state, self.screen.selection)
        artifact = None if item is None else artifact_of(self._task(), item.artifact)
        return None if artifact is None else (artifact.path.rsplit("/", 1)[-1], artifact.raw)

    def _list(self, name: str) -> RowList:
        """Find a list by its id."""
        return self.screen.query_one(f"#{name}", RowList)

    def _bar(self, name: str) -> LineBar:
        """Find a bar by its id."""
        return self.screen.query_one(f"#{name}", LineBar)


def _room(left: Line, width: int) -> int:
    """Give the cells for a sentence beside verdict and count; the names of the rungs give way to it."""
    return width - line_len(left[:-1]) - 3
