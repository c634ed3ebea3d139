"""Characters that a human cannot see, or that make a line look like another one."""

import re
import unicodedata

_BLANK = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0]")
"""Letters and marks that are drawn as nothing."""


def unseen_characters(text: str) -> tuple[str, ...]:
    """Names of the characters of a text that do not show as what they are, each once, in order.

    Line feeds and tabs are left out: they are shown as lines and blanks. Blanks other than the space count.
    """
    flat = text.replace("\n", " ").replace("\t", " ")
    if flat.isprintable() and not _BLANK.search(flat):
        return ()
    found: dict[str, None] = {}
    for character in flat:
        if character == " " or (character.isprintable() and not _BLANK.match(character)):
            continue
        name = unicodedata.name(character, "")
        found[name or f"U+{ord(character):04X}"] = None
    return tuple(found)
