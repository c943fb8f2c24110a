"""The small interface behind which every wire protocol hides.

A provider turns one ``ModelRequest`` into one ``Answer`` or raises ``ProviderError``. It never
sends a request twice, stores nothing and knows no session.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from perdure.core.declarations import ToolDefinition
from perdure.core.facts import UsageCounters
from perdure.core.messages import AssistantMessage, Message, StopReason
from perdure.errors import PerdureError
from perdure.json_types import JsonObject
from perdure.providers.prices import Prices

DeltaKind: TypeAlias = Literal["text", "reasoning", "toolArguments"]
ErrorCode: TypeAlias = Literal[
    "auth",
    "permission",
    "not_found",
    "invalid_request",
    "request_too_large",
    "redirect",
    "billing",
    "context_overflow",
    "rate_limit",
    "overloaded",
    "server",
    "timeout",
    "network",
    "stream_incomplete",
    "bad_response",
    "content_filter",
    "tool_call_malformed",
]


class ProviderError(PerdureError):
    """A request did not give an answer that can be used.

    ``retryable`` and ``retry_after_ms`` are told to the user; nothing is retried by itself.
    ``usage`` is what the server charged, when it said so. The message is one sentence in plain
    words, without any key, header or URL query.
    """

    def __init__(
        self,
        message: str,
        *,
        code: ErrorCode,
        retryable: bool = False,
        retry_after_ms: int | None = None,
        http_status: int | None = None,
        usage: UsageCounters | None = None,
        partial: str = "",
    ) -> None:
        super().__init__(message, code=code)
        self.retryable = retryable
        self.retry_after_ms = retry_after_ms
        self.http_status = http_status
        self.usage = usage
        self.partial = partial


@dataclass(frozen=True, slots=True)
class ProviderIdentity:
    """What a provider contributes to the configuration identity (section 10).

    ``output_options`` is the object that is really sent, ``{}`` when there is none.
    """

    provider: Literal["openai", "anthropic", "demo"]
    model: str
    adapter: str
    routing: str
    output_options: JsonObject


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One physical request. ``tools`` is empty for a summary.

    ``opaque`` is what this very model gave with its earlier answers, by their index in
    ``messages``; any of it may be missing.
    """

    system: str
    messages: Sequence[Message]
    tools: tuple[ToolDefinition, ...]
    opaque: Mapping[int, JsonObject] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Delta:
    """A provisional piece of the answer, for display only."""

    kind: DeltaKind
    text: str
    tool_call_id: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """A complete answer, normalised: ``toolUse`` exactly when there are calls to run.

    Call ids are non-empty and unique within the message. Argument text that was empty, null or
    absent is ``"{}"``; text that is no JSON object is kept raw. Strings hold no lone surrogate.
    ``opaque`` is what must go back unchanged with this message, and only to the model that gave it
    (reasoning, signatures); it is no part of the message.
    """

    message: AssistantMessage
    stop_reason: StopReason
    usage: UsageCounters | None
    opaque: JsonObject | None = None


class Provider(Protocol):
    """One configured model behind one endpoint."""

    @property
    def identity(self) -> ProviderIdentity:
        """Identity for the configuration digest."""
        ...

    @property
    def context_window(self) -> int | None:
        """Context window in tokens, None when unknown."""
        ...

    @property
    def prices(self) -> Prices | None:
        """What the model costs, None when unknown."""
        ...

    async def complete(self, request: ModelRequest, on_delta: Callable[[Delta], None]) -> Answer:
        """Send the request once and return the whole answer.

        ``on_delta`` must not block. Cancelling the task closes the connection.
        Raises ``ProviderError``.
        """
        ...

    async def aclose(self) -> None:
        """Release connections. Idempotent."""
        ...
