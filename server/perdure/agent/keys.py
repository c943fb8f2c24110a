"""The keys of model providers that this process knows: they get into no session and no display.

Commands do not inherit them, but they may lie in a file that a tool reads. Unlike masking this is
no setting and happens before anything is stored, so the log still tells what was sent.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from perdure.core.messages import Call, calls_of
from perdure.json_types import JsonValue
from perdure.providers.base import Answer
from perdure.tools.base import ToolContext, ToolResult
from perdure.tools.environment import PROVIDER_KEYS
from perdure.tools.job_files import job_files
from perdure.tools.own_files import read_own, write_own

MARK = "[key]"
_SHORTEST = 16
"""Characters; what is shorter, or has no digit, is a placeholder for a server without keys."""


class Keys:
    """Some keys, and how to take them out of what is stored or shown."""

    def __init__(self, values: Collection[str]) -> None:
        self._values = sorted(filter(_is_key, values), key=len, reverse=True)

    def without(self, text: str) -> str:
        """Return ``text`` with a mark in the place of each key."""
        for value in self._values:
            text = text.replace(value, MARK)
        return text

    def without_in_answer(self, answer: Answer) -> Answer:
        """Return an answer of a model without keys, for endpoints that repeat what they got.

        What the model wants back is opaque: where a key is in it, it is given up as a whole.
        """
        message = answer.message
        if message["content"]:
            message = {**message, "content": self.without(message["content"])}
        if "tool_calls" in message:
            message = {**message, "tool_calls": [*map(self._without_in_call, calls_of(message))]}
        opaque = answer.opaque if self._are_not_in(answer.opaque) else None
        return replace(answer, message=message, opaque=opaque)

    @property
    def are_known(self) -> bool:
        """Whether there is any key."""
        return bool(self._values)

    def without_in_file(self, path: Path) -> None:
        """Take keys out of a file that we keep beside a session, or remove it; blocks."""
        try:
            content = read_own(path)
            clean = content
            for value in self._values:
                clean = clean.replace(value.encode(), MARK.encode())
            if clean != content:
                write_own(path, clean)
        except FileNotFoundError:
            return
        except OSError:
            path.unlink(missing_ok=True)

    def stream(self, show: Callable[[str], None]) -> Pieces:
        """Return what takes the pieces of a text and shows them without keys."""
        return Pieces(self, show)

    def beginning_at_the_end(self, text: str) -> str:
        """Return the end of ``text`` that a key begins with, the longest one."""
        starts = (
            value[:length]
            for value in self._values
            for length in range(len(value) - 1, 0, -1)
            if text.endswith(value[:length])
        )
        return max(starts, key=len, default="")

    def _without_in_call(self, call: Call) -> Call:
        function = call["function"]
        name, arguments = self.without(function["name"]), self.without(function["arguments"])
        return {
            "id": self.without(call["id"]),
            "type": call["type"],
            "function": {"name": name, "arguments": arguments},
        }

    def _are_not_in(self, value: JsonValue) -> bool:
        """Whether no text inside of ``value`` has a key."""
        match value:
            case str():
                return self.without(value) == value
            case dict():
                return all(map(self._are_not_in, (*value, *value.values())))
            case list():
                return all(map(self._are_not_in, value))
            case _:
                return True


class Pieces:
    """The pieces of a text on their way to be shown, a key across two of them neither.

    What could be the beginning of a key is held back until the next piece, or the ``end``.
    """

    def __init__(self, keys: Keys, show: Callable[[str], None]) -> None:
        self._keys = keys
        self._show = show
        self._held = ""

    def take(self, piece: str) -> None:
        """Show ``piece``, as far as it can be."""
        text = self._keys.without(self._held + piece)
        self._held = self._keys.beginning_at_the_end(text)
        shown = text.removesuffix(self._held)
        if shown:
            self._show(shown)

    def end(self) -> None:
        """Show what was held back: no key came of it."""
        held, self._held = self._held, ""
        if held:
            self._show(held)


async def clean(result: ToolResult, keys: Keys, context: ToolContext) -> ToolResult:
    """Return the result of a call without keys; what is kept of its output has none either.

    ``context`` is that of the call.
    """
    complete = context.data / "tool-output" / f"{context.tool_started_id}.log"
    kept = (complete, *job_files(context.data, context.tool_started_id).streams)
    if keys.are_known:
        await asyncio.to_thread(_without_in_files, keys, kept)
    return replace(result, content=keys.without(result.content))


def keys_of(environ: Mapping[str, str], key_env: str) -> Keys:
    """Return the keys in the environment; ``key_env`` names one more variable, or is empty."""
    return Keys({environ.get(name, "") for name in (*PROVIDER_KEYS, key_env)})


def _without_in_files(keys: Keys, paths: Iterable[Path]) -> None:
    for path in paths:
        keys.without_in_file(path)


def _is_key(value: str) -> bool:
    return len(value) >= _SHORTEST and any(character.isdigit() for character in value)
