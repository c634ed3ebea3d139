"""Reading on in transcripts: torn, replaced, endless, foreign; and finding those of a work tree."""

import hashlib
import json
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ags_tui.core.transcripts import Head
from ags_tui.io.plain_reads import NotPlain
from ags_tui.io.transcripts import LONGEST_LINE, Tail, checked, is_of, live, subagents

SAMPLES = Path(__file__).parents[1] / "core/transcripts"


def line(kind: str, **fields: object) -> bytes:
    block = {"type": kind, **fields}
    return json.dumps({"sessionId": "s", "message": {"content": [block]}}).encode() + b"\n"


def call(call_id: str) -> bytes:
    asked = line("tool_use", id=call_id, name="Bash", input={})
    return asked + line("tool_result", tool_use_id=call_id, content="")


def tail(path: Path, **more: int) -> Tail:
    return Tail(str(path), "claude-code", [str(path.parent)], **more)


def ids(reader: Tail, **more: int) -> list[str]:
    return [one.call_id for one in reader.read(**more)]


def test_each_look_reads_what_is_new_and_a_torn_line_waits_for_its_end(tmp_path: Path):
    path, whole = tmp_path / "t.jsonl", call("b")
    path.write_bytes(call("a") + whole[:-7])
    reader = tail(path)
    assert ids(reader) == ["a"]
    assert ids(reader) == []
    with path.open("ab") as stream:
        stream.write(whole[-7:] + call("c"))
    assert ids(reader) == ["b", "c"]
    assert (ids(reader), reader.cost) == ([], 0)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=40)
@given(cuts=st.lists(st.integers(1, 400), min_size=1, max_size=12))
def test_however_it_is_cut_the_same_calls_are_seen(tmp_path: Path, cuts: list[int]):
    path, data = tmp_path / "t.jsonl", b"".join(call(name) for name in "abcdef") + b"\xff{\n" + call("g")
    path.write_bytes(b"")
    reader, seen = tail(path), list[str]()
    for cut in [*cuts, len(data)]:
        with path.open("ab") as stream:
            stream.write(data[:cut])
        data = data[cut:]
        seen += ids(reader)
    assert seen == list("abcdefg")


def test_a_look_reads_so_much_and_the_next_one_goes_on(tmp_path: Path):
    path = tmp_path / "t.jsonl"
    path.write_bytes(b"".join(call(name) for name in "abc"))
    reader, seen = tail(path), list[str]()
    for _ in range(60):
        seen += ids(reader, limit=20)
        assert reader.cost <= 20
    assert seen == list("abc")


def test_a_file_that_is_cut_off_or_replaced_is_read_from_its_beginning(tmp_path: Path):
    path = tmp_path / "t.jsonl"
    path.write_bytes(call("a") + call("b"))
    reader = tail(path)
    assert ids(reader) == ["a", "b"]
    path.write_bytes(call("c"))
    assert ids(reader) == ["c"]
    (tmp_path / "new").write_bytes(call("d") * 3)
    os.replace(tmp_path / "new", path)
    assert set(ids(reader)) == {"d"}
    path.unlink()
    assert ids(reader) == []


def test_an_endless_line_costs_one_line_and_what_follows_is_read(tmp_path: Path):
    path = tmp_path / "t.jsonl"
    path.write_bytes(b'{"x":"' + b"y" * (3 * LONGEST_LINE))
    reader = tail(path)
    for _ in range(8):
        assert ids(reader, limit=LONGEST_LINE) == []
        assert len(reader._rest) <= LONGEST_LINE  # pyright: ignore[reportPrivateUsage]
    with path.open("ab") as stream:
        stream.write(b'"}\n' + call("a"))
    assert ids(reader) == ["a"]


def test_of_a_long_one_the_end_is_read_and_the_beginning_says_whose_it_is(tmp_path: Path):
    path = tmp_path / "rollout-x.jsonl"
    sample = (SAMPLES / "exec-shell.jsonl").read_bytes()
    path.write_bytes(sample + b"\n" * 20_000 + sample.replace(b"call_0_0", b"call_9_9"))
    reader = Tail(str(path), "codex", [str(tmp_path)], back=len(sample) + 100)
    assert ids(reader) == ["call_9_9"]
    assert reader.head.cwd == "/home/dev/repo"


