"""Any OpenAI-compatible endpoint: chat completions over HTTP, streaming.

``openai_request`` makes the body, ``openai_stream`` reads the answer; both are pure.
"""

from __future__ import annotations

from collections.abc import Callable

from perdure.providers.base import Delta, ModelRequest, ProviderIdentity
from perdure.providers.openai_dialect import dialect_of
from perdure.providers.openai_request import Encoder
from perdure.providers.openai_stream import ChatAssembler
from perdure.providers.remote import RemoteModel, RemoteProvider, new_call_id
from perdure.providers.thinking import chat_thinking
from perdure.providers.transport import key_headers
from perdure.providers.window_sources import WindowSource, openai_sources


class OpenAIChatProvider(RemoteProvider):
    """The provider ``openai``."""

    def __init__(self, model: RemoteModel) -> None:
        super().__init__(model)
        host = model.base_url.host
        dialect = dialect_of(host)
        self._options = dialect.output_options(model.max_output_tokens) | chat_thinking(
            host, model.name, model.thinking, is_local=model.base_url.is_loopback
        )
        self._encoder = Encoder(model=model.name, options=self._options, dialect=dialect)

    @property
    def identity(self) -> ProviderIdentity:
        """Identity for the configuration digest."""
        return ProviderIdentity(
            provider="openai",
            model=self._model.name,
            adapter="openai:chat-completions:v1",
            routing=self._model.base_url.routing(self._model.name),
            output_options=self._options,
        )

    def _encode(self, request: ModelRequest) -> bytes:
        return self._encoder.encode(request)

    def _assembler(self, on_delta: Callable[[Delta], None]) -> ChatAssembler:
        return ChatAssembler(
            origin=self._origin,
            max_output_tokens=self._model.max_output_tokens,
            new_call_id=new_call_id,
            on_delta=on_delta,
        )

    @property
    def _url(self) -> str:
        return self._model.base_url.url("/chat/completions")

    @property
    def _key_headers(self) -> dict[str, str]:
        return key_headers("openai", self._model.api_key)

    @property
    def _window_sources(self) -> tuple[WindowSource, ...]:
        return openai_sources(self._model.base_url, self._model.name)
