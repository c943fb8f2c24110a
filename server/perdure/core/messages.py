"""Model-visible messages (session-format section 6.1).

These are the wire objects themselves, typed: a line that passed the reducer's checks *is* a
value of these types, nothing is rebuilt. The constraints in ``Annotated`` feed the JSON Schemas.
"""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypeAlias

from annotated_types import MinLen
from typing_extensions import TypedDict

NonEmpty: TypeAlias = Annotated[str, MinLen(1)]
StopReason: TypeAlias = Literal["stop", "toolUse", "length"]


class Function(TypedDict):
    """Name and raw argument text of a call, exactly as the model wrote it."""

    name: NonEmpty
    arguments: str


class Call(TypedDict):
    """One tool call of an assistant message."""

    id: NonEmpty
    type: Literal["function"]
    function: Function


class UserMessage(TypedDict):
    """What the user said."""

    role: Literal["user"]
    content: NonEmpty


class AssistantMessage(TypedDict):
    """What the model answered; ``content`` is null only when there are calls and no text."""

    role: Literal["assistant"]
    content: str | None
    tool_calls: NotRequired[Annotated[list[Call], MinLen(1)]]


class ToolMessage(TypedDict):
    """The one result of one call."""

    role: Literal["tool"]
    content: str
    tool_call_id: NonEmpty


Message: TypeAlias = UserMessage | AssistantMessage | ToolMessage

# What the original's ``trim`` removes; ``str.strip()`` removes a slightly different set.
_WHITE_SPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)


def calls_of(message: Message) -> list[Call]:
    """Return the calls of an assistant message, empty for any other message."""
    if message["role"] != "assistant":
        return []
    return message.get("tool_calls", [])


def is_blank(content: str | None) -> bool:
    """Tell whether ``content`` is null, empty or only white space (7.7 row 8c, 14.3 row 14)."""
    return not (content or "").strip(_WHITE_SPACE)
