"""Finding a model server on this machine, without an HTTP library and within 300 ms."""

from __future__ import annotations

import asyncio

from perdure.providers.endpoint import BaseUrl
from perdure.providers.shapes import NotJson, as_list, as_object, as_text, parse_json

_SECONDS = 0.3
_MOST_BYTES = 1024 * 1024


async def first_model(base_url: BaseUrl) -> str | None:
    """Return the first model that a server on loopback offers, None when none answers in time."""
    try:
        async with asyncio.timeout(_SECONDS):
            answer = await _get(base_url, "/models")
    except (OSError, TimeoutError):
        return None
    head, _, body = answer.partition(b"\r\n\r\n")
    try:
        models = as_object(parse_json(body.decode("utf-8", "replace")))
    except NotJson:
        return None
    names = (as_text(as_object(model).get("id")) for model in as_list(models.get("data")))
    return next((name for name in names if name), None) if b" 200 " in head[:16] else None


async def _get(base_url: BaseUrl, suffix: str) -> bytes:
    """HTTP/1.0, so that the body comes unchunked and ends with the connection."""
    reader, writer = await asyncio.open_connection(base_url.host, base_url.port)
    try:
        request = f"GET {base_url.path}{suffix} HTTP/1.0\r\nHost: {base_url.authority}\r\n\r\n"
        writer.write(request.encode())
        return await _read_to_end(reader)
    finally:
        writer.close()


async def _read_to_end(reader: asyncio.StreamReader) -> bytes:
    answer = b""
    while len(answer) < _MOST_BYTES and (data := await reader.read(64 * 1024)):
        answer += data
    return answer
