"""The normal form of an answer."""

from __future__ import annotations

from itertools import count

import pytest

from perdure.core.messages import calls_of
from perdure.core.text import without_lone_surrogates
from perdure.providers.answers import DraftCall, build_answer, clean_arguments
from perdure.providers.base import Answer


def build(*calls: DraftCall, text: str = "", truncated: bool = False) -> Answer:
    numbers = count(1)
    return build_answer(
        text=text,
        calls=calls,
        truncated=truncated,
        usage=None,
        new_call_id=lambda: f"new_{next(numbers)}",
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
