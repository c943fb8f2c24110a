"""From the events of a protocol to an answer, or to an error that carries what had come. Pure."""

from __future__ import annotations

from abc import ABC, abstractmethod

from perdure.core.facts import UsageCounters
from perdure.json_types import JsonObject, JsonValue
from perdure.providers.base import Answer, ErrorCode, ProviderError
from perdure.providers.errors import read_complaint
from perdure.providers.origin import Origin


class Assembler(ABC):
    """Puts one answer of ``origin`` together; ``is_complete`` once the server said that it is."""

    def __init__(self, origin: Origin) -> None:
        self._origin = origin
        self._usage: UsageCounters | None = None
        self.is_complete = False

    @abstractmethod
    def chunk(self, value: JsonObject) -> None:
        """Take one event. Raises ProviderError for an error in it."""

    @abstractmethod
    def document(self, value: JsonObject) -> bool:
        """Take a whole answer; False when it is none. Raises ProviderError."""

    @abstractmethod
    def answer(self) -> Answer:
        """Return the answer. Raises ProviderError when there is none that can be used."""

    def end(self) -> None:
        """Note that the server said the answer is complete (``[DONE]``)."""
        self.is_complete = True

    def error_event(self, value: JsonValue) -> ProviderError:
        """Return the error that an error value means."""
        complaint = read_complaint(value)
        return self._origin.stream_failure(complaint, partial=self._partial, usage=self._usage)

    def failure(
        self, code: ErrorCode, text: str, *, retryable: bool | None = None
    ) -> ProviderError:
        """Return an error that carries the text and the usage so far."""
        return self._origin.failure(
            code, text, retryable=retryable, partial=self._partial, usage=self._usage
        )

    @property
    @abstractmethod
    def _partial(self) -> str:
        """The text so far."""
