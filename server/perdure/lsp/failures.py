"""A run that failed, told to a client that does not know our status: with what can be done."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from perdure.agent.host import Host
from perdure.errors import PerdureError
from perdure.lsp.tasks import Tasks
from perdure.protocol.status import Status
from perdure.protocol.trouble import Action, FailedInfo


class Failures:
    """Asks once per failed run that this server saw at work.

    ``act`` does what the user chose. A client that declares ``experimental.perdure`` shows
    ``failed`` of the status by itself: then ``asks`` is False.
    """

    def __init__(
        self,
        *,
        host: Callable[[], Host],
        act: Callable[[Action], Awaitable[None]],
        tasks: Tasks,
    ) -> None:
        self.asks = True
        self._host = host
        self._act = act
        self._tasks = tasks
        self._at_work: dict[str, str] = {}

    def update(self, status: Status) -> None:
        """Take the status of a folder."""
        folder = status["workspaceFolder"]
        operation = status["operation"]
        if operation is not None:
            self._at_work[folder] = operation["operationId"]
        failed = status.get("failed")
        if failed is None or failed["operationId"] != self._at_work.get(folder):
            return
        del self._at_work[folder]
        if self.asks:
            self._tasks.spawn(self._offer(failed))

    async def _offer(self, failed: FailedInfo) -> None:
        offered = {action["title"]: action for action in failed["actions"]}
        choice = await self._host().ask(f"The run failed: {failed['message']}", list(offered))
        if choice is None:
            return
        try:
            await self._act(offered[choice])
        except PerdureError as error:
            self._host().tell("error", str(error))
