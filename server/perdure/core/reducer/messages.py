"""Shape of model-visible messages (session-format section 6.1).

Messages are a closed union on ``role``; a ``system`` message is never stored. Two calls with one
id in one message are the only fault here that is not a fault of shape.
"""

from __future__ import annotations

from typing import cast

from perdure.core.messages import Message
from perdure.core.reducer.fields import array, closed, json_object, string, text
from perdure.core.reducer.outcome import Refusal
from perdure.json_types import JsonObject, JsonValue

_USER = frozenset({"role", "content"})
_ASSISTANT = frozenset({"role", "content", "tool_calls"})
_TOOL = frozenset({"role", "content", "tool_call_id"})
_CALL = frozenset({"id", "type", "function"})
_FUNCTION = frozenset({"name", "arguments"})


def message_of(value: JsonValue) -> Message:
    """Return ``value`` as the message that it is, or refuse it."""
    message = json_object(value)
    match message.get("role"):
        case "user":
            closed(message, _USER)
            text(message.get("content"))
        case "assistant":
            _check_assistant(message)
        case "tool":
            closed(message, _TOOL)
            string(message.get("content"))
            text(message.get("tool_call_id"))
        case _:
            raise Refusal("INVALID_FACT")
    return cast(Message, message)


def _check_assistant(message: JsonObject) -> None:
    closed(message, _ASSISTANT)
    if "content" not in message or not isinstance(message["content"], str | None):
        raise Refusal("INVALID_FACT")
    if "tool_calls" not in message:
        return
    calls = array(message["tool_calls"])
    if not calls:
        raise Refusal("INVALID_FACT")
    ids = {_call_id(call) for call in calls}
    if len(ids) != len(calls):
        raise Refusal("INVALID_TRANSCRIPT")


def _call_id(value: JsonValue) -> str:
    call = closed(value, _CALL)
    function = closed(call.get("function"), _FUNCTION)
    call_id = text(call.get("id"))
    text(function.get("name"))
    string(function.get("arguments"))
    if call.get("type") != "function":
        raise Refusal("INVALID_FACT")
    return call_id
