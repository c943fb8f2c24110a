"""How the agent speaks outward: to an editor, or to a terminal.

The agent tells the host what is durable and asks it what only a person can answer. Nothing here
blocks: the methods that are not coroutines put the message into a queue and return, so neither
the log nor a tool ever waits for whoever reads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

from perdure.agent.text_changes import Change
from perdure.errors import ToolError
from perdure.protocol.approvals import ApproveParams, ApproveResult
from perdure.protocol.progress import CommittedParams, DeltaParams
from perdure.protocol.status import Status
from perdure.tools.diagnostics import AskEditor

Level: TypeAlias = Literal["info", "warning", "error"]


@dataclass(frozen=True, slots=True)
class Buffer:
    """A document that is open in the editor and not saved; ``version`` names its ``text``."""

    uri: str
    version: int
    text: str


class Host(Protocol):
    """The outside of one workspace agent."""

    def status_changed(self, status: Status) -> None:
        """Show the folder's state; called with every change."""

    def delta(self, params: DeltaParams) -> None:
        """Show provisional output; it may be merged or dropped."""

    def committed(self, params: CommittedParams) -> None:
        """Show facts, after they are durable."""

    @property
    def is_unattended(self) -> bool:
        """Whether nobody can be asked: then no approval is."""

    async def ask_approval(self, params: ApproveParams) -> ApproveResult | None:
        """Ask whether a tool may run; None means: not decided, the approval stays pending."""

    async def ask(self, message: str, actions: Sequence[str]) -> str | None:
        """Put a question; return the chosen action, None when nobody chose."""

    async def buffer(self, path: Path) -> Buffer | None:
        """Return what the user sees of a file with unsaved changes; None for all other files."""

    async def apply_edit(self, buffer: Buffer, changes: Sequence[Change], label: str) -> None:
        """Make changes in the editor, all or none; one undo takes them back.

        Raises ToolError with a sentence for the model when they are not made.
        """

    @property
    def ask_diagnostics(self) -> AskEditor | None:
        """How the editor is asked what it reports of files; None where there is nobody to ask."""

    def tell(self, level: Level, message: str) -> None:
        """Tell the user once, where the user looks."""

    def log(self, message: str) -> None:
        """Write one line to the host's log."""

    def progress_begin(self, operation_id: str, title: str, cancel: Callable[[], None]) -> None:
        """Show that the operation works; ``cancel`` is called when the user cancels there."""

    def progress_report(self, operation_id: str, message: str) -> None:
        """Say what the operation does now."""

    def progress_end(self, operation_id: str) -> None:
        """Take the progress away; harmless for an unknown operation."""


class WithoutEditor:
    """The part of a host that has no editor: files are what is on disk."""

    @property
    def is_unattended(self) -> bool:
        """Say that there is somebody to ask."""
        return False

    @property
    def ask_diagnostics(self) -> None:
        """There is no editor that could be asked."""
        return None

    async def buffer(self, path: Path) -> Buffer | None:
        """Return None: nothing is unsaved."""
        return None

    async def apply_edit(self, buffer: Buffer, changes: Sequence[Change], label: str) -> None:
        """Refuse: there is no buffer that could be changed."""
        raise ToolError("There is no editor.")
