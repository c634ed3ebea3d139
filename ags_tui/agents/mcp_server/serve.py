"""The server on stdin and stdout: the official SDK speaks the protocol, ``Caller`` does the work.

Work is done in threads, one step at a time, so that a call that waits or takes long holds up no other; a call
that the client gives up does no further step. While the server runs, whatever else prints to stdout goes to
stderr.
"""

from collections.abc import Generator

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server

from ags_tui import __version__
from ags_tui.agents.mcp_server.answers import Answer, refusal
from ags_tui.agents.mcp_server.calls import Caller
from ags_tui.agents.mcp_server.stdio import bounded_stdio
from ags_tui.agents.mcp_server.tools import INSTRUCTIONS, TOOLS, Tool
from ags_tui.core.workflow.failures import WorkflowRefused

AT_ONCE = 16
"""Most steps that are done at the same time; waiting is no step."""

Context = ServerRequestContext[object]


def serve(caller: Caller) -> None:
    """Serve one client until it closes stdin.

    Args:
        caller: Carries out its calls.
    """
    anyio.run(_serve, caller)


async def _serve(caller: Caller) -> None:
    threads = anyio.CapacityLimiter(AT_ONCE)

    async def list_tools(_: Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_described(tool) for tool in TOOLS.values()])

    async def call_tool(_: Context, asked: types.CallToolRequestParams) -> types.CallToolResult:
        return _result(await _done(caller.steps(asked.name, asked.arguments), threads))

    server = Server(
        "ags-tui",
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
    async with bounded_stdio(unreadable) as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


async def _done(steps: Generator[float, None, Answer], threads: anyio.CapacityLimiter) -> Answer:
    while True:
        found = await anyio.to_thread.run_sync(_step, steps, limiter=threads)
        if isinstance(found, Answer):
            return found
        await anyio.sleep(found)


def _step(steps: Generator[float, None, Answer]) -> float | Answer:
    try:
        return next(steps)
    except StopIteration as end:
        return end.value


def _described(tool: Tool) -> types.Tool:
    hints = types.ToolAnnotations(
        read_only_hint=tool.reads_only, destructive_hint=False, open_world_hint=False
    )
    return types.Tool(
        name=tool.name, description=tool.description, input_schema=tool.takes(), annotations=hints
    )


def _result(answer: Answer) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=answer.text)],
        structured_content=answer.structured,
        is_error=not answer.ok,
    )


def unreadable(message: str) -> types.CallToolResult:
    """Return the answer to a call that is no strict JSON.

    Args:
        message: What is wrong with it.
    """
    details = {"validationErrors": [{"path": "", "message": message}]}
    return _result(refusal(WorkflowRefused("INVALID_INPUT", message, details)))
