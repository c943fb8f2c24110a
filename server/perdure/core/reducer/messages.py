"""Shape of model-visible messages (session-format section 6.1).

Messages are a closed union on ``role``; a ``system`` message is never stored. Two calls with one
id in one message are the only fault here that is not a fault of shape.
"""

from __future__ import annotations

from types import NoneType
from typing import cast

from perdure.core.messages import Message
from perdure.core.reducer.fields import array, json_object, of_size, string, text
from perdure.core.reducer.outcome import Refusal
from perdure.json_types import JsonObject, JsonValue

_TEXT_OR_NULL = (str, NoneType)


def message_of(value: JsonValue) -> Message:
    """Return ``value`` as the message that it is, or refuse it."""
    message = json_object(value)
    role = message.get("role")
    if role == "assistant":
        _check_assistant(message)
    elif role == "tool":
        of_size(message, 3)
        string(message.get("content"))
        text(message.get("tool_call_id"))
    elif role == "user":
        of_size(message, 2)
        text(message.get("content"))
    else:
        raise Refusal("INVALID_FACT")
    return cast(Message, message)


def _check_assistant(message: JsonObject) -> None:
    if "content" not in message or not isinstance(message["content"], _TEXT_OR_NULL):
        raise Refusal("INVALID_FACT")
    if "tool_calls" not in message:
        of_size(message, 2)
        return
    of_size(message, 3)
    calls = array(message["tool_calls"])
    if not calls:
        raise Refusal("INVALID_FACT")
    if len(set(map(_call_id, calls))) != len(calls):
        raise Refusal("INVALID_TRANSCRIPT")


def _call_id(value: JsonValue) -> str:
    call = of_size(value, 3)
    function = of_size(call.get("function"), 2)
    text(function.get("name"))
    string(function.get("arguments"))
    if call.get("type") != "function":
        raise Refusal("INVALID_FACT")
    return text(call.get("id"))
