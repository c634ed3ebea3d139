"""Characters that a human cannot see, or that make a line look like another one."""

import unicodedata

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_BLANK = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180e\u180f\u2800\u3164\uffa0"
"""Letters and marks that are drawn as nothing."""


def unseen_characters(text: str) -> tuple[str, ...]:
    """Names of the characters of a text that do not show as what they are, each once, in order.

    Line feeds and tabs are left out: they are shown as lines and blanks. Blanks other than the space count.
    """
    if text.isascii() and text.isprintable():
        return ()
    found: dict[str, None] = {}
    for character in text:
        if character in "\n\t " or (character.isascii() and character.isprintable()):
            continue
        category = unicodedata.category(character)
        if (
            category in _HIDDEN
            or category == "Zs"
            or character in _BLANK
            or 0xFE00 <= ord(character) <= 0xFE0F
        ):
            name = unicodedata.name(character, "")
            found[name or f"U+{ord(character):04X}"] = None
    return tuple(found)
