"""What a diff leads to is exactly the bytes that it was made of."""

import subprocess
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from ags_tui.core.diff_sides import new_side
from ags_tui.core.diffs import between, parse

TEXTS = st.lists(
    st.sampled_from(["a", "b", "", "\r", "\\ No newline at end of file", "+", "-x"]), max_size=9
).map(lambda lines: "\n".join(lines).encode())


@given(TEXTS, TEXTS)
def test_between_and_back(old: bytes, new: bytes):
    assert new_side(between(old, new, "x"), old) == new


@given(TEXTS, TEXTS)
def test_on_another_ground_it_never_claims_the_wrong_bytes(old: bytes, new: bytes):
    other = old + b"\nmore"
    assert new_side(between(old, new, "x"), other) != new or old == new


def test_as_git_writes_it(tmp_path: Path):
    cases = [
        (b"a\nb\nc\n", b"a\nB\nc\n"), (b"", b"x"), (b"x", b""), (b"x\n", b"x"), (b"x", b"x\n"),
        (b"1\n" * 40 + b"2\n", b"0\n" + b"1\n" * 40 + b"3"), (b"a\r\nb\r\n", b"a\nb\n"),
    ]  # fmt: skip
    for old, new in cases:
        (tmp_path / "old").write_bytes(old)
        (tmp_path / "new").write_bytes(new)
        done = subprocess.run(
            ["git", "diff", "--no-index", "--text", "old", "new"], cwd=tmp_path, capture_output=True,
            timeout=20, check=False,
        )  # fmt: skip
        assert new_side(parse(done.stdout)[0], old) == new, (old, new)


def test_what_is_not_told_is_not_claimed():
    head = b"diff --git a/x b/x\nindex 1..2 100644\n"
    binary = parse(head + b"Binary files a/x and b/x differ\n")[0]
    cut = parse(
        head
        + b"--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n a\n+b\n\\ The diff is cut here: it is longer than 9 bytes\n"
    )[0]
    assert new_side(binary, b"a\n") is None
    assert new_side(cut, b"a\n") is None
