"""Which tools there are, and which of them recovery may run again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from perdure.core.declarations import ToolDeclaration, ToolDefinition
from perdure.errors import ToolError
from perdure.json_types import JsonObject
from perdure.tools.base import Preview, ToolContext, ToolResult
from perdure.tools.files import on_disk
from perdure.tools.read import ReadTool
from perdure.tools.registry import Tools, builtin_tools, declaration_of

ANY_OBJECT: JsonObject = {"type": "object"}


@dataclass
class CustomTool:
    """A tool that somebody else wrote."""

    declaration: ToolDeclaration

    def validate(self, arguments: JsonObject) -> str | None:
        return None

    def title(self, arguments: JsonObject) -> str:
        return "custom"

    async def preview(self, arguments: JsonObject, root: Path) -> Preview:
        return Preview()

    async def execute(self, arguments: JsonObject, context: ToolContext) -> ToolResult:
        return ToolResult("success", "")


class DerivedRead(ReadTool):
    """Claims to be the built-in, but could do anything."""


def custom(name: str, replay_key: str = "", parameters: JsonObject = ANY_OBJECT) -> CustomTool:
    definition = ToolDefinition(name, "does something", parameters)
    return CustomTool(ToolDeclaration(definition, replay="safe", replay_key=replay_key))


def test_the_default_tools_and_their_order() -> None:
    names = [tool.declaration.definition.name for tool in builtin_tools().tools]
    assert names == ["bash", "read", "write", "edit", "grep", "glob", "list"]


@pytest.mark.requirement(25, 46)
def test_exactly_the_built_in_read_is_safe() -> None:
    declarations = [declaration_of(tool) for tool in builtin_tools().tools]
    assert [(d.replay, d.replay_key) for d in declarations] == [
        ("never", "builtin:bash:v1"),
        ("safe", "builtin:read:v1"),
        ("never", "builtin:write:v1"),
        ("never", "builtin:edit:v1"),
        ("never", "builtin:grep:v1"),
        ("never", "builtin:glob:v1"),
        ("never", "builtin:list:v1"),
    ]


@pytest.mark.requirement(25)
@pytest.mark.parametrize(
    "tool", [custom("read", "builtin:read:v1"), DerivedRead(on_disk)], ids=["named", "derived"]
)
def test_another_read_is_never_safe_whatever_it_claims(tool: CustomTool | DerivedRead) -> None:
    assert tool.declaration.replay == "safe"
    assert declaration_of(tool).replay == "never"


@pytest.mark.requirement(24, 46)
def test_a_tool_without_a_key_gets_one_of_its_name_and_is_not_replayed() -> None:
    declaration = declaration_of(custom("lint"))
    assert (declaration.replay, declaration.replay_key) == ("never", "tool:lint:v1")


def test_names_must_differ() -> None:
    with pytest.raises(ToolError, match="Two tools are named read"):
        Tools([*builtin_tools().tools, custom("read")])


def test_a_schema_that_cannot_be_enforced_is_not_admitted() -> None:
    with pytest.raises(ToolError, match=r"^lint\.parameters\.anyOf: this keyword"):
        Tools([custom("lint", parameters={"anyOf": []})])


@pytest.mark.requirement(47)
def test_the_declaration_carries_the_whole_model_facing_definition() -> None:
    tool = custom("lint")
    changed = CustomTool(
        replace(
            tool.declaration,
            definition=replace(tool.declaration.definition, description="does another thing"),
        )
    )
    assert declaration_of(tool).definition == tool.declaration.definition
    assert declaration_of(changed).definition != declaration_of(tool).definition


@pytest.mark.parametrize(
    ("name", "facts"),
    [
        ("bash", ["last 2,000 lines or 50KB", "default 120"]),
        ("read", ["UTF-8", "preferred to cat or sed", "2,000 complete lines or 50KB"]),
        ("write", ["complete rewrite", "parents", "edit for partial changes"]),
        ("edit", ["exactly once", "no overlap", "checked before writing"]),
    ],
)
def test_descriptions_state_the_limits(name: str, facts: list[str]) -> None:
    tool = builtin_tools().get(name)
    assert tool is not None
    description = " ".join(tool.declaration.definition.description.split()).lower()
    for fact in facts:
        assert fact.lower() in description
