"""The body of a model server's response: bytes in, an answer out. Pure, for every protocol.

What the body is, is read from its first byte, not from the content type, which servers get wrong:
``{`` and ``[`` begin JSON (some servers ignore ``stream``), ``<`` a page of a proxy, anything
else is a stream of events.
"""

from __future__ import annotations

import json

from perdure.json_types import JsonObject, JsonValue
from perdure.providers.assembler import Assembler
from perdure.providers.base import Answer
from perdure.providers.errors import read_complaint
from perdure.providers.shapes import NotJson, as_object, parse_json
from perdure.providers.sse import ServerEvent, SseDecoder

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class ResponseBody:
    """Feed it the body; ``finish`` returns the answer."""

    def __init__(self, assembler: Assembler, *, content_type: str) -> None:
        self._assembler = assembler
        self._is_event_stream = "event-stream" in content_type
        self._events: SseDecoder | None = None
        self._is_document = False
        self._body = bytearray()

    @property
    def is_complete(self) -> bool:
        """Whether the server said that the answer is complete."""
        return self._assembler.is_complete

    def feed(self, data: bytes) -> bool:
        """Take the next bytes; return whether they brought the answer forward.

        Comments, pings and blank lines do not. Raises ProviderError.
        """
        if self._events is None:
            self._body += data
            self._events = self._recognise()
            if self._events is None:
                return self._is_document
            data = bytes(self._body)
        return self._take(self._events.feed(data))

    def finish(self) -> Answer:
        """Return the answer of a body that has ended, well or not. Raises ProviderError."""
        if self._events is not None:
            self._take(self._events.finish())
        else:
            self._whole_body()
        return self._assembler.answer()

    def _recognise(self) -> SseDecoder | None:
        """Return a decoder as soon as the body is known to be a stream of events."""
        if self._is_document:
            return None
        start = self._body.removeprefix(_BYTE_ORDER_MARK).lstrip()
        self._is_document = start.startswith((b"{", b"[", b"<"))
        if self._is_document or _BYTE_ORDER_MARK.startswith(start):
            return None
        return SseDecoder()

    def _take(self, events: list[ServerEvent]) -> bool:
        for event in events:
            if not self.is_complete:
                self._event(event)
        return bool(events)

    def _event(self, event: ServerEvent) -> None:
        if event.data.strip() == "[DONE]":
            self._assembler.end()
            return
        try:
            value = parse_json(event.data)
        except NotJson as error:
            raise self._assembler.failure(
                "bad_response", "The model server sent an event that is not JSON", retryable=True
            ) from error
        if event.name == "error" or isinstance(value, str):
            raise self._assembler.error_event(value)
        self._assembler.chunk(_first_object(value))

    def _whole_body(self) -> None:
        text = self._body.decode("utf-8-sig", "replace").lstrip()
        if not text:
            self._no_body()
            return
        if text.startswith("<"):
            raise self._assembler.failure(
                "bad_response", "The server answered with a web page instead of a completion"
            )
        value = self._json(text)
        if not self._assembler.document(_first_object(value)):
            said = read_complaint(value).message or "no completion"
            raise self._assembler.failure("bad_response", f"The server answered with: {said}")

    def _no_body(self) -> None:
        if not self._is_event_stream:
            raise self._assembler.failure(
                "bad_response", "The model server sent an empty answer", retryable=True
            )

    def _json(self, text: str) -> JsonValue:
        """Read one JSON value; what follows it (a stray ``[DONE]``) is ignored."""
        try:
            value: JsonValue
            value, _ = json.JSONDecoder(strict=False).raw_decode(text)
        except (ValueError, RecursionError) as error:
            raise self._assembler.failure(
                "bad_response", "The model server sent broken JSON", retryable=True
            ) from error
        return value


def _first_object(value: JsonValue) -> JsonObject:
    """Some servers wrap what they say in an array."""
    return as_object(value[0] if isinstance(value, list) and value else value)
