"""Anthropic's own protocol, Messages, over HTTP and streaming.

``anthropic_request`` makes the body, ``anthropic_stream`` reads the answer; both are pure.
"""

from __future__ import annotations

from collections.abc import Callable

from perdure.json_types import JsonObject
from perdure.providers.anthropic_request import encode_request
from perdure.providers.anthropic_stream import MessageAssembler
from perdure.providers.base import Delta, ModelRequest, ProviderIdentity
from perdure.providers.remote import RemoteProvider, new_call_id
from perdure.providers.thinking import messages_thinking
from perdure.providers.transport import key_headers
from perdure.providers.window_sources import WindowSource, anthropic_sources

DEFAULT_MAX_TOKENS = 32_000
"""The protocol demands a limit; this one all models since Claude Opus 4 allow."""


class AnthropicProvider(RemoteProvider):
    """The provider ``anthropic``; the base URL of its model does not hold the ``/v1``."""

    @property
    def identity(self) -> ProviderIdentity:
        """Identity for the configuration digest."""
        return ProviderIdentity(
            provider="anthropic",
            model=self._model.name,
            adapter="anthropic:messages:v1",
            routing=self._model.base_url.routing(self._model.name),
            output_options=self._options,
        )

    def _encode(self, request: ModelRequest) -> bytes:
        return encode_request(request, model=self._model.name, options=self._options)

    def _assembler(self, on_delta: Callable[[Delta], None]) -> MessageAssembler:
        return MessageAssembler(origin=self._origin, new_call_id=new_call_id, on_delta=on_delta)

    @property
    def _options(self) -> JsonObject:
        limit = self._model.max_output_tokens or DEFAULT_MAX_TOKENS
        return {"max_tokens": limit} | messages_thinking(self._model.name, self._model.thinking)

    @property
    def _url(self) -> str:
        return self._model.base_url.url("/v1/messages")

    @property
    def _key_headers(self) -> dict[str, str]:
        return key_headers("anthropic", self._model.api_key)

    @property
    def _window_sources(self) -> tuple[WindowSource, ...]:
        return anthropic_sources(self._model.base_url, self._model.name)
