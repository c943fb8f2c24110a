"""Bodies of chat-completions servers, in any pieces: what becomes of them.

The shared wire vectors hold the common cases; here are those that they leave out.
"""

from __future__ import annotations

import json
from itertools import count, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perdure.core.messages import calls_of
from perdure.json_types import JsonObject, JsonValue
from perdure.providers.base import Answer, Delta, ProviderError
from perdure.providers.openai_stream import ChatAssembler
from perdure.providers.origin import Origin
from perdure.providers.response_body import ResponseBody


def read(*pieces: bytes, content_type: str = "text/event-stream") -> tuple[Answer, list[Delta]]:
    deltas: list[Delta] = []
    numbers = count(1)
    assembler = ChatAssembler(
        origin=Origin("models.example"),
        max_output_tokens=64,
        new_call_id=lambda: f"new_{next(numbers)}",
        on_delta=deltas.append,
    )
    response = ResponseBody(assembler, content_type=content_type)
    for piece in pieces:
        response.feed(piece)
    return response.finish(), deltas


def stream(*values: JsonValue, done: bool = True) -> bytes:
    events = [f"data: {json.dumps(value)}\n\n" for value in values]
    return "".join([*events, "data: [DONE]\n\n" if done else ""]).encode()


def chunk(delta: JsonObject, finish: str | None = None, **extra: JsonValue) -> JsonObject:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **extra}


def fragment(
    index: int | None, call_id: str | None, name: str | None, text: str | None
) -> JsonObject:
    call: JsonObject = {"id": call_id, "function": {"name": name, "arguments": text}}
    return {"tool_calls": [call if index is None else {**call, "index": index}]}


def calls(answer: Answer) -> list[tuple[str, str, str]]:
    return [
        (call["id"], call["function"]["name"], call["function"]["arguments"])
        for call in calls_of(answer.message)
    ]


Calls = list[tuple[str, str, str]]
ASSEMBLY: dict[str, tuple[list[JsonObject], Calls]] = {
    "name repeated with no index": (
        [fragment(None, "a", "read", '{"x"'), fragment(None, "a", "read", ":1}")],
        [("a", "read", '{"x":1}')],
    ),
    "no index, no id, no name": (
        [fragment(None, "a", "read", "{"), fragment(None, None, None, "}")],
        [("a", "read", "{}")],
    ),
    "no index, no id, but a name": (
        [fragment(None, "", "read", "{}"), fragment(None, "", "read", "{}")],
        [("new_1", "read", "{}"), ("new_2", "read", "{}")],
    ),
    "name completed": (
        [fragment(0, "a", "re", ""), fragment(0, "a", "read", "{}")],
        [("a", "read", "{}")],
    ),
    "the same id in two calls": (
        [fragment(0, "a", "read", "{}"), fragment(1, "a", "bash", "{}")],
        [("a", "read", "{}"), ("new_1", "bash", "{}")],
    ),
    "calls interleaved": (
        [
            fragment(0, "a", "read", "{"),
            fragment(1, "b", "bash", "{}"),
            fragment(0, None, None, "}"),
        ],
        [("a", "read", "{}"), ("b", "bash", "{}")],
    ),
}


@pytest.mark.parametrize(("fragments", "expected"), ASSEMBLY.values(), ids=ASSEMBLY.keys())
def test_assembly_of_calls(fragments: list[JsonObject], expected: Calls) -> None:
    answer, _ = read(stream(*map(chunk, fragments), chunk({}, "tool_calls")))
    assert calls(answer) == expected


@pytest.mark.hazard("calls present with finish_reason stop: honoured; tool_calls without calls")
@pytest.mark.parametrize("finish", ["stop", "tool_calls", "function_call", "eos"])
def test_calls_decide_not_the_reason(finish: str) -> None:
    with_call, _ = read(stream(chunk(fragment(0, "a", "read", "{}")), chunk({}, finish)))
    assert with_call.stop_reason == "toolUse"
    without, _ = read(stream(chunk({"content": "x"}), chunk({}, finish)))
    assert without.stop_reason == "stop"


@pytest.mark.hazard("length with complete-looking arguments, or stop with incomplete ones")
def test_calls_of_a_cut_answer() -> None:
    cut, _ = read(stream(chunk(fragment(0, "a", "read", "{}")), chunk({}, "length")))
    assert (cut.stop_reason, calls(cut)) == ("length", [("a", "read", "{}")])
    usage: JsonObject = {"prompt_tokens": 1, "completion_tokens": 64}
    unsaid, _ = read(stream(chunk(fragment(0, "a", "read", '{"p')), chunk({}, "stop", usage=usage)))
    assert unsaid.stop_reason == "length"
    incomplete, _ = read(stream(chunk(fragment(0, "a", "read", '{"p')), chunk({}, "stop")))
    assert calls(incomplete) == [("a", "read", '{"p')]


