"""One word for how much to think, in the words of each endpoint."""

from __future__ import annotations

from itertools import product
from typing import get_args

import pytest

from perdure.json_types import JsonObject
from perdure.providers.thinking import Thinking, chat_thinking, messages_thinking, thinking_of

OPENAI = "api.openai.com"
DEEPSEEK = "api.deepseek.com"
GROQ = "api.groq.com"
GEMINI = "generativelanguage.googleapis.com"
LOCAL = "127.0.0.1"
NONE: JsonObject = {"reasoning_effort": "none"}
ADAPTIVE: JsonObject = {"type": "adaptive"}
DISABLED: JsonObject = {"thinking": {"type": "disabled"}}
ENABLED: JsonObject = {"thinking": {"type": "enabled"}}

CHAT: list[tuple[str, str, Thinking, JsonObject]] = [
    (OPENAI, "gpt-5", "default", {}),
    (OPENAI, "gpt-5", "low", {"reasoning_effort": "low"}),
    (OPENAI, "gpt-5", "off", {"reasoning_effort": "minimal"}),
    (OPENAI, "gpt-5-mini-2025-08-07", "off", {"reasoning_effort": "minimal"}),
    (OPENAI, "gpt-5.1", "off", NONE),
    (OPENAI, "gpt-5.1", "high", {"reasoning_effort": "high"}),
    (OPENAI, "gpt-5.2", "off", NONE),
    (OPENAI, "gpt-5.2", "high", {}),
    (OPENAI, "gpt-5.4-mini", "default", NONE),
    (OPENAI, "gpt-5.6-terra", "high", NONE),
    (OPENAI, "gpt-5.10", "off", NONE),
    (OPENAI, "gpt-5.3-codex", "high", {}),
    (OPENAI, "o3", "medium", {"reasoning_effort": "medium"}),
    (OPENAI, "o3", "off", {}),
    (OPENAI, "gpt-4.1", "high", {}),
    (OPENAI, "gpt-5-chat-latest", "high", {}),
    (OPENAI, "gpt-5-pro", "low", {}),
    (DEEPSEEK, "deepseek-v4-pro", "off", DISABLED),
    (DEEPSEEK, "deepseek-v4-pro", "low", ENABLED),
    (GROQ, "openai/gpt-oss-120b", "low", {"reasoning_effort": "low"}),
    (GROQ, "openai/gpt-oss-120b", "off", {}),
    (GROQ, "llama-3.3-70b-versatile", "low", {}),
    (GEMINI, "gemini-2.5-flash", "off", NONE),
    (GEMINI, "gemini-3-pro", "off", {}),
    (GEMINI, "gemini-3-pro", "low", {"reasoning_effort": "low"}),
    ("openrouter.ai", "any/model", "off", NONE),
    ("openrouter.ai", "any/model", "high", {"reasoning_effort": "high"}),
    (LOCAL, "llama", "off", NONE),
    ("api.mistral.ai", "mistral-large-latest", "high", {}),
    ("somewhere.example", "gpt-5", "high", {}),
]

MESSAGES: list[tuple[str, Thinking, JsonObject]] = [
    ("claude-sonnet-5", "default", {}),
    ("claude-sonnet-5", "off", DISABLED),
    ("claude-sonnet-5", "low", {"thinking": ADAPTIVE, "output_config": {"effort": "low"}}),
    ("claude-opus-4-6", "high", {"thinking": ADAPTIVE, "output_config": {"effort": "high"}}),
    ("claude-opus-5-5", "off", {}),
    ("claude-opus-4-7", "off", {}),
    ("claude-fable-5-1", "off", {}),
    ("claude-sonnet-4-5", "high", {}),
    ("claude-sonnet-4-5-20250929", "high", {}),
    ("claude-sonnet-4-20250514", "high", {}),
    ("claude-3-7-sonnet-latest", "high", {}),
]


@pytest.mark.parametrize(("host", "model", "thinking", "options"), CHAT)
def test_chat_completions(host: str, model: str, thinking: Thinking, options: JsonObject) -> None:
    assert chat_thinking(host, model, thinking, is_local=host == LOCAL) == options


@pytest.mark.parametrize(("model", "thinking", "options"), MESSAGES)
def test_messages(model: str, thinking: Thinking, options: JsonObject) -> None:
    assert messages_thinking(model, thinking) == options


def test_what_was_sent_tells_a_word_that_sends_the_same() -> None:
    for (host, model, _, _), thinking in product(CHAT, get_args(Thinking)):
        sent = chat_thinking(host, model, thinking, is_local=host == LOCAL)
        limited = {"max_tokens": 5, **sent}
        again = chat_thinking(host, model, thinking_of(limited), is_local=host == LOCAL)
        assert again == sent
    for (model, _, _), thinking in product(MESSAGES, get_args(Thinking)):
        sent = messages_thinking(model, thinking)
        assert messages_thinking(model, thinking_of({"max_tokens": 5, **sent})) == sent
