"""JSON by the C half alone reads and writes what ``json`` does, and fails as it does."""

import json
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ags_tui.core.light_json import dumps, loads

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(VALUES, st.booleans(), st.booleans())
def test_it_writes_and_reads_the_same(value: Any, ascii_only: bool, sort_keys: bool):
    text = json.dumps(value, ensure_ascii=ascii_only, sort_keys=sort_keys, separators=(",", ":"))
    assert dumps(value, ascii_only=ascii_only, sort_keys=sort_keys) == text
    assert loads(text) == json.loads(text)


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet='{}[]",:0123456789eE+-. \n\ttrufalsnNI\\d\ufeff', max_size=24))
def test_it_takes_and_refuses_the_same(text: str):
    def read(how: Any, data: str | bytes) -> object:
        try:
            return repr(how(data))
        except ValueError as error:
            return type(error)

    assert read(loads, text) == read(json.loads, text)
    assert read(loads, text.encode()) == read(json.loads, text.encode())


@pytest.mark.parametrize("text", ["", "{", '{"a":1} x', '"\n"', "nul", "1" * 5000, "[1,]"])
def test_it_fails_as_json_where_json_was_not_imported(text: str):
    program = (
        "import sys\n"
        "from ags_tui.core.light_json import loads\n"
        "assert 'json' not in sys.modules\n"
        "try:\n    loads(sys.argv[1])\nexcept ValueError:\n    print('refused')\n"
    )
    done = subprocess.run([sys.executable, "-c", program, text], capture_output=True, text=True, check=True)
    assert done.stdout == "refused\n"


def test_hooks_are_asked():
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) != len(pairs):
            raise KeyError("twice")
        return dict(pairs)

    with pytest.raises(KeyError):
        loads('{"a":1,"a":2}', object_pairs_hook=once)
    assert loads("[1.5,NaN]", parse_float=str, parse_constant=str) == ["1.5", "NaN"]


def test_no_number_and_no_data_are_refused():
    with pytest.raises(ValueError, match="not JSON compliant"):
        dumps([float("nan")], allow_nan=False)
    for value in ({1, 2}, object()):
        with pytest.raises(TypeError):
            dumps(value)
