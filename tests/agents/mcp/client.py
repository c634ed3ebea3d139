"""A real MCP client on a real process of ``ags-tui mcp``."""

import json
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp.client.session import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client

from ags_tui.io.places import Places
from tests.cli.conftest import Cli
from tests.core.workflow.making import SUITE, Workshop


@dataclass
class Told:
    """What a tool answered."""

    ok: bool
    data: Any
    error: dict[str, Any] | None

    @property
    def code(self) -> str:
        assert not self.ok, self.data
        assert self.error is not None
        return self.error["code"]

    @property
    def details(self) -> Any:
        assert self.error is not None
        return self.error["details"]


@dataclass
class Client:
    """The client."""

    session: ClientSession
    problems: list[Exception]
    """What came over the wire and was no message."""

    async def __call__(self, tool: str, /, **arguments: Any) -> Told:
        """Call a tool; checks the shape that every answer has."""
        result = await self.session.call_tool(tool, arguments)
        (item,) = result.content
        assert item.type == "text"
        answer = json.loads(item.text)
        assert answer.keys() == {"schemaVersion", "ok", "data", "error"}
        assert answer["schemaVersion"] == "1.0.0"
        assert result.is_error is not answer["ok"]
        assert (answer["error"] is None) is answer["ok"]
        if result.structured_content is not None:
            assert result.structured_content == answer
        return Told(answer["ok"], answer["data"], answer["error"])


@asynccontextmanager
async def connected(
    cli: Cli, *, errors: Path | None = None, folder: Path | None = None
) -> AsyncGenerator[Client]:
    """Start the server, as a client does, and end it by closing its stdin."""
    words = cli.arguments("mcp")
    server = StdioServerParameters(
        command=sys.executable, args=words[1:], env=cli.env(), cwd=folder or cli.work
    )
    problems: list[Exception] = []

    async def heard(message: Any) -> None:
        if isinstance(message, Exception):
            problems.append(message)

    with (errors or cli.folder / "mcp-stderr.txt").open("a") as log:
        async with (
            stdio_client(server, errlog=log) as (reading, writing),
            ClientSession(reading, writing, message_handler=heard) as session,
        ):
            await session.initialize()
            yield Client(session, problems)
    assert problems == []


def workshop(cli: Cli, providers: list[str] | None = None) -> Workshop:
    """The providers of AGS's own tests for this repository, and a store on the same folders."""
    made = Workshop.__new__(Workshop)
    made.root = cli.root
    made.places = Places(cli.folder / "state", cli.folder / "config")
    made.lay(SUITE if providers is None else providers)
    return made
