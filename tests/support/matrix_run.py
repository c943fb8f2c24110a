"""The session of the kill matrix: driving it, going on with it after a kill, and what came of it.

``drive`` does what a user would do: three prompts, an abort of the second, a compaction. After a
crash it looks at the session first and goes on from there.

``outcome_of`` tells what is left. Two outcomes are the same when

* history, results and outcomes of operations are equal; where a call was interrupted and done
  again with care, the second must not fail, but its result is not compared, and the pair of
  repeated call and result is left out (the history has one such pair at most);
* all files of the workspace are equal byte for byte, and there is no other one.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from typing import Any

from tests.support.matrix_model import AGAIN, PROMPTS, START_FILES, WAITING
from tests.support.scene import Scene, fact_name, wait_state

from perdure.cli.lsp_client import ConnectionLost, LspClient

_IDS = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_ONE, _TWO, _THREE = PROMPTS


@dataclass(frozen=True)
class Outcome:
    """``history`` holds texts and labels in their order, ``results`` those of calls by label."""

    history: list[str]
    results: dict[str, str]
    repeated: set[str]
    files: dict[str, bytes]


async def prepare(scene: Scene, client: LspClient) -> None:
    """Lay out the files and create the session."""
    for name, content in START_FILES.items():
        path = scene.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content)
    await client.command("newSession")


async def drive(scene: Scene, client: LspClient) -> None:
    """Do what has not been done yet. Raises ``ConnectionLost`` when the server ends."""
    await _prompt(scene, client, _ONE)
    await _prompt(scene, client, _TWO)
    await _abort_while_waiting(scene, client)
    if not scene.named("compactionStarted"):
        await wait_state(client, "idle")
        assert (await client.command("compact"))["outcome"] == "started"
    await _prompt(scene, client, _THREE)
    await wait_state(client, "idle")


def outcome_of(scene: Scene) -> Outcome:
    """Tell what the session and the workspace hold."""
    history: list[str] = []
    results: dict[str, str] = {}
    repeated = set()
    for fact in scene.facts():
        for item in _items(fact):
            if item.startswith(AGAIN):
                repeated.add(item.removeprefix(AGAIN))
            else:
                history.append(item)
        if fact_name(fact).startswith("tool:"):
            message = fact["entry"]["message"]
            results[message["tool_call_id"]] = _without_what_differs(scene, message["content"])
    return Outcome(history, results, repeated, _files(scene))


def assert_same(found: Outcome, expected: Outcome) -> None:
    """Assert that two outcomes are the same; see the text above."""
    assert found.history == expected.history
    assert found.files == expected.files
    assert len(found.repeated) <= 1
    assert not any(found.results[AGAIN + label].startswith("Error") for label in found.repeated)
    for label, result in expected.results.items():
        assert label in found.repeated or found.results[label] == result, label


async def _prompt(scene: Scene, client: LspClient, text: str) -> None:
    """Prompt when nothing is unfinished, unless that was done before."""
    if text not in [fact["entry"]["message"]["content"] for fact in scene.named("user")]:
        await wait_state(client, "idle")
        await client.command("prompt", text=text)


async def _abort_while_waiting(scene: Scene, client: LspClient) -> None:
    """Abort the second run when its last command is at work, unless it is over."""
    if len(scene.records("operationFinished")) > PROMPTS.index(_TWO):
        return
    async with asyncio.timeout(20):
        while not scene.text(f"marks/{WAITING}"):
            if client.process.returncode is not None:
                raise ConnectionLost("the server ended")
            await asyncio.sleep(0.01)
    await client.command("abort")


def _items(fact: Any) -> list[str]:  # noqa: ANN401
    """Return what stands in the history for a fact."""
    match fact:
        case {"entry": {"message": {"role": "assistant", "tool_calls": [*calls]}}} if calls:
            return [call["id"] for call in calls]
        case {"entry": {"message": {"role": "user" | "assistant", "content": content}}}:
            return [content]
        case {"entry": {"type": "compaction", "summary": summary}}:
            return [summary]
        case {"record": {"type": "operationFinished"}}:
            return [fact_name(fact)]
        case _:
            return []


def _without_what_differs(scene: Scene, result: str) -> str:
    data = scene.session_file().with_suffix(".d")
    return _IDS.sub("ID", result.replace(str(data), "DATA"))


def _files(scene: Scene) -> dict[str, bytes]:
    return {
        str(path.relative_to(scene.folder)): path.read_bytes()
        for path in sorted(scene.folder.rglob("*"))
        if path.is_file()
    }
