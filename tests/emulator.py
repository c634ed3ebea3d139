"""A terminal in memory that may be looked at between any two writes of a program."""

import pyte
from wcwidth import wcwidth


class Screen(pyte.Screen):
    """As pyte's, but half of a wide character, whose other half was just overwritten, is a blank.

    pyte's own ``display`` fails on such a cell, which stands there only until the program writes on.
    """

    @property
    def display(self) -> list[str]:
        """The lines as text."""
        return ["".join(self._texts(row)) for row in range(self.lines)]

    def _texts(self, row: int) -> list[str]:
        texts: list[str] = []
        wide = False
        for column in range(self.columns):
            text = self.buffer[row][column].data
            if not wide:
                texts.append(text or " ")
            wide = not wide and bool(text) and wcwidth(text[0]) == 2
        return texts
