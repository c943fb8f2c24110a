"""Names of MCP tools: legal for every provider, distinct, and readable again."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perdure.mcp.errors import McpError
from perdure.mcp.names import readable, shown_name, tool_name

LEGAL = re.compile(r"^[A-Za-z0-9_-]{1,64}$")
NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)


@pytest.mark.parametrize(
    ("server", "tool", "name"),
    [
        ("test", "add", "mcp__dGVzdA__YWRk"),
        ("a", "b", "mcp__YQ__Yg"),
        ("files", "read/write", "mcp__ZmlsZXM__cmVhZC93cml0ZQ"),
        ("größe", "maß", "mcp__Z3LDtsOfZQ__bWHDnw"),
    ],
)
def test_name(server: str, tool: str, name: str) -> None:
    assert tool_name(server, tool) == name
    assert readable(name) == f"mcp:{server}/{tool}"


@given(NAMES, NAMES)
def test_every_name_is_legal_and_readable_or_refused(server: str, tool: str) -> None:
    try:
        name = tool_name(server, tool)
    except McpError:
        return
    assert LEGAL.match(name)
    assert readable(name) == shown_name(server, tool)


def test_a_name_that_would_be_too_long_is_refused() -> None:
    assert len(tool_name("a" * 12, "b" * 30)) <= 64
    with pytest.raises(McpError, match="too long"):
        tool_name("a" * 12, "b" * 33)


@pytest.mark.parametrize(
    "name", ["bash", "mcp__", "mcp__a", "mcp__YQ__", "mcp__!!__??", "mcp__YR__Yg"]
)
def test_other_names_stay(name: str) -> None:
    assert readable(name) == name
