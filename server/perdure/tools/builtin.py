"""What the built-in tools share: their arguments are checked, and failures are results."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import ClassVar

from perdure.core.declarations import ToolDeclaration, ToolDefinition
from perdure.errors import ToolError
from perdure.json_types import JsonObject
from perdure.tools.arguments import violation
from perdure.tools.base import Preview, ToolContext, ToolResult
from perdure.tools.text import failure, one_line, os_failure


class BuiltinTool(ABC):
    """A tool of our own; ``subject`` is the argument that says what a call is about."""

    __slots__ = ()

    definition: ClassVar[ToolDefinition]
    subject: ClassVar[str] = "path"

    @property
    def declaration(self) -> ToolDeclaration:
        """Definition and replay policy."""
        key = f"builtin:{self.definition.name}:v1"
        return ToolDeclaration(self.definition, replay="never", replay_key=key)

    def validate(self, arguments: JsonObject) -> str | None:
        """See ``Tool``."""
        return violation(self.definition.parameters, arguments)

    def title(self, arguments: JsonObject) -> str:
        """See ``Tool``."""
        return one_line(f"{self.definition.name}: {arguments.get(self.subject, '')}")

    async def preview(self, arguments: JsonObject, root: Path) -> Preview:
        """See ``Tool``."""
        if self.validate(arguments) is not None:
            return Preview()
        try:
            return await self.show(arguments, root)
        except (OSError, ToolError):
            return Preview()

    async def execute(self, arguments: JsonObject, context: ToolContext) -> ToolResult:
        """See ``Tool``. Arguments that do not fit have no effect either."""
        problem = self.validate(arguments)
        if problem is not None:
            return failure(ToolError(problem))
        try:
            return await self.perform(arguments, context)
        except OSError as error:
            return failure(os_failure(str(arguments.get("path", self.definition.name)), error))
        except ToolError as error:
            return failure(error)

    @abstractmethod
    async def perform(self, arguments: JsonObject, context: ToolContext) -> ToolResult:
        """Do what ``execute`` promises, with valid arguments. May raise OSError and ToolError."""

    async def show(self, arguments: JsonObject, root: Path) -> Preview:
        """Return what an approval should show of valid arguments; most tools change nothing.

        May raise OSError and ToolError.
        """
        return Preview()
