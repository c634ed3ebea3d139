"""The fields of a file in short: nothing twice, no brackets, and every cut is marked."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ags_tui.core.contracts.tool_request import ProposedChange
from ags_tui.view.fields import LIMIT, field_rows, field_text
from ags_tui.view.rows import Row
from tests import builders as make


def named(rows: list[Row]) -> dict[str, str]:
    """Fields by name, with their lines joined."""
    return {row.key.removeprefix("field:"): row.text for row in rows if row.key.startswith("field:")}


def of_request(**fields: Any) -> dict[str, str]:
    """Rows below the item of a request."""
    request = make.tool_request_v2("tool-001", **fields)
    item = make.pending("tool-001", path=request.target_path, title=f"edit_file {request.target_path}")
    artifact = make.artifact(request, "tool-requests/tool-001.json")
    return named(list(field_rows(artifact, 60, item=item)))


def test_what_rows_and_diff_tell_is_left_out() -> None:
    assert list(of_request(input={})) == ["from"]
    path = "Sources/Auth/LoginView.swift"
    assert list(of_request(input={"path": path, "text": "new text\n"})) == ["from"]


def test_what_differs_from_the_item_is_shown() -> None:
    change = ProposedChange(path="other.swift", before="absent", after="x")
    shown = of_request(input={"dry": True}, risk_level="low", requires_approval=False, proposed_change=change)
    for name, part in (
        ("input", "dry: true"), ("riskLevel", "low"), ("requiresApproval", "false"),
        ("proposedChange", "another path: other.swift"),
    ):  # fmt: skip
        assert part in shown[name]


def test_a_plan_reads_as_lines_not_as_json() -> None:
    rows = list(field_rows(make.artifact(make.agent_plan(), "plan.json"), 100))
    shown = named(rows)
    assert make.MAPPER in shown["filesToEdit"]
    assert "inspect-mapping: 사용자용 오류 메시지 매핑을 수정한다." in shown["steps"]
    assert not set("{}[]") & set("".join(shown.values()))


def test_a_long_name_shows_that_it_is_cut() -> None:
    rows = field_rows(make.artifact(make.agent_plan(), "plan.json"), 100)
    row = next(row for row in rows if row.key == "field:requiresHumanApproval")
    assert row.text.startswith("requiresHumanAp…  ")


def test_a_long_field_ends_with_a_mark() -> None:
    plan = make.agent_plan(files_to_edit=tuple(f"src/{n}.py" for n in range(40)))
    row = next(
        row for row in field_rows(make.artifact(plan, "plan.json"), 60) if row.key == "field:filesToEdit"
    )
    assert len(row.lines) == LIMIT
    assert row.lines[-1][-1].text.endswith("…")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


@given(JSON)
def test_any_value_can_be_written(value: object) -> None:
    assert isinstance(field_text(value), str)
