"""What a server answered, as the text for the model (section 24). Imports the SDK."""

from __future__ import annotations

import json
from collections.abc import Iterator

from mcp_types import (
    AudioContent,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
)

from perdure.core.text import without_lone_surrogates
from perdure.tools.base import ToolResult

MAX_BYTES = 50 * 1024
NO_OUTPUT = "(no output)"


def tool_result(answer: CallToolResult) -> ToolResult:
    """Return the texts and text resources, then the structured content, by blank lines.

    At most 50 KB, with a mark where it was cut. What is no text is named, not lost in silence.
    """
    parts = [part for block in answer.content for part in _parts(block)]
    structured = answer.structured_content
    if structured is not None and not any(_says(part, structured) for part in parts):
        parts.append(json.dumps(structured, ensure_ascii=False))
    text = _cut(without_lone_surrogates("\n\n".join(parts)) or NO_OUTPUT)
    return ToolResult("error", f"Error: {text}") if answer.is_error else ToolResult("success", text)


def _parts(block: ContentBlock) -> Iterator[str]:
    match block:
        case TextContent():
            yield block.text
        case EmbeddedResource(resource=TextResourceContents() as resource):
            yield resource.text
        case EmbeddedResource():
            yield f"[Resource left out: {block.resource.uri}]"
        case ResourceLink():
            yield f"[Resource: {block.uri}]"
        case ImageContent() | AudioContent():
            yield f"[{block.type.capitalize()} left out: {block.mime_type}]"


def _says(part: str, structured: object) -> bool:
    """Whether a text is the structured content once more, as servers are advised to send it."""
    try:
        value = json.loads(part)
    except (ValueError, RecursionError):
        value = part
    return structured in (value, {"result": value}, {"result": part})


def _cut(text: str) -> str:
    encoded = text.encode()
    if len(encoded) <= MAX_BYTES:
        return text
    kept = encoded[:MAX_BYTES].decode("utf-8", "ignore")
    return f"{kept}\n\n[Cut after 50 KB of {len(encoded)} bytes.]"
