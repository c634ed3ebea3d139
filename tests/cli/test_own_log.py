"""The program's own log: bounded, private, silent where it cannot be written."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from ags_tui.cli import own_log
from ags_tui.cli.own_log import OwnLog, start_log
from ags_tui.io.places import Places


@pytest.fixture
def places(tmp_path: Path) -> Iterator[Places]:
    places = Places(tmp_path / "state", tmp_path / "config")
    yield places
    root = logging.getLogger()
    for handler in [handler for handler in root.handlers if isinstance(handler, OwnLog)]:
        root.removeHandler(handler)
        handler.close()


def test_lines_are_private_inert_and_bounded(places: Places, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(own_log, "LARGEST", 2000)
    start_log(places)
    assert not places.state.exists()
    log = logging.getLogger("ags_tui.io.test")
    log.info("name %s", "a\x1b]0;x\nfaked line")
    first = (places.state / "ags-tui.log").read_text()
    assert first.count("\n") == 1
    assert "\x1b" not in first
    for number in range(200):
        log.info("line %d", number)
    files = sorted(places.state.glob("ags-tui.log*"))
    assert len(files) == 3
    assert all(file.stat().st_size <= 2000 for file in files)
    assert all(file.stat().st_mode & 0o777 == 0o600 for file in files)


def test_nothing_reaches_stderr_where_it_cannot_be_written(
    places: Places, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    places.state.write_text("a file")
    start_log(places)
    logging.getLogger("ags_tui.io.test").error("x")
    logging.getLogger("asyncio").error("y")
    assert capsys.readouterr().err == ""


def test_starting_twice_writes_once(places: Places):
    start_log(places)
    start_log(places)
    logging.getLogger("ags_tui").warning("once")
    assert (places.state / "ags-tui.log").read_text().count("once") == 1
