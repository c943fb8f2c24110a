"""Whole conversations as services stream them, and what a history of theirs must be."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.model_replies import Reply, ReplyFunction, by_turn, hang_reply
from tests.support.model_server import assert_legal_history

from perdure.json_types import JsonObject


@dataclass(frozen=True)
class Conversation:
    """``opaque`` is what must go back with each answer: a text, content blocks, or None."""

    protocol: str
    prompts: list[str]
    answers: list[Reply]
    opaque: list[Any]

    def replies(self, *, hang_in: int | None = None) -> ReplyFunction:
        """Give the answers in turn; the first time, number ``hang_in`` stops in the middle."""
        whole = by_turn(*self.answers)
        hung: list[int] = []

        def reply(number: int, body: JsonObject) -> Reply:
            found = whole(number, body)
            if hang_in is None or hung or found is not self.answers[hang_in]:
                return found
            hung.append(number)
            return hang_reply(found, after=len(found.parts) // 2)

        return reply

    def assert_legal(self, body: JsonObject) -> None:
        """Assert that each call has exactly one result, in order, in the whole history."""
        if self.protocol == "openai":
            assert_legal_history(body)
        else:
            _assert_legal_turns(body)

    def opaque_sent(self, body: JsonObject) -> list[Any]:
        """Return what a request gives back, by answer."""
        messages: Any = body["messages"]
        answers = [message for message in messages if message["role"] == "assistant"]
        if self.protocol == "openai":
            return [answer.get("reasoning_content") for answer in answers]
        return [
            content if any(block["type"] == "thinking" for block in content) else None
            for content in (answer["content"] for answer in answers)
        ]


def load_conversation(path: Path) -> Conversation:
    """Read a file whose name says the protocol, ``openai.json`` or ``anthropic.json``."""
    recorded = json.loads(path.read_text("utf-8"))
    end = (b"data: [DONE]\n\n",) if path.stem == "openai" else ()
    answers = [Reply(parts=(*map(_event, events), *end)) for events in recorded["answers"]]
    return Conversation(path.stem, recorded["prompts"], answers, recorded["opaque"])


def _event(event: JsonObject) -> bytes:
    head = f"event: {event['type']}\n" if "type" in event else ""
    return f"{head}data: {json.dumps(event)}\n\n".encode()


def _assert_legal_turns(body: JsonObject) -> None:
    turns: Any = body["messages"]
    assert [turn["role"] for turn in turns[::2]] == ["user"] * len(turns[::2])
    assert [turn["role"] for turn in turns[1::2]] == ["assistant"] * len(turns[1::2])
    owed: list[str] = []
    seen: set[str] = set()
    for turn in turns:
        results = [b["tool_use_id"] for b in turn["content"] if b["type"] == "tool_result"]
        assert results == owed, f"results {results} where {owed} are owed"
        kinds = [block["type"] for block in turn["content"]]
        assert kinds[: len(results)] == ["tool_result"] * len(results), "results come first"
        owed = [block["id"] for block in turn["content"] if block["type"] == "tool_use"]
        assert not seen & set(owed), "an id is used twice"
        seen |= set(owed)
    assert not owed, f"the request ends without the results of {owed}"
