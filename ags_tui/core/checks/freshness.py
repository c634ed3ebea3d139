"""Whether evidence still speaks of today's tree."""

from ags_tui.core.checks.facts import Facts, Freshness
from ags_tui.core.checks.findings import Basis, Finding
from ags_tui.core.checks.trees import entries_of, paths_between
from ags_tui.core.log_state import Observation


def freshness(facts: Facts, observation: Observation | None) -> Freshness:
    """How what was observed stands to today's tree; never observed is not fresh."""
    if observation is None or not observation.tree_digest or not facts.tree:
        return Freshness.UNOBSERVED
    if observation.tree_digest == facts.tree:
        return Freshness.FRESH
    changed = _since(facts, observation)
    if changed and all(facts.claims.other_owner(path, facts.task_id) is not None for path in changed):
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
        message = f"{artifact} is older than changes that other tasks made since. Look again at the end."
    else:
        message = f"{artifact} speaks of another tree: files changed since. Do it again."
    return (
        Finding(
            "STALE_EVIDENCE", message, artifact=artifact, next_action="retry", basis=Basis.OBSERVED,
            unknown=state is Freshness.FOREIGN,
        ),
    )  # fmt: skip


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
