import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ags_tui.core.contracts.parse import JsonDocument, read_json
from ags_tui.core.contracts.strict_json import MAX_BYTES, deeper_than_allowed
from ags_tui.core.digests import digest
from ags_tui.core.snapshot import LoadProblem
from tests.core.contracts.test_locate import JSON

CASES = Path(__file__).parents[2] / "cases"


def refused(data: bytes) -> LoadProblem:
    problem = read_json(data, "x.json")
    assert isinstance(problem, LoadProblem)
    assert problem.code == "INVALID_JSON"
    assert problem.artifact == "x.json"
    assert problem.digest == digest(data)
    assert problem.message
    assert problem.next_step
    (problem.message + problem.field).encode()  # a problem can be written and shown
    return problem


def taken(data: bytes) -> object:
    document = read_json(data, "x.json")
    assert isinstance(document, JsonDocument), document
    return document.value


@pytest.mark.parametrize(
    ("data", "line", "field", "says"),
    [
        (b"", None, "", "empty"),
        (b" \n\t", None, "", "empty"),
        (b"\xef\xbb\xbf", None, "", "empty"),
        (b'{"a": 1,}', 1, "", "not JSON"),
        (b'{\n"a": 1 // b\n}', 2, "", "not JSON"),
        (b"{'a': 1}", 1, "", "not JSON"),
        (b'{"a": 1} {}', 1, "", "not JSON"),
        (b'{"a": 01}', 1, "", "not JSON"),
        (b'{"a": "tab\there"}', 1, "", "not JSON"),
        (b'{"a": \n"', 2, "", "not JSON"),
        (b'\xef\xbb\xbf\xef\xbb\xbf{"a": 1}', 1, "", "not JSON"),
        (b'{\n "a": "\xff"}', 2, "", "not UTF-8: byte 0xFF at offset 9"),
        (b'{"a": "\xed\xa0\xbd"}', 1, "", "not UTF-8"),
        (b'{"a": "\xc0\xaf"}', 1, "", "not UTF-8"),
        ('{"a": 1}'.encode("utf-16"), None, "", "UTF-16"),
        ('{"a": 1}'.encode("utf-32"), None, "", "UTF-32"),
        (b'{"a": 1,\n"b": 2,\n"a": 3}', 3, "a", "'a' twice"),
        (b'{"a": [{"b": 1, "\\u0062": 2}]}', 1, "a.0.b", "'b' twice"),
        (b'{"a": 1, "a": 1}', 1, "a", "'a' twice"),
        (b'{"\\ud83d": 1, "\\ud83d": 2}', 1, "\\ud83d", "twice"),
        (b'{"a": NaN}', 1, "a", "NaN"),
        (b'{"a": {"b": [1,\n-Infinity]}}', 2, "a.b.1", "-Infinity"),
        (b"Infinity", 1, "", "Infinity"),
        (b'{"a": 1e999}', 1, "a", "1e999"),
        (b'{"a": -1.5e400}', 1, "a", "-1.5e400"),
        (b'{"a": 9007199254740992}', 1, "a", "9007199254740992"),
        (b'{"a": [0,\n-9007199254740992]}', 2, "a.1", "-9007199254740992"),
        (b"[" + b"9" * 5000 + b"]", 1, "0", "9999"),
        (b'{"a":\n"cut \\ud83d"}', 2, "a", "half a character"),
        (b'{"a": "\\udc00\\ud83d"}', 1, "a", "half a character"),
        (b'{"ok": "\\ud83d\\ude00", "bad": ["\\ude00"]}', 1, "bad.0", "half a character"),
        (b'{"cut \\ud83d": 1}', 1, "", "half a character"),
    ],
)
def test_refusals(data: bytes, line: int | None, field: str, says: str):
    problem = refused(data)
    assert (problem.line, problem.field) == (line, field)
    assert says in problem.message


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b"null", None),
        (b'"\\ud83d\\ude00 \\\\ud83d"', "😀 \\ud83d"),
        (b"9007199254740991", 2**53 - 1),
        (b"[-9007199254740991, -0, 1e3, 1.7e308]", [-(2**53 - 1), 0, 1000.0, 1.7e308]),
        ('{"a": "é", "é": {"a": 1}, "e\u0301": 2}'.encode(), {"a": "é", "é": {"a": 1}, "e\u0301": 2}),
    ],
)
def test_what_is_taken(data: bytes, value: object):
    assert taken(data) == value


