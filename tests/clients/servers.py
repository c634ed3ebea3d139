"""Scripted model servers on loopback: Messages, Responses and Gemini API, as far as the clients need them.

A script is a list of turns; a turn is a list of ``Say`` and ``Call``. The n-th request that offers tools
gets turn n, the last one repeats. All that a client sent is kept: a test sees what reached the model.
"""

import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any


@dataclass(frozen=True)
class Say:
    """Text of the model."""

    text: str


@dataclass(frozen=True)
class Call:
    """A tool call of the model."""

    name: str
    input: Any
    """Arguments; a text for a free-form ("custom") tool of the Responses API."""
    namespace: str = ""
    """Where the tool is, for tools of other servers in the Responses API."""


Turn = Sequence[Say | Call]


class ModelServer:
    """A loopback server that plays a script; a context manager."""

    def __init__(self, script: Sequence[Turn]) -> None:
        self.script = list(script)
        self.requests: list[dict[str, Any]] = []
        """Bodies of the requests that got a turn, in order."""
        self._lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, format: str, *args: Any) -> None:
                """Stay silent."""

            def do_HEAD(self) -> None:
                self._send(b"", "application/json")

            def do_GET(self) -> None:
                self._send(b'{"object": "list", "data": [], "models": []}', "application/json")

            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers.get("content-length") or 0))
                try:
                    body = json.loads(raw or b"{}")
                except ValueError:
                    body = {}
                self._send(*outer.answer(self.path.split("?")[0], body))

            def _send(self, data: bytes, kind: str) -> None:
                self.send_response(200)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(data)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    def __enter__(self) -> "ModelServer":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def turn(self, body: dict[str, Any]) -> tuple[int, Turn]:
        """The next turn, with its number."""
        with self._lock:
            number = len(self.requests)
            self.requests.append(body)
        return number, self.script[min(number, len(self.script) - 1)]

    def answer(self, path: str, body: dict[str, Any]) -> tuple[bytes, str]:
        """Bytes and content type for one request."""
        raise NotImplementedError

    def seen(self) -> str:
        """All that reached the model, as one text."""
        return json.dumps(self.requests, ensure_ascii=False)


def _events(events: Sequence[dict[str, Any]]) -> bytes:
    return "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events).encode()


class Messages(ModelServer):
    """The Anthropic Messages API."""

    def answer(self, path: str, body: dict[str, Any]) -> tuple[bytes, str]:
        if path.endswith("/count_tokens"):
            return b'{"input_tokens": 100}', "application/json"
        number, turn = self.turn(body) if body.get("tools") else (-1, (Say("ok"),))
        blocks: list[dict[str, Any]] = []
        for at, one in enumerate(turn):
            if isinstance(one, Say):
                blocks.append({"type": "text", "text": one.text})
            else:
                blocks.append(
                    {
                        "type": "tool_use",
                        "id": f"toolu_{number:04}_{at:02}",
                        "name": one.name,
                        "input": one.input,
                    }
                )
        stop = "tool_use" if any(one["type"] == "tool_use" for one in blocks) else "end_turn"
        head: dict[str, Any] = {
            "id": f"msg_{number}", "type": "message", "role": "assistant",
            "model": body.get("model", "scripted"), "content": [], "stop_reason": None, "stop_sequence": None,
            "usage": {"input_tokens": 10, "output_tokens": 1},
        }  # fmt: skip
        if not body.get("stream"):
            head.update(content=blocks, stop_reason=stop)
            return json.dumps(head).encode(), "application/json"
        events: list[dict[str, Any]] = [{"type": "message_start", "message": head}]
        for index, block in enumerate(blocks):
            empty = {**block, "text": ""} if block["type"] == "text" else {**block, "input": {}}
            delta = (
                {"type": "text_delta", "text": block["text"]}
                if block["type"] == "text"
                else {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
            )
            events += [
                {"type": "content_block_start", "index": index, "content_block": empty},
                {"type": "content_block_delta", "index": index, "delta": delta},
                {"type": "content_block_stop", "index": index},
            ]
        events += [
            {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None},
             "usage": {"output_tokens": 20}},
            {"type": "message_stop"},
        ]  # fmt: skip
        return _events(events), "text/event-stream"


class Responses(ModelServer):
    """The OpenAI Responses API."""

    def answer(self, path: str, body: dict[str, Any]) -> tuple[bytes, str]:
        number, turn = self.turn(body)
        events: list[dict[str, Any]] = [{"type": "response.created", "response": {"id": f"resp_{number}"}}]
        for at, one in enumerate(turn):
            item = self._item(number, at, one)
            events += [
                {"type": f"response.output_item.{state}", "output_index": at, "item": item}
                for state in ("added", "done")
            ]
        usage = {
            "input_tokens": 10, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 5,
            "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 15,
        }  # fmt: skip
        events.append({"type": "response.completed", "response": {"id": f"resp_{number}", "usage": usage}})
        return _events(events), "text/event-stream"

    @staticmethod
    def _item(number: int, at: int, one: Say | Call) -> dict[str, Any]:
        name = f"{number}_{at}"
        if isinstance(one, Say):
            content = [{"type": "output_text", "text": one.text}]
            return {"type": "message", "id": f"msg_{name}", "role": "assistant", "content": content}
        if isinstance(one.input, str):
            return {
                "type": "custom_tool_call", "id": f"ct_{name}", "call_id": f"call_{name}", "name": one.name,
                "input": one.input, "status": "completed",
            }  # fmt: skip
        return {
            "type": "function_call", "id": f"fc_{name}", "call_id": f"call_{name}", "name": one.name,
            "arguments": json.dumps(one.input), **({"namespace": one.namespace} if one.namespace else {}),
        }  # fmt: skip


class Gemini(ModelServer):
    """The Gemini API."""

    def answer(self, path: str, body: dict[str, Any]) -> tuple[bytes, str]:
        if "countTokens" in path:
            return b'{"totalTokens": 10}', "application/json"
        if body.get("tools"):
            _, turn = self.turn(body)
        else:  # the client's own side calls: which model, a summary
            choice = {
                "reasoning": "r",
                "model_choice": "flash",
                "complexity_reasoning": "x",
                "complexity_score": 1,
            }
            turn = (Say(json.dumps(choice)),)
        parts = [
            {"text": one.text}
            if isinstance(one, Say)
            else {"functionCall": {"name": one.name, "args": one.input}}
            for one in turn
        ]
        found = {
            "candidates": [
                {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
            ],
            "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
            "modelVersion": "scripted",
        }
        data = json.dumps(found).encode()
        if "streamGenerateContent" in path:
            return b"data: " + data + b"\r\n\r\n", "text/event-stream"
        return data, "application/json"
