"""``workspace/executeCommand``.

What is answered is what has happened. So a command that changes something is not cancelled with
its request: it goes on to its end and answers with its result. One that only reads or waits is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from lsprotocol import types

from perdure.errors import CommandError
from perdure.json_types import JsonValue
from perdure.lsp.agents import Agent
from perdure.lsp.arguments import parse
from perdure.protocol.types import (
    AbortArguments,
    ApproveArguments,
    ChangesArguments,
    DeleteSessionArguments,
    FolderArguments,
    ForkSessionArguments,
    OpenSessionArguments,
    PromptArguments,
    QueueEditArguments,
    QueueRemoveArguments,
    RenameSessionArguments,
    SearchSessionsArguments,
    SessionArguments,
    SessionsResult,
    Status,
    UndoArguments,
    WaitArguments,
)

if TYPE_CHECKING:
    from perdure.lsp.server import Server

Shape = TypeVar("Shape")


@dataclass(frozen=True, slots=True)
class _Command(Generic[Shape]):
    shape: type[Shape]
    run: Callable[[Agent, Shape], Awaitable[Mapping[str, object]]]


async def _status(agent: Agent, _: FolderArguments) -> Status:
    return agent.status()


async def _sessions(agent: Agent, _: FolderArguments) -> SessionsResult:
    return await agent.sessions()


async def _new_session(agent: Agent, _: FolderArguments) -> Status:
    return await agent.new_session()


COMMANDS: Mapping[str, _Command[Any]] = {
    "perdure.prompt": _Command(PromptArguments, lambda agent, given: agent.prompt(given)),
    "perdure.abort": _Command(AbortArguments, lambda agent, given: agent.abort(given)),
    "perdure.compact": _Command(SessionArguments, lambda agent, given: agent.compact(given)),
    "perdure.resume": _Command(SessionArguments, lambda agent, given: agent.resume(given)),
    "perdure.resumeRecorded": _Command(
        SessionArguments, lambda agent, given: agent.remedies.resume_recorded(given)
    ),
    "perdure.relocate": _Command(
        SessionArguments, lambda agent, given: agent.remedies.relocate(given)
    ),
    "perdure.changes": _Command(
        ChangesArguments, lambda agent, given: agent.undoing.changes(given)
    ),
    "perdure.undo": _Command(UndoArguments, lambda agent, given: agent.undoing.undo(given)),
    "perdure.status": _Command(FolderArguments, _status),
    "perdure.sessions": _Command(FolderArguments, _sessions),
    "perdure.openSession": _Command(
        OpenSessionArguments, lambda agent, given: agent.open_session(given)
    ),
    "perdure.newSession": _Command(FolderArguments, _new_session),
    "perdure.takeOver": _Command(
        FolderArguments, lambda agent, given: agent.taking_over.take(given)
    ),
    "perdure.wait": _Command(WaitArguments, lambda agent, given: agent.wait(given)),
    "perdure.queue": _Command(SessionArguments, lambda agent, given: agent.queue.listed(given)),
    "perdure.queueEdit": _Command(QueueEditArguments, lambda agent, given: agent.queue.edit(given)),
    "perdure.queueRemove": _Command(
        QueueRemoveArguments, lambda agent, given: agent.queue.remove(given)
    ),
    "perdure.renameSession": _Command(
        RenameSessionArguments, lambda agent, given: agent.admin.rename(given)
    ),
    "perdure.searchSessions": _Command(
        SearchSessionsArguments, lambda agent, given: agent.admin.search(given)
    ),
    "perdure.deleteSession": _Command(
        DeleteSessionArguments, lambda agent, given: agent.admin.delete(given)
    ),
    "perdure.exportSession": _Command(
        SessionArguments, lambda agent, given: agent.admin.export(given)
    ),
    "perdure.forkSession": _Command(
        ForkSessionArguments, lambda agent, given: agent.admin.fork(given)
    ),
    "perdure.approve": _Command(ApproveArguments, lambda agent, given: agent.approve(given)),
}

EFFECTLESS = frozenset(
    {
        "perdure.status",
        "perdure.sessions",
        "perdure.changes",
        "perdure.searchSessions",
        "perdure.exportSession",
        "perdure.queue",
        "perdure.wait",
    }
)
"""Commands that change nothing: cancelling their request ends them."""


def register(server: Server) -> None:
    """Add all commands to ``server``."""
    show_log = _Command(SessionArguments, server.show_log.show)
    show_changed = _Command(FolderArguments, server.show_log.show_changed)
    known: Mapping[str, _Command[Any]] = {
        **COMMANDS,
        "perdure.showLog": show_log,
        "perdure.showChanged": show_changed,
    }

    async def execute(params: types.ExecuteCommandParams) -> Mapping[str, object]:
        arguments = cast("Sequence[JsonValue]", params.arguments or [])
        command = known.get(params.command)
        if command is None:
            raise CommandError(f"There is no command {params.command}.")
        work = _run(server, command, arguments)
        if params.command in EFFECTLESS:
            return await work
        server.protocol.never_cancel()
        return await asyncio.shield(server.tasks.start(work))

    async def cancel_progress(params: types.WorkDoneProgressCancelParams) -> None:
        server.operations.cancelled(params.token)

    features = server.protocol.fm
    features.add_builtin_feature(types.WORKSPACE_EXECUTE_COMMAND, execute)
    features.add_builtin_feature(types.WINDOW_WORK_DONE_PROGRESS_CANCEL, cancel_progress)
    for name in known:
        server.command(name)(execute)


async def _run(
    server: Server, command: _Command[Any], arguments: Sequence[JsonValue]
) -> Mapping[str, object]:
    given = parse(command.shape, arguments)
    await server.opened.wait()
    folder = await server.folders.find(given.get("workspaceFolder"))
    return await command.run(folder.agent, given)
