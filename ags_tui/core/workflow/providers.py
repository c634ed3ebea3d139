"""Providers: who can do which stage, read from TOML files; a file ships with the program."""

import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from ags_tui.core.contracts import explain
from ags_tui.core.contracts.base import Absent, Contract, Text, UniqueNames
from ags_tui.core.contracts.strict_json import field_text
from ags_tui.core.contracts.workflow_plan import (
    InputBinding,
    ReceiptPolicy,
    RiskGate,
    StateMapping,
)
from ags_tui.core.snapshot import LoadProblem

AUDIT = "independent-audit"
"""Capability that high and critical risk force."""
EVALUATION_AUDIT = "evaluation-validity-audit"
"""Capability that needs a purpose."""
PROSE = "korean-prose-"
"""Capabilities that come together: one of them asks for all."""
GATE_VERDICT = "gate-verdict"
"""Artifact that a mandatory gate adds."""
DECISION_RECORD = "decision-record"
"""Artifact that turns the deliberation gate on."""
RESULT_SCHEMA = "contracts/ProviderResult/1.0.0.schema.json"
"""Schema of every ProviderResult."""

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._/-]{0,159}$")]
"""Name of a provider or capability."""


class ProviderGate(Contract):
    """What a provider's stage guards."""

    kind: Literal["none", "precondition", "completion"] = "none"
    """When it is passed."""
    policy: RiskGate = "none"
    """How strictly."""
    validator: Absent[Text] = None
    """Name of a further check."""
    validator_schema: Absent[Text] = None
    """Path of the schema of what that check reads."""


class Provider(Contract):
    """One way to do a stage. Files spell the fields as here, with underscores."""

    key: Name
    """Unique name."""
    skill: Text
    """Skill that does it."""
    phase: Text
    """Phase of the skill."""
    capabilities: Annotated[tuple[Name, ...], Field(min_length=1)]
    """What it can do."""
    phase_order: Annotated[int, Field(ge=0)]
    """Place among the phases of all providers."""
    output_schema: Text
    """Path of the schema of its output."""
    state_mapping: StateMapping
    """How its output becomes a state."""
    priority: int = 0
    """The highest wins a capability."""
    execution_class: Literal["bootstrap", "workflow", "recovery"] = "workflow"
    """When it runs; a bootstrap provider is never planned."""
    requires: UniqueNames = ()
    """Artifacts that it needs."""
    bindings: tuple[InputBinding, ...] = ()
    """Where they come from; an artifact without a binding is selected as it is."""
    produces: UniqueNames = ()
    """Artifacts that it makes."""
    gate: ProviderGate = ProviderGate()
    """What it guards."""
    receipt_policy: Absent[ReceiptPolicy] = None
    """What a receipt may hold of it."""


class _File(Contract):
    """A registry file."""

    version: Literal[1]
    """Form of the file."""
    provider: tuple[Provider, ...] = ()
    """All providers."""


@dataclass(frozen=True)
class Registry:
    """Providers to plan with."""

    providers: tuple[Provider, ...] = ()
    """In the order of their files."""

    @cached_property
    def _by_capability(self) -> Mapping[str, Provider]:
        found: dict[str, Provider] = {}
        for provider in sorted(self.providers, key=lambda one: (one.priority, one.key), reverse=True):
            for capability in provider.capabilities:
                found.setdefault(capability, provider)
        return found

    def provider_for(self, capability: str) -> Provider | None:
        """The provider of a capability with the highest priority; None where there is none."""
        return self._by_capability.get(capability)

    @property
    def capabilities(self) -> tuple[str, ...]:
        """All capabilities, those of early phases first."""
        return tuple(
            sorted(self._by_capability, key=lambda name: (self._by_capability[name].phase_order, name))
        )

    def adding(self, others: Iterable[Provider]) -> tuple["Registry", tuple[Provider, ...]]:
        """Add providers of a file that may add and never replace.

        Returns:
            The registry with those that cover new capabilities only, and the others.
        """
        keys = {one.key for one in self.providers}
        taken = set(self._by_capability)
        fine: list[Provider] = []
        refused: list[Provider] = []
        for one in others:
            (refused if one.key in keys or taken & set(one.capabilities) else fine).append(one)
        return Registry((*self.providers, *fine)), tuple(refused)


def read_providers(text: str, artifact: str) -> tuple[Provider, ...] | LoadProblem:
    """Read a registry file.

    Args:
        text: TOML.
        artifact: Name of the file, for the problem.

    Returns:
        The providers, or why the file is not usable: then none of it is.
    """
    try:
        value = tomllib.loads(text)
        body = json.dumps(value)
    except (tomllib.TOMLDecodeError, TypeError, RecursionError) as error:
        return LoadProblem("INVALID_PROVIDERS", f"is no TOML of ours: {error}", artifact)
    try:
        file = _File.model_validate_json(body, by_alias=True, by_name=True)
    except ValidationError as error:
        wrong = explain.wrong_fields(error, value)[0]
        field = field_text(wrong.path)
        return LoadProblem("INVALID_PROVIDERS", f"{field} {wrong.message}", artifact, field=field)
    keys = [one.key for one in file.provider]
    twice = next((key for key in keys if keys.count(key) > 1), None)
    if twice is not None:
        return LoadProblem("INVALID_PROVIDERS", f"names the provider {twice} twice", artifact)
    for one in file.provider:
        wrong_policy = policy_problem(one.receipt_policy)
        if wrong_policy:
            return LoadProblem("INVALID_PROVIDERS", f"{one.key}: {wrong_policy}", artifact)
    return file.provider


def policy_problem(policy: ReceiptPolicy | None) -> str:
    """Say what is wrong between the fields of a receipt policy; empty where nothing is."""
    if policy is None:
        return ""
    if policy.uniqueness is not None and policy.actor_id_pointer is None:
        return "uniqueness needs actorIdPointer"
    if (policy.actor_ids_pointer is None) != (policy.actor_ids_match is None):
        return "actorIdsPointer and actorIdsMatch come together"
    return ""
