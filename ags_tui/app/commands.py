"""The palette: every key of the registry by its name, the tasks, and the themes."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from ags_tui.app import keys
from ags_tui.app.screens.main import MainScreen
from ags_tui.app.state import Selection
from ags_tui.view.text import printable


@dataclass(frozen=True, slots=True)
class Command:
    """One line of the palette."""

    name: str
    """What is matched; inert text."""
    help: str
    """One sentence of our own: the palette reads it as markup, so nothing foreign may stand in it."""
    run: Callable[[], object]
    """What it does."""


class Commands(Provider):
    """Offers what the main screen can do now, with its keys; what is off says why when it is run."""

    def commands(self) -> Iterator[Command]:
        """Yield all commands of the screen below the palette."""
        screen = self.screen
        if not isinstance(screen, MainScreen):
            return
        for key in screen.look.registry.values():
            if key.palette and key.bound:
                names = " ".join(keys.shown(name) for name in key.keys)
                name = f"{key.label.rstrip('…').capitalize()}   {names}"
                yield Command(name, key.tooltip, partial(screen.dispatch.choose, key.id))
        for task_id, task in screen.state.tasks.items():
            name = f"Task {printable(task_id)}   {printable(task.title)}"
            yield Command(name, "Go to this task.", partial(go_to_task, screen, task_id))

    async def discover(self) -> Hits:
        """Offer everything while nothing is typed."""
        for command in self.commands():
            yield DiscoveryHit(Content(command.name), command.run, command.name, command.help)

    async def search(self, query: str) -> Hits:
        """Offer what matches."""
        matcher = self.matcher(query)
        for command in self.commands():
            score = max(matcher.match(command.name), 0.6 * matcher.match(command.help))
            if score > 0:
                yield Hit(score, matcher.highlight(command.name), command.run, command.name, command.help)


def go_to_task(screen: MainScreen, task_id: str) -> None:
    """Select a task and show its overview."""
    screen.selection = Selection("task", task_id)
    screen.moves.follow_selection()
    screen.moves.focus("request")
