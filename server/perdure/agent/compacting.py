"""Starting compactions: because the user says so, or because the context is nearly full."""

from __future__ import annotations

from collections.abc import Callable

from perdure.agent import records
from perdure.agent.desk import Desk
from perdure.agent.host import Host, Level
from perdure.core.compaction import plan_compaction
from perdure.protocol.operations import CompactResult

USELESS = (
    "The context is nearly full, and compacting does not help: the system prompt, the tools and "
    "the messages that are always kept fill it. Start a new session or choose a model with a "
    "larger context window."
)
UNKNOWN_WINDOW = (
    "The model's context window is unknown, so nothing is compacted automatically; "
    "set model.contextWindow to change that."
)


class Compacting:
    """Starts the compaction of the session on the desk. Callers hold the command lock."""

    def __init__(self, *, desk: Desk, host: Host, new_id: Callable[[], str]) -> None:
        self._desk = desk
        self._host = host
        self._new_id = new_id
        self._said: set[str] = set()

    async def start(self) -> CompactResult:
        """Accept a compaction, if there is something to compact."""
        session = self._desk.session
        plan = None if session is None else plan_compaction(session.state)
        if session is None or plan is None:
            return {"outcome": "nothing_to_compact"}
        configuration = await self._desk.configure()
        operation_id = self._new_id()
        drafts = records.accept_compaction(
            plan, operation_id=operation_id, result_id=self._new_id()
        )
        await session.accept(drafts)
        self._desk.go(configuration)
        return {"outcome": "started", "operationId": operation_id}

    async def start_when_nearly_full(self) -> None:
        """Compact after a run, when the threshold is passed and it would help.

        Never after a compaction: one that failed or was aborted would be started for ever.
        """
        settings = self._desk.settings.compaction
        if not settings.auto or self._desk.unfinished or not self._follows_a_run():
            return
        window = self._desk.board.status()["usage"]["contextWindow"]
        match self._desk.gauge.advise(window=window, threshold=settings.threshold):
            case "compact":
                result = await self.start()
                if result["outcome"] == "nothing_to_compact":
                    self._say_once("warning", USELESS)
            case "useless":
                self._say_once("warning", USELESS)
            case "unknownWindow":
                self._say_once("info", UNKNOWN_WINDOW)
            case "fine":
                return

    def _follows_a_run(self) -> bool:
        session = self._desk.session
        finished = session.finished if session else None
        return finished is not None and finished.kind == "run"

    def _say_once(self, level: Level, message: str) -> None:
        if message not in self._said:
            self._said.add(message)
            self._host.tell(level, message)
