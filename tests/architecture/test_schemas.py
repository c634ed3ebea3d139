"""The schemas in ``contracts/`` are what the generator makes of the models, and valid JSON Schema.

``python -m tests.architecture.test_schemas`` writes them anew after a model has changed.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from ags_tui.core.contracts import registry
from ags_tui.core.contracts.schemas import DIALECT, schema, schema_files
from tests.core.contracts.examples import INVALID, VALID, expected_of, fits_schema, opened

CONTRACTS = Path(__file__).parents[2] / "contracts"
ARTICLE = Path(__file__).parents[1] / "core" / "contracts" / "article-08-plan.schema.json"
MADE = schema_files()


def test_the_folder_holds_what_the_generator_makes():
    there = {
        path.relative_to(CONTRACTS).as_posix(): path.read_bytes()
        for path in CONTRACTS.rglob("*.json")
        if not {"fixtures", "providers"} & set(path.parts)
    }
    assert there.keys() == MADE.keys()
    stale = [path for path, data in MADE.items() if there[path] != data]
    assert not stale, "run python -m tests.architecture.test_schemas"


@pytest.mark.parametrize("path", MADE)
def test_it_is_a_strict_schema_of_its_dialect(path: str):
    made: dict[str, Any] = json.loads(MADE[path])
    assert made["$schema"] == DIALECT
    assert made["$id"].endswith("/" + path)
    assert made["title"] == path.split("/", maxsplit=1)[0]
    Draft202012Validator.check_schema(made)
    for part in objects(made):
        assert part["additionalProperties"] is False
        assert part["description"]
        assert all(field.get("description") for field in part["properties"].values())


def objects(part: Any) -> list[dict[str, Any]]:
    if isinstance(part, list):
        return [found for inner in part for found in objects(inner)]
    if not isinstance(part, dict):
        return []
    here = [part] if part.get("type") == "object" and "properties" in part else []
    return here + [found for inner in part.values() for found in objects(inner)]


def test_plan_1_0_0_is_the_schema_of_the_article():
    article = json.loads(ARTICLE.read_bytes())
    assert bare(schema("AgentPlan", "1.0.0")) == bare(article)


def bare(part: Any) -> Any:
    """A schema without what only describes it: references looked up, order of required fields left out."""

    def walk(value: Any, root: Any) -> Any:
        if isinstance(value, list):
            return [walk(inner, root) for inner in value]
        if not isinstance(value, dict):
            return value
        if "$ref" in value:
            return walk(root["$defs"][value["$ref"].removeprefix("#/$defs/")], root)
        skipped = {"$schema", "$id", "$defs", "description", "title"}
        if "enum" in value:
            skipped.add("type")
        return {key: walk(inner, root) for key, inner in value.items() if key not in skipped}

    return walk(part, part)


@pytest.mark.parametrize("path", [*VALID, *INVALID], ids=lambda path: path.stem)
def test_schemas_judge_fixtures_as_models_do(path: Path):
    found = opened(path)
    if found is None:
        assert path in INVALID
        return
    # what a document says against itself is none of a schema's business
    contradicts_itself = path in INVALID and b'"PASSED_' in expected_of(path).read_bytes()
    assert fits_schema(*found) == (path in VALID or contradicts_itself)


def test_every_contract_has_its_schemas():
    assert list(MADE) == [
        f"{name}/{version}.schema.json" for name in registry.names() for version in registry.versions(name)
    ]


def test_no_such_version():
    with pytest.raises(KeyError):
        schema("AgentPlan", "9.0.0")


def main() -> None:
    """Write all schemas anew."""
    for path, data in MADE.items():
        (CONTRACTS / path).parent.mkdir(parents=True, exist_ok=True)
        (CONTRACTS / path).write_bytes(data)


if __name__ == "__main__":
    main()
