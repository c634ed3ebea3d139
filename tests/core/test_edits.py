"""Edits in memory, held against what the real clients wrote.

Claude Code 2.1.332, Gemini CLI 0.61.0, Codex 0.171.0: the tables are what those made of these files.
"""

import difflib
import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ags_tui.core.edits import (
    NotComputed,
    Proposed,
    ProposedEdit,
    Replacement,
    replace_expected,
    replace_strings,
    write_like_before,
    write_text,
)
from ags_tui.core.edits_notebook import CellEdit, edit_notebook
from ags_tui.core.edits_patch import apply_patch, patch_paths


def disk(files: Mapping[str, bytes]) -> Callable[[str], bytes | None]:
    return dict(files).get


def after(result: Proposed) -> bytes | str | None:
    """The bytes of the one file; ``refused`` or ``unknown`` where there are none."""
    if isinstance(result, NotComputed):
        assert result.reason
        return "refused" if result.refused else "unknown"
    assert len(result) == 1
    return result[0].after


CURLY = "say \u201chello\u201d now\n".encode()
BIG_MIX = b"a\r\n" + b"x\r\n" * 1500 + b"y\n" * 4000
CLAUDE: list[tuple[bytes | None, Replacement, bytes | str]] = [
    (b"a\r\nb\r\nc\r\n", Replacement("b", "B1\nB2"), b"a\r\nB1\r\nB2\r\nc\r\n"),
    (b"a\r\nb\nc\nd\n", Replacement("b", "B"), b"a\nB\nc\nd\n"),
    (b"a\r\nb\r\nc\r\nd\n", Replacement("b", "B"), b"a\r\nB\r\nc\r\nd\r\n"),
    (b"a\r\nb\nc", Replacement("b", "B"), b"a\nB\nc"),
    (BIG_MIX, Replacement("a", "A"), "unknown"),
    (b"a\rb\nc\n", Replacement("c", "C"), b"a\rb\nC\n"),
    (b"a\r\nb\r\n", Replacement("b", "x\r\ny"), b"a\r\nx\r\ny\r\n"),
    (b"a\nb\n", Replacement("b", "x\r\ny"), b"a\nx\r\ny\n"),
    (b"a\r\nb\r\n", Replacement("a\r\nb", "z"), "unknown"),
    (b"\xef\xbb\xbfalpha\nbeta\n", Replacement("alpha", "A"), b"\xef\xbb\xbfA\nbeta\n"),
    (b"caf\xe9\nbeta\n", Replacement("beta", "B"), "refused"),
    ("\ufeffalpha\n".encode("utf-16-le"), Replacement("alpha", "A"), "unknown"),
    (b"a\nb\nc\n", Replacement("b", ""), b"a\nc\n"),
    (b"x\ny\nx\nz x", Replacement("x", "", True), b"y\nz x"),
    (b"a\nb\nc\n", Replacement("b\n", ""), b"a\nc\n"),
    (CURLY, Replacement('say "hello" now', "bye"), "unknown"),
    (b"one two\n", Replacement("two", "$& $1 $$ \\1"), b"one $& $1 $$ \\1\n"),
    (b"one\ntwo", Replacement("two", "TWO"), b"one\nTWO"),
    (b"q q\n", Replacement("q", "r"), "refused"),
    (b"q q\n", Replacement("q", "r", True), b"r r\n"),
    (b"q\n", Replacement("q", "q"), "refused"),
    (b"", Replacement("", "now\n"), b"now\n"),
    (b"x", Replacement("", "now\n"), "refused"),
    (None, Replacement("", "hello\n"), b"hello\n"),
    (None, Replacement("x", "y"), "refused"),
    ("caf\u00e9\n".encode(), Replacement("cafe\u0301", "x"), "unknown"),
]


@pytest.mark.parametrize(("before", "one", "expected"), CLAUDE, ids=range(len(CLAUDE)))
def test_claude_code_edit(before: bytes | None, one: Replacement, expected: bytes | str):
    assert after(replace_strings("f", [one], {"f": before}.get)) == expected


def test_several_edits_follow_one_another_or_none_is_made():
    read = disk({"f": b"a b\n"})
    assert after(replace_strings("f", [Replacement("a", "b c"), Replacement("b c", "z")], read)) == b"z b\n"
    assert after(replace_strings("f", [Replacement("a", "z"), Replacement("a", "y")], read)) == "unknown"
    assert after(replace_strings("f", [], read)) == "refused"


