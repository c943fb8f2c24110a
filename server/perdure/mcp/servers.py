"""The MCP servers of one folder: connected when their tools are first wanted, then kept.

What a server offers is asked anew for each configuration: a changed list of tools counts from the
next run on, and a server that has ended is started again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from perdure.errors import ToolError
from perdure.json_types import JsonObject
from perdure.mcp.declared import Declared, declared
from perdure.mcp.errors import McpError
from perdure.mcp.spec import Secrets, ServerSpec, check
from perdure.mcp.tool import McpTool
from perdure.tools.base import ToolResult

if TYPE_CHECKING:
    from perdure.mcp.connection import Connection

START_SECONDS = 10.0
"""How long a server may take to start and to list its tools (section 24)."""

MOST_NAMED = 5
"""Tools that cannot be used, of one server; of others only the number is told."""

NOT_INSTALLED = (
    "cannot be used, because the package mcp is not installed: pip install 'perdure[mcp]'"
)

State: TypeAlias = Literal["starting", "connected", "failed"]


@dataclass(frozen=True, slots=True)
class ServerState:
    """One server as it is shown; ``message`` says what is wrong, "" for nothing."""

    name: str
    state: State
    tools: int = 0
    message: str = ""


class McpServers:
    """Connects and closes; each problem of a server is told once.

    ``root`` and ``environ`` are where commands run and what they may inherit. ``tell`` shows the
    user a sentence, ``log`` takes what servers write to standard error.
    """

    def __init__(
        self,
        *,
        root: Path,
        environ: Mapping[str, str],
        tell: Callable[[str], None],
        log: Callable[[str], None],
    ) -> None:
        self._root = root
        self._environ = environ
        self._tell = tell
        self._log = log
        self._told: set[str] = set()
        self._open: dict[ServerSpec, Connection] = {}
        self._states: dict[str, ServerState] = {}

    @property
    def states(self) -> Sequence[ServerState]:
        """The configured servers, as far as they were needed yet."""
        return tuple(self._states.values())

    async def tools(
        self, specs: Sequence[ServerSpec], *, secret_names: Collection[str] = ()
    ) -> list[McpTool]:
        """Return the tools of all servers that can be reached, in the order of ``specs``.

        ``secret_names`` are variables that no command inherits, beside the keys of known
        providers. The servers are asked at the same time, so this takes ``START_SECONDS`` and a
        moment at most, once the SDK is imported.
        """
        for spec in [spec for spec in self._open if spec not in specs]:
            await self._open.pop(spec).close()
        self._states = {
            spec.name: self._states.get(spec.name, ServerState(spec.name, "starting"))
            for spec in specs
        }
        if specs:
            await asyncio.to_thread(_import_sdk)
        found = await asyncio.gather(*(self._tools_of(spec, secret_names) for spec in specs))
        return [tool for tools in found for tool in tools]

    async def close(self) -> None:
        """Close all connections and end the servers on stdio. Idempotent."""
        connections = list(self._open.values())
        self._open.clear()
        await asyncio.gather(*(connection.close() for connection in connections))

    async def _tools_of(self, spec: ServerSpec, secret_names: Collection[str]) -> list[McpTool]:
        state = ServerState(spec.name, "failed")
        tools: list[McpTool] = []
        try:
            check(spec)
            async with asyncio.timeout(START_SECONDS):
                found = await self._declared(spec, secret_names)
        except McpError as error:
            state = replace(state, message=str(error))
        except TimeoutError:
            await self._cut(spec)
            state = replace(state, message=f"did not answer within {START_SECONDS:g} s")
        else:
            state = ServerState(spec.name, "connected", len(found.tools), _left_out(found))
            tools = [
                McpTool(spec.name, name, definition, spec.approval, self._caller(spec))
                for name, definition in found.tools
            ]
        self._show(state)
        return tools

    async def _declared(self, spec: ServerSpec, secret_names: Collection[str]) -> Declared:
        """Ask a server what it offers; one that has ended is started again."""
        connection = self._open.get(spec)
        if connection is not None:
            try:
                offers = await connection.offers()
            except McpError:
                await self._cut(spec)
            else:
                return declared(spec.name, offers)
        connection = await self._connect(spec, secret_names)
        return declared(spec.name, await connection.offers())

    async def _connect(self, spec: ServerSpec, secret_names: Collection[str]) -> Connection:
        """Open a connection."""
        try:
            from perdure.mcp.connection import Connection
            from perdure.mcp.wire import wire
        except ModuleNotFoundError:
            raise McpError(NOT_INSTALLED) from None
        secrets = Secrets(spec, self._environ)

        def log(line: str) -> None:
            self._log(f"MCP server {spec.name}: {secrets.hidden(line)}")

        made = wire(
            spec, root=self._root, environ=self._environ, secret_names=secret_names, log=log
        )
        connection = Connection(spec.name, made, secrets)
        self._open[spec] = connection
        try:
            await connection.open()
        except McpError:
            await self._cut(spec)
            raise
        return connection

    async def _cut(self, spec: ServerSpec) -> None:
        connection = self._open.pop(spec, None)
        if connection is not None:
            await connection.close()

    def _caller(self, spec: ServerSpec) -> Callable[[str, JsonObject], Awaitable[ToolResult]]:
        async def call(tool: str, arguments: JsonObject) -> ToolResult:
            connection = self._open.get(spec)
            if connection is None:
                raise ToolError(f"The MCP server {spec.name} is not connected.")
            return await connection.call(tool, arguments, timeout_seconds=spec.timeout_seconds)

        return call

    def _show(self, state: ServerState) -> None:
        """Show the state, and tell what is wrong unless it was told before."""
        self._states[state.name] = state
        sentence = f"MCP server {state.name}: {state.message}."
        if state.message and sentence not in self._told:
            self._told.add(sentence)
            self._tell(sentence)


def _import_sdk() -> None:
    """Import what takes long, where it does not hold up the event loop."""
    with suppress(ModuleNotFoundError):
        import_module("perdure.mcp.connection")


def _left_out(found: Declared) -> str:
    if not found.left_out:
        return ""
    named, more = found.left_out[:MOST_NAMED], len(found.left_out) - MOST_NAMED
    rest = f"; and {more} more" if more > 0 else ""
    return f"has tools that cannot be used: {'; '.join(named)}{rest}"
