"""What a server answers, as the model reads it."""

from __future__ import annotations

import pytest
from mcp_types import (
    BlobResourceContents,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
)

from perdure.mcp.results import tool_result


def text(content: str) -> TextContent:
    """A block of text."""
    return TextContent(text=content)


@pytest.mark.parametrize(
    ("blocks", "structured", "expected"),
    [
        ([], None, "(no output)"),
        ([text("one"), text("two")], None, "one\n\ntwo"),
        ([text("one")], {"a": 1}, 'one\n\n{"a": 1}'),
        ([], {"a": "é"}, '{"a": "é"}'),
        ([text('{"a":1}')], {"a": 1}, '{"a":1}'),
        ([text("one")], {"result": "one"}, "one"),
        ([text("3")], {"result": 3}, "3"),
        ([text("a\ud800b")], None, "a�b"),
        (
            [EmbeddedResource(resource=TextResourceContents(uri="file:///a", text="inside"))],
            None,
            "inside",
        ),
        (
            [EmbeddedResource(resource=BlobResourceContents(uri="file:///a", blob="AA=="))],
            None,
            "[Resource left out: file:///a]",
        ),
        ([ResourceLink(name="a", uri="file:///a")], None, "[Resource: file:///a]"),
        ([ImageContent(data="AA==", mime_type="image/png")], None, "[Image left out: image/png]"),
    ],
)
def test_result(blocks: list[ContentBlock], structured: object, expected: str) -> None:
    answer = CallToolResult(content=blocks, structured_content=structured)
    result = tool_result(answer)
    assert (result.type, result.content) == ("success", expected)


def test_an_error_is_an_error() -> None:
    result = tool_result(CallToolResult(content=[text("no such repository")], is_error=True))
    assert (result.type, result.content) == ("error", "Error: no such repository")


@pytest.mark.parametrize("character", ["x", "é", "😀"])
def test_a_long_answer_is_cut_between_characters_and_says_so(character: str) -> None:
    whole = "a" + character * 60_000
    content = tool_result(CallToolResult(content=[text(whole)])).content
    body, _, mark = content.rpartition("\n\n")
    assert whole.startswith(body)
    assert 51_200 - 4 < len(body.encode()) <= 51_200
    assert mark == f"[Cut after 50 KB of {len(whole.encode())} bytes.]"
