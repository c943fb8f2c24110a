"""The normal form of an answer."""

from __future__ import annotations

from itertools import count

import pytest

from perdure.agent.keys import Keys
from perdure.core.messages import calls_of
from perdure.core.text import without_lone_surrogates
from perdure.json_types import JsonObject
from perdure.providers.answers import DraftCall, build_answer, clean_arguments
from perdure.providers.base import Answer
from perdure.providers.request_json import request_json
from perdure.providers.shapes import parse_json


def build(
    *calls: DraftCall, text: str = "", truncated: bool = False, opaque: JsonObject | None = None
) -> Answer:
    numbers = count(1)
    return build_answer(
        text=text,
        calls=calls,
        truncated=truncated,
        usage=None,
        new_call_id=lambda: f"new_{next(numbers)}",
        opaque=opaque,
    )


CALL = DraftCall("a", "read", "{}")


@pytest.mark.hazard("content is null only when there are calls and no text")
def test_content_and_stop_reason() -> None:
    assert build().message == {"role": "assistant", "content": ""}
    assert build(CALL).message["content"] is None
    assert build(CALL, text="x").message["content"] == "x"
    assert [build(text="x").stop_reason, build(CALL).stop_reason] == ["stop", "toolUse"]
    assert build(CALL, truncated=True).stop_reason == "length"
    assert len(calls_of(build(CALL, truncated=True).message)) == 1


@pytest.mark.hazard("the model re-uses call_1 twice in one turn, or sends an empty id")
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["a", "b"], ["a", "b"]),
        (["a", "a", "a"], ["a", "new_1", "new_2"]),
        (["", "", "x"], ["new_1", "new_2", "x"]),
        (["null", "new_1"], ["new_2", "new_1"]),
        (["\ud83d", "x"], ["\ufffd", "x"]),
    ],
)
def test_ids_are_unique(given: list[str], expected: list[str]) -> None:
    answer = build(*(DraftCall(call_id, "read", "{}") for call_id in given))
    assert [call["id"] for call in calls_of(answer.message)] == expected


@pytest.mark.hazard("bad argument JSON")
@pytest.mark.parametrize(
    ("given", "stored"),
    [("", "{}"), ("  ", "{}"), ("null", "{}"), ("{}{}", "{}{}"), ("[1]", "[1]"), ('{"a', '{"a')],
)
def test_arguments_are_kept_raw_unless_there_are_none(given: str, stored: str) -> None:
    answer = build(DraftCall("a", "read", given))
    assert calls_of(answer.message)[0]["function"]["arguments"] == stored


@pytest.mark.hazard("lone surrogates")
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("x\ud83dy", "x\ufffdy"),
        ("\udd80", "\ufffd"),
        ("\ud83e\udd80", "🦀"),
        ("\ud83e\ud83e\udd80", "\ufffd🦀"),
        ("plain 🦀", "plain 🦀"),
    ],
)
def test_lone_surrogates_are_replaced(given: str, expected: str) -> None:
    assert without_lone_surrogates(given) == expected
    assert build(text=given).message["content"] == expected


@pytest.mark.hazard("lone surrogates")
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (r'{"a":"\ud83d"}', r'{"a":"\ufffd"}'),
        (r'{"a":"\uD83E\uDD80"}', r'{"a":"\uD83E\uDD80"}'),
        (r'{"a":"\udd80\ud83e"}', r'{"a":"\ufffd\ufffd"}'),
        (r'{"a":"\\ud83d"}', r'{"a":"\\ud83d"}'),
        (r'{"a":"\n\u0041"}', r'{"a":"\n\u0041"}'),
        ("\ud83d", "\ufffd"),
    ],
)
def test_escaped_lone_surrogates_in_arguments(given: str, expected: str) -> None:
    assert clean_arguments(given) == expected


@pytest.mark.parametrize("depth", [1, 190, 300, 900])
def test_what_the_model_wants_back_can_always_be_sent_back(depth: int) -> None:
    """A server may nest it as deeply as our parser goes, which is deeper than all else goes."""
    text = "[" * depth + "]" * depth
    opaque: JsonObject = {"reasoning_details": parse_json(text)}
    answer = build(CALL, opaque=opaque)
    cleaned = Keys({"sk-a-key-1"}).without_in_answer(answer)
    sent = request_json(cleaned.opaque or {})
    assert sent == (f'{{"reasoning_details":{text}}}' if depth < 200 else "{}").encode()
