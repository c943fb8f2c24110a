"""After any history and any compaction the next request is one that both protocols accept."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from tests.support.log import Log
from tests.support.resume import state_of
from tests.unit.core.test_compaction_cut import histories

from perdure.core.compaction import plan_compaction
from perdure.core.context import model_messages
from perdure.core.masking import ResultMasks
from perdure.providers.anthropic_request import encode_request as anthropic_body
from perdure.providers.base import ModelRequest
from perdure.providers.openai_dialect import Dialect
from perdure.providers.openai_request import Encoder


@pytest.mark.requirement(115)
@pytest.mark.hazard("Fuzz histories × cut points: legal for OpenAI and Anthropic shapes")
@settings(max_examples=60)
@given(histories())
def test_legal_for_both_shapes(log: Log) -> None:
    plan = plan_compaction(state_of(log.to_bytes()))
    if plan is not None:
        log.compact(keep=len(plan.retained_entry_ids)).attempt().summary().finish()
    state = state_of(log.prompt("and now").attempt().to_bytes())
    for shown in (state, ResultMasks().applied(state)):
        request = ModelRequest("system", model_messages(shown), ())
        body = Encoder(model="m", options={}, dialect=Dialect()).encode(request)
        _assert_legal_messages(json.loads(body)["messages"])
        _assert_legal_turns(json.loads(anthropic_body(request, model="m", options={}))["messages"])


def _assert_legal_messages(messages: list[Any]) -> None:
    """Assert that all calls of a message are answered, each once, before anything else is said."""
    owed = set[str]()
    for message in messages:
        if message["role"] == "tool":
            owed.remove(message["tool_call_id"])
            continue
        assert not owed
        owed = {call["id"] for call in message.get("tool_calls", [])}
    assert not owed


def _assert_legal_turns(turns: list[Any]) -> None:
    """Assert that turns alternate and that calls are answered first of all, each once."""
    assert [turn["role"] for turn in turns] == ["user", "assistant"] * (len(turns) // 2) + ["user"]
    for turn, following in pairwise(turns):
        called = [block["id"] for block in turn["content"] if block["type"] == "tool_use"]
        answers = [block.get("tool_use_id") for block in following["content"]]
        assert sorted(answers[: len(called)]) == sorted(called)
        assert all(answer is None for answer in answers[len(called) :])
