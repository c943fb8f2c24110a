"""What the scripted model server answers, as data.

A ``Reply`` is the exact shape of one HTTP response. The functions build those of a
chat-completions endpoint that streams::

    text_reply("Hello")                                  an answer
    calls_reply(("bash", {"command": "ls"}))             tool calls
    hang_reply()                                         nothing at all, until the client leaves
    hang_reply(text_reply("Hello"), after=2)             two chunks, then nothing
    cut_reply(text_reply("Hello"), after=2)              two chunks, then the connection breaks
    slow_reply(text_reply("Hello"), seconds=0.1)         a pause before each chunk
    error_reply(429, "slow down", {"retry-after": "7"})  an HTTP error
    by_turn(first, second, …)                            chosen by the answers in the request
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from perdure.json_types import JsonObject, JsonValue

Part: TypeAlias = bytes | float
"""Bytes to send and flush, or seconds to wait."""


@dataclass(frozen=True)
class Reply:
    """One HTTP response. ``status`` 0 closes the connection without one."""

    status: int = 200
    headers: Mapping[str, str] = field(
        default_factory=lambda: {"content-type": "text/event-stream"}
    )
    parts: tuple[Part, ...] = ()
    framing: Literal["chunked", "length", "close"] = "chunked"
    end: Literal["clean", "cut", "reset", "hang"] = "clean"


ReplyFunction: TypeAlias = Callable[[int, JsonObject], Reply]
"""From the number of the request (from 1) and its parsed body to the reply."""


def text_reply(text: str, *, pieces: int = 2, usage: tuple[int, int] = (10, 5)) -> Reply:
    """Return an answer that streams ``text`` in pieces and stops."""
    size = max(1, -(-len(text) // pieces))
    deltas: list[JsonObject] = [
        {"content": text[start : start + size]} for start in range(0, len(text), size)
    ]
    return _stream(deltas, "stop", usage)


def calls_reply(
    *calls: tuple[str, JsonObject | str],
    text: str = "",
    ids: tuple[str, ...] = (),
    finish: str = "tool_calls",
    usage: tuple[int, int] = (10, 5),
) -> Reply:
    """Return an answer with these calls; arguments given as text are sent as they stand.

    Without ``ids`` they are ``call_1``, ``call_2`` …, the same in every answer.
    """
    deltas: list[JsonObject] = [{"content": text}] if text else []
    for index, (name, arguments) in enumerate(calls):
        raw = arguments if isinstance(arguments, str) else json.dumps(arguments)
        call_id = ids[index] if ids else f"call_{index + 1}"
        deltas += _call_deltas(index, call_id, name, raw)
    return _stream(deltas, finish, usage)


def error_reply(status: int, message: str, headers: Mapping[str, str] | None = None) -> Reply:
    """Return an HTTP error with the usual envelope."""
    return Reply(
        status=status,
        headers={"content-type": "application/json", **(headers or {})},
        parts=(json.dumps({"error": {"message": message, "type": "error"}}).encode(),),
        framing="length",
    )


def hang_reply(reply: Reply | None = None, *, after: int = 0) -> Reply:
    """Return the first parts of ``reply`` and then silence; without it not even a status line."""
    return replace(reply or Reply(), parts=reply.parts[:after] if reply else (), end="hang")


def cut_reply(reply: Reply, *, after: int) -> Reply:
    """Return the first parts of ``reply`` and then a broken connection."""
    return replace(reply, parts=reply.parts[:after], end="cut")


def slow_reply(reply: Reply, *, seconds: float) -> Reply:
    """Return ``reply`` with a pause before each part."""
    parts: list[Part] = []
    for part in reply.parts:
        parts += [seconds, part]
    return replace(reply, parts=tuple(parts))


def by_turn(*replies: Reply) -> ReplyFunction:
    """Choose by the number of assistant messages in the request.

    A request that is sent again after a crash gets the same answer again; later turns than there
    are replies get the last one.
    """

    def choose(_number: int, body: JsonObject) -> Reply:
        messages = body.get("messages")
        assert isinstance(messages, list)
        turn = sum(isinstance(m, dict) and m.get("role") == "assistant" for m in messages)
        return replies[min(turn, len(replies) - 1)]

    return choose


def _call_deltas(index: int, call_id: str, name: str, raw: str) -> list[JsonObject]:
    middle = len(raw) // 2
    pieces = [raw[:middle], raw[middle:]]
    first: JsonObject = {
        "index": index,
        "id": call_id,
        "type": "function",
        "function": {"name": name, "arguments": pieces[0]},
    }
    second: JsonObject = {"index": index, "function": {"arguments": pieces[1]}}
    return [{"tool_calls": [first]}, {"tool_calls": [second]}]


def _stream(deltas: list[JsonObject], finish: str, usage: tuple[int, int]) -> Reply:
    choices: list[JsonObject] = [{"index": 0, "delta": delta} for delta in deltas]
    choices.append({"index": 0, "delta": {}, "finish_reason": finish})
    chunks: list[JsonObject] = [{"choices": [choice]} for choice in choices]
    counts: JsonObject = {"prompt_tokens": usage[0], "completion_tokens": usage[1]}
    chunks.append({"choices": [], "usage": counts})
    return Reply(parts=(*(_event(chunk) for chunk in chunks), b"data: [DONE]\n\n"))


def _event(value: JsonValue) -> bytes:
    return b"data: " + json.dumps(value).encode() + b"\n\n"
