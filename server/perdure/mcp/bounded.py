"""What a server may send, bounded in how many values it has. Imports the SDK.

The SDK checks every value of a message against its models, on the event loop. In 4 MB there is
room for a million empty objects, and for ten times as many complaints about them.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from types import TracebackType
from typing import Protocol, Self

from mcp.shared.message import SessionMessage
from mcp_types import INTERNAL_ERROR, ErrorData, JSONRPCError, JSONRPCMessage, JSONRPCResponse

MAX_VALUES = 10_000
"""Of one message; what the SDK takes as it is counts as one value."""

_TAKEN_AS_IS = frozenset({"structuredContent", "inputSchema", "outputSchema", "_meta"})

logger = logging.getLogger(__name__)


class Reads(Protocol):
    """What is needed of a stream of messages from a server."""

    async def receive(self) -> SessionMessage | Exception:
        """Return the next message."""
        ...

    async def __anext__(self) -> SessionMessage | Exception:
        """Return the next message, until there is none."""
        ...

    async def aclose(self) -> None:
        """Close the stream."""
        ...


class Writes(Protocol):
    """A stream of messages to a server."""

    async def send(self, item: SessionMessage, /) -> None:
        """Send a message."""
        ...

    async def aclose(self) -> None:
        """Close the stream."""
        ...

    async def __aenter__(self) -> Self:
        """Close the stream at the end."""
        ...

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> bool | None:
        """Close the stream."""
        ...


class BoundedReads:
    """The messages of a stream; answers that are too large are errors, other messages are lost."""

    def __init__(self, stream: Reads) -> None:
        self._stream = stream

    async def receive(self) -> SessionMessage | Exception:
        """Return the next message."""
        return await _next_kept(self._stream.receive)

    def __aiter__(self) -> Self:
        """Return the messages."""
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        """Return the next message, until there is none."""
        return await _next_kept(self._stream.__anext__)

    async def aclose(self) -> None:
        """Close the stream."""
        await self._stream.aclose()

    async def __aenter__(self) -> Self:
        """Close the stream at the end."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close the stream."""
        await self.aclose()


def has_too_many(value: object) -> bool:
    """Whether ``value`` has more than ``MAX_VALUES``; looks at no more than these."""
    left = MAX_VALUES
    waiting = [value]
    while waiting:
        whole = waiting.pop()
        if not isinstance(whole, list | dict):
            continue
        left -= len(whole)
        if left < 0:
            return True
        waiting += whole if isinstance(whole, list) else _checked(whole)
    return False


def _checked(whole: Mapping[str, object]) -> list[object]:
    return [part for name, part in whole.items() if name not in _TAKEN_AS_IS]


async def _next_kept(
    read: Callable[[], Awaitable[SessionMessage | Exception]],
) -> SessionMessage | Exception:
    while (kept := _kept(await read())) is None:
        continue
    return kept


def _kept(item: SessionMessage | Exception) -> SessionMessage | Exception | None:
    if isinstance(item, Exception):
        return item
    message: JSONRPCMessage = item.message
    match message:
        case JSONRPCResponse() if has_too_many(message.result):
            words = f"the answer has more than {MAX_VALUES:,} parts"
            error = ErrorData(code=INTERNAL_ERROR, message=words)
            return SessionMessage(JSONRPCError(jsonrpc="2.0", id=message.id, error=error))
        case JSONRPCResponse() | JSONRPCError():
            return item
        case _ if has_too_many(message.params):
            logger.warning("A message %s of an MCP server is too large", message.method[:100])
            return None
        case _:
            return item
