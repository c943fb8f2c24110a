"""A configuration that changed, part by part: from digests to what stands behind them.

The core compares digests. Where what they were made of is kept beside the session, this says
which part of the system prompt, which part of a tool, and how.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import orjson

from perdure.agent.configuration import Configuration, definition_value
from perdure.agent.context.instructions import NAMES
from perdure.agent.diffs import unified
from perdure.agent.kept_configurations import kept_object, kept_prompt
from perdure.core.explain import ABSENT, Difference
from perdure.json_types import JsonObject, JsonValue
from perdure.mcp.names import readable
from perdure.protocol.trouble import Detail
from perdure.tools.registry import declaration_of

_BLOCKS: Mapping[str, re.Pattern[str]] = {
    NAMES[0]: re.compile(
        r'\n<project_context>\n<project_instructions path="[^"\n]*">\n(.*)\n'
        r"</project_instructions>\n</project_context>\n",
        re.DOTALL,
    ),
    "skills": re.compile(r"\n<available_skills>\n(.*)\n</available_skills>\n", re.DOTALL),
}
"""The blocks that ``agent.prompt`` adds to the base text."""


def explained(
    differences: Iterable[Difference], configuration: Configuration, data: Path | None
) -> list[Detail]:
    """Return the details of a blocked plan; ``data`` is the session's own folder.

    ``configuration`` is the present one.
    """
    details: list[Detail] = []
    for difference in differences:
        parts = [] if data is None else list(_parts(difference, configuration, data))
        details += parts or [_plain(difference)]
    return details


def prompt_parts(prompt: str) -> dict[str, str]:
    """Divide a system prompt into its ``instructions`` and the blocks that it has."""
    parts: dict[str, str] = {}
    rest = prompt
    for name, pattern in _BLOCKS.items():
        block = pattern.search(rest)
        if block is not None:
            parts[name] = block[1]
            rest = rest[: block.start()] + rest[block.end() :]
    return {"instructions": rest, **parts}


def _parts(difference: Difference, configuration: Configuration, data: Path) -> Iterator[Detail]:
    """Yield what differs inside of one field; nothing where that is not known."""
    if difference.field == "system prompt":
        recorded = kept_prompt(data, difference.recorded)
        if recorded is not None:
            yield from _changed_parts(
                difference.field, prompt_parts(recorded), prompt_parts(configuration.system_prompt)
            )
    elif difference.field == "output options":
        options = kept_object(data, difference.recorded)
        if options is not None:
            now = configuration.provider.identity.output_options
            yield Detail(field="output options", recorded=_compact(options), current=_compact(now))
    elif difference.field.startswith("tool "):
        tool = configuration.tools.get(difference.field.removeprefix("tool "))
        definition = kept_object(data, difference.recorded)
        if tool is not None and definition is not None:
            now = definition_value(declaration_of(tool))
            yield from _changed_parts(difference.field, _texts(definition), _texts(now))


def _changed_parts(
    field: str, recorded: dict[str, str], current: dict[str, str]
) -> Iterator[Detail]:
    for name in recorded | current:
        before, now = recorded.get(name), current.get(name)
        if before != now:
            yield Detail(
                field=f"{field}: {name}",
                recorded=_size(before),
                current=_size(now),
                diff=unified(
                    _whole(before), _whole(now), old=f"recorded {name}", new=f"current {name}"
                ),
            )


def _plain(difference: Difference) -> Detail:
    kind, _, name = difference.field.partition(" ")
    field = f"tool {readable(name)}" if kind == "tool" else difference.field
    return Detail(field=field, recorded=difference.recorded, current=difference.current)


def _texts(definition: JsonObject) -> dict[str, str]:
    """Return the parts of a tool's definition as texts that can be compared line by line."""
    return {
        name: value if isinstance(value, str) else _indented(value)
        for name, value in definition.items()
    }


def _indented(value: JsonValue) -> str:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS).decode()


def _compact(value: JsonValue) -> str:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()


def _size(text: str | None) -> str:
    if text is None:
        return ABSENT
    lines = len(text.splitlines())
    return "1 line" if lines == 1 else f"{lines} lines"


def _whole(text: str | None) -> str:
    """Return the text with a line feed at its end: blocks are stored without their last one."""
    return f"{text}\n" if text and not text.endswith("\n") else text or ""