def test_a_byte_order_mark_is_noted():
    document = read_json((CASES / "134-bom" / "bom.json").read_bytes(), "bom.json")
    assert isinstance(document, JsonDocument)
    assert document.value["input"] == {"command": "ls src"}
    assert document.notes == ("begins with a byte order mark",)


def test_size():
    fill = b" " * (MAX_BYTES - 2)
    assert taken(fill + b"{}") == {}
    assert "16 MiB" in refused(fill + b"{} ").message


@pytest.mark.parametrize("opening", [b"[", b'{"a":', b'["",{"a":'])
def test_depth(opening: bytes):
    levels = opening.count(b"[") + opening.count(b"{")
    allowed = 100 // levels
    closing = b"".join({"[": b"]", "{": b"}"}[chr(c)] for c in reversed(opening) if c in b"[{")
    taken(opening * allowed + b"1" + closing * allowed)
    problem = refused(opening * (allowed + 1) + b"1" + closing * (allowed + 1))
    assert problem.message == "is nested deeper than 100 levels"


@pytest.mark.parametrize(
    "data",
    [
        b"[" * 100_000 + b"]" * 100_000,
        b"[" * 5_000_000,
        b'{"request_id":"r-1","input":' + b'{"a":' * 400 + b"1" + b"}" * 401,
        b"\n" * 1000 + b"[" * 2000,
    ],
    ids=["deep", "unclosed", "mid", "late"],
)
def test_deep_input_never_recurses(data: bytes):
    assert "deeper" in refused(data).message


@pytest.mark.parametrize(
    "data",
    [
        b'["' + b"[" * 500 + b'", "\\"' + b"{" * 500 + b'"]',
        b"[" + b'{"a":[]},' * 500 + b"1]",
        b'["]",' * 60 + b"1" + b',"["]' * 60,
    ],
    ids=["in strings", "side by side", "hidden by strings"],
)
def test_brackets_in_text_are_not_nesting(data: bytes):
    taken(data)


def test_brackets_in_text_do_not_hide_nesting():
    # counted without regard to strings, these brackets cancel out
    data = b'["]",' * 101 + b"1" + b',"["]' * 101
    assert "deeper" in refused(data).message


@given(st.binary() | st.text(alphabet='[]{}"\\ ,:a').map(str.encode))
def test_depth_of_anything(data: bytes):
    assert deeper_than_allowed(data) is None or data.count(b"[") + data.count(b"{") > 100


@pytest.mark.parametrize("part", [b'"\\', b'\\"', b"\\", b'"a'])
@pytest.mark.parametrize("start", [b"", b'"'])
def test_unclosed_text_takes_linear_time(start: bytes, part: bytes):
    assert deeper_than_allowed(b"[" * 99 + b"{}" * 50 + start + part * 1_000_000) is None


@pytest.mark.parametrize("name", ["136-duplicate-keys/dup.json", "136-duplicate-keys/dup-scope.json"])
def test_duplicate_keys_of_a_request_are_named(name: str):
    problem = refused((CASES / name).read_bytes())
    assert problem.field in ("input.command", "allowed_paths")


def test_numbers_that_are_none():
    assert refused((CASES / "138-nan" / "nan.json").read_bytes()).field == "tests.0.duration"


def test_half_characters_of_a_hook():
    assert (
        refused((CASES / "111-lone-surrogate" / "hook-stdin.json").read_bytes()).field == "tool_input.command"
    )


def test_very_long_text_is_refused_without_a_line():
    problem = refused(b'{"a": "' + b"x" * 2_000_000 + b'", "a": NaN}')
    assert (problem.line, problem.field) == (None, "")


@given(st.binary() | st.text().map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_bytes_are_read_or_refused(data: bytes):
    found = read_json(data, "x.json")
    if isinstance(found, JsonDocument):
        assert found.value == json.loads(data.decode("utf-8-sig"))
    else:
        refused(data)


@given(JSON, st.booleans())
def test_documents_come_back(value: object, ascii_only: bool):
    data = json.dumps(value, ensure_ascii=ascii_only, allow_nan=True).encode("utf-8", "surrogatepass")
    found = read_json(data, "x.json")
    if isinstance(found, JsonDocument):
        assert found.value == value
        json.dumps(found.value, ensure_ascii=False, allow_nan=False).encode("utf-8")
