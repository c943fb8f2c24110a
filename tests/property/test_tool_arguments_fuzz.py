"""Whatever a model gives to a tool: it answers, and nothing happens outside of the workspace."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.support.torture import count

from perdure.json_types import JsonObject
from perdure.protocol.editor import FileDiagnostics
from perdure.tools.base import Preview, ToolContext, ToolResult
from perdure.tools.diagnostics import DiagnosticsTool
from perdure.tools.fetch import FetchTool
from perdure.tools.registry import builtin_tools

TREASURE = "the treasure"
TEXTS = [
    "", ".", "..", "/", "a.txt", "sub", "sub/b.txt", "link", "folder/secret.txt", "new/file.txt",
    "../outside/secret.txt", "/proc/self/environ", ".git/config", ".env", "~", "a\0b", "\ud800",
    "a" * 300, "-e", "--pre=sh", "*", "**/*.txt", "{a,b", "[", "(", "(a|b)+$", "\\", "x\ny", "true",
    "http://", "http://user@host/", "file:///etc/passwd", "http://[", "javascript:1", "\u202e",
]  # fmt: skip
NAMES = [
    *("path", "content", "edits", "command", "timeout", "offset", "limit", "pattern", "glob"),
    *("ignoreCase", "context", "url", "oldText", "newText"),
]

texts = st.sampled_from(TEXTS) | st.text(max_size=20)
numbers = (
    st.integers(-3, 3)
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
)
values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(NAMES) | texts, inner, max_size=3)
    ),
    max_leaves=6,
)
edits = st.lists(st.fixed_dictionaries({"oldText": texts, "newText": texts}), max_size=3)
LIKELY: dict[str, st.SearchStrategy[object]] = {
    "path": texts,
    "content": texts,
    "edits": edits,
    "command": texts,
    "timeout": numbers,
    "offset": numbers,
    "limit": numbers,
    "pattern": texts,
    "glob": texts,
    "ignoreCase": st.booleans(),
    "context": numbers,
    "url": texts,
}


async def _no_diagnostics(_uri: str | None) -> Sequence[FileDiagnostics]:
    return []


TOOLS = {
    tool.declaration.definition.name: tool
    for tool in builtin_tools(more=[DiagnosticsTool(_no_diagnostics), FetchTool()]).tools
}


def arguments_of(name: str) -> st.SearchStrategy[dict[str, object]]:
    """Any object, more often one that has the arguments of the tool."""
    schema = TOOLS[name].declaration.definition.parameters
    properties, required = schema["properties"], schema.get("required", [])
    assert isinstance(properties, dict)
    assert isinstance(required, list)
    parts = {key: LIKELY[key] for key in properties}
    needed = {key: parts.pop(str(key)) for key in map(str, required)}
    fitting = st.fixed_dictionaries(needed, optional=parts)
    return fitting | st.dictionaries(st.sampled_from(NAMES) | texts, values, max_size=5)


@contextmanager
def world() -> Iterator[ToolContext]:
    """A workspace beside a file that no call may tell or touch."""
    around = Path(tempfile.mkdtemp()).resolve()
    root = around / "workspace"
    for name in ("workspace/a.txt", "workspace/sub/b.txt", "outside/secret.txt"):
        (around / name).parent.mkdir(parents=True, exist_ok=True)
        (around / name).write_text(TREASURE if "secret" in name else "aab\n")
    (root / "link").symlink_to("../outside/secret.txt")
    (root / "folder").symlink_to("../outside")
    data = around / "session.d"
    try:
        yield ToolContext(root, data, str(uuid.uuid4()), False, lambda _: None)
        assert sorted(path.name for path in around.iterdir() if path != data) == [
            "outside",
            "workspace",
        ]
        assert [path.name for path in (around / "outside").iterdir()] == ["secret.txt"]
        assert (around / "outside" / "secret.txt").read_text() == TREASURE
    finally:
        shutil.rmtree(around)


async def _call(name: str, arguments: JsonObject, context: ToolContext) -> None:
    tool = TOOLS[name]
    problem = tool.validate(arguments)
    assert problem is None or problem
    assert "\n" not in tool.title(arguments)
    preview = await tool.preview(arguments, context.root)
    assert isinstance(preview, Preview)
    assert TREASURE not in f"{preview.before}{preview.after}"
    if name == "bash" and problem is None:
        return  # what a command may do is another question
    result = await asyncio.wait_for(tool.execute(arguments, context), 30)
    assert isinstance(result, ToolResult)
    assert TREASURE not in result.content
    result.content.encode()
    if problem is not None:
        assert result.type == "error"


@pytest.mark.parametrize("name", TOOLS)
def test_any_arguments(name: str) -> None:
    @settings(max_examples=count(50, 1_000), database=None)
    @given(arguments=arguments_of(name))
    @example(arguments={"path": "a.txt"})
    def check(arguments: JsonObject) -> None:
        with world() as context:
            asyncio.run(_call(name, arguments, context))

    check()
