"""What hook and server say to each other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ags_tui.agents.events import Reply
from ags_tui.agents.wire import AGENTS, MAX_HEAD, Caller, NotOurLanguage, head_of, read_head, reply_bytes

NAMES = st.text("abcXYZ019._-", max_size=100)


EVENTS = st.sampled_from(["", "Stop", "x" * 64])


@given(st.sampled_from(AGENTS), EVENTS, st.integers(0, 999_999), NAMES, st.integers(0, 10**8))
def test_a_head_is_read_as_it_was_written(agent, event, deadline, task, length):
    caller = Caller(agent, event, deadline, task)
    line = head_of(caller, length)
    assert line.endswith(b"\n")
    assert len(line) <= MAX_HEAD
    assert read_head(line[:-1]) == (caller, length)


@given(st.binary(max_size=200) | st.text("AGS1 codex-=09", max_size=60).map(str.encode))
def test_any_other_line_is_refused(line):
    try:
        caller, length = read_head(line)
    except NotOurLanguage:
        return
    assert caller.agent in AGENTS
    assert length >= 0


def test_odd_values_are_left_out():
    caller, _ = read_head(b"AGS1 codex - 5 deadline=soon task=../x more", 7)
    assert caller == Caller("codex", pid=7)


@pytest.mark.parametrize("code", [-1, 256])
def test_no_process_ends_like_that(code):
    with pytest.raises(ValueError, match="not a reply"):
        reply_bytes(Reply(code))


def test_a_reply():
    assert reply_bytes(Reply(2, b"ab", b"c")) == b"AGS1 2 2 1\nabc"
