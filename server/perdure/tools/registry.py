"""The tools of a configuration, and what recovery may believe of them.

Whether a call may be replayed is decided here, by the identity of the implementation: the real
built-in ``read`` is ``safe``, and every other object is ``never`` whatever its name or its own
declaration says (section 14.5).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from perdure.core.declarations import ToolDeclaration
from perdure.errors import ToolError
from perdure.tools.base import Tool
from perdure.tools.bash import BashTool
from perdure.tools.edit import EditTool
from perdure.tools.files import FilesFor, on_disk
from perdure.tools.glob import GlobTool
from perdure.tools.grep import GrepTool
from perdure.tools.list import ListTool
from perdure.tools.read import ReadTool
from perdure.tools.sandbox import Sandbox
from perdure.tools.schema import check_schema
from perdure.tools.supervisors import Supervisors
from perdure.tools.workspace import NO_SKILLS
from perdure.tools.write import WriteTool


class Tools:
    """An ordered set of tools with distinct names and schemas that can be enforced."""

    def __init__(self, tools: Iterable[Tool]) -> None:
        """Raise ToolError for a name given twice or a schema beyond the supported subset."""
        self._tools = tuple(tools)
        self._by_name: dict[str, Tool] = {}
        for tool in self._tools:
            definition = tool.declaration.definition
            if definition.name in self._by_name:
                raise ToolError(f"Two tools are named {definition.name}; rename one of them.")
            check_schema(definition.parameters, f"{definition.name}.parameters")
            self._by_name[definition.name] = tool

    @property
    def tools(self) -> Sequence[Tool]:
        """The tools in the order in which the model sees them."""
        return self._tools

    def get(self, name: str) -> Tool | None:
        """Return the tool of that name."""
        return self._by_name.get(name)


def builtin_tools(
    *,
    files_for: FilesFor = on_disk,
    secret_names: Iterable[str] = (),
    directories: Sequence[Path] = (),
    skills: Mapping[str, Path] = NO_SKILLS,
    sandbox: Sandbox | None = None,
    supervisors: Supervisors | None = None,
    more: Iterable[Tool] = (),
) -> Tools:
    """Return bash, read, write, edit, grep, glob and list.

    ``files_for`` decides where files are. ``secret_names`` are environment variables that
    commands must not see, beside those of the known providers. ``directories`` are folders beyond
    the workspace that the tools may work in, ``skills`` folders that ``read`` may see.
    With a ``sandbox`` commands run in it; ``supervisors`` is for those that follow each other.
    ``more`` are tools that depend on the settings or on the client.
    """
    return Tools(
        (
            BashTool(frozenset(secret_names), sandbox, supervisors),
            ReadTool(files_for, directories=directories, skills=skills),
            WriteTool(files_for, directories=directories),
            EditTool(files_for, directories=directories),
            GrepTool(directories=directories),
            GlobTool(directories=directories),
            ListTool(directories=directories),
            *more,
        )
    )


def declaration_of(tool: Tool) -> ToolDeclaration:
    """Return the declaration that is recorded and planned with."""
    declaration = tool.declaration
    key = declaration.replay_key or f"tool:{declaration.definition.name}:v1"
    is_builtin_read = type(tool) is ReadTool
    return replace(declaration, replay="safe" if is_builtin_read else "never", replay_key=key)
