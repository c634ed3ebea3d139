"""The input that a human makes of an agent's: only of known shapes, and never by guessing."""

from typing import Any

import pytest

from ags_tui.core.contracts.tool_request import ProposedChange, ToolRequestV2
from ags_tui.core.digests import blob_id, digest
from ags_tui.core.drafts import Viewing, amend
from ags_tui.core.effective import editable, effective_of
from tests import builders as make


def command(line: str) -> ToolRequestV2:
    given = {"command": line, "timeout": 5}
    made = make.tool_request_v2(tool="shell", command=line, proposed_change=None, input=given)
    return made.model_copy(update={"target_path": None})


def edit(after: str | None, **given: Any) -> ToolRequestV2:
    change = ProposedChange(path="src/a.py", before=digest(b"old\n"), after=after)
    return make.tool_request_v2(target_path="src/a.py", proposed_change=change, input=given)


def test_a_shell_line_is_changed_as_a_whole() -> None:
    found = effective_of(command("npm ci"), "npm test\n")
    assert found is not None
    assert (found.proposed, found.text, found.data) == ("npm ci", "npm test", {"command": "npm test"})
    assert effective_of(command("npm ci"), "npm ci\n") is None
    assert effective_of(command("a\n"), "a\n") is None


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({"file_path": "/w/src/a.py", "content": "new\n"}, {"file_path": "/w/src/a.py", "content": "mine\n"}),
        (
            {"file_path": "f", "old_string": "o", "new_string": "n", "replace_all": True},
            {"file_path": "f", "old_string": "old\n", "new_string": "mine\n"},
        ),
    ],
)
def test_an_edit_leaves_exactly_what_was_written(given: dict[str, str], wanted: dict[str, str]) -> None:
    document = edit("new\n", **given)
    assert editable(document) == ("a.py", "new\n")
    found = effective_of(document, "mine\n", before="old\n", blob="0" * 40)
    assert found is not None
    assert found.data == {"input": wanted}
    assert found.facts == {"effectiveDigest": digest(b"mine\n"), "effectiveBlob": blob_id(b"mine\n")}

    item = make.pending(
        facts={"path": "src/a.py", "proposedDigest": digest(b"new\n"), "effectiveDigest": "x"}
    )
    draft = amend(item, found, Viewing())
    assert draft.verdict == "amended"
    assert draft.data["proposedDigest"] == digest(b"new\n")
    assert draft.data["effectiveDigest"] == digest(b"mine\n")
    assert draft.bound == item.bound


@pytest.mark.parametrize(
    "document",
    [edit(None, content="x"), edit("new\n", patch="*** Begin"), make.tool_request_v2(proposed_change=None)],
)
def test_other_shapes_are_left_alone(document: ToolRequestV2) -> None:
    assert editable(document) is None
    with pytest.raises(ValueError, match="no shape"):
        effective_of(document, "x")


def test_what_a_replacement_cannot_say_is_refused() -> None:
    with pytest.raises(ValueError, match="only replaces text"):
        effective_of(edit("new\n", old_string="", new_string="new\n"), "mine\n")
    with pytest.raises(ValueError, match="empty command"):
        effective_of(command("npm ci"), "\n")
