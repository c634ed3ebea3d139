import hashlib
import json
import subprocess
from pathlib import Path

import pytest
import rfc8785
from hypothesis import example, given
from hypothesis import strategies as st

from ags_tui.core import digests

VECTORS = Path(__file__).parents[1] / "cases" / "143-digest-vectors" / "vectors"


def test_a_digest_is_over_raw_bytes():
    assert digests.digest(b"") == "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    one_a, one_b, two = ((VECTORS / f"{name}.json").read_bytes() for name in ("1a", "1b", "2"))
    assert len({digests.digest(data) for data in (one_a, one_b, two)}) == 3


def test_canonical_json_is_over_content():
    one_a, one_b, two = (
        digests.canonical(json.loads((VECTORS / f"{name}.json").read_bytes())) for name in ("1a", "1b", "2")
    )
    # U+1F600 sorts before U+FB33 by UTF-16 code units, and the other way by code points
    assert one_a == one_b == '{"a":"\u00e9","b":[1,2],"\U0001f600":1,"\ufb33":2}'.encode()
    assert two != one_a


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"b": 1, "a": [True, None, "\n\u0007/"]}, b'{"a":[true,null,"\\n\\u0007/"],"b":1}'),
        ([1.0, 1e21, 1e-7, 0.002, -0.0, 333333333.3333333], b"[1,1e+21,1e-7,0.002,0,333333333.3333333]"),
        (("tuple",), b'["tuple"]'),
    ],
)
def test_canonical_forms(value: object, expected: bytes):
    assert digests.canonical(value) == expected


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.text()
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.text("ab_C1"), inner),
)


@given(JSON)
@example({"a\x7f": '\x00\x1f\x7f\u2028\\"/\ud7ff', "Z": [{"b": 1, "B": 2}, 2**53 - 1, -1]})
def test_both_roads_to_canonical_json_lead_to_the_same_bytes(value: object):
    assert digests.canonical(value) == rfc8785.dumps(value)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), 2**53, -(2**53), "\ud83d", {"a": ["\ud83d"]}, {1: 2}, object()]
)
def test_what_canonical_json_refuses(value: object):
    with pytest.raises(ValueError):
        digests.canonical(value)


def test_text_digest_takes_any_text():
    assert digests.text_digest("한국어") == digests.digest("한국어".encode())
    assert digests.is_digest(digests.text_digest("cut \ud83d"))


@pytest.mark.parametrize("text", ["", "sha256:", "sha256:" + "A" * 64, "sha256:" + "0" * 64 + "\n", "absent"])
def test_what_is_no_digest(text: str):
    assert not digests.is_digest(text)


def test_tree_digest_is_the_documented_bytes_in_path_order():
    entries = [(b"b", "100644", "22"), (b"a\xff", "000000", ""), (b"a", "120000", "11")]
    expected = hashlib.sha256(b"c0ffee\n120000 11 a\x00000000  a\xff\x00100644 22 b\x00").hexdigest()
    assert digests.tree_digest("c0ffee", entries) == "sha256:" + expected
    assert digests.tree_digest("c0ffee", reversed(entries)) == "sha256:" + expected


@pytest.mark.parametrize("field", [0, 1, 2])
def test_each_part_of_an_entry_counts_for_the_tree(field: int):
    entry = (b"path", "100644", "11")
    other = tuple((b"other", "100755", "22")[i] if i == field else part for i, part in enumerate(entry))
    assert digests.tree_digest("c", [entry]) != digests.tree_digest("c", [other])  # type: ignore[list-item]
    assert digests.tree_digest("c", [entry]) != digests.tree_digest("d", [entry])


@pytest.mark.parametrize("data", [b"", b"hello\n", b"\0\xff" * 1000])
def test_blob_ids_are_those_of_git(data: bytes):
    done = subprocess.run(["git", "hash-object", "--stdin"], input=data, capture_output=True, check=True)
    assert digests.blob_id(data) == done.stdout.decode().strip()


def test_blob_ids_of_a_sha256_repository():
    assert digests.blob_id(b"", "sha256") == hashlib.sha256(b"blob 0\0").hexdigest()


@given(st.binary())
@example(b"bytes:plain")
@example(b"caf\xe9/%41")
@example("한/국".encode())
def test_path_text_turns_back(path: bytes):
    text = digests.path_text(path)
    assert digests.path_bytes(text) == path
    assert text.encode("utf-8").decode() == text


@given(st.binary(), st.binary())
def test_two_paths_never_share_a_text(one: bytes, two: bytes):
    assert (digests.path_text(one) == digests.path_text(two)) == (one == two)
