"""Whether evidence still speaks of today's tree."""

from ags_tui.core.checks.facts import Facts, Freshness
from ags_tui.core.checks.findings import Basis, Finding
from ags_tui.core.checks.trees import entries_of, paths_between, tree_in
from ags_tui.core.digests import path_bytes
from ags_tui.core.log_state import Observation
from ags_tui.core.wording import listed


def freshness(facts: Facts, observation: Observation | None) -> Freshness:
    """How what was observed stands to today's tree; never observed is not fresh."""
    if observation is None or not observation.tree_digest or not facts.tree:
        return Freshness.UNOBSERVED
    if observation.tree_digest == facts.tree:
        return Freshness.FRESH
    changed = _since(facts, observation)
    if changed and all(_owner(facts, path) is not None for path in changed):
        return Freshness.FOREIGN
    return Freshness.STALE


def check_freshness(facts: Facts, artifact: str) -> tuple[Finding, ...]:
    """STALE_EVIDENCE or UNOBSERVED_EVIDENCE for an artifact that exists; empty where it is fresh."""
    state = freshness(facts, facts.observed(artifact))
    if state is Freshness.FRESH:
        return ()
    if state is Freshness.UNOBSERVED:
        message = f"{artifact} was never seen together with its tree. Write it again, or run the tests."
        return (
            Finding("UNOBSERVED_EVIDENCE", message, artifact=artifact, next_action="retry", unknown=True),
        )
    if state is Freshness.FOREIGN:
        others = said_of_others(facts, facts.observed(artifact))
        message = f"{artifact} is older than {others}. Look again at the end."
    else:
        message = f"{artifact} speaks of another tree: files changed since. Do it again."
    return (
        Finding(
            "STALE_EVIDENCE", message, artifact=artifact, next_action="retry", basis=Basis.OBSERVED,
            unknown=state is Freshness.FOREIGN,
        ),
    )  # fmt: skip


def said_of_others(facts: Facts, observation: Observation | None) -> str:
    """Name the changes that other tasks made since an observation: nothing of this task has changed."""
    changed = (_since(facts, observation) if observation is not None else None) or ()
    named = dict.fromkeys(_as_read(path) for path in changed)
    tasks = dict.fromkeys(owner for path in changed if (owner := _owner(facts, path)) is not None)
    what = f": {listed([*named])}, of {', '.join(tasks)}" if named else ""
    return f"changes that other tasks made since{what}"


def foreign_since(facts: Facts, tree: str) -> bool:
    """Whether all that changed since a tree digest was today's belongs to other tasks, as far as is known."""
    seen = (one for one in reversed(facts.task.log.observations) if one.tree_digest == tree)
    known = next((one for one in seen if tree_in(one) is not None), None)
    return bool(tree) and known is not None and freshness(facts, known) is Freshness.FOREIGN


def _owner(facts: Facts, path: str) -> str | None:
    """The other task that a path of an observation may belong to."""
    return facts.claims.foreign(_as_read(path), facts.task_id)


def _as_read(path: str) -> str:
    return path_bytes(path).decode("utf-8", "surrogateescape")


def _since(facts: Facts, observation: Observation) -> tuple[str, ...] | None:
    """Paths that changed since an observation; None where that is not known."""
    rows = entries_of(facts.changes) if facts.changes is not None else None
    if rows is None or not facts.claims.claims:
        return None
    today = Observation(
        path=observation.path, digest=observation.digest, tree_digest=facts.tree, observed_at=facts.now,
        valid=True, sequence=observation.sequence, data={"entries": rows},
    )  # fmt: skip
    return paths_between(observation, today)