def test_claude_code_write():
    assert after(write_text("f", "x\ny\n", disk({"f": b"a\r\nb\r\n"}))) == b"x\ny\n"
    assert after(write_text("f", "x\n", disk({"f": b"\xef\xbb\xbfa\n"}))) == b"\xef\xbb\xbfx\n"
    assert after(write_text("f", "x\r\ny\n", disk({}))) == b"x\r\ny\n"
    assert after(write_text("f", "x", disk({"f": b"caf\xe9"}))) == "refused"
    assert after(write_text("f", "x", disk({"f": b"\xff\xfea\x00"}))) == "unknown"
    assert write_text("f", "", disk({"f": b"a"})) == (ProposedEdit("f", b"a", b""),)


GEMINI: list[tuple[bytes | None, str, str, int | None, bytes | str]] = [
    (b"a\r\nb\r\nc\r\n", "b", "B1\nB2", 1, b"a\r\nB1\r\nB2\r\nc\r\n"),
    (b"a\r\nb\nc\nd\n", "b", "B", 1, b"a\r\nB\r\nc\r\nd\r\n"),
    (b"\xef\xbb\xbfalpha\nbeta\n", "alpha", "A", 1, b"\xef\xbb\xbfA\nbeta\n"),
    (b"caf\xe9\nbeta\n", "beta", "B", 1, b"caf\xef\xbf\xbd\nB\n"),
    (b"a\nb\nc\n", "b\n", "", 1, b"a\nc\n"),
    (b"one two\n", "two", "$& $1 $$", 1, b"one $& $1 $$\n"),
    (b"one\ntwo", "two", "TWO\n", 1, b"one\nTWO"),
    (b"a\n\n", "a\n\n", "b\n", 1, b"b\n"),
    (b"a\n", "a\n", "b", 1, b"b\n"),
    (b"q q\n", "q", "r", 1, "refused"),
    (b"q q\n", "q", "r", None, b"r r\n"),
    (b"q q\n", "q", "r", 2, b"r r\n"),
    (b"q q\n", "q", "r", 3, "refused"),
    (b"", "", "now\n", 1, "refused"),
    (None, "", "hello\n", 1, b"hello\n"),
    (None, "x", "hello\n", 1, "refused"),
    (b"a\n", "b", "c", 1, "unknown"),
    (b"a\n", "a", "a", 1, "refused"),
    (b"a\n", "a", "x\\n", 1, b"x\\n\n"),
    ("\ufeffalpha\n".encode("utf-16-le"), "alpha", "A", 1, "unknown"),
]


@pytest.mark.parametrize(("before", "old", "new", "count", "expected"), GEMINI, ids=range(len(GEMINI)))
def test_gemini_replace(before: bytes | None, old: str, new: str, count: int | None, expected: bytes | str):
    assert after(replace_expected("f", old, new, {"f": before}.get, expected=count)) == expected


def test_gemini_write_file():
    assert after(write_like_before("f", "x\ny\n", disk({"f": b"a\r\nb\r\n"}))) == b"x\r\ny\r\n"
    assert after(write_like_before("f", "x\n", disk({"f": b"\xef\xbb\xbfa\n"}))) == b"x\n"
    assert after(write_like_before("f", 'print("a\\n")\n', disk({}))) == b'print("a\\n")\n'
    assert after(write_like_before("f", "x\r\ny\n", disk({}))) == b"x\r\ny\n"


CODE = {
    "cell_type": "code",
    "id": "c1",
    "source": "1",
    "metadata": {},
    "outputs": [{"a": ["1"]}],
    "execution_count": 3,
}
WORDS = {"cell_type": "markdown", "id": "m1", "source": ["# é\n", "x"], "metadata": {}}


def book(*cells: dict[str, Any], minor: int = 5) -> dict[str, Any]:
    return {"cells": list(cells), "metadata": {"n": {}}, "nbformat": 4, "nbformat_minor": minor}


def written(value: object) -> bytes:
    return json.dumps(value, indent=1, ensure_ascii=False).encode()


