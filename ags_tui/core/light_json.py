"""JSON by the C half of ``json`` alone: the other half imports ``re``, which costs half a start of Python.

Whatever the C half does not take is given to ``json`` itself, so that results and exceptions are the same.
"""

# pyright: reportMissingImports=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false
from ags_tui.core.light import Any, Callable, cast

try:
    import _json
except ImportError:  # another Python than CPython
    _json = None

_BLANK = " \t\n\r"


class _Context:
    """What the scanner wants to know."""

    strict = True
    object_hook = None
    memo: "dict[str, str]" = {}  # noqa: RUF012 (part of the scanner's protocol)

    def __init__(self, **hooks: "Callable[[Any], Any] | None") -> None:
        self.object_pairs_hook = hooks.get("object_pairs_hook")
        self.parse_float = hooks.get("parse_float") or float
        self.parse_int = int
        self.parse_constant = hooks.get("parse_constant") or _CONSTANTS.__getitem__


_CONSTANTS = {"-Infinity": float("-inf"), "Infinity": float("inf"), "NaN": float("nan")}


def loads(data: str | bytes, **hooks: Any) -> Any:  # noqa: ANN401 (JSON data)
    """Read JSON, as ``json.loads`` does.

    Args:
        data: The document; bytes are UTF-8.
        hooks: ``object_pairs_hook``, ``parse_constant``, ``parse_float``.

    Raises:
        ValueError: It is no JSON.
        RecursionError: It is nested too deep.
    """
    if _json is not None:
        try:
            text = (data if isinstance(data, str) else data.decode("utf-8")).strip(_BLANK)
            value, end = _json.make_scanner(_Context(**hooks))(text, 0)  # pyright: ignore
            if end == len(text):
                return value
        except (ValueError, StopIteration, SystemError):
            pass  # json says what is wrong; the scanner alone cannot even find its exception
    import json

    return json.loads(data, **hooks)


def read_object(data: bytes) -> dict[str, object] | None:
    """Read a JSON object; None where the bytes are none, whatever they are.

    Args:
        data: The document.
    """
    try:
        value: object = loads(data)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, object]", value) if isinstance(value, dict) else None


def dumps(value: object, *, ascii_only: bool = True, sort_keys: bool = False, allow_nan: bool = True) -> str:
    """Write JSON without blanks, as ``json.dumps`` does.

    Args:
        value: JSON data.
        ascii_only: Whether other characters are escaped.
        sort_keys: Whether keys are sorted.
        allow_nan: Whether numbers may be none.

    Raises:
        TypeError: A value is no JSON data.
        ValueError: A number is none, or a value holds itself.
    """
    if _json is None:
        import json

        return json.dumps(
            value, ensure_ascii=ascii_only, sort_keys=sort_keys, allow_nan=allow_nan, separators=(",", ":")
        )
    text = _json.encode_basestring_ascii if ascii_only else _json.encode_basestring
    write = _json.make_encoder({}, _refuse, text, None, ":", ",", sort_keys, False, allow_nan)  # pyright: ignore
    return "".join(write(value, 0))


def _refuse(value: object) -> object:
    raise TypeError(f"{type(value).__name__} is no JSON data")
