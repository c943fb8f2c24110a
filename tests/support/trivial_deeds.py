"""What the agent of ``trivial_server`` can be told to do."""

from __future__ import annotations

import asyncio
import subprocess
import time
from typing import TYPE_CHECKING

from perdure.protocol.approvals import ApproveParams
from perdure.protocol.progress import DeltaParams
from perdure.protocol.trouble import BlockedInfo

if TYPE_CHECKING:
    from tests.support.trivial_server import TrivialAgent

SESSION = "s1"

BLOCKED: BlockedInfo = {
    "code": "configuration_changed",
    "title": "The configuration is another one",
    "details": [{"field": "model", "recorded": "a", "current": "b"}],
    "actions": [{"title": "Abort", "command": "perdure.abort", "arguments": [{}]}],
}

APPROVAL: ApproveParams = {
    "approvalId": "e1:0",
    "sessionId": SESSION,
    "toolCallId": "c1",
    "toolName": "bash",
    "arguments": {"command": "make", "jsonrpc": "2.0"},
    "title": "Run a command",
    "preview": {"command": "make all"},
}


class Deeds:
    """What an agent can be told to do."""

    def __init__(self, agent: TrivialAgent) -> None:
        self._agent = agent
        self._host = agent.host

    async def sleep(self, seconds: str) -> None:
        self._agent.note("begin")
        await asyncio.sleep(float(seconds))
        self._agent.note("end")

    async def note(self, text: str) -> None:
        self._agent.note(f"noted {text}")

    async def print(self, _: str) -> None:
        """Print, and let a child print and read its standard input."""
        print("printed by Python")
        read = subprocess.run(  # noqa: ASYNC221
            ["/bin/sh", "-c", "echo printed by a child; cat | wc -c >&2; cat >/dev/null"],
            check=True,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._agent.note(f"child read {read.stderr.strip()}")

    async def thread(self, _: str) -> None:
        """Leave a thread behind that does not end."""
        asyncio.get_running_loop().run_in_executor(None, time.sleep, 1000)
        self._agent.note("thread")

    async def deltas(self, count: str) -> None:
        for number in range(int(count)):
            self._host.delta(_delta(f"{number} "))
            await asyncio.sleep(0.0002)

    async def flood(self, count: str) -> None:
        """Publish ``count`` facts of 100 kB, each after a delta as large and a status."""
        for number in range(int(count)):
            self._host.delta(_delta("d" * 100_000))
            self._host.committed(
                {"sessionId": SESSION, "facts": [{"seq": number, "text": "f" * 100_000}]}
            )
            self._agent.publish()
            await asyncio.sleep(0)
        self._agent.note("flooded")

    async def ask(self, _: str) -> None:
        self._agent.note(f"approval {await self._host.ask_approval(APPROVAL)}")

    async def give_up_asking(self, _: str) -> None:
        try:
            async with asyncio.timeout(0.2):
                await self._host.ask_approval(APPROVAL)
        except TimeoutError:
            self._agent.note("gave up")

    async def block(self, _: str) -> None:
        self._agent.state, self._agent.blocked = "blocked", BLOCKED
        self._agent.publish()

    async def unblock(self, _: str) -> None:
        self._agent.state, self._agent.blocked = "idle", None
        self._agent.publish()

    async def progress(self, _: str) -> None:
        cancelled = asyncio.Event()
        self._host.progress_begin("o1", "Working", cancelled.set)
        await cancelled.wait()
        self._host.progress_report("o1", "cancelling")
        self._host.progress_end("o1")

    async def tell(self, text: str) -> None:
        self._host.tell("info", text)


def _delta(text: str) -> DeltaParams:
    return {
        "sessionId": SESSION,
        "operationId": "o1",
        "stepId": "p1",
        "kind": "text",
        "text": text,
    }
