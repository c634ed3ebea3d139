"""Immutable values with named fields, like frozen dataclasses, at a fiftieth of what those cost to define.

A hook without a TUI is a process of a few milliseconds. ``dataclasses`` takes six of them to import and half
of one for each class, as it writes and compiles the methods; here all classes share the methods below. To
checkers of types a ``Record`` is a frozen dataclass, and to ``dataclasses.replace``, ``fields`` and
``asdict``, too.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar, dataclass_transform

    R = TypeVar("R", bound="Record")
else:

    def dataclass_transform(**_facts: object) -> object:
        """Stand in for the one of ``typing``, which only checkers of types need."""
        return lambda made: made


@dataclass_transform(frozen_default=True)
class RecordType(type):
    """Makes the classes: annotated names become slots, values given to them become defaults."""

    record_fields: tuple[str, ...]
    """Names of all fields, in order."""
    record_defaults: "dict[str, Any]"
    """Values of fields that need not be given."""
    record_setters: "tuple[Callable[[Any, Any], None], ...]"
    """What puts a value into each field, in order; ``object.__setattr__`` would look each of them up."""

    def __new__(mcs, name: str, bases: "tuple[type, ...]", space: "dict[str, Any]") -> "RecordType":
        """Make a class.

        Args:
            name: Its name.
            bases: What it derives from.
            space: What its body defines.
        """
        own = tuple(_annotated(space))
        defaults = {field: space.pop(field) for field in own if field in space}
        base = next((one for one in bases if isinstance(one, RecordType)), None)
        space["__slots__"] = own
        space["record_fields"] = (*base.record_fields, *own) if base else own
        space["__match_args__"] = space["record_fields"]
        space["record_defaults"] = {**base.record_defaults, **defaults} if base else defaults
        made = super().__new__(mcs, name, bases, space)
        setters = tuple([made.__dict__[field].__set__ for field in own])
        made.record_setters = (*base.record_setters, *setters) if base else setters
        return made

    if not TYPE_CHECKING:

        @property
        def __dataclass_fields__(cls) -> "dict[str, Any]":
            """What ``dataclasses`` asks of a class; only who has imported it asks."""
            from dataclasses import field, make_dataclass

            defaults = cls.record_defaults
            rows = [
                (name, object, field(default=defaults[name])) if name in defaults else (name, object)
                for name in cls.record_fields
            ]
            return make_dataclass(cls.__name__, rows).__dataclass_fields__


def _annotated(space: "dict[str, Any]") -> "dict[str, Any]":
    """The annotations of a class body; since Python 3.14 a function makes them."""
    found: dict[str, Any] | None = space.get("__annotations__")
    if found is None:
        make = space.get("__annotate_func__") or space.get("__annotate__")
        found = make(1) if make is not None else None
    return found or {}


class Record(metaclass=RecordType):
    """Base of immutable values: compared, hashed and shown by their fields."""

    def __init__(self, *values: "Any", **named: "Any") -> None:  # noqa: ANN401 (each class has its own fields)
        """Take the fields, by position or by name.

        Args:
            values: The first fields.
            named: Further ones.

        Raises:
            TypeError: One is missing, unknown, or given twice.
        """
        kind = type(self)
        setters = kind.record_setters
        given = len(values)
        for put, value in zip(setters, values, strict=False):
            put(self, value)
        if given == len(setters) and not named:
            return
        names, defaults = kind.record_fields, kind.record_defaults
        if given > len(names):
            raise TypeError(f"{kind.__name__} takes {len(names)} fields, {given} were given")
        for name, put in zip(names[given:], setters[given:], strict=True):
            if name in named:
                put(self, named.pop(name))
            elif name in defaults:
                put(self, defaults[name])
            else:
                raise TypeError(f"{kind.__name__} needs {name}")
        if named:
            raise TypeError(f"{kind.__name__} cannot take {', '.join(named)}")

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse."""
        raise AttributeError(f"{type(self).__name__} is immutable: {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        """Refuse."""
        raise AttributeError(f"{type(self).__name__} is immutable: {name} cannot be removed")

    def __eq__(self, other: object) -> bool:
        """Whether the other is of the same class and has equal fields."""
        return other.__class__ is self.__class__ and values_of(self) == values_of(other)  # pyright: ignore

    def __hash__(self) -> int:
        """Equal records have equal hashes."""
        return hash(values_of(self))

    def __repr__(self) -> str:
        """Name each field."""
        kind = type(self)
        shown = (f"{name}={getattr(self, name)!r}" for name in kind.record_fields)
        return f"{kind.__qualname__}({', '.join(shown)})"

    def __reduce__(self) -> "tuple[Any, ...]":
        """Copy and pickle by the fields: attributes cannot be set one by one."""
        return type(self), values_of(self)

    if not TYPE_CHECKING:

        @property
        def __dataclass_fields__(self) -> "dict[str, Any]":
            """What ``dataclasses`` asks of an instance."""
            return type(self).__dataclass_fields__


def values_of(record: Record) -> "tuple[Any, ...]":
    """The values of all fields, in order.

    Args:
        record: The record.
    """
    return tuple([getattr(record, name) for name in type(record).record_fields])


def replace(record: "R", **changes: "Any") -> "R":  # noqa: ANN401 (each class has its own fields)
    """Make a record that differs in some fields.

    Args:
        record: The record.
        changes: The fields that differ.

    Raises:
        TypeError: There is no such field.
    """
    kind = type(record)
    made = kind.__new__(kind)
    for name, put in zip(kind.record_fields, kind.record_setters, strict=True):
        put(made, changes.pop(name) if name in changes else getattr(record, name))
    if changes:
        raise TypeError(f"{kind.__name__} has no {', '.join(changes)}")
    return made
