"""The pictures of the README are what the app shows; ``make screenshots`` makes them anew."""

import html
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from ags_tui.view.text import cell_len
from tests.export_screenshots import CELL, PICTURES, Picture, svg

FOLDER = Path(__file__).resolve().parents[2] / "screenshots"


def test_every_file_is_a_picture_that_is_made() -> None:
    assert {file.name for file in FOLDER.iterdir()} == {f"{picture.name}.svg" for picture in PICTURES}


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.name)
async def test_the_committed_picture_is_what_the_app_shows(picture: Picture) -> None:
    committed = (FOLDER / f"{picture.name}.svg").read_text("utf-8")

    assert await svg(picture) == committed, "make screenshots"


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.name)
def test_a_picture_fetches_nothing_names_no_machine_and_keeps_to_its_columns(picture: Picture) -> None:
    text = (FOLDER / f"{picture.name}.svg").read_text("utf-8")
    ElementTree.fromstring(text)
    for word in ("url(http", "@import", "src:", "/home/", "/root", "/tmp", "/work"):
        assert word not in text
    width = picture.size[0]
    for left, body in re.findall(r'<text class="ags-r\d+" x="([\d. ]+)"[^>]*>([^<]*)</text>', text):
        start = float(left.split()[0]) / CELL
        assert start == pytest.approx(round(start), abs=0.05)
        assert round(start) + cell_len(html.unescape(body)) <= width, body
