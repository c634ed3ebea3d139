"""What is announced when something new needs the human: bell and title, decided from two lists of items."""

from collections.abc import Iterable
from dataclasses import dataclass

from ags_tui.core.assessment import Pending
from ags_tui.view.status import title_text


@dataclass(frozen=True, slots=True)
class Announcement:
    """What a new state says outside the screen."""

    title: str
    """Terminal title; inert text."""
    bell: bool
    """Ring once."""


def announce(
    before: Iterable[Pending] | None, pending: Iterable[Pending], where: str, setting: str
) -> Announcement:
    """Decide what is announced.

    Args:
        before: Items of the last state; None for the first state, which rings for nothing that was there.
        pending: Items now.
        where: Name of the repository.
        setting: ``bell``, ``title`` or ``off``.
    """
    now = {(item.task_id, item.item_id, item.digest) for item in pending}
    known = now if before is None else {(item.task_id, item.item_id, item.digest) for item in before}
    title = title_text(len(now) if setting != "off" else 0, where)
    return Announcement(title, setting == "bell" and bool(now - known))
