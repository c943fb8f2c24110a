"""What the world may do: configurations, answers, results. Every list here is tried completely."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

from tests.property.explorer.logs import ENVIRONMENT
from tests.property.explorer.requests import SteppedProvider

from perdure.agent.configuration import Configuration, freeze
from perdure.core.declarations import ToolDeclaration
from perdure.core.facts import UsageCounters
from perdure.core.messages import AssistantMessage, Call, StopReason
from perdure.core.plans import CurrentConfiguration
from perdure.json_types import JsonObject
from perdure.providers.base import Answer, ProviderError, ProviderIdentity
from perdure.tools.base import Preview, Tool, ToolContext, ToolResult
from perdure.tools.registry import Tools, builtin_tools

ANSWER_USAGE: UsageCounters = {"input": 1, "output": 1, "cacheRead": 0, "cacheWrite": 0}
RESULTS = (ToolResult("success", "done"), ToolResult("error", "Error: no such file"))
REFUSAL = "The user refused this call; it was not executed."

CALLS: Mapping[str, tuple[str, str]] = {
    "safe": ("read", '{"path":"a"}'),
    "never": ("bash", '{"command":"make"}'),
    "unknown": ("gone", "{}"),
    "ill-formed": ("bash", '{"command":'),
}
"""Kinds of calls: tool name and argument text."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How far the world goes: calls per answer, steps with calls per run, operations.

    ``operations`` are the words of runs and compactions that may be accepted one after the other.
    ``power`` tells whether power is cut, besides processes being killed. ``opening`` are the
    answers of a calm day that comes before everything else. ``added`` is how many user entries
    another program may add to an unfinished operation.
    """

    calls: int
    steps: int
    operations: str
    power: bool = False
    kinds: tuple[str, ...] = tuple(CALLS)
    opening: tuple[str, ...] = ()
    added: int = 0


def answers(bounds: Bounds, *, step: int) -> Iterator[tuple[str, Answer]]:
    """Yield every answer to the request of a run's ``step``, with a name."""
    yield "stop", _answer("stop", "All done.")
    yield "blank", _answer("stop", " \n")
    yield "cut off", _answer("length", "All do")
    if step > bounds.steps:
        return
    for count in range(1, bounds.calls + 1):
        yield f"cut off in {count} calls", _answer("length", None, ("safe",) * count)
        for kinds in product(bounds.kinds, repeat=count):
            yield "calls " + ", ".join(kinds), _answer("toolUse", None, kinds)


def summaries() -> Iterator[tuple[str, Answer]]:
    """Yield every answer to the request of a compaction, with a name."""
    yield "summary", _answer("stop", "They built a bridge.")
    yield "blank", _answer("stop", "")
    yield "cut off", _answer("length", "They bu")
    yield "calls safe", _answer("toolUse", None, ("safe",))


def failure() -> ProviderError:
    """Return the failure of a model request that used tokens."""
    usage: UsageCounters = {"input": 1, "output": 0, "cacheRead": 0, "cacheWrite": 0}
    return ProviderError("the server is down", code="server", usage=usage)


def configurations() -> Mapping[str, Configuration]:
    """Return what a session may be reopened under; the first one is where it began."""
    read = _builtin("read")
    same = _configuration(read)
    keyed = tuple(replace(tool, replay_key="builtin:read:v2") for tool in same.current.tools)
    other_key = CurrentConfiguration(
        same.current.configuration_digest, same.current.environment_identity, keyed
    )
    return {
        "the same": same,
        "another model": _configuration(read, model="another/model"),
        "another environment": _configuration(read, environment="/elsewhere"),
        "read not safe": _configuration(PluginRead(read)),
        "another replay key": replace(same, current=other_key),
    }


def _builtin(name: str) -> Tool:
    tool = builtin_tools().get(name)
    if tool is None:
        raise LookupError(f"{name} is built in")
    return tool


def _configuration(
    read: Tool, *, model: str = "test/model", environment: str = ENVIRONMENT
) -> Configuration:
    identity = ProviderIdentity("demo", model, "demo:scripted:v1", "demo:scripted", {})
    return freeze(
        provider=SteppedProvider(identity),
        system_prompt="Help.",
        tools=Tools((_builtin("bash"), read)),
        environment_identity=environment,
    )


def _answer(stop: StopReason, text: str | None, kinds: Sequence[str] = ()) -> Answer:
    message: AssistantMessage = {"role": "assistant", "content": text}
    if kinds:
        message["tool_calls"] = [_call(index, kind) for index, kind in enumerate(kinds)]
    return Answer(message, stop, ANSWER_USAGE)


def _call(index: int, kind: str) -> Call:
    """Providers number the calls of each answer anew, so their ids repeat."""
    name, arguments = CALLS[kind]
    return {
        "id": f"call_{index}",
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    }


@dataclass(frozen=True, slots=True)
class PluginRead:
    """A tool that looks like the built-in ``read`` and is not it."""

    read: Tool

    @property
    def declaration(self) -> ToolDeclaration:
        """Claims what ``read`` may claim."""
        return self.read.declaration

    def validate(self, arguments: JsonObject) -> str | None:
        """See ``Tool``."""
        return self.read.validate(arguments)

    def title(self, arguments: JsonObject) -> str:
        """See ``Tool``."""
        return self.read.title(arguments)

    async def preview(self, arguments: JsonObject, root: Path) -> Preview:
        """See ``Tool``."""
        return await self.read.preview(arguments, root)

    async def execute(self, arguments: JsonObject, context: ToolContext) -> ToolResult:
        """See ``Tool``."""
        return await self.read.execute(arguments, context)
