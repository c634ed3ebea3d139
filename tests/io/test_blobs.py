"""Contents kept by digest."""

import os
import stat
from pathlib import Path

import pytest

from ags_tui.core.digests import digest
from ags_tui.io import blobs
from ags_tui.io.places import PlaceUnusable
from tests.logs import places_in


def kept(top: Path) -> list[Path]:
    return [path for path in (top / "state" / "blobs").rglob("*") if path.is_file()]


def test_what_is_put_can_be_got(tmp_path: Path):
    places = places_in(tmp_path)
    for data in (b"", b"text", bytes(range(256)) * 100):
        name = blobs.put(places, data)
        assert name == digest(data)
        assert blobs.get(places, name) == data
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in kept(tmp_path))


def test_the_same_bytes_are_kept_once(tmp_path: Path):
    places = places_in(tmp_path)
    blobs.put(places, b"text")
    before = kept(tmp_path)[0].stat().st_ino
    blobs.put(places, b"text")
    assert [path.stat().st_ino for path in kept(tmp_path)] == [before]


@pytest.mark.parametrize("name", ["", "sha256:", "../../etc/passwd", "sha256:" + "0" * 64, "absent"])
def test_what_is_not_kept_is_none(tmp_path: Path, name: str):
    assert blobs.get(places_in(tmp_path), name) is None


def test_damaged_contents_are_none_and_are_put_anew(tmp_path: Path):
    places = places_in(tmp_path)
    name = blobs.put(places, b"text")
    kept(tmp_path)[0].write_bytes(b"other")
    assert blobs.get(places, name) is None
    assert blobs.put(places, b"text") == name
    assert blobs.get(places, name) == b"text"


def test_reading_makes_nothing(tmp_path: Path):
    blobs.get(places_in(tmp_path), digest(b"x"))
    assert os.listdir(tmp_path) == []


def test_a_state_directory_that_cannot_be_made_is_said(tmp_path: Path):
    (tmp_path / "state").write_text("in the way")
    with pytest.raises(PlaceUnusable):
        blobs.put(places_in(tmp_path), b"x")
