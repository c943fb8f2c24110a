"""Reading the shared wire vectors; their README says what the fields mean."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from tests.support.model_replies import Part, Reply

from perdure.core.arguments import parse_arguments
from perdure.core.messages import Call, Message, calls_of
from perdure.json_types import JsonObject, JsonValue
from perdure.providers.base import Answer

CHEAP_BYTES = 8192


class NotSupported(Exception):
    """The vector wants something that Perdure does not do yet."""


@dataclass(frozen=True)
class Vector:
    """One vector."""

    raw: JsonObject

    @property
    def id(self) -> str:
        """Its name."""
        return str(self.raw["id"])

    @property
    def api(self) -> str:
        """``openai-chat`` or ``anthropic-messages``."""
        return str(self.raw["api"])

    @property
    def service(self) -> str:
        """The service whose habits a request must meet, "" for none in particular."""
        return str(self.raw.get("provider", ""))

    @property
    def is_request(self) -> bool:
        """Whether it checks what is sent rather than what comes back."""
        return self.raw.get("kind") == "request"

    @property
    def expect(self) -> JsonObject:
        """What must come of it."""
        return member(self.raw, "expect")

    @property
    def exchange(self) -> JsonObject:
        """The first exchange."""
        exchanges = self.raw["exchanges"]
        assert isinstance(exchanges, list)
        assert isinstance(exchanges[0], dict)
        return exchanges[0]

    @property
    def max_tokens(self) -> int | None:
        """What the client must send as its token limit."""
        value = member(self.raw, "request").get("maxTokens")
        return value if isinstance(value, int) else None

    @property
    def timeout_seconds(self) -> float:
        """How long the client shall bear silence."""
        value = member(self.raw, "client").get("readTimeoutMs", 10_000)
        assert isinstance(value, int)
        return value / 1000

    @property
    def is_cheap_to_cut(self) -> bool:
        """Whether its body may also be sent in tiny pieces without costing much time."""
        parts = [part for part in reply_of(self, None).parts if isinstance(part, bytes)]
        is_stream = self.exchange["framing"] == "chunked" and self.exchange["end"] != "hang"
        return is_stream and sum(map(len, parts)) < CHEAP_BYTES


def load_vectors(folder: Path) -> list[Vector]:
    """Return all vectors of a folder, in the order of their names."""
    return [Vector(json.loads(path.read_bytes())) for path in sorted(folder.glob("*.json"))]


def reply_of(vector: Vector, size: int | None) -> Reply:
    """Return the first exchange as a reply, its body cut into pieces of ``size`` bytes."""
    exchange = vector.exchange
    body = exchange["body"]
    assert isinstance(body, list)
    parts = [_part(part) for part in body if isinstance(part, dict)]
    return Reply(
        status=int(str(exchange["status"])),
        headers={name: str(value) for name, value in member(exchange, "headers").items()},
        parts=tuple(parts if size is None else _cut(parts, size)),
        framing=exchange["framing"],  # type: ignore[arg-type]
        end=exchange["end"],  # type: ignore[arg-type]
    )


def history(vector: Vector) -> list[Message]:
    """Return the history of a request vector as stored messages."""
    messages = vector.raw["history"]
    assert isinstance(messages, list)
    return [_message(message) for message in messages if isinstance(message, dict)]


def opaque(vector: Vector) -> dict[int, JsonObject]:
    """Return the opaque data of the history of a request vector, by index of the message."""
    messages = vector.raw["history"]
    assert isinstance(messages, list)
    found: dict[int, JsonObject] = {}
    for index, message in enumerate(messages):
        assert isinstance(message, dict)
        calls = message.get("toolCalls", [])
        assert isinstance(calls, list)
        extras = [call["extra"] for call in calls if isinstance(call, dict) and "extra" in call]
        if extras:
            found[index] = {"tool_calls": extras}
        if "replay" in message:
            found[index] = member(message, "replay")
    return found


def assert_message(vector: Vector, answer: Answer, thinking: str) -> None:
    """Compare an answer with the expected message, as far as an answer can hold it."""
    message = member(vector.expect, "message")
    assert (answer.message["content"] or "") == expand(message["text"])
    assert (answer.message["content"] is None) == (
        calls_of(answer.message) != [] and not message["text"]
    )
    assert [comparable(call) for call in calls_of(answer.message)] == expected_calls(vector, answer)
    assert answer.stop_reason == vector.expect["stopReason"]
    if "thinking" in message:
        assert thinking == message["thinking"]
    if "usage" in vector.expect:
        usage = vector.expect["usage"]
        keys = ("input", "output", "cacheRead", "cacheWrite")
        expected = {key: usage[key] for key in keys} if isinstance(usage, dict) else None
        assert answer.usage == expected
    if "replay" in vector.expect:
        assert answer.opaque == vector.expect["replay"]


def comparable(call: Call) -> JsonObject:
    """Return a call in the form of the vectors."""
    text = call["function"]["arguments"]
    arguments = parse_arguments(text)
    found: JsonObject = {"id": call["id"], "name": call["function"]["name"], "arguments": arguments}
    return found if arguments is not None else found | {"rawArguments": text, "invalid": True}


def expected_calls(vector: Vector, answer: Answer) -> list[JsonObject]:
    """Return the expected calls with the wildcards for ids replaced by what was found."""
    calls = member(vector.expect, "message")["toolCalls"]
    assert isinstance(calls, list)
    found = [call["id"] for call in calls_of(answer.message)]
    assert len(set(found)) == len(found)
    assert all(found)
    expected: list[JsonObject] = []
    for index, call in enumerate(calls):
        assert isinstance(call, dict)
        is_any = isinstance(call["id"], dict) and index < len(found)
        expected.append(call | ({"id": found[index]} if is_any else {}))
    return expected


def assert_checks(vector: Vector, body: JsonObject) -> None:
    """Run the checks of a request vector on the body that was sent, without its system message."""
    messages = body["messages"]
    assert isinstance(messages, list)
    messages[:] = [m for m in messages if isinstance(m, dict) and m["role"] != "system"]
    checks = vector.raw["checks"]
    assert isinstance(checks, list)
    for check in checks:
        assert isinstance(check, list)
        assert _holds(check, body), check


def member(value: JsonObject, key: str) -> JsonObject:
    """Return an object member, empty when it is missing."""
    found = value.get(key, {})
    assert isinstance(found, dict)
    return found


def expand(value: JsonValue) -> str:
    """Return a text, written out when the vector abbreviates it."""
    if isinstance(value, dict):
        repeated = value["$repeat"]
        assert isinstance(repeated, list)
        return str(repeated[0]) * int(str(repeated[1]))
    return str(value)


def _part(part: JsonObject) -> Part:
    match part:
        case {"sleep_ms": int(ms)}:
            return ms / 1000
        case {"b64": str(text)}:
            return base64.b64decode(text)
        case {"repeat": str(text), "times": int(times)}:
            return (text * times).encode()
        case {"text": str(text)}:
            return text.encode()
        case _:
            raise NotSupported(str(part))


def _cut(parts: list[Part], size: int) -> list[Part]:
    cut: list[Part] = []
    for is_data, group in groupby(parts, key=lambda part: isinstance(part, bytes)):
        run = list(group)
        if is_data:
            data = b"".join(part for part in run if isinstance(part, bytes))
            cut += [data[start : start + size] for start in range(0, len(data), size)]
        else:
            cut += run
    return cut


def _message(message: JsonObject) -> Message:
    text = str(message["text"])
    if message["role"] == "user":
        return {"role": "user", "content": text}
    if message["role"] == "toolResult":
        return {"role": "tool", "tool_call_id": str(message["toolCallId"]), "content": text}
    calls = message["toolCalls"]
    assert isinstance(calls, list)
    return {
        "role": "assistant",
        "content": text or None,
        "tool_calls": [_call(call) for call in calls if isinstance(call, dict)],
    }


def _call(call: JsonObject) -> Call:
    text = call["rawArguments"] if call.get("invalid") else json.dumps(call["arguments"])
    function = {"name": str(call["name"]), "arguments": str(text)}
    return {"id": str(call["id"]), "type": "function", "function": function}  # type: ignore[typeddict-item]


def _holds(check: list[JsonValue], body: JsonObject) -> bool:
    operation, pointer, *rest = check
    found = _at(body, str(pointer))
    match operation:
        case "absent-type":
            return all(item.get("type") != rest[0] for item in _objects(found))
        case "no-empty-text":
            return all(item.get("text") != "" for item in _objects(found))
        case "eq":
            return found == rest[0]
        case "re":
            return re.search(str(rest[0]), str(found)) is not None
        case "same":
            return found == _at(body, str(rest[0]))
        case "differ":
            return found != _at(body, str(rest[0]))
        case "validjson":
            return isinstance(json.loads(str(found)), dict)
        case "utf8":
            return bool(json.dumps(found, ensure_ascii=False).encode())
        case _:
            raise NotSupported(str(operation))


def _objects(value: JsonValue) -> Iterator[JsonObject]:
    """Yield all objects below a value, and the value itself."""
    if isinstance(value, dict):
        yield value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for item in inner:
        yield from _objects(item)


def _at(body: JsonValue, pointer: str) -> JsonValue:
    for step in pointer.split("/")[1:]:
        body = (
            body[int(step)]
            if isinstance(body, list)
            else body.get(step)
            if isinstance(body, dict)
            else None
        )
    return body
