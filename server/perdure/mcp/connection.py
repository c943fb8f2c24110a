"""One connection to an MCP server. Imports the SDK, so it is imported when one is configured.

The SDK's client belongs to the task that entered it. So each connection is a task of its own,
which enters, waits until it is asked to leave, and leaves.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import Any

from mcp import Client
from mcp.client import Transport
from mcp.client.session import ClientSession
from mcp_types import CallToolResult, Implementation, PaginatedRequestParams

from perdure import __version__
from perdure.errors import ToolError
from perdure.json_types import JsonObject
from perdure.mcp.declared import MAX_TOOLS, Offer
from perdure.mcp.errors import McpError
from perdure.mcp.results import tool_result
from perdure.mcp.spec import Secrets
from perdure.tools.base import ToolResult
from perdure.tools.text import one_line

MAX_WORDS = 300
"""Characters of what a server says of an error."""
LEAVE_SECONDS = 1.2
"""How long a server may take to end before its connection is cut."""

logger = logging.getLogger(__name__)


class Connection:
    """A client over ``wire``. ``open`` first; ``close`` in any case.

    Nothing that it returns or raises holds one of the ``secrets``.
    """

    def __init__(self, name: str, wire: Transport, secrets: Secrets) -> None:
        self._name = name
        self._secrets = secrets
        self._wire = wire
        self._leave = asyncio.Event()
        self._session: asyncio.Future[ClientSession] = asyncio.get_running_loop().create_future()
        self._task: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Connect and agree on the protocol. Raises ``McpError``."""
        self._task = asyncio.create_task(self._live())
        either: tuple[asyncio.Future[Any], ...] = (self._task, self._session)
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if not self._session.done():
            raise McpError(f"could not be started: {self._words(self._task.exception())}")

    async def offers(self) -> list[Offer]:
        """Ask which tools there are now. Raises ``McpError``, also when the server has ended."""
        offers: list[Offer] = []
        params: PaginatedRequestParams | None = None
        try:
            while len(offers) <= MAX_TOOLS:
                page = await self._session.result().list_tools(params=params)
                offers += [
                    Offer(tool.name, tool.description or "", tool.input_schema)
                    for tool in page.tools
                ]
                if page.next_cursor is None:
                    break
                params = PaginatedRequestParams(cursor=page.next_cursor)
        except Exception as error:
            raise McpError(f"does not list its tools: {self._words(error)}") from error
        return offers

    async def call(self, tool: str, arguments: JsonObject, *, timeout_seconds: float) -> ToolResult:
        """Call a tool. Raises ``ToolError`` when there is no answer to tell the model.

        Cancelling tells the server that nobody waits any more.
        """
        try:
            async with asyncio.timeout(timeout_seconds):
                answer = await self._session.result().call_tool(tool, arguments)
        except TimeoutError:
            raise ToolError(
                f"The MCP server {self._name} did not answer within {timeout_seconds:g} s; "
                "whether the call had an effect is not known."
            ) from None
        except Exception as error:
            raise ToolError(f"The MCP server {self._name} failed: {self._words(error)}.") from error
        if not isinstance(answer, CallToolResult):
            raise ToolError(f"The MCP server {self._name} asks for input, which is not supported.")
        result = tool_result(answer)
        return replace(result, content=self._secrets.hidden(result.content))

    async def close(self) -> None:
        """End the connection and, on stdio, the server, within ``LEAVE_SECONDS``."""
        self._leave.set()
        if self._task is None:
            return
        _, late = await asyncio.wait({self._task}, timeout=LEAVE_SECONDS)
        if late:
            self._task.cancel()
            await asyncio.wait({self._task}, timeout=LEAVE_SECONDS)
        if self._task.done() and not self._task.cancelled():
            error = self._task.exception()
            if error is not None:
                logger.info("The connection to %s ended: %s", self._name, self._words(error))

    async def _live(self) -> None:
        info = Implementation(name="perdure", version=__version__)
        async with Client(self._wire, client_info=info, cache=None) as client:
            self._session.set_result(client.session)
            await self._leave.wait()

    def _words(self, error: BaseException | None) -> str:
        """Return what went wrong in a few words; of a group, its first error."""
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        lines = str(error).splitlines() or [type(error).__name__]
        return one_line(self._secrets.hidden(lines[0]).rstrip("."), limit=MAX_WORDS)
