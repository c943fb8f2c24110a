"""Putting tool calls together from the fragments of a stream.

The documented rule is simple: each fragment has an ``index``, the first of an index has id and
name, the arguments of all are joined. Servers break every part of it; the rules below
say which call a fragment belongs to and what it adds.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from perdure.json_types import JsonObject, JsonValue
from perdure.providers.answers import DraftCall
from perdure.providers.shapes import as_object, as_text


@dataclass(slots=True)
class GrowingCall:
    """A call so far."""

    id: str = ""
    name: str = ""
    arguments: str = ""
    extra: JsonObject = field(default_factory=dict)


class CallAssembler:
    """Collects the calls of one answer in the order in which they begin."""

    def __init__(self) -> None:
        self._calls: list[GrowingCall] = []
        self._by_index: dict[int, GrowingCall] = {}

    @property
    def calls(self) -> list[DraftCall]:
        """The calls as they stand."""
        return [DraftCall(call.id, call.name, call.arguments) for call in self._calls]

    @property
    def extras(self) -> list[JsonObject]:
        """What must go back with each call unchanged, ``{}`` where there is nothing."""
        return [call.extra for call in self._calls]

    def add(self, fragment: JsonObject) -> tuple[GrowingCall, str]:
        """Take a fragment; return its call and the argument text that it added."""
        function = as_object(fragment.get("function"))
        call_id = as_text(fragment.get("id"))
        call_id = "" if call_id == "null" else call_id
        name = as_text(function.get("name"))
        index = fragment.get("index")
        if isinstance(index, int):
            call = self._at_index(index, call_id, name)
        else:
            call = self._without_index(call_id, name)
        call.id = call.id or call_id
        call.name = _merged_name(call.name, name)
        added = _argument_text(function.get("arguments"))
        call.arguments += added
        if extra := fragment.get("extra_content"):
            call.extra = {"extra_content": extra}
        return call, added

    def _at_index(self, index: int, call_id: str, name: str) -> GrowingCall:
        """A new id together with a name at a used index begins another call."""
        call = self._by_index.get(index)
        if call is None or (call_id and name and call.id and call_id != call.id):
            call = self._begin()
            self._by_index[index] = call
        return call

    def _without_index(self, call_id: str, name: str) -> GrowingCall:
        """By id; a name without a known id begins a call; else it belongs to the last one."""
        for call in self._calls:
            if call_id and call.id == call_id:
                return call
        if name or not self._calls:
            return self._begin()
        return self._calls[-1]

    def _begin(self) -> GrowingCall:
        call = GrowingCall()
        self._calls.append(call)
        return call


def _merged_name(known: str, name: str) -> str:
    """Names are repeated, completed (``re``, ``read``) or split (``re``, ``ad``)."""
    return name if name.startswith(known) else known + name


def _argument_text(arguments: JsonValue) -> str:
    if arguments is None:
        return ""
    return arguments if isinstance(arguments, str) else json.dumps(arguments)