RUN = {"execution_count": None, "outputs": []}
NOTEBOOKS: list[tuple[bytes, CellEdit, bytes | str]] = [
    (
        json.dumps(book(CODE, WORDS), indent=2).encode() + b"\n",
        CellEdit("2\n3", "c1"),
        written(book({**CODE, "source": "2\n3", **RUN}, WORDS)) + b"\n",
    ),
    (
        written(book(CODE, WORDS)).replace(b"\n", b"\r\n"),
        CellEdit("n\nm", "c1"),
        written(book({**CODE, "source": "n\nm", **RUN}, WORDS)).replace(b"\n", b"\r\n"),
    ),
    (
        b"\xef\xbb\xbf" + json.dumps(book(CODE)).encode(),
        CellEdit("n", "c1"),
        b"\xef\xbb\xbf" + written(book({**CODE, "source": "n", **RUN})),
    ),
    (written(book(CODE, WORDS)), CellEdit("", "m1", mode="delete"), written(book(CODE))),
    (
        written(book(CODE, WORDS)),
        CellEdit("now", "m1", "code"),
        written(book(CODE, {**WORDS, "cell_type": "code", "source": "now", **RUN})),
    ),
    (
        written(book(CODE, WORDS)),
        CellEdit("n", "c1", "markdown"),
        written(book({"cell_type": "markdown", "id": "c1", "source": "n", "metadata": {}}, WORDS)),
    ),
    (written(book(CODE, WORDS)), CellEdit("n", "cell-1"), written(book(CODE, {**WORDS, "source": "n"}))),
    (
        written(book(CODE, WORDS, minor=4)),
        CellEdit("n", "cell-0", "code", "insert"),
        written(book(CODE, {"cell_type": "code", "source": "n", "metadata": {}, **RUN}, WORDS, minor=4)),
    ),
    (
        written(book(WORDS, minor=4)),
        CellEdit("n", "", "markdown", "insert"),
        written(book({"cell_type": "markdown", "source": "n", "metadata": {}}, WORDS, minor=4)),
    ),
    (written(book(CODE)), CellEdit("n", "c1", "markdown", "insert"), "unknown"),
    (written(book(CODE)), CellEdit("n"), "refused"),
    (written(book(CODE)), CellEdit("n", "nope"), "refused"),
    (written(book(CODE)), CellEdit("n", "cell-1"), "refused"),
    (written(book(CODE)), CellEdit("n", "cell-" + "9" * 9000), "refused"),
    (written(book(CODE)), CellEdit("n", "c1", mode="move"), "refused"),
    (written({**book(CODE), "x": 1.0}), CellEdit("n", "c1"), "unknown"),
    (written({**book(CODE), "1": 1}), CellEdit("n", "c1"), "unknown"),
    (b'{"cells": [{"id": "c1", "id": "c1", "cell_type": "code"}]}', CellEdit("n", "c1"), "unknown"),
    (b'{"cells": [{"id": "c1", "cell_type": "code", "x": "\\ud800"}]}', CellEdit("n", "c1"), "unknown"),
    (b'{"cells": [1]}', CellEdit("n", "c1"), "unknown"),
    (b'{"cells": ', CellEdit("n", "c1"), "refused"),
    (b"[" * 100_000, CellEdit("n", "c1"), "refused"),
]


@pytest.mark.parametrize(("before", "edit", "expected"), NOTEBOOKS, ids=range(len(NOTEBOOKS)))
def test_notebook_edit(before: bytes, edit: CellEdit, expected: bytes | str):
    assert after(edit_notebook("n.ipynb", edit, disk({"n.ipynb": before}))) == expected


def test_no_notebook():
    assert after(edit_notebook("n.ipynb", CellEdit("x", "c1"), disk({}))) == "refused"


def patch(body: str) -> str:
    return f"*** Begin Patch\n{body}*** End Patch\n"


