"""Stop conditions of the plan that name a planned or changed path: questions for a human."""

import json
from dataclasses import dataclass

from ags_tui.core.checks.facts import Facts
from ags_tui.core.checks.plan_paths import PlanPaths
from ags_tui.core.checks.sentences import sentences_of
from ags_tui.core.digests import digest

CONTINUE = "continue"
"""Option that lets the work go on."""
STOP = "stop"
"""Option that stops it."""
PREFIX = "check."
"""How ids of questions begin that a check asks; no agent may file one with such an id."""


@dataclass(frozen=True, slots=True)
class StopHit:
    """One stop condition that has come true."""

    item_id: str
    """Id of the question."""
    index: int
    """Position in ``stopConditions``."""
    sentence: str
    """Its words. Foreign text."""
    paths: tuple[str, ...]
    """Planned patterns and changed paths that it names, sorted."""
    digest: str
    """Digest over sentence and paths: another path makes another question."""
    answer: str | None
    """Option that a human chose for exactly this; None while nobody did."""

    @property
    def settled(self) -> bool:
        """Whether a human let the work go on."""
        return self.answer == CONTINUE


def stop_hits(facts: Facts, paths: PlanPaths | None) -> tuple[StopHit, ...]:
    """Find the stop conditions that name what is planned, or what this task may have changed."""
    if paths is None:
        return ()
    sentences = sentences_of(paths.plan.stop_conditions)
    if not sentences.rows:
        return ()
    before = facts.dirty_before
    named = [paths.resolved.get(one, one) for one in paths.plan.files_to_edit]
    if facts.changes is not None:
        named += [
            change.path
            for change in facts.changes.entries
            if not ((dirty := before.get(change.path)) and dirty.entry == change.new)
            and facts.claims.foreign(change.path, facts.task_id) is None
        ]
    found: dict[int, set[str]] = {}
    for path in named:
        for index in sentences.all(path):
            found.setdefault(index, set()).add(path)
    texts = paths.plan.stop_conditions
    return tuple(_hit(facts, index, texts[index], tuple(sorted(found[index]))) for index in sorted(found))


def _hit(facts: Facts, index: int, sentence: str, paths: tuple[str, ...]) -> StopHit:
    item_id = f"{PREFIX}stop-condition-{index}"
    bound = digest(json.dumps([sentence, paths], separators=(",", ":")).encode())
    row = facts.answer_to(item_id, bound)
    option = row.entry.data.get("option") if row else None
    return StopHit(item_id, index, sentence, paths, bound, option if isinstance(option, str) else None)
