"""Glyph sets: the same meanings as pretty symbols, as symbols of settled width, or as ASCII.

Many symbols are East Asian *ambiguous*: one cell in most terminals, two in some. The set ``narrow`` holds
only characters of settled width one; ``ascii`` holds nothing else than ASCII.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

GlyphSet = Literal["unicode", "narrow", "ascii"]
"""Names of the sets."""


@dataclass(frozen=True, slots=True)
class Glyphs:
    """One symbol for each meaning; a word always stands beside it."""

    ok: str
    """Holds, passed, valid, done."""
    fail: str
    """Failed, blocked, denied."""
    warn: str
    """A human must look: needs approval, needs a human."""
    unknown: str
    """Could not be decided."""
    idle: str
    """Waits for its turn."""
    active: str
    """Is being worked on."""
    none: str
    """Not applicable."""
    dirty: str
    """Was dirty before the task and is untouched."""
    need: str
    """Something waits for the human."""
    bar: str
    """Left edge of the selected row."""
    fresh: str
    """Left edge of a row that changed a moment ago."""
    rail: str
    """Joins two stages."""
    rule: str
    """Horizontal line."""
    branch: str
    """Before a branch name."""
    dot: str
    """Between two parts of a line."""
    more: str
    """Something was cut off here."""
    arrow: str
    """Leads to."""
    seen: str
    """Reviewed by the human."""
    open: str
    """A box to tick."""
    ticked: str
    """A ticked box."""
    log: str
    """A log entry made by a program."""
    human: str
    """A log entry made by a human."""
    waits: str
    """Has not come yet, and no human has to do anything for it."""
    rail_focus: str
    """Left edge of the pane that has the focus."""


UNICODE = Glyphs(
    ok="✔", fail="✖", warn="▲", unknown="?", idle="·", active="●", none="–", dirty="=", need="●", bar="▌",
    fresh="▎", rail="─", rule="─", branch="⎇", dot="·", more="…", arrow="→", seen="◆", open="☐", ticked="☑",
    log="·", human="◆", waits="◌", rail_focus="┃",
)  # fmt: skip
"""The usual set."""

NARROW = Glyphs(
    ok="✔", fail="✖", warn="▴", unknown="?", idle="◦", active="▸", none="-", dirty="=", need="▸", bar="▐",
    fresh="‣", rail="╌", rule="╌", branch="⎇", dot="∙", more="⋯", arrow="›", seen="⚑", open="☐", ticked="☑",
    log="∙", human="⚑", waits="◌", rail_focus="╏",
)  # fmt: skip
"""Only characters whose width is settled."""

ASCII = Glyphs(
    ok="+", fail="x", warn="!", unknown="?", idle=".", active="*", none="-", dirty="=", need="*", bar=">",
    fresh="~", rail="-", rule="-", branch="@", dot="|", more="~", arrow=">", seen="#", open="_", ticked="#",
    log=".", human="#", waits="o", rail_focus="|",
)  # fmt: skip
"""Nothing but ASCII."""

SETS: Mapping[str, Glyphs] = MappingProxyType({"unicode": UNICODE, "narrow": NARROW, "ascii": ASCII})
"""All sets by name."""


def glyph_set(name: str) -> Glyphs:
    """Give a set by its name in the settings; an unknown name gives the usual set."""
    return SETS.get(name, UNICODE)
