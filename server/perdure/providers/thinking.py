"""How much a model shall think before it answers: one word of ours, many on the wire. Pure.

``default`` leaves it to the model. The other words are sent only where the endpoint is known to
take them together with tools; elsewhere they would be refused, and nothing is sent either.
"""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from perdure.json_types import JsonObject

Thinking: TypeAlias = Literal["default", "off", "low", "medium", "high"]

_NONE: JsonObject = {"reasoning_effort": "none"}
_ONLY_WITHOUT = re.compile(r"gpt-(?:5\.(?:[4-9]|\d\d)|[6-9])")
_NOT_WITH_TOOLS = re.compile(r"gpt-5\.[23]")
_FIRST_GPT_5 = re.compile(r"gpt-5(?:-mini|-nano)?(?:-\d|$)")
_EFFORT = re.compile(r"(?:gpt-5|o[134])(?:[.-]|$)")
_NO_EFFORT = re.compile(r"-chat|-pro|codex")
_CAN_STOP = re.compile(r"gemini-2\.5-flash")
_FIXED_BUDGET = re.compile(r"claude-(?:[23]|(?:opus|sonnet|haiku)-4(?:-[0-5])?(?:-\d{8})?$)")
_NEVER_DISABLED = re.compile(r"claude-(?:fable|mythos|opus-4-[78]|opus-5-[5-9])")


def chat_thinking(host: str, model: str, thinking: Thinking, *, is_local: bool) -> JsonObject:
    """Return what a chat-completions endpoint is sent: OpenAI's ``reasoning_effort`` mostly.

    Servers on this machine, and OpenRouter, take it for every model or ignore it.
    """
    if host == "api.openai.com":
        return _openai_thinking(model, thinking)
    if thinking == "default":
        return {}
    if host == "api.deepseek.com":
        return {"thinking": {"type": "disabled" if thinking == "off" else "enabled"}}
    if is_local or host == "openrouter.ai":
        return _NONE if thinking == "off" else {"reasoning_effort": thinking}
    is_gemini = host == "generativelanguage.googleapis.com"
    if thinking == "off":
        return _NONE if is_gemini and _CAN_STOP.match(model) else {}
    takes_effort = is_gemini or (host == "api.groq.com" and model.startswith("openai/gpt-oss"))
    return {"reasoning_effort": thinking} if takes_effort else {}


def messages_thinking(model: str, thinking: Thinking) -> JsonObject:
    """Return what Anthropic's protocol is sent.

    Models before Claude 4.6 know only a fixed budget of tokens and think no other way; some of
    the newer ones cannot be told not to.
    """
    if thinking == "default" or _FIXED_BUDGET.match(model):
        return {}
    if thinking == "off":
        return {} if _NEVER_DISABLED.match(model) else {"thinking": {"type": "disabled"}}
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


def _openai_thinking(model: str, thinking: Thinking) -> JsonObject:
    """OpenAI refuses tools over chat completions to newer models unless they do not think."""
    if _ONLY_WITHOUT.match(model):
        return _NONE
    is_known = _EFFORT.match(model) is not None and _NO_EFFORT.search(model) is None
    if thinking == "default" or not is_known:
        return {}
    if thinking != "off":
        return {} if _NOT_WITH_TOOLS.match(model) else {"reasoning_effort": thinking}
    if model.startswith("gpt-5."):
        return _NONE
    return {"reasoning_effort": "minimal"} if _FIRST_GPT_5.match(model) else {}
