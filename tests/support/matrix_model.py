"""The model of the kill matrix: two long runs, one that is aborted, and a summary.

It is careful, as a good model is: where the outcome of a call is unknown, it does not simply
repeat the call but does what has the same end in either case (``Call.careful``). So the files at
the end tell whether Perdure itself did anything twice or not at all.

Each call is known by its label, which is its id on the wire; ``again-`` stands before that of a
careful one. Every effect that can be counted appends ``x`` to a file of its own under ``marks``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from tests.support.model_replies import Reply, calls_reply, text_reply
from tests.support.scene import messages_of

from perdure.core.constants import SYNTHETIC_TEXT
from perdure.json_types import JsonObject

AGAIN = "again-"
WAITING = "two-3"
"""The call that goes on until it is aborted."""

PROMPTS = ("one", "two", "three")
REQUESTS_WITHOUT_A_CRASH = 22
START_FILES: Mapping[str, str] = {
    "note.txt": "hello\n",
    "tally.txt": "tally:\n",
    "count.txt": "count:\n",
    "nested/old.txt": "first\nsecond\n",
    "marks/.keep": "",
}


@dataclass(frozen=True)
class Call:
    """One call; ``careful`` names the tool and arguments that make up for an unknown outcome."""

    label: str
    tool: str
    arguments: JsonObject | str
    careful: tuple[str, JsonObject] | None = None


Step: TypeAlias = tuple[Call, ...]


def careful_model(_number: int, body: JsonObject) -> Reply:
    """Reply to a request, from its messages alone: asked again, it says the same again."""
    if "tools" not in body:
        return text_reply("What happened so far.")
    messages = messages_of(body)
    start = max(index for index, message in enumerate(messages) if message["role"] == "user")
    steps = _STEPS[messages[start]["content"]]
    answers = [message for message in messages[start:] if message["role"] == "assistant"]
    unknown = _of_unknown_outcome(messages)
    if unknown:
        repeated = [call for step in steps for call in step if call.label in unknown]
        return _reply(tuple(_careful(call) for call in repeated))
    done = sum(not answer["tool_calls"][0]["id"].startswith(AGAIN) for answer in answers)
    return _reply(steps[done]) if done < len(steps) else text_reply("All of it is done.")


def _of_unknown_outcome(messages: Sequence[Any]) -> set[str]:
    """Return the labels of the calls of the last answer that were interrupted."""
    last = max(index for index, message in enumerate(messages) if message["role"] != "tool")
    return {
        message["tool_call_id"].removeprefix(AGAIN)
        for message in messages[last + 1 :]
        if message["content"] == SYNTHETIC_TEXT["interrupted"]
    }


def _careful(call: Call) -> Call:
    assert call.careful is not None, f"{call.label} cannot be interrupted"
    return Call(AGAIN + call.label, *call.careful)


def _reply(step: Step) -> Reply:
    calls = [(call.tool, call.arguments) for call in step]
    return calls_reply(*calls, ids=tuple(call.label for call in step))


def _bash(label: str, then: str = "true") -> Call:
    """Leave a mark, then do something that may be done often."""
    mark = f"echo x >> marks/{label}"
    return Call(
        label,
        "bash",
        {"command": f"{mark}; {then}"},
        ("bash", {"command": f"[ -s marks/{label} ] || {mark}; {then}"}),
    )


def _read(label: str, path: str) -> Call:
    return Call(label, "read", {"path": path})


def _write(label: str, path: str, content: str) -> Call:
    arguments: JsonObject = {"path": path, "content": content}
    return Call(label, "write", arguments, ("write", arguments))


def _edit(label: str, path: str, old: str, new: str, *, after: str) -> Call:
    """Edit; done twice, it would show. ``after`` is the whole content that it leads to."""
    arguments: JsonObject = {"path": path, "edits": [{"oldText": old, "newText": new}]}
    return Call(label, "edit", arguments, ("write", {"path": path, "content": after}))


def _refused(label: str, tool: str, arguments: JsonObject | str) -> Call:
    return Call(label, tool, arguments)


_STEPS: Mapping[str, tuple[Step, ...]] = {
    "one": (
        (_read("one-1", "note.txt"),),
        (_write("one-2", "draft.txt", "a draft\n"),),
        (_edit("one-3", "tally.txt", "tally:", "tally: a", after="tally: a\n"),),
        (_write("one-4", "new/deep/new.txt", "new\n"),),
        (_edit("one-5", "nested/old.txt", "first", "first 1st", after="first 1st\nsecond\n"),),
        (_bash("one-6"),),
        (_bash("one-7a"), _read("one-7b", "tally.txt"), _bash("one-7c")),
        (_bash("one-8", "echo failed >&2; exit 3"),),
        (
            _refused("one-9a", "frobnicate", {}),
            _refused("one-9b", "bash", '{"command": "ech'),
            _refused("one-9c", "read", {"path": 7}),
        ),
        (_read("one-10a", "note.txt"), _read("one-10b", "nested/old.txt")),
        (_bash("one-11", "seq 20000"),),
        (_write("one-12", "note.txt", "hello again\n"),),
    ),
    "two": (
        (_bash("two-1"),),
        (_read("two-2", "note.txt"),),
        (_bash(WAITING, "exec sleep 300"),),
    ),
    "three": (
        (_read("three-1", "draft.txt"),),
        (_edit("three-2", "count.txt", "count:", "count: b", after="count: b\n"),),
        (_bash("three-3"),),
        (_write("three-4", "last.txt", json.dumps({"done": True})),),
    ),
}
