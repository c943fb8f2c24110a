"""The arguments of a call: JSON, with long texts beside it in blocks of their own."""

from __future__ import annotations

import json
from collections.abc import Iterator

from perdure.agent.transcript.inert import code_span, fenced
from perdure.agent.transcript.wording import count
from perdure.json_types import JsonObject, JsonValue

_LONG = 120
"""Characters of a text above which it does not stand in the JSON."""
_WIDE = 90
"""Characters of JSON above which each member has its own line."""


def argument_paragraphs(arguments: JsonObject) -> Iterator[str]:
    """Yield the paragraphs that show the arguments of a call."""
    texts: list[tuple[str, str]] = []
    yield fenced(_json(_without_texts(arguments, "", texts)), "json")
    for path, content in texts:
        yield f"{code_span(path)}\n\n{fenced(content, 'text')}"


def path_argument(arguments: JsonObject) -> str | None:
    """Return the file that the call names, None when it names none."""
    path = arguments.get("path")
    return path if isinstance(path, str) and path else None


def _without_texts(value: JsonValue, path: str, texts: list[tuple[str, str]]) -> JsonValue:
    match value:
        case str() if "\n" in value or len(value) > _LONG:
            texts.append((path, value))
            lines = value.removesuffix("\n").count("\n") + 1
            return f"({count(lines, 'line')} below)"
        case dict():
            return {
                key: _without_texts(member, f"{path}.{key}" if path else key, texts)
                for key, member in value.items()
            }
        case list():
            return [
                _without_texts(item, f"{path}[{index}]", texts) for index, item in enumerate(value)
            ]
        case _:
            return value


def _json(value: JsonValue) -> str:
    compact = json.dumps(value, ensure_ascii=False)
    if len(compact) <= _WIDE:
        return compact
    return json.dumps(value, ensure_ascii=False, indent=2)
