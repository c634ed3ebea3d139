"""The strict path: a host must have seen what ran a passed stage, at this moment, for this stage, once."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from ags_tui.core.contracts.workflow import WorkflowReceipt
from ags_tui.core.workflow.documents import data_of
from ags_tui.core.workflow.failures import WorkflowRefused
from tests.core.workflow.making import Workshop, context, result

NOW = datetime(2026, 7, 21, 9, 0, tzinfo=UTC)


def begun(folder: Path) -> tuple[Workshop, WorkflowReceipt]:
    shop = Workshop(folder)
    plan = shop.plan(context(), requiredCapabilities=["draft"], riskLevel="high")
    return shop, shop.store.start(data_of(plan)).receipt


def seen(receipt: WorkflowReceipt, stage: int = 0, **fields: Any) -> Any:
    values: dict[str, Any] = {
        "observation_id": "observation-00001", "task_id": receipt.plan.task_id, "run_id": receipt.run_id,
        "stage_id": receipt.plan.stages[stage].stage_id, "revision": receipt.revision, "actor_id": "host",
        "observed_at": NOW.isoformat(), "expires_at": (NOW + timedelta(minutes=4)).isoformat(),
    }  # fmt: skip
    return context(**{**values, **fields})


def refused(shop: Workshop, receipt: WorkflowReceipt, observation: Any, stage: int = 0) -> WorkflowRefused:
    with pytest.raises(WorkflowRefused) as found:
        shop.store.record(result(receipt, stage), strict=True, observation=observation, now=NOW)
    assert shop.status(receipt).receipt == receipt
    return found.value


def test_what_the_host_saw_is_kept_and_used_once(tmp_path: Path):
    shop, receipt = begun(tmp_path)
    assert refused(shop, receipt, None).code == "BINDING_REQUIRED"
    given = result(receipt, 0)
    receipt = shop.store.record(given, strict=True, observation=seen(receipt), now=NOW).receipt
    kept = receipt.stage_results[0].execution_context
    assert kept is not None
    assert kept.observation_id == "observation-00001"
    found = refused(shop, receipt, seen(receipt, 1), 1)
    assert (found.code, found.details) == ("BINDING_INVALID", {"observationId": "observation-00001"})


@pytest.mark.parametrize(
    "fields",
    [
        {"run_id": "run-x-1"}, {"stage_id": "stage-09-x"}, {"revision": 1}, {"task_id": "x"},
        {"actor_id": None}, {"observation_id": None}, {"expires_at": None}, {"observed_at": "yesterday"},
        {"observed_at": (NOW - timedelta(minutes=6)).isoformat()},
        {"observed_at": (NOW + timedelta(minutes=1)).isoformat()},
        {"expires_at": (NOW - timedelta(minutes=1)).isoformat()},
        {"expires_at": (NOW + timedelta(minutes=9)).isoformat()},
        {"model_class": "general"}, {"reasoning_effort": "unheard-of"}, {"model": ""},
    ],
    ids=str,
)  # fmt: skip
def test_observations_that_vouch_for_nothing(tmp_path: Path, fields: dict[str, Any]):
    shop, receipt = begun(tmp_path)
    if "model_class" in fields:
        receipt = shop.store.record(
            result(receipt, 0), strict=True, observation=seen(receipt), now=NOW
        ).receipt
        observation = seen(receipt, 1, observation_id="observation-00002", **fields)
        assert refused(shop, receipt, observation, 1).code == "BINDING_INVALID"
        return
    assert refused(shop, receipt, seen(receipt, **fields)).code == "BINDING_INVALID"


def test_a_plan_without_requirements_cannot_be_strict(tmp_path: Path):
    shop = Workshop(tmp_path)
    receipt = shop.start(requiredCapabilities=["draft"], riskLevel="low")
    found = refused(shop, receipt, seen(receipt))
    assert (found.code, found.details) == ("BINDING_REQUIRED", None)


def test_requirements_by_risk_and_capability(tmp_path: Path):
    shop = Workshop(tmp_path)
    found: dict[str, list[tuple[str | None, str | None]]] = {}
    for risk in ("low", "high", "critical"):
        plan = shop.plan(context(), riskLevel=risk)
        assert plan.bootstrap_execution is not None
        found[risk] = [
            (wanted.minimum_model_class, wanted.minimum_reasoning_effort)
            for stage in plan.stages
            if (wanted := stage.execution_requirement) is not None
        ]
    deep, general = ("deep", "high"), ("general", "medium")
    assert found["low"] == [general, deep, general]
    assert found["high"] == [("general", "high"), deep, ("general", "high"), deep]
    assert found["critical"] == [deep] * 4
