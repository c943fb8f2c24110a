"""A tool that breaks its promises: its call still gets a result, and one that can be stored."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.unit.agent.calls import intent

from perdure.agent import tool_step
from perdure.errors import ToolError
from perdure.json_types import JsonObject
from perdure.tools.base import ToolContext, ToolResult
from perdure.tools.files import on_disk
from perdure.tools.read import ReadTool


class _Breaking(ReadTool):
    def __init__(self, error: Exception) -> None:
        super().__init__(on_disk)
        self._error = error

    async def execute(self, arguments: JsonObject, context: ToolContext) -> ToolResult:
        raise self._error


@pytest.mark.parametrize(
    ("error", "content"),
    [
        (ToolError("No such thing."), "Error: No such thing."),
        (KeyError("path"), "Error: the tool failed unexpectedly: 'path'"),
        (OSError("name \udcff"), "Error: the tool failed unexpectedly: name \ufffd"),
    ],
    ids=["said", "a defect", "a name that no line can hold"],
)
def test_a_failure_is_a_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, content: str
) -> None:
    # A test runner can hand on no report that quotes a lone surrogate from the log.
    monkeypatch.setattr(tool_step.logger, "disabled", True)
    call = intent("x", tool="read")
    context = ToolContext(tmp_path, tmp_path, call.tool_started_id, False, lambda _: None)
    result = asyncio.run(tool_step.execute(_Breaking(error), call, context))
    assert result == ToolResult("error", content)
