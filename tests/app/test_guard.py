"""The guard of deciding keys, by times alone."""

import os
import signal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ags_tui.app.guard import Guard, on_continue


def shown(at: float = 10.0) -> Guard:
    guard = Guard(seconds=0.7, quiet=0.25)
    guard.painted(at)
    return guard


@pytest.mark.parametrize(
    ("at", "counts"), [(9.0, False), (10.0, False), (10.69, False), (10.7, True), (99.0, True)]
)
def test_only_after_the_guard_time(at: float, counts: bool) -> None:
    assert (shown().refusal(at) == "") is counts


def test_never_before_the_paint() -> None:
    assert Guard().refusal(1e9)


def test_everything_that_restarts_it() -> None:
    guard = shown()
    guard.restart()
    assert guard.refusal(99.0)
    guard.painted(100.0)
    assert guard.refusal(100.6)
    assert not guard.refusal(100.8)
    guard.focus(False)
    guard.painted(101.0)
    assert guard.refusal(200.0) == "the terminal is not focused"
    guard.focus(True)
    assert guard.refusal(200.0)
    guard.painted(200.0)
    assert not guard.refusal(201.0)


def test_a_burst_and_a_held_key() -> None:
    guard = shown()
    for step in range(100):  # a key that repeats every 30 ms for three seconds
        at = 20.0 + step * 0.03
        assert step == 0 or guard.refusal(at) == "it came together with other keys"
        guard.typed(at)
    assert guard.refusal(23.1)
    assert not guard.refusal(23.5)


def test_a_late_report_of_an_earlier_key_does_not_end_the_quiet() -> None:
    guard = shown()
    guard.typed(20.0)
    guard.typed(15.0)
    assert guard.refusal(20.1)


@given(
    st.lists(st.tuples(st.sampled_from(["paint", "restart", "blur", "focus", "key"]), st.floats(0.01, 1.0)))
)
def test_no_order_of_events_lets_a_key_through_early(events: list[tuple[str, float]]) -> None:
    guard = Guard(seconds=0.7, quiet=0.25)
    now, painted, focused, last = 100.0, None, True, 0.0
    for name, step in events:
        now += step
        if name == "key":
            if not guard.refusal(now):
                assert painted is not None
                assert now - painted >= 0.7 - 1e-9
                assert focused
                assert now - last >= 0.25 - 1e-9
            guard.typed(now)
            last = now
        elif name == "paint":
            guard.painted(now)
            painted = now
        elif name == "restart":
            guard.restart()
            painted = None
        else:
            focused = name == "focus"
            guard.focus(focused)
            painted = None


def test_the_process_goes_on() -> None:
    calls: list[str] = []
    before = signal.signal(signal.SIGCONT, lambda *_: calls.append("before"))
    try:
        undo = on_continue(lambda: calls.append("ours"))
        os.kill(os.getpid(), signal.SIGCONT)
        assert calls == ["before", "ours"]
        later = on_continue(lambda: calls.append("later"))
        undo()  # out of order, as when two screens close at once
        calls.clear()
        os.kill(os.getpid(), signal.SIGCONT)
        assert calls == ["before", "later"]
        later()
        calls.clear()
        os.kill(os.getpid(), signal.SIGCONT)
        assert calls == ["before"]
    finally:
        signal.signal(signal.SIGCONT, before)
