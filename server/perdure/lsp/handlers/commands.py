"""``workspace/executeCommand``.

What is answered is what has happened. So a command that changes something is not cancelled with
its request: it goes on to its end and answers with its result. One that only reads or waits is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from lsprotocol import types

from perdure.errors import CommandError
from perdure.json_types import JsonValue
from perdure.lsp.agents import Agent
from perdure.lsp.arguments import parse
from perdure.protocol.methods import COMMANDS, Command
from perdure.protocol.operations import FolderArguments
from perdure.protocol.sessions import SessionsResult
from perdure.protocol.status import ModelsResult, Status
from perdure.protocol.trouble import Action

if TYPE_CHECKING:
    from perdure.lsp.server import Server

Run: TypeAlias = Callable[[Agent, Any], Awaitable[Mapping[str, object]]]


async def _status(agent: Agent, _: FolderArguments) -> Status:
    return agent.status()


async def _models(agent: Agent, _: FolderArguments) -> ModelsResult:
    return await agent.models()


async def _sessions(agent: Agent, _: FolderArguments) -> SessionsResult:
    return await agent.sessions()


async def _new_session(agent: Agent, _: FolderArguments) -> Status:
    return await agent.new_session()


RUNS: Mapping[str, Run] = {
    "perdure.prompt": lambda agent, given: agent.prompt(given),
    "perdure.abort": lambda agent, given: agent.abort(given),
    "perdure.compact": lambda agent, given: agent.compact(given),
    "perdure.continue": lambda agent, given: agent.continuing.start(given),
    "perdure.compactAndContinue": lambda agent, given: agent.continuing.compact_first(given),
    "perdure.resume": lambda agent, given: agent.resume(given),
    "perdure.resumeRecorded": lambda agent, given: agent.remedies.resume_recorded(given),
    "perdure.relocate": lambda agent, given: agent.remedies.relocate(given),
    "perdure.changes": lambda agent, given: agent.undoing.changes(given),
    "perdure.undo": lambda agent, given: agent.undoing.undo(given),
    "perdure.status": _status,
    "perdure.models": _models,
    "perdure.sessions": _sessions,
    "perdure.openSession": lambda agent, given: agent.open_session(given),
    "perdure.newSession": _new_session,
    "perdure.takeOver": lambda agent, given: agent.taking_over.take(given),
    "perdure.wait": lambda agent, given: agent.wait(given),
    "perdure.complete": lambda agent, given: agent.complete(given),
    "perdure.queue": lambda agent, given: agent.queue.listed(given),
    "perdure.queueEdit": lambda agent, given: agent.queue.edit(given),
    "perdure.queueRemove": lambda agent, given: agent.queue.remove(given),
    "perdure.renameSession": lambda agent, given: agent.admin.rename(given),
    "perdure.searchSessions": lambda agent, given: agent.admin.search(given),
    "perdure.deleteSession": lambda agent, given: agent.admin.delete(given),
    "perdure.exportSession": lambda agent, given: agent.admin.export(given),
    "perdure.forkSession": lambda agent, given: agent.admin.fork(given),
    "perdure.approve": lambda agent, given: agent.approve(given),
}


def register(server: Server) -> None:
    """Add all commands to ``server``."""
    runs: Mapping[str, Run] = {
        **RUNS,
        "perdure.showLog": server.show_log.show,
        "perdure.showChanged": server.show_log.show_changed,
    }
    known = {command.name: command for command in COMMANDS}

    async def execute(params: types.ExecuteCommandParams) -> Mapping[str, object]:
        arguments = cast("Sequence[JsonValue]", params.arguments or [])
        command = known.get(params.command)
        if command is None:
            raise CommandError(f"There is no command {params.command}.")
        work = _run(server, command, runs[command.name], arguments)
        if not command.changes:
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


async def act(server: Server, action: Action) -> None:
    """Do what an action of the status says, as if the client had sent its command."""
    command = next(command for command in COMMANDS if command.name == action["command"])
    await _run(server, command, RUNS[command.name], action["arguments"])


async def _run(
    server: Server, command: Command, run: Run, arguments: Sequence[JsonValue]
) -> Mapping[str, object]:
    given = parse(command.arguments, arguments)
    await server.opened.wait()
    folder = await server.folders.find(given.get("workspaceFolder"))
    return await run(folder.agent, given)
