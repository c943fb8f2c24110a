"""The interface of a tool: a declaration and ``execute``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from perdure.core.declarations import ToolDeclaration
from perdure.json_types import JsonObject


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a tool may know of the world.

    ``root`` is the canonical real path of the workspace folder. ``data`` is the session's own
    folder ``S.d`` (with ``tool-output/``, ``jobs/`` and ``images/``, made on demand, 0700).
    ``tool_started_id`` names files kept beside the session. ``on_output`` takes provisional
    output for display; it must not block and may be called from the event loop only.
    ``durable`` tells whether notes beside the session must survive a power cut.
    """

    root: Path
    data: Path
    tool_started_id: str
    keep_running: bool
    on_output: Callable[[str], None]
    durable: bool = True


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What is stored and told to the model; no lone surrogate in ``content``."""

    type: Literal["success", "error"]
    content: str


@dataclass(frozen=True, slots=True)
class Preview:
    """What an approval shows: a file before and after, or a command."""

    path: Path | None = None
    before: str | None = None
    after: str | None = None
    command: str | None = None


class Tool(Protocol):
    """One tool. Instances are stateless between calls."""

    @property
    def declaration(self) -> ToolDeclaration:
        """Definition and replay policy."""
        ...

    def validate(self, arguments: JsonObject) -> str | None:
        """Return None, or one sentence for the model that names the path of what is wrong."""
        ...

    def title(self, arguments: JsonObject) -> str:
        """Return a short label, for example ``bash: npm test``; never fails on bad arguments."""
        ...

    async def preview(self, arguments: JsonObject, root: Path) -> Preview:
        """Return what an approval should show. Has no effect; never fails."""
        ...

    async def execute(self, arguments: JsonObject, context: ToolContext) -> ToolResult:
        """Run. Failures that the model should see are results of type ``error``.

        Cancelling the task stops the effect: process groups are killed before it ends.
        """
        ...


class ToolSet(Protocol):
    """The tools of a configuration, in the order in which the model sees them."""

    @property
    def tools(self) -> Sequence[Tool]:
        """Ordered tools: bash, read, write, edit, then others."""
        ...

    def get(self, name: str) -> Tool | None:
        """Return the tool of that name."""
        ...