UPDATES: list[tuple[bytes, str, bytes | str]] = [
    (b"a\r\nb\r\nc\r\n", "@@\n a\n-b\n+B1\n+B2\n c\n", b"a\r\nB1\r\nB2\r\nc\r\n"),
    (b"a\r\nb\nc\nd\n", "@@\n-b\n+B\n", b"a\r\nB\r\nc\nd\n"),
    (b"a\r\nb\r\nc\r\nd\n", "@@\n-b\n+B\n", b"a\r\nB\r\nc\r\nd\n"),
    (b"\xef\xbb\xbfalpha\nbeta\n", "@@\n-alpha\n+A\n", "refused"),
    (b"\xef\xbb\xbfalpha\nbeta\n", "@@\n-beta\n+B\n", b"\xef\xbb\xbfalpha\nB\n"),
    (b"caf\xe9\nbeta\n", "@@\n-beta\n+B\n", "refused"),
    (CURLY, '@@\n-say "hello" now\n+bye\n', b"bye\n"),
    (b"one\ntwo", "@@\n-two\n+TWO\n", b"one\nTWO\n"),
    (b"one\ntwo", "@@\n-one\n+ONE\n", b"ONE\ntwo\n"),
    (b"a\n\n", "@@\n-a\n+b\n", b"b\n\n"),
    (b"q q\n", "@@\n+first\n@@\n-q q\n+r\n", b"r\nfirst\n"),
    (b"", "@@\n+x\n", b"x\n"),
    (b"c\r\n\n", "@@\n+b\n", b"c\r\n\nb\r\n"),
    (b"c\nd\n\n", "@@\n d\n-\n@@\n+b\n", b"c\nd\nb\n"),
    (b"a\r\n  a\r\nb\r\n", "@@\n a\n a\n-b\n+c\n", b"a\r\n  a\r\nc\r\n"),
    (b"  a\n\xe2\x80\x94\nx y\n", "@@\n+e\n@@ -\n x y\n+f\n", b"  a\n\xe2\x80\x94\nx y\ne\nf\n"),
    (b"a\nx\n", "@@ a \t\n-x\n+y\n", b"a\ny\n"),
    (b"a\nx\n", "@@ x\n x\n*** End of File\n", "refused"),
    (b"a\n", "@@\n", "refused"),
    (b"x\n  y  \n", "@@\n-y\n+Y\n", b"x\nY\n"),
    (b"f\nx\ng\nx\n", "@@ g\n-x\n+y\n", b"f\nx\ng\ny\n"),
    (b"f\nx\ng\nx\n", "@@ h\n-x\n+y\n", "refused"),
    (b"x\nm\nx\n", "@@\n-x\n+y\n*** End of File\n", b"x\nm\ny\n"),
    (b"x\nm\n", "@@\n-x\n+y\n*** End of File\n", "refused"),
    (b"a\nb\nc\nd\n", "@@\n-a\n+A\n@@\n-d\n+D\n", b"A\nb\nc\nD\n"),
    (b"a\nb\n", "@@\n-b\n+B\n@@\n-a\n+A\n", "refused"),
    (b"a\n", " a\n+b\n", b"a\nb\n"),
    (b"a\nb\n", "@@\n a\n\n+x\n", b"a\n\nx\nb\n"),
    (b"a\n\nb\n", "@@\n a\n\n+x\n b\n", b"a\n\nx\nb\n"),
    (b"a\n", "\n@@\n-a\n+b\n", "unknown"),
    (b"a\n", "@@\n a\n *** Update File: e\n", "unknown"),
    (b"a\n", "@@\n-a\n  @@ x\n+b\n", "unknown"),
    (b"a\n", "@@\n-a\n+b\n*** End of File\n\n", "unknown"),
    (b"a\n", "@@\nnothing\n", "refused"),
    (b"a\n", "", "refused"),
    (b"a\n", "@@\n-nope\n+b\n", "refused"),
]


@pytest.mark.parametrize(("before", "body", "expected"), UPDATES, ids=range(len(UPDATES)))
def test_patch_of_one_file(before: bytes, body: str, expected: bytes | str):
    assert after(apply_patch(patch(f"*** Update File: f\n{body}"), disk({"f": before}))) == expected


def test_patch_of_several_files():
    text = patch(
        "*** Add File: new/é.txt\n+x\n+\n*** Add File: empty\n*** Add File: over\n+o\n*** Delete File: gone\n"
        "*** Update File: old\n*** Move to: to\n@@\n-a\n+b\n"
    )
    files = {"gone": b"g", "old": b"a\n", "over": b"was"}
    assert apply_patch(text, disk(files)) == (
        ProposedEdit("new/é.txt", None, b"x\n\n"),
        ProposedEdit("empty", None, b""),
        ProposedEdit("over", b"was", b"o\n"),
        ProposedEdit("gone", b"g", None),
        ProposedEdit("old", b"a\n", None),
        ProposedEdit("to", None, b"b\n"),
    )
    assert patch_paths(text) == ("new/é.txt", "empty", "over", "gone", "old", "to")
    heredoc = f"<<'EOF'\n{text.strip()}\nEOF"
    assert apply_patch(heredoc, disk(files)) == apply_patch(text, disk(files))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("*** Delete File: gone\n*** Delete File: ./gone\n", "unknown"),
        ("*** Delete File: gone\n*** Add File: /w/gone\n+x\n", "unknown"),
        ("*** Delete File: gone\n*** Add File: GONE\n+x\n", "unknown"),
        ("*** Add File: caf\u00e9\n+x\n*** Add File: cafe\u0301\n+x\n", "unknown"),
        ("*** Update File: gone\n*** Move to: gone\n@@\n-g\n+h\n", "unknown"),
        ("*** Delete File: nope\n", "refused"),
        ("*** Delete File: latin\n", "refused"),
        ("*** Delete File: gone\nx\n", "refused"),
        ("*** Add File: a\n+x\ny\n", "refused"),
        ("*** Add File:  \n+x\n", "refused"),
        ("*** Add File: a\0\n+x\n", "refused"),
        ("*** Environment ID: x\n*** Delete File: gone\n", "refused"),
        ("", "refused"),
    ],
)
def test_patch_without_one_meaning(body: str, expected: str):
    files = {"gone": b"g\n", "./gone": b"g\n", "latin": b"\xe9"}
    assert after(apply_patch(patch(body), disk(files), cwd="/w")) == expected


