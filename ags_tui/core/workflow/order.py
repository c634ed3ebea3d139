"""The order of stages: what an artifact needs comes before it, the audit comes last."""

import heapq
from collections.abc import Sequence

from ags_tui.core.workflow.failures import WorkflowRefused
from ags_tui.core.workflow.providers import AUDIT, Provider

Chosen = tuple[str, Provider]
"""A provider with the capability that chose it."""


def producers_of(chosen: Sequence[Chosen]) -> dict[str, Provider]:
    """Return the one provider of each artifact.

    Raises:
        WorkflowRefused: INVALID_INPUT where two make the same.
    """
    made: dict[str, Provider] = {}
    for _, provider in chosen:
        for artifact in provider.produces:
            other = made.setdefault(artifact, provider)
            if other is not provider:
                raise WorkflowRefused(
                    "INVALID_INPUT",
                    f"{other.key} and {provider.key} both make {artifact}.",
                    {"artifactId": artifact, "providerKeys": [other.key, provider.key]},
                )
    return made


def in_order(chosen: Sequence[Chosen]) -> list[Chosen]:
    """Sort providers so that each comes after those whose artifacts it needs.

    Ties go by phase, capability and key; the independent audit waits for all that need not wait for it.

    Raises:
        WorkflowRefused: INVALID_INPUT where two make the same artifact, or they wait for each other.
    """
    made = producers_of(chosen)
    waits_for = {
        provider.key: {
            made[artifact].key
            for artifact in needs(provider)
            if artifact in made and made[artifact] is not provider
        }
        for _, provider in chosen
    }
    ready: list[tuple[tuple[bool, int, str, str], int]] = []
    left = dict(enumerate(chosen))
    done: set[str] = set()
    ordered: list[Chosen] = []
    while left or ready:
        for number, (capability, provider) in list(left.items()):
            if waits_for[provider.key] <= done:
                rank = (capability == AUDIT, provider.phase_order, capability, provider.key)
                heapq.heappush(ready, (rank, number))
                del left[number]
        if not ready:
            keys = sorted(provider.key for _, provider in left.values())
            message = f"These providers wait for each other: {', '.join(keys)}."
            raise WorkflowRefused("INVALID_INPUT", message, {"providerKeys": keys})
        found = chosen[heapq.heappop(ready)[1]]
        ordered.append(found)
        done.add(found[1].key)
    return ordered


def needs(provider: Provider) -> list[str]:
    """Return the artifacts that a provider takes from others of its plan."""
    sources = [
        source for binding in provider.bindings if binding.operation != "require-external"
        for source in binding.sources
    ]  # fmt: skip
    return [*provider.requires, *sources]
