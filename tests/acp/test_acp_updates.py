"""Facts as updates, and how updates wait: without a process."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from acp import helpers
from acp.schema import ToolCallStart
from tests.support.log import CallSpec, Log, session

from perdure.acp.outbox import Outbox
from perdure.acp.permission import question
from perdure.acp.projection import Projection, Succeeded, Update
from perdure.agent.session_facts import session_facts
from perdure.core.masking import as_stored

ROOT = Path("/work")


def updates(log: Log) -> list[Update]:
    """What the facts of a log show; of a success, without its diff."""
    projection = Projection(ROOT, as_stored)
    shown = [it for fact in session_facts(log.to_bytes()) for it in projection.take(fact)]
    return [it.update if isinstance(it, Succeeded) else it for it in shown]


def called(*calls: CallSpec) -> Log:
    """A run whose answer calls tools."""
    return session().prompt("go").attempt().calls(*calls)


@pytest.mark.parametrize(
    ("call", "kind", "title", "locations"),
    [
        (("read", {"path": "a.py", "offset": 7}), "read", "read: a.py", [("/work/a.py", 7)]),
        (("write", {"path": "b/a.py", "content": ""}), "edit", None, [("/work/b/a.py", None)]),
        (("edit", {"path": "/etc/x", "edits": []}), "edit", None, [("/etc/x", None)]),
        (("bash", {"command": "npm  test"}), "execute", "bash: npm test", []),
        (("grep", {"pattern": "x"}), "search", None, []),
        (("mcp__YQ__Yg", {"q": 1}), "other", "mcp:a/b", []),
        (("read", '{"path": 1'), "read", None, []),
        (("read", {"path": "a\0b"}), "read", None, []),
    ],
)
def test_a_call(
    call: CallSpec, kind: str, title: str | None, locations: list[tuple[str, int | None]]
) -> None:
    start = updates(called(call))[-1]
    assert isinstance(start, ToolCallStart)
    assert (start.kind, start.status) == (kind, "pending")
    assert title in (None, start.title)
    assert [(place.path, place.line) for place in start.locations or []] == locations


BASH: CallSpec = ("bash", {"command": "ls"})


@pytest.mark.hazard("Synthetic results are marked as such in every view: never shown as success")
@pytest.mark.parametrize(
    ("log", "statuses"),
    [
        (called(BASH).started(0).result(0), ["pending", "in_progress", "completed"]),
        (called(BASH).started(0).result(0, kind="error"), ["pending", "in_progress", "failed"]),
        (called(BASH).started(0).interrupted(0), ["pending", "in_progress", "failed"]),
        (called(BASH).synthetic(0, "invalidArguments"), ["pending", "failed"]),
        (called(BASH, BASH).synthetic(0, "unknownTool"), ["pending", "pending", "failed"]),
    ],
)
def test_states_of_a_call(log: Log, statuses: list[str]) -> None:
    states: list[Any] = [getattr(update, "status", None) for update in updates(log)]
    assert [state for state in states if state is not None] == statuses


def test_calls_with_the_same_id_of_the_provider_are_two() -> None:
    log = called(BASH).started(0).result(0).attempt().calls(BASH).started(0).result(0)
    keys = {update.tool_call_id for update in updates(log) if isinstance(update, ToolCallStart)}
    assert len(keys) == 2


def test_what_is_said() -> None:
    log = called(BASH).started(0).result(0).attempt().answer("Done.").finish()
    first, *_, last = updates(log)
    assert first == helpers.update_user_message_text("go")
    assert last == helpers.update_agent_message_text("Done.")


async def sent_after(*puts: tuple[Update, str]) -> list[Any]:
    """What a client gets that took nothing while these were put."""
    sent: list[Any] = []
    reading = asyncio.Event()

    async def send(update: Update | Succeeded) -> None:
        await reading.wait()
        sent.append(update)

    outbox = Outbox(send)
    for update, key in puts:
        outbox.put(update, key=key)
    reading.set()
    await outbox.flush()
    await outbox.close()
    return sent


@pytest.mark.asyncio
async def test_text_that_waits_is_merged_and_nothing_is_lost() -> None:
    text, thought = helpers.update_agent_message_text, helpers.update_agent_thought_text
    call = helpers.update_tool_call("1", status="in_progress")
    sent = await sent_after(
        *((text(part), "") for part in "abc"),
        (thought("d"), ""),
        (thought("e"), ""),
        (call, ""),
        (text("f"), ""),
    )
    assert sent == [text("abc"), thought("de"), call, text("f")]


@pytest.mark.asyncio
async def test_of_running_output_the_latest_is_sent() -> None:
    output = [helpers.update_tool_call("1", raw_output=text) for text in ("a", "ab", "abc")]
    end = helpers.update_tool_call("1", status="completed")
    assert await sent_after(*((update, "1") for update in output), (end, "")) == [output[-1], end]


@pytest.mark.asyncio
async def test_a_client_that_is_gone_keeps_nobody_waiting() -> None:
    async def send(_: Update | Succeeded) -> None:
        raise ConnectionError

    outbox = Outbox(send)
    outbox.put(helpers.update_agent_message_text("a"))
    await outbox.flush()
    outbox.put(helpers.update_agent_message_text("b"))
    await outbox.flush()
    await outbox.close()


def test_a_question_shows_the_command_and_why_it_is_asked() -> None:
    asked = question(
        {
            "approvalId": "id:0",
            "sessionId": "s",
            "toolCallId": "c",
            "toolName": "bash",
            "arguments": {"command": "rm x"},
            "title": "bash: rm x",
            "preview": {"command": "rm x", "directory": "/work"},
            "reason": "Again.",
        }
    )
    content: Any = asked.content
    assert [part.content.text for part in content] == ["rm x", "Again."]
