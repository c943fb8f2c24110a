"""The two transports: a command on stdio, and streamable HTTP. Imports the SDK."""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Collection, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeAlias

import httpx2
from mcp.client import Transport
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from perdure.mcp.bounded import BoundedReads, Writes
from perdure.mcp.errors import McpError
from perdure.mcp.keeper import MAX_LINE
from perdure.mcp.log_pipe import LogPipe
from perdure.mcp.spec import ServerSpec, expanded, is_loopback
from perdure.tools.environment import without_secrets
from perdure.tools.own_python import own_python

Streams: TypeAlias = tuple[BoundedReads, Writes]

_CONNECT_SECONDS = 10.0
_REDIRECTS = range(300, 400)


def wire(
    spec: ServerSpec,
    *,
    root: Path,
    environ: Mapping[str, str],
    secret_names: Collection[str],
    log: Callable[[str], None],
) -> Transport:
    """Return the transport of a server, not opened yet.

    ``root`` is the folder in which a command runs where the settings name none. It inherits
    ``environ`` without the keys of providers and the variables in ``secret_names``; the settings
    may name those all the same. ``log`` takes the lines that it writes to standard error. Raises
    ``McpError``.
    """
    if spec.url:
        return _http(spec, expanded(spec.headers, environ))
    environment = {**without_secrets(environ, secret_names), **expanded(spec.env, environ)}
    folder = root / Path(spec.cwd).expanduser() if spec.cwd else root
    if shutil.which(spec.command, path=environment.get("PATH")) is None:
        raise McpError(f"the program {spec.command} is not found")
    if not folder.is_dir():
        raise McpError(f"the folder {folder} is not there")
    return _stdio(spec, folder, environment, log)


@asynccontextmanager
async def _stdio(
    spec: ServerSpec, folder: Path, environment: dict[str, str], log: Callable[[str], None]
) -> AsyncGenerator[Streams]:
    words = [spec.command, *spec.args]
    command, *args = own_python("perdure.mcp.keeper", *words) if os.name == "posix" else words
    parameters = StdioServerParameters(
        command=command, args=args, env=environment, cwd=folder, encoding_error_handler="replace"
    )
    with LogPipe(log) as pipe:
        async with stdio_client(parameters, errlog=pipe.writing) as (reads, writes):
            pipe.writing.close()
            yield BoundedReads(reads), writes


@asynccontextmanager
async def _http(spec: ServerSpec, headers: dict[str, str]) -> AsyncGenerator[Streams]:
    """Connect to a url; a server on this machine is never asked through a proxy."""
    waiting = max(spec.timeout_seconds, _CONNECT_SECONDS)
    client = httpx2.AsyncClient(
        headers=headers,
        timeout=httpx2.Timeout(_CONNECT_SECONDS, read=waiting),
        trust_env=not is_loopback(spec.url),
        event_hooks={"response": [_guard]},
    )
    async with (
        client,
        streamable_http_client(spec.url, http_client=client, max_sse_event_size=MAX_LINE) as (
            reads,
            writes,
        ),
    ):
        yield BoundedReads(reads), writes


async def _guard(response: httpx2.Response) -> None:
    """Refuse redirects (section 24), and bound what is read of an answer."""
    if response.status_code in _REDIRECTS:
        raise httpx2.TransportError("the server redirects, which is not followed")
    is_stream = response.headers.get("content-type", "").startswith("text/event-stream")
    if isinstance(response.stream, httpx2.AsyncByteStream) and not is_stream:
        response.stream = _Bounded(response.stream)


class _Bounded(httpx2.AsyncByteStream):
    """A stream that ends with an error after ``MAX_LINE`` bytes."""

    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = MAX_LINE
        async for chunk in self._stream:
            left -= len(chunk)
            if left < 0:
                raise httpx2.TransportError("the answer is too long")
            yield chunk

    async def aclose(self) -> None:
        """Close the stream."""
        await self._stream.aclose()
