"""What of the raw input of an edit its diff shows: only what gives exactly its new side is left out."""

from typing import Any

import pytest

from ags_tui.core.edits_shown import at_least_unshown, unshown

OLD = b"one\ntwo\nthree\nfour\nfive\n"
NEW = b"one\n2\nthree\nfour\nfive\n"
BEGIN, FILE = "*** Begin Patch\n", "*** Update File: a.txt\n"
HEAD = BEGIN + FILE
OTHER = "*** Add File: b.txt\n+echo other\n"


def patch(*parts: str) -> str:
    return "".join((*parts, "*** End Patch"))


@pytest.mark.parametrize(
    ("given", "left"),
    [
        ({"file_path": "a", "content": NEW.decode(), "x": 1}, {"file_path": "a", "x": 1}),
        (
            {"file_path": "a", "old_string": "two", "new_string": "2", "replace_all": False},
            {"file_path": "a", "replace_all": False},
        ),
        ({"old_string": "two", "new_string": "2", "expected_replacements": 1}, {"expected_replacements": 1}),
        (
            {"edits": [{"old_string": "two", "new_string": "2", "note": "n"}]},
            {"edits": [{"note": "n"}]},
        ),
        ({"command": patch(HEAD, "@@\n one\n-two\n+2\n")}, {"command": patch(HEAD)}),
        (
            {"command": patch(BEGIN, OTHER, FILE, "@@\n one\n-two\n+2\n")},
            {"command": patch(BEGIN, OTHER, FILE)},
        ),
    ],
    ids=["write", "edit", "replace", "edits", "patch", "patch of two files"],
)
def test_what_gives_the_diff_is_not_read_twice(given: dict[str, Any], left: dict[str, Any]):
    assert unshown(given, OLD, NEW) == left


@pytest.mark.parametrize(
    "given",
    [
        {"file_path": "a", "content": "another text\n"},
        {"content": NEW.decode() + "\n"},
        {"content": NEW.decode(), "old_string": "two", "new_string": "rm -rf"},
        {"old_string": "four", "new_string": "4"},
        {"old_string": "hidden", "new_string": "2"},
        {"old_string": "two", "new_string": "2", "replace_all": "yes"},
        {
            "edits": [
                {"old_string": "two", "new_string": "hidden"},
                {"old_string": "hidden", "new_string": "2"},
            ]
        },
        {"edits": [{"old_string": "two", "new_string": "2"}, "hidden"]},
        {"edits": []},
        {"command": "echo two > a.txt"},
        {"command": patch(HEAD, "@@\n one\n-two\n+hidden\n")},
        {"command": patch(HEAD, "@@\n hidden\n-two\n+2\n")},
        {"command": "<<'EOF'\n" + patch(HEAD, "@@\n-two\n+2\n") + "\nhidden EOF"},
        {"command": patch(HEAD, "*** Move to: c.txt\n@@\n-two\n+2\n")},
    ],
)
def test_nothing_else_is_left_out(given: dict[str, Any]):
    assert unshown(given, OLD, NEW) == given


def test_a_new_file_and_one_that_goes():
    added = patch("*** Begin Patch\n*** Add File: a.txt\n", "+one\n", "+2\n")
    assert unshown({"command": added}, None, b"one\n2\n") == {
        "command": patch("*** Begin Patch\n*** Add File: a.txt\n")
    }
    gone = {"command": patch("*** Begin Patch\n*** Delete File: a.txt\n"), "content": "hidden"}
    assert unshown(gone, OLD, None) == gone


def test_what_no_diff_can_show_always_counts():
    given = {"content": "x", "old_string": "x", "edits": [{"new_string": "x", "why": "y"}, 5], "more": "z"}
    assert at_least_unshown(given) == {"edits": [{"why": "y"}, 5], "more": "z"}
    assert at_least_unshown({"command": "rm x"}) == {"command": "rm x"}
    assert at_least_unshown({"command": patch(HEAD)}) == {"command": ""}