@pytest.mark.parametrize("text", ["", "x", "*** Begin Patch", "*** Begin Patch\n*** Add File: a\n+x\n"])
def test_no_patch(text: str):
    assert after(apply_patch(text, disk({}))) == "refused"


def test_paths_hold_all_that_some_reader_could_see():
    text = patch("*** Update File: a\n@@\n x\n   *** Delete File: b \n*** Move to: c \r\n")
    assert set(patch_paths(text)) >= {"a", "b", "c", "c "}


LINE = st.text(alphabet="ab \t*-+é\u00a0\u2014\u2028", max_size=5)
LINES = st.lists(LINE, max_size=12)


def chunk(old: list[str], new: list[str]) -> str:
    """All lines of both texts as one chunk, in the marks of a diff."""
    marks = (line for line in difflib.ndiff(old, new) if not line.startswith("?"))
    return "".join(line[0] + line[2:] + "\n" for line in marks)


@settings(max_examples=300, deadline=None)
@given(old=LINES, new=LINES, windows=st.booleans())
def test_patch_made_from_two_texts_makes_the_second(old: list[str], new: list[str], windows: bool):
    assume(old or new)
    end = "\r\n" if windows and old else "\n"
    before = "".join(line + end for line in old).encode()
    wanted = "".join(line + end for line in new).encode()
    text = patch(f"*** Update File: f\n@@\n{chunk(old, new)}")
    assert apply_patch(text, disk({"f": before})) == (ProposedEdit("f", before, wanted),)


@settings(max_examples=200, deadline=None)
@given(
    numbers=st.lists(st.integers(0, 99), unique=True, min_size=1, max_size=40),
    drops=st.sets(st.integers(0, 39)),
    adds=st.dictionaries(st.integers(0, 39), LINE.map("n".__add__)),
)
def test_patch_of_several_chunks_makes_the_second(numbers: list[int], drops: set[int], adds: dict[int, str]):
    old = [f"line {number}" for number in numbers]
    new = [
        text for at, line in enumerate(old) for text in (adds.get(at), None if at in drops else line) if text
    ]
    body = ""
    for group in difflib.SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(1):
        a, b = old[group[0][1] : group[-1][2]], new[group[0][3] : group[-1][4]]
        body += "@@\n" + chunk(a, b)
    assume(body)
    before = "".join(line + "\n" for line in old).encode()
    wanted = "".join(line + "\n" for line in new).encode()
    text = patch(f"*** Update File: f\n{body}")
    assert apply_patch(text, disk({"f": before})) == (ProposedEdit("f", before, wanted),)


MARKS = st.sampled_from(
    [
        "*** Begin Patch",
        "*** End Patch",
        "*** Add File: a",
        "*** Delete File: b",
        "*** Update File: b",
        "@@",
        "*** Move to: c",
        "*** End of File",
        "@@ x",
        "-x",
        "+y",
        " x",
        "",
        " *** Add File: d",
        "*** Add File: e\x1c ",
    ]
)


@settings(max_examples=300, deadline=None)
@given(lines=st.lists(MARKS | st.text(max_size=6), max_size=10))
def test_any_text_is_computed_or_said(lines: list[str]):
    text = patch("".join(f"{line}\n" for line in lines))
    result = apply_patch(text, disk({"b": b"x\ny\n"}))
    if isinstance(result, NotComputed):
        assert result.reason
    else:
        assert {edit.path for edit in result} <= set(patch_paths(text))


@settings(max_examples=150, deadline=None)
@given(
    head=st.text("abc\n ", max_size=30),
    new=st.text("abc\n\r é", max_size=8),
    tail=st.text("abc\n ", max_size=30),
)
def test_edit_of_a_unique_text_changes_nothing_else(head: str, new: str, tail: str):
    before = f"{head}MARK{tail}".encode()
    wanted = head + new + (tail if new else tail.removeprefix("\n"))
    result = replace_strings("f", [Replacement("MARK", new)], disk({"f": before}))
    assert result == (ProposedEdit("f", before, wanted.encode()),)
