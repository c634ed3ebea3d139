"""Names of the standard library as the road of a hook takes them: without the modules that they live in.

``typing``, ``collections.abc``, ``contextlib``, ``functools`` and ``datetime`` together cost as much as the
bare start of Python, for names that are built in, or that only checkers of types look at. To those the names
here are the real ones; at run time they are what stands behind them in C, or nearly nothing.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
    from contextlib import suppress
    from datetime import UTC, datetime, timedelta
    from functools import lru_cache
    from typing import Any, Literal, Protocol, cast
else:
    from _collections_abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence

    try:
        from _datetime import datetime, timedelta, timezone
        from _functools import _lru_cache_wrapper
    except ImportError:  # another Python than CPython
        from datetime import datetime, timedelta, timezone
        from functools import lru_cache
    else:

        def lru_cache(maxsize: int) -> object:
            """Remember results as ``functools.lru_cache`` does, which is this and a copy of the docstring."""
            return lambda function: _lru_cache_wrapper(function, maxsize, False, _cache_info)

    UTC = timezone.utc  # noqa: UP017 (the name ``UTC`` is not in every ``_datetime``)
    Any = Protocol = object

    class _Literal:
        def __getitem__(self, values: object) -> type:
            return str

    Literal = _Literal()

    def _cache_info(*facts: int) -> tuple[int, ...]:
        return facts

    def cast(kind: object, value: object) -> object:
        """Say nothing, as ``typing.cast`` does."""
        return value

    class suppress:
        """Go on behind the block where one of these exceptions ends it."""

        def __init__(self, *kinds: type) -> None:
            self._kinds = kinds

        def __enter__(self) -> None:
            return None

        def __exit__(self, kind: type | None, error: object, trace: object) -> bool:
            return kind is not None and issubclass(kind, self._kinds)


__all__ = [
    "TYPE_CHECKING",
    "UTC",
    "Any",
    "Callable",
    "Collection",
    "Generator",
    "Iterable",
    "Iterator",
    "Literal",
    "Mapping",
    "Protocol",
    "Sequence",
    "cast",
    "datetime",
    "lru_cache",
    "suppress",
    "timedelta",
]
