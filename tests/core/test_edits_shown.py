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
    assert unshown(given, OLD, NEW, path="a.txt") == left


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
    assert unshown(given, OLD, NEW, path="a.txt") == given


def test_a_new_file_and_one_that_goes():
    added = patch("*** Begin Patch\n*** Add File: a.txt\n", "+one\n", "+2\n")
    assert unshown({"command": added}, None, b"one\n2\n", path="a.txt") == {
        "command": patch("*** Begin Patch\n*** Add File: a.txt\n")
    }
    gone = {"command": patch("*** Begin Patch\n*** Delete File: a.txt\n"), "content": "hidden"}
    assert unshown(gone, OLD, None, path="a.txt") == gone


def test_what_no_diff_can_show_always_counts():
    given = {"content": "x", "old_string": "x", "edits": [{"new_string": "x", "why": "y"}, 5], "more": "z"}
    assert at_least_unshown(given) == {"edits": [{"why": "y"}, 5], "more": "z"}
    assert at_least_unshown({"command": "rm x"}) == {"command": "rm x"}
    assert at_least_unshown({"command": patch(HEAD)}) == {"command": ""}


def test_the_lines_for_another_file_stay_though_they_give_the_same_diff_here():
    same = "@@\n-three\n+three\n@@\n-two\n+2\n"
    given = {"command": patch(BEGIN, "*** Update File: src/auth.py\n", same, FILE, "@@\n-two\n+2\n")}
    left = {"command": patch(BEGIN, "*** Update File: src/auth.py\n", same, FILE)}
    assert unshown(given, OLD, NEW, path="a.txt") == left
    twins = {"command": patch(BEGIN, "*** Update File: ../a.txt\n", same, FILE, same)}
    assert unshown(twins, OLD, NEW, path="a.txt", cwd="/top/sub") == twins, "which one is shown is not known"
    alone = {"command": patch(BEGIN, "*** Update File: src/auth.py\n", same)}
    assert unshown(alone, OLD, NEW, path="a.txt") == alone


@pytest.mark.parametrize(
    ("named", "path", "cwd", "shown"),
    [
        ("a.txt", "sub/a.txt", "/top/sub", True),
        ("./../a.txt", "a.txt", "/top/sub", True),
        ("/top/sub/a.txt", "sub/a.txt", "/top/other", True),
        ("/top/sub/a.txt", "sub/a.txt", "", False),
        ("/elsewhere/a.txt", "a.txt", "/top", False),
        ("ba.txt", "a.txt", "/top", False),
        ("sub/a.txt", "a.txt", "/top", False),
    ],
)
def test_a_path_of_a_patch_counts_from_the_folder_of_the_call(named: str, path: str, cwd: str, shown: bool):
    given = {"command": patch(BEGIN, f"*** Update File: {named}\n", "@@\n-two\n+2\n")}
    assert (unshown(given, OLD, NEW, path=path, cwd=cwd) != given) is shown
