"""How much a model shall think before it answers: one word of ours, many on the wire. Pure.

``default`` says nothing and leaves it to the model. The other words are sent only where the
endpoint is known to take them; elsewhere they would be refused, and nothing is sent either.
"""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from perdure.json_types import JsonObject

Thinking: TypeAlias = Literal["default", "off", "low", "medium", "high"]

_OFF_IS_NONE = frozenset({"openrouter.ai", "generativelanguage.googleapis.com"})
_EFFORT = re.compile(r"(?:openai/)?(?:gpt-5|o[134]|gpt-oss)(?:[.-]|$)")
_NO_EFFORT = re.compile(r"chat-latest|-chat$|-pro(?:-|$)")
_OLDEST_GPT_5 = re.compile(r"gpt-5(?:-mini|-nano)?(?:-\d|$)")
_GPT_5_WITH_NONE = re.compile(r"gpt-5\.\d+(?!.*codex)")
_FIXED_BUDGET = re.compile(r"claude-(?:[23]|(?:opus|sonnet|haiku)-4(?:-[0-5])?(?:-\d{8})?$)")
_ALWAYS_ON = re.compile(r"claude-(?:fable|mythos|opus-5-[5-9])")


def chat_thinking(host: str, model: str, thinking: Thinking, *, is_local: bool) -> JsonObject:
    """Return what a chat-completions endpoint is sent: OpenAI's ``reasoning_effort`` mostly.

    Servers on this machine take it or ignore it.
    """
    if thinking == "default":
        return {}
    if host == "api.deepseek.com":
        return {"thinking": {"type": "disabled" if thinking == "off" else "enabled"}}
    if is_local or host in _OFF_IS_NONE:
        return {"reasoning_effort": "none" if thinking == "off" else thinking}
    if host not in ("api.openai.com", "api.groq.com") or not _takes_effort(model):
        return {}
    if thinking != "off":
        return {"reasoning_effort": thinking}
    if _GPT_5_WITH_NONE.match(model):
        return {"reasoning_effort": "none"}
    return {"reasoning_effort": "minimal"} if _OLDEST_GPT_5.match(model) else {}


def messages_thinking(model: str, thinking: Thinking) -> JsonObject:
    """Return what Anthropic's protocol is sent.

    Models before Claude 4.6 know only a fixed budget of tokens and think no other way; the
    largest of the newest can not be told not to.
    """
    if thinking == "default" or _FIXED_BUDGET.match(model):
        return {}
    if thinking == "off":
        return {} if _ALWAYS_ON.match(model) else {"thinking": {"type": "disabled"}}
    return {"thinking": {"type": "adaptive"}, "output_config": {"effort": thinking}}


def thinking_of(options: JsonObject) -> Thinking:
    """Return a word that gives these output options, whichever protocol they are of."""
    match options:
        case {"output_config": {"effort": "low" | "medium" | "high" as effort}}:
            return effort
        case {"reasoning_effort": "low" | "medium" | "high" as effort}:
            return effort
        case {"reasoning_effort": _} | {"thinking": {"type": "disabled"}}:
            return "off"
        case {"thinking": _}:
            return "high"
        case _:
            return "default"


def _takes_effort(model: str) -> bool:
    return _EFFORT.match(model) is not None and _NO_EFFORT.search(model) is None
