"""Work-done progress of operations; cancelling it aborts the operation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count

from lsprotocol import types

from perdure.lsp.rpc import CallFailed, Protocol
from perdure.lsp.tasks import Tasks


@dataclass(slots=True)
class _Shown:
    token: str
    cancel: Callable[[], None]
    begun: bool = False


class Progress:
    """All progress shown by one client. Does nothing until ``supported``."""

    def __init__(self, protocol: Protocol, tasks: Tasks) -> None:
        self.supported = False
        self._protocol = protocol
        self._tasks = tasks
        self._numbers = count(1)
        self._shown: dict[str, _Shown] = {}

    def begin(self, operation_id: str, title: str, cancel: Callable[[], None]) -> None:
        """Show the operation until ``end``; a second call for the same one begins anew."""
        if not self.supported:
            return
        self.end(operation_id)
        shown = _Shown(f"perdure/{operation_id}/{next(self._numbers)}", cancel)
        self._shown[operation_id] = shown
        self._tasks.spawn(self._create(operation_id, shown, title))

    def report(self, operation_id: str, message: str) -> None:
        """Change the line shown; nothing when the operation is not shown."""
        shown = self._shown.get(operation_id)
        if shown is not None and shown.begun:
            self._publish(shown, {"kind": "report", "message": message, "cancellable": True})

    def end(self, operation_id: str) -> None:
        """Take the progress away; harmless when the operation is not shown."""
        shown = self._shown.pop(operation_id, None)
        if shown is not None and shown.begun:
            self._publish(shown, {"kind": "end"})

    def cancelled(self, token: int | str) -> None:
        """Cancel the operation with this token; late and unknown ones are ignored."""
        for shown in list(self._shown.values()):
            if shown.token == token:
                shown.cancel()

    async def _create(self, operation_id: str, shown: _Shown, title: str) -> None:
        try:
            await self._protocol.call(
                types.WINDOW_WORK_DONE_PROGRESS_CREATE, {"token": shown.token}
            )
        except CallFailed:
            self._shown.pop(operation_id, None)
            return
        if self._shown.get(operation_id) is shown:
            shown.begun = True
            self._publish(shown, {"kind": "begin", "title": title, "cancellable": True})

    def _publish(self, shown: _Shown, value: dict[str, object]) -> None:
        self._protocol.publish(types.PROGRESS, {"token": shown.token, "value": value})