def test_deltas_are_for_display() -> None:
    _, deltas = read(
        stream(
            chunk({"reasoning": "hm"}),
            chunk({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "m"}]}]}),
            chunk({"content": "x\ud83d"}),
            chunk(fragment(0, "a", "read", "{}")),
            chunk({}, "stop"),
        )
    )
    assert deltas == [
        Delta("reasoning", "hm"),
        Delta("reasoning", "m"),
        Delta("text", "x\ufffd"),
        Delta("toolArguments", "{}", "a"),
    ]


ERROR: JsonObject = {"message": "boom", "type": "overloaded_error"}
FAULTS: dict[str, tuple[bytes, str]] = {
    "error at the top": (stream({"error": ERROR}), "overloaded"),
    "error in the choice": (stream({"choices": [{"error": ERROR}]}), "overloaded"),
    "error in an array": (stream([{"error": ERROR}]), "overloaded"),
    "error as an object": (stream({"object": "error", "message": "boom"}), "server"),
    "error as a text": (stream("boom"), "server"),
    "error of Anthropic": (stream({"type": "error", "error": ERROR}), "overloaded"),
    "event of that name": (b'event: error\ndata: {"message": "boom"}\n\n', "server"),
    "error in a whole body": (json.dumps({"error": ERROR}).encode(), "overloaded"),
    "no completion": (b'{"detail": "boom"}', "bad_response"),
    "reason of Gemini": (stream(chunk({}, "MALFORMED_FUNCTION_CALL")), "tool_call_malformed"),
    "call without a name": (stream(chunk(fragment(0, "a", "", "{}"))), "tool_call_malformed"),
    "end in a call": (
        stream(chunk(fragment(0, "a", "read", "{")), done=False),
        "stream_incomplete",
    ),
    "page": (b"<html>boom</html>", "bad_response"),
    "deep nesting": (b"data: " + b"[" * 100_000 + b"\n\n", "bad_response"),
}


@pytest.mark.requirement(32)
@pytest.mark.hazard("HTTP 200 with an error object; streams that end early: nothing executed")
@pytest.mark.parametrize(("body", "code"), FAULTS.values(), ids=FAULTS.keys())
def test_bodies_that_are_no_answer(body: bytes, code: str) -> None:
    with pytest.raises(ProviderError) as raised:
        read(body)
    assert raised.value.code == code
    assert ("boom" in str(raised.value)) == (b"boom" in body and b"<" not in body)
    assert "no effect" not in str(raised.value)


def test_a_failed_answer_carries_its_text_and_its_usage() -> None:
    usage: JsonObject = {"prompt_tokens": 3, "completion_tokens": 4}
    with pytest.raises(ProviderError) as raised:
        read(stream(chunk({"content": "so far"}, usage=usage), {"error": "boom"}))
    assert raised.value.partial == "so far"
    assert raised.value.usage == {"input": 3, "output": 4, "cacheRead": 0, "cacheWrite": 0}


def test_a_whole_completion() -> None:
    call: JsonObject = {"id": "a", "function": {"name": "read", "arguments": {"p": 1}}}
    message: JsonObject = {"content": None, "tool_calls": [call, call]}
    choice: JsonObject = {"message": message, "finish_reason": "tool_calls"}
    body = b"\n\n" + json.dumps({"choices": [choice]}).encode() + b"\n\ndata: [DONE]\n\n"
    answer, _ = read(*(body[i : i + 1] for i in range(len(body))))
    assert calls(answer) == [("a", "read", '{"p": 1}'), ("new_1", "read", '{"p": 1}')]


def test_only_the_first_choice_counts() -> None:
    other: JsonObject = {"choices": [{"index": 1, "delta": {"content": "B"}}]}
    answer, _ = read(stream(chunk({"content": "A"}), other, chunk({}, "stop")))
    assert answer.message["content"] == "A"


BODY = b"\xef\xbb\xbf: ping\r\n\r\n" + stream(
    chunk({"content": "你好 🦀 \u2028"}),
    chunk(fragment(0, "a", "read", '{"p"')),
    chunk(fragment(0, None, None, ":1}")),
    chunk({}, "stop", usage={"prompt_tokens": 3, "completion_tokens": 4}),
).replace(b"\n", b"\r\n")


@pytest.mark.hazard("same stream in pieces of any size: same result")
@given(st.lists(st.integers(0, len(BODY)), max_size=12))
def test_the_pieces_do_not_matter(cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(BODY)]
    pieces = [BODY[start:end] for start, end in pairwise(places)]
    assert read(*pieces) == read(BODY)
