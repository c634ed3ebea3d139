"""The streams of the server: messages alone, bounded lines, an answer to each call, and its end."""

import json
import os
import subprocess
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ags_tui.agents.mcp_server.stdio import LARGEST_LINE, Lines, reply_to
from tests.agents.mcp.conftest import TASK
from tests.cli.conftest import Cli
from tests.cli.human import Human

HELLO = {
    "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"},
}  # fmt: skip


class Wire:
    """A client that writes lines."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.process, self.stdin, self.stdout = process, process.stdin, process.stdout

    def line(self, data: bytes) -> None:
        self.stdin.write(data + b"\n")
        self.stdin.flush()

    def ask(self, number: int, method: str, params: dict[str, Any]) -> None:
        self.line(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode())

    def call(self, number: int, tool: str, **arguments: Any) -> None:
        self.ask(number, "tools/call", {"name": tool, "arguments": arguments})

    def heard(self) -> dict[str, Any]:
        return json.loads(self.stdout.readline())


@contextmanager
def wire(cli: Cli) -> Generator[Wire]:
    process = subprocess.Popen(
        cli.arguments("mcp"), cwd=cli.work, env=cli.env(),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    made = Wire(process)
    try:
        made.ask(0, "initialize", HELLO)
        assert made.heard()["id"] == 0
        made.line(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}')
        yield made
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None and not stream.closed:
                stream.close()


def until(fact: Callable[[], bool]) -> None:
    """Wait for a fact."""
    end = time.monotonic() + 30
    while not fact():
        assert time.monotonic() < end, "the fact did not come true"
        time.sleep(0.01)


def is_asked(cli: Cli) -> bool:
    return any((cli.task(TASK) / "escalations").glob("*.json"))


def test_stdout_carries_messages_alone_and_the_end_of_stdin_ends_it(cli: Cli, human: Human):
    with wire(cli) as client:
        client.call(1, "gate_status")
        first = client.heard()
        assert (first["id"], first["result"]["structuredContent"]["ok"]) == (1, True)
        client.call(2, "escalate", taskId=TASK, question="q", allowFreeText=True, waitSeconds=200)
        until(lambda: is_asked(cli))
        client.stdin.close()  # while a call waits
        rest = [json.loads(line) for line in client.stdout.read().splitlines()]
        assert all(line["id"] == 2 for line in rest)
        assert client.process.wait(60) == 0
        assert client.process.stderr is not None
        assert client.process.stderr.read() == b""


def test_a_client_that_has_gone_is_no_failure(cli: Cli, human: Human):
    with wire(cli) as client:
        client.stdout.close()
        client.call(1, "gate_status")  # nobody will hear the answer
        assert client.process.wait(60) == 0
    assert not list((cli.folder / "state").glob("crashes/*"))


@pytest.mark.parametrize(
    ("line", "name", "code"),
    [
        (b"not json", None, -32700),
        (b"\xff", None, -32700),
        (b'{"jsonrpc": "2.0", "id": 4, "method": "tools/list", "params": [' + b"[" * 5000, None, -32700),
        (b'{"jsonrpc": "2.0", "id": 4, "method": "tools/list", "params": {"a": "\\ud800"}}', 4, -32600),
        (b'{"jsonrpc": "2.0", "id": "x", "method": "tools/call", "params": []}', "x", None),
        (b'{"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {"name": "\\ud800"}}', 4, None),
        (b'[{"a": 1}]', None, -32600),
        (b" " * (LARGEST_LINE + 1), None, -32600),
    ],
    ids=["text", "bytes", "deep", "surrogate", "no-object", "call", "list", "long"],
)
def test_a_line_that_is_no_message_is_answered(line: bytes, name: object, code: int | None):
    from ags_tui.agents.mcp_server.serve import unreadable

    first, second = Lines().feed(line + b"\n{}\n")
    assert second == b"{}"
    reply = reply_to(first, unreadable)
    assert reply is not None
    said = json.loads(reply.model_dump_json(by_alias=True, exclude_unset=True))
    assert said["id"] == name
    if code is not None:
        assert said["error"]["code"] == code
        return
    answer = json.loads(said["result"]["content"][0]["text"])
    assert (said["result"]["isError"], answer["error"]["code"]) == (True, "INVALID_INPUT")


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"  \n",
        b'{"jsonrpc": "2.0", "method": "x", "params": 1}',
        b'{"jsonrpc": "2.0", "id": true, "method": "tools/call", "params": {"name": "\\ud800"}}',
        b'{"jsonrpc": "2.0", "id": "\\ud800", "method": "tools/call", "params": {"name": "x"}}',
        b'{"jsonrpc": "2.0", "id": "\\ud800", "method": "tools/list"}',
    ],
)
def test_who_waits_for_nothing_gets_nothing(line: bytes):
    from ags_tui.agents.mcp_server.serve import unreadable

    assert reply_to(line, unreadable) is None


@given(
    st.lists(st.binary(max_size=12).map(lambda one: one.replace(b"\n", b"")), max_size=6),
    st.lists(st.integers(1, 9)),
)
def test_lines_are_the_same_however_they_come(lines: list[bytes], cuts: list[int]):
    data, cutter, found = b"\n".join(lines), Lines(largest=8), list[bytes | None]()
    for size in cuts:
        if data:
            found += cutter.feed(data[:size])
            data = data[size:]
    found += (cutter.feed(data) if data else []) + cutter.feed(b"")
    wanted = lines[:-1] if lines and not lines[-1] else lines
    assert found == [one if len(one) <= 8 else None for one in wanted]


def test_after_such_lines_the_server_goes_on(cli: Cli, human: Human):
    with wire(cli) as client:
        client.line(b"not json")
        assert client.heard()["error"]["code"] == -32700
        client.line(b'{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "\\udead"}}')
        assert client.heard()["result"]["isError"] is True
        client.call(8, "gate_status")
        assert client.heard()["result"]["isError"] is False


def test_on_a_terminal_it_says_what_it_is(cli: Cli):
    ours, theirs = os.openpty()
    done = subprocess.run(
        cli.arguments("mcp"), cwd=cli.work, env=cli.env(), stdin=theirs, capture_output=True, check=False
    )
    os.close(ours)
    os.close(theirs)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"client" in done.stderr
