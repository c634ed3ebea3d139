import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ags_tui.core.contracts.locate import Path, first_duplicate, lines_of, marks

TEXT = """{
  "a": [1, {"b": null},
        []],
  "c,\\"]": "x:{y}",
  "d": {
    "e": true
  }
}
"""


@pytest.mark.parametrize(
    ("path", "line"),
    [((), 1), (("a",), 2), (("a", 0), 2), (("a", 1, "b"), 2), (("a", 2), 3), (('c,"]',), 4), (("d", "e"), 6)],
)
def test_lines(path: Path, line: int):
    assert lines_of(TEXT, {path}) == {path: line}


def test_a_path_that_is_not_there_has_no_line():
    assert lines_of(TEXT, {("a", 3), ("z",)}) == {}


def test_top_level_scalars():
    assert [(mark.path, mark.raw) for mark in marks(' "x" ')] == [((), '"x"')]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ('{"a": 1, "a": 2}', ("a",)),
        ('{"a": 1, "\\u0061": 2}', ("a",)),
        ('[{"a": 1}, {"a": [{"b": 1, "b": 1}]}]', (1, "a", 0, "b")),
        ('{"a": {"x": 1}, "b": {"x": 1}, "": 1, "": 2}', ("",)),
        ('{"a": {"x": 1}, "a": {"x": 1}}', ("a",)),
    ],
)
def test_the_first_duplicate(text: str, path: Path):
    found = first_duplicate(text)
    assert found is not None
    assert found.path == path


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def scalars(value: object, path: Path = ()) -> dict[Path, object]:
    if isinstance(value, dict):
        return {k: v for key, inner in value.items() for k, v in scalars(inner, (*path, key)).items()}
    if isinstance(value, list):
        return {k: v for index, inner in enumerate(value) for k, v in scalars(inner, (*path, index)).items()}
    return {path: value}


@given(JSON, st.booleans(), st.sampled_from([None, 1, "\t"]))
def test_marks_find_every_scalar_of_any_document(value: object, ascii_only: bool, indent: int | str | None):
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    found = {m.path: json.loads(m.raw) for m in marks(text) if not m.key and m.raw not in ("{", "[")}
    assert found == scalars(value)
    assert first_duplicate(text) is None
