"""The demo model: offline, deterministic, and it says so.

It ships with the package and serves the demo, users without a key, and tests alike. What it
answers is a function of the messages alone: the newest script in a user message (see ``script``
for the language) is played, and the number of answers after that message says which step is next.
So a request that is sent again after a crash gets the same answer.

Every text it answers begins with ``[demo] ``. Without a script it explains itself; a request
without tools and without a script (that is how summaries are asked for) gets a fixed summary.
Tokens are characters divided by four, unless the script gives them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from itertools import count
from typing import assert_never

from perdure.core.facts import UsageCounters
from perdure.core.messages import Message, calls_of
from perdure.providers.answers import DraftCall, build_answer
from perdure.providers.base import Answer, Delta, ModelRequest, ProviderError, ProviderIdentity
from perdure.providers.errors import RETRYABLE
from perdure.providers.prices import Prices
from perdure.providers.script import (
    CallTool,
    Fail,
    Say,
    ScriptError,
    Sleep,
    Step,
    find_script,
    parse_script,
)

MARK = "[demo] "

_HELP = """\
This is Perdure's built-in demo model. It is a script, not an intelligence, and needs no network.
`perdure doctor` says how to set up a real model."""
_EXAMPLE = """\
To see the tools at work, send it a script:

text: Let me look around.
call: bash {"command": "ls"}
---
text: That was all."""


class ScriptedProvider:
    """The provider ``demo``."""

    def __init__(
        self,
        *,
        model: str = "demo",
        context_window: int | None = None,
        prices: Prices | None = None,
    ) -> None:
        self._identity = ProviderIdentity(
            provider="demo",
            model=model,
            adapter="demo:scripted:v1",
            routing="demo:scripted",
            output_options={},
        )
        self._context_window = context_window
        self._prices = prices

    @property
    def identity(self) -> ProviderIdentity:
        """Identity for the configuration digest."""
        return self._identity

    @property
    def context_window(self) -> int | None:
        """Context window in tokens, as configured."""
        return self._context_window

    @property
    def prices(self) -> Prices | None:
        """Prices, as configured."""
        return self._prices

    async def complete(self, request: ModelRequest, on_delta: Callable[[Delta], None]) -> Answer:
        """Play the next step of the script. Raises ``ProviderError`` when the script says so."""
        performance = _Performance(self._next_step(request), request, on_delta)
        return await performance.play()

    async def aclose(self) -> None:
        """Nothing is held open."""

    def _next_step(self, request: ModelRequest) -> Step:
        found = find_script(request.messages)
        if found is not None:
            return _scripted_step(*found)
        if not request.tools:
            size = sum(_size(message) for message in request.messages)
            return _say(f"Summary of a conversation of {size} characters.")
        return _say(f"{_HELP}\n{_EXAMPLE}")


class _Performance:
    """One step being played."""

    def __init__(
        self, step: Step, request: ModelRequest, on_delta: Callable[[Delta], None]
    ) -> None:
        self._step = step
        self._request = request
        self._on_delta = on_delta
        self._text = ""
        self._calls: list[DraftCall] = []
        turn = 1 + sum(message["role"] == "assistant" for message in request.messages)
        self._ids = (f"call_{turn}_{number}" for number in count(1))

    async def play(self) -> Answer:
        for action in self._step.actions:
            match action:
                case Say(kind="text"):
                    await self._say_text(action.words)
                case Say():
                    self._on_delta(Delta("reasoning", action.words))
                case CallTool():
                    self._call(action)
                case Sleep():
                    await asyncio.sleep(action.ms / 1000)
                case Fail():
                    raise self._failure(action)
                case _:
                    assert_never(action)
        return build_answer(
            text=self._text,
            calls=self._calls,
            truncated=self._step.truncated,
            usage=self._usage(),
            new_call_id=lambda: next(self._ids),
        )

    async def _say_text(self, words: str) -> None:
        before = "\n" if self._text else MARK
        for piece in _pieces(before + words, self._step.pieces):
            await asyncio.sleep(self._step.pause_ms / 1000)
            self._text += piece
            self._on_delta(Delta("text", piece))

    def _call(self, call: CallTool) -> None:
        draft = DraftCall(call.id or next(self._ids), call.name, call.arguments)
        self._calls.append(draft)
        self._on_delta(Delta("toolArguments", draft.arguments, draft.id))

    def _failure(self, fail: Fail) -> ProviderError:
        return ProviderError(
            MARK + fail.words,
            code=fail.code,
            retryable=fail.code in RETRYABLE,
            usage=None if self._step.usage == "counted" else self._step.usage,
            partial=self._text,
        )

    def _usage(self) -> UsageCounters | None:
        if self._step.usage != "counted":
            return self._step.usage
        said = len(self._text) + sum(len(call.arguments) for call in self._calls)
        heard = len(self._request.system) + sum(_size(m) for m in self._request.messages)
        return {"input": -(-heard // 4), "output": -(-said // 4), "cacheRead": 0, "cacheWrite": 0}


def _scripted_step(script: str, answers: int) -> Step:
    try:
        steps = parse_script(script)
    except ScriptError as error:
        raise ProviderError(str(error), code="invalid_request") from error
    if answers < len(steps):
        return steps[answers]
    return _say("The script is at its end.")


def _say(words: str) -> Step:
    return Step(actions=(Say("text", words),))


def _size(message: Message) -> int:
    arguments = sum(len(call["function"]["arguments"]) for call in calls_of(message))
    return len(message["content"] or "") + arguments


def _pieces(text: str, number: int) -> Iterator[str]:
    size = -(-len(text) // number)
    for start in range(0, len(text), size):
        yield text[start : start + size]
