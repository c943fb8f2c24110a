"""The two acts of the demo. Every sentence is checked against the disk before it is printed."""

from __future__ import annotations

from perdure.agent.session_facts import session_facts
from perdure.cli.demo_narrator import DemoFailed, Narrator, brief
from perdure.cli.demo_stage import Stage, digest
from perdure.cli.lsp_client import LspClient
from perdure.core.reducer import Reduced, reduce_session
from perdure.core.state import Idle
from perdure.protocol.status import Status
from perdure.tools.process_table import start_time

_SLOW_COMMAND = r"""text: I append one line to marker.txt and then take my time.
call: bash {"command":
  "echo \"written by process $$\" >> marker.txt; sleep 60; echo too late >> marker.txt"}
---
text: The command was cut short and nobody knows what it did, so I leave it alone."""

_SLOW_ANSWER = """sleep: 60000
text: nobody waits for this"""


async def play(stage: Stage, tell: Narrator) -> None:
    """Play both acts. Raises ``DemoFailed`` at the first thing that is not observed."""
    tell.headline("A language server is killed in the middle of its work, and the work goes on.")
    tell.headline(f"Real processes, real files, in {stage.workspace.parent}; no key, no network.")
    await _killed_in_a_tool(stage, tell)
    await _changed_configuration(stage, tell)
    tell.headline("\nAll of this was observed from outside, in the files and over the wire.")


async def _killed_in_a_tool(stage: Stage, tell: Narrator) -> None:
    server = await _prompt(stage, tell)
    await _kill_in_the_middle(stage, tell, server)
    before = stage.log()
    await _reopen(stage, tell, before)
    _prove(stage, tell)


async def _prompt(stage: Stage, tell: Narrator) -> LspClient:
    tell.step("Start a server and send it a prompt")
    server = await stage.start(model="demo")
    tell.say(f"perdure serve is process {server.process.pid}; the prompt asks for a slow command.")
    await server.command("prompt", text=_SLOW_COMMAND)
    tell.check(stage.facts(), "the prompt was accepted and is not in the log")
    tell.say("The prompt is accepted, and so it is on the disk:")
    tell.show(map(brief, stage.facts()[:2]))
    return server


async def _kill_in_the_middle(stage: Stage, tell: Narrator, server: LspClient) -> None:
    tell.step("Wait until the command has had its effect, and is still running")
    await stage.until(stage.effects, "the command wrote nothing")
    command = int(stage.effects()[0].split()[-1])
    tell.check(start_time(command), "the command ended too early")
    tell.say("marker.txt:")
    tell.show(stage.effects())
    tell.step(f"kill -9 {server.process.pid}")
    await stage.kill()
    await stage.until(
        lambda: start_time(command) is None, f"the command, process {command}, lives on"
    )
    tell.say(f"The server is gone, and its command (process {command}) with it.")
    last = stage.facts()[-1]
    started = last["kind"] == "record" and last["record"]["type"] == "toolStarted"
    tell.check(started, "the log does not end with the started tool")
    tell.say("The log ends with the intent. Whether the command took effect, it does not know:")
    tell.show([brief(last)])


async def _reopen(stage: Stage, tell: Narrator, before: bytes) -> None:
    tell.step("Open the workspace again")
    server = await stage.start(model="demo")
    status: Status = await server.command("wait", timeoutSeconds=20)
    tell.check(status["state"] == "idle", f"the session is {status['state']}")
    tell.check(stage.log().startswith(before), "the bytes from before were changed")
    for question in server.requests["window/showMessageRequest"]:
        tell.say(f'The editor shows: "{question["message"]}"')
    tell.say("What was added to the log, the bytes before it unchanged:")
    added = stage.facts()[len(session_facts(before)) :]
    tell.show(map(brief, added))
    interrupted = any("Interrupted" in brief(fact) for fact in added)
    tell.check(interrupted, "the tool has no result that says interrupted")
    tell.check(await server.shutdown() == 0, "the server did not end as it should")


def _prove(stage: Stage, tell: Narrator) -> None:
    tell.step("Was anything done twice?")
    effects = stage.effects()
    tell.say("marker.txt:")
    tell.show(effects)
    tell.check(len(effects) == 1, f"the command left {len(effects)} lines")
    started = [brief(fact) for fact in stage.facts() if "toolStarted" in brief(fact)]
    tell.check(len(started) == 1, f"the command was started {len(started)} times")
    tell.check(_is_idle(stage.log()), "the log is not a finished session")
    tell.say("The side effect happened once. The model was told that the outcome is unknown,")
    tell.say("and the conversation came to its end.")


async def _changed_configuration(stage: Stage, tell: Narrator) -> None:
    tell.step("Another prompt; kill -9 while the model is being asked")
    server = await stage.start(model="demo")
    await server.command("prompt", text=_SLOW_ANSWER)
    await stage.until(lambda: _is_asking(stage), "the model was not asked")
    await stage.kill()
    tell.show(map(brief, stage.facts()[-1:]))
    before = stage.log()
    server = await _blocked(stage, tell, before)
    await _abort(stage, tell, server, before)


async def _blocked(stage: Stage, tell: Narrator, before: bytes) -> LspClient:
    tell.step("Open the workspace again, with another model in the settings")
    server = await stage.start(model="demo-2")
    status: Status = await server.command("wait", timeoutSeconds=20)
    blocked = status["blocked"]
    tell.check(status["state"] == "blocked", f"the session is {status['state']}, not blocked")
    if blocked is None:
        raise DemoFailed("A blocked session has no explanation.")
    tell.say(f"It stops, and says why ({blocked['code']}): {blocked['title']}")
    for detail in blocked["details"]:
        tell.show([f"{detail['field']}: recorded {detail['recorded']}, now {detail['current']}"])
    differing = [detail["field"] for detail in blocked["details"]]
    tell.check(differing == ["model"], f"the explanation names {differing}, not the model")
    tell.say("What may be done: " + "; ".join(action["title"] for action in blocked["actions"]))
    answer = await server.command("resume")
    tell.check(answer["outcome"] == "blocked", f"resume says {answer['outcome']}")
    tell.check(stage.log() == before, "the log was changed")
    tell.say("Asked to resume all the same, it refuses. The log is unchanged, by SHA-256:")
    tell.show([f"before {digest(before)}", f"after  {digest(stage.log())}"])
    return server


async def _abort(stage: Stage, tell: Narrator, server: LspClient, before: bytes) -> None:
    tell.step("Abort it")
    answer = await server.command("abort")
    tell.check(answer["outcome"] == "aborted", f"abort says {answer['outcome']}")
    tell.check(stage.log().startswith(before), "the bytes from before were changed")
    tell.check(_is_idle(stage.log()), "the log is not a finished session")
    tell.show(map(brief, stage.facts()[len(session_facts(before)) :]))
    tell.check(await server.shutdown() == 0, "the server did not end as it should")
    tell.say("The abort is on the disk, and the session is free for the next prompt.")


def _is_asking(stage: Stage) -> bool:
    fact = stage.facts()[-1]
    return fact["kind"] == "record" and fact["record"]["type"] == "stepAttempt"


def _is_idle(log: bytes) -> bool:
    result = reduce_session(log)
    return isinstance(result, Reduced) and isinstance(result.state.operation, Idle)