def test_what_is_no_plain_file_below_a_home_is_not_opened(tmp_path: Path):
    home, path = tmp_path / "home", tmp_path / "home/t.jsonl"
    home.mkdir()
    outside, beside = tmp_path / "t.jsonl", tmp_path / "homestead"
    beside.mkdir()
    outside.write_bytes(call("a"))
    (home / "link").symlink_to(tmp_path)
    path.symlink_to(outside)
    os.mkfifo(home / "pipe.jsonl")
    (home / "folder.jsonl").mkdir()
    places = (outside, home / "link/t.jsonl", path, home / "pipe.jsonl", home / "folder.jsonl")
    for place in (*map(str, places), "/dev/zero", "t.jsonl", f"{home}/../t.jsonl", f"{home}/a\0b"):
        with pytest.raises(NotPlain):
            Tail(place, "claude-code", [str(home)]).read()
    with pytest.raises(NotPlain):
        checked(str(beside / "x"), [str(home)])


def test_a_file_of_somebody_else_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "t.jsonl"
    path.write_bytes(call("a"))
    monkeypatch.setattr(os, "geteuid", lambda: path.stat().st_uid + 1)
    with pytest.raises(NotPlain):
        tail(path).read()


def lay(path: Path, at: float) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"")
    os.utime(path, (at, at))
    return str(path)


def test_transcripts_are_found_where_clients_keep_them(tmp_path: Path):
    home = str(tmp_path)
    here = lay(tmp_path / ".claude/projects/-w-re-po/a.jsonl", 50)
    inside = lay(tmp_path / ".claude/projects/-w-re-po-src/b.jsonl", 60)
    lay(tmp_path / ".claude/projects/-w-re-po/old.jsonl", 5)
    lay(tmp_path / ".claude/projects/-w-re-popular/c.jsonl", 70)
    (tmp_path / ".claude/projects/-w-re-po/link.jsonl").symlink_to(here)
    assert live("claude-code", home, "/w/re.po", 10) == (inside, here)
    day = lay(tmp_path / ".codex/sessions/2026/12/01/rollout-a.jsonl", 50)
    before = lay(tmp_path / ".codex/sessions/2026/11/30/rollout-b.jsonl", 60)
    lay(tmp_path / ".codex/sessions/2026/10/30/rollout-c.jsonl", 60)
    lay(tmp_path / ".codex/sessions/2026/12/01/other.jsonl", 60)
    assert live("codex", home, "/w/re.po", 10) == (before, day)
    chat = lay(tmp_path / ".gemini/tmp/x/chats/session-a.jsonl", 50)
    assert live("gemini", home, "/w/re.po", 10) == (chat,)
    assert live("gemini", f"{home}/none", "/w/re.po", 10) == ()


def test_only_the_newest_are_looked_at(tmp_path: Path):
    made = [lay(tmp_path / f".claude/projects/-w/{number}.jsonl", 100 + number) for number in range(30)]
    assert live("claude-code", str(tmp_path), "/w", 0) == tuple(reversed(made[-8:]))


def test_whose_a_transcript_is(tmp_path: Path):
    top = str(tmp_path.resolve())
    assert is_of("codex", Head("s", top), top)
    assert is_of("claude-code", Head("s", f"{top}/src"), top)
    for cwd in (f"{top}2", "", "src", f"{top}/..", f"{top}\0"):
        assert not is_of("codex", Head("s", cwd), top)
    assert is_of("gemini", Head("s", "", hashlib.sha256(top.encode()).hexdigest()), top)
    assert not is_of("gemini", Head("s", top), top)


def test_subagents_have_transcripts_of_their_own(tmp_path: Path):
    found = lay(tmp_path / "s/subagents/agent-1.jsonl", 50)
    lay(tmp_path / "s/subagents/agent-1.meta.json", 50)
    assert subagents(str(tmp_path / "s.jsonl")) == (found,)
