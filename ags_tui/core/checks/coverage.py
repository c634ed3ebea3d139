"""Whether a list of patterns covers another pattern whole, as far as that can be shown."""

import unicodedata
from collections.abc import Mapping

from ags_tui.core.globs import Side, compile_patterns
from ags_tui.core.pattern_walk import WILD, fold


class Coverage:
    """A list of patterns that other patterns are held against."""

    def __init__(
        self,
        patterns: tuple[str, ...],
        *,
        side: Side,
        ignore_case: bool = False,
        resolved: Mapping[str, str] | None = None,
    ) -> None:
        """Prepare a list.

        Args:
            patterns: As written in a plan.
            side: Which list it is: bare names of a deny list match at any depth.
            ignore_case: ``core.ignoreCase``.
            resolved: Paths that bare names of an allow list stand for.
        """
        self._ignore_case = ignore_case
        self._set = compile_patterns(patterns, side=side, ignore_case=ignore_case)
        broken = {problem.index for problem in self._set.problems}
        live = [pattern for index, pattern in enumerate(patterns) if index not in broken]
        # A broken deny pattern still covers its own text: the same mistake on both sides is no difference.
        self._held = {self._form(one) for one in (live if side == "allow" else patterns)}
        self._held |= {self._form(path) for name, path in (resolved or {}).items() if name in self._set.bare}
        forms = [self._form(pattern) for pattern in live]
        self._roots = tuple(one[:-2] for one in forms if one.endswith("/**") and not WILD.search(one[:-3]))

    def covers(self, pattern: str) -> bool:
        """Whether all that a pattern matches is matched by the list; False where that cannot be shown."""
        form = self._form(pattern)
        if form in self._held or form.startswith(self._roots):
            return True
        literal = "/" in form and not WILD.search(form) and ".." not in form.split("/")
        return literal and self._set.match(pattern) is not None

    def _form(self, pattern: str) -> str:
        """A pattern as it is compared: NFC, ``dir/`` as ``dir/**``, without empty and ``.`` segments."""
        text = unicodedata.normalize("NFC", pattern + "**" if pattern.endswith("/") else pattern)
        text = "/".join(one for one in text.split("/") if one not in {"", "."})
        return fold(text) if self._ignore_case else text
