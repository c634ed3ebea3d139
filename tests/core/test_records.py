"""Records are frozen dataclasses to everyone who looks at them, but for what they cost."""

import copy
import dataclasses
import pickle

import pytest

from ags_tui.core.records import Record, replace


class Point(Record):
    """Two required fields and one with a default."""

    x: int
    y: int
    names: "tuple[str, ...]" = ()

    @property
    def total(self) -> int:
        return self.x + self.y


class Named(Point):
    """A field more."""

    label: str = "none"


def test_fields_come_by_position_or_by_name():
    point = Point(1, y=2)
    assert (point.x, point.y, point.names, point.total) == (1, 2, (), 3)
    assert repr(point) == "Point(x=1, y=2, names=())"
    assert Named(1, 2, ("a",), "b").label == Named(1, 2, label="b").label == "b"
    assert Named.__match_args__ == ("x", "y", "names", "label")


@pytest.mark.parametrize(
    ("values", "named", "said"),
    [
        ((1,), {}, "needs y"),
        ((1, 2), {"z": 3}, "cannot take z"),
        ((1, 2), {"x": 3}, "cannot take x"),
        ((1, 2, (), 4), {}, "takes 3 fields"),
    ],
)
def test_wrong_fields_are_refused(values: tuple[int, ...], named: dict[str, int], said: str):
    with pytest.raises(TypeError, match=said):
        Point(*values, **named)  # pyright: ignore


def test_nothing_can_be_changed():
    point = Point(1, 2)
    for change in (
        lambda: setattr(point, "x", 2),
        lambda: delattr(point, "x"),
        lambda: setattr(point, "z", 2),
    ):
        with pytest.raises(AttributeError):
            change()
    assert point.x == 1


def test_equality_goes_by_class_and_fields():
    assert Point(1, 2) == Point(1, 2, ()) != Point(1, 3)
    assert Point(1, 2) != Named(1, 2)
    assert Point(1, 2) != (1, 2, ())
    assert len({Point(1, 2), Point(1, 2), Named(1, 2)}) == 2


def test_copies_are_equal():
    point = Named(1, 2, label="b")
    assert copy.deepcopy(point) == pickle.loads(pickle.dumps(point)) == point
    assert replace(point, x=5) == Named(5, 2, (), "b")


def test_dataclasses_takes_them_for_its_own():
    point = Point(1, 2)
    assert dataclasses.is_dataclass(Point)
    assert [one.name for one in dataclasses.fields(Point)] == ["x", "y", "names"]
    assert dataclasses.replace(point, y=7) == Point(1, 7)
    assert dataclasses.asdict(point) == {"x": 1, "y": 2, "names": ()}
