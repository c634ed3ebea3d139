"""Glyph sets: every meaning in every set, one cell each, narrow ones of settled width."""

import unicodedata
from dataclasses import fields

import pytest

from ags_tui.view import glyphs
from ags_tui.view.text import cell_len


@pytest.mark.parametrize("name", ["unicode", "narrow", "ascii"])
def test_every_glyph_is_one_character_of_one_cell(name: str) -> None:
    for field in fields(glyphs.Glyphs):
        symbol = getattr(glyphs.glyph_set(name), field.name)
        assert len(symbol) == 1
        assert cell_len(symbol) == 1, field.name


def test_narrow_glyphs_have_a_settled_width() -> None:
    widths = {getattr(glyphs.NARROW, field.name): field.name for field in fields(glyphs.Glyphs)}

    assert [name for symbol, name in widths.items() if unicodedata.east_asian_width(symbol) in "AWF"] == []


def test_ascii_glyphs_are_ascii() -> None:
    assert all(getattr(glyphs.ASCII, field.name).isascii() for field in fields(glyphs.Glyphs))


@pytest.mark.parametrize("name", ["unicode", "narrow", "ascii"])
def test_outcomes_are_told_apart_without_colour(name: str) -> None:
    chosen = glyphs.glyph_set(name)

    assert len({chosen.ok, chosen.fail, chosen.warn, chosen.unknown, chosen.none, chosen.idle}) == 6


def test_an_unknown_set_gives_the_usual_one() -> None:
    assert glyphs.glyph_set("emoji") is glyphs.UNICODE
