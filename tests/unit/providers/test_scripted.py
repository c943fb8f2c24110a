"""The demo model plays the script in the prompt, deterministically."""

from __future__ import annotations

import asyncio

import pytest

from perdure.core.declarations import ToolDefinition
from perdure.core.messages import Call, Message
from perdure.core.user_content import with_context
from perdure.providers.base import Answer, Delta, ModelRequest, ProviderError
from perdure.providers.scripted import MARK, ScriptedProvider

TOOLS = (ToolDefinition("bash", "Run a command.", {"type": "object"}),)

LONG = """\
Please do this:
text: First
text: answer.
call: bash {"command": "ls"}
call: read not json
id: mine
---
blank
---
stop: length
usage: 3 4
text: cut
---
usage: none
call: bash {"a":
 "b"}
"""


def user(text: str) -> Message:
    return {"role": "user", "content": text}


ANSWER: Message = {"role": "assistant", "content": "x"}


def ask(
    *messages: Message, tools: tuple[ToolDefinition, ...] = TOOLS
) -> tuple[Answer, list[Delta]]:
    deltas: list[Delta] = []
    request = ModelRequest(system="You are.", messages=messages, tools=tools)
    return asyncio.run(ScriptedProvider().complete(request, deltas.append)), deltas


def call(call_id: str, name: str, arguments: str) -> Call:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def test_text_and_calls_of_the_first_step() -> None:
    answer, deltas = ask(user(LONG))
    assert answer.stop_reason == "toolUse"
    assert answer.message == {
        "role": "assistant",
        "content": "[demo] First\nanswer.",
        "tool_calls": [
            call("call_1_1", "bash", '{"command": "ls"}'),
            call("mine", "read", "not json"),
        ],
    }
    assert [delta.kind for delta in deltas] == ["text", "text", "toolArguments", "toolArguments"]


def test_the_number_of_answers_after_the_script_chooses_the_step() -> None:
    blank, _ = ask(user("hi"), ANSWER, user(LONG), ANSWER)
    assert (blank.message, blank.stop_reason) == ({"role": "assistant", "content": ""}, "stop")
    cut, _ = ask(user(LONG), ANSWER, ANSWER)
    assert cut.stop_reason == "length"
    assert cut.usage == {"input": 3, "output": 4, "cacheRead": 0, "cacheWrite": 0}
    last, _ = ask(user(LONG), ANSWER, ANSWER, user("no script"), ANSWER)
    assert last.usage is None
    assert last.message["content"] is None
    assert last.message["tool_calls"] == [call("call_4_1", "bash", '{"a":\n "b"}')]
    end, _ = ask(user(LONG), ANSWER, ANSWER, ANSWER, ANSWER)
    assert end.message["content"] == MARK + "The script is at its end."


def test_the_context_of_a_message_is_no_part_of_the_script() -> None:
    answer, _ = ask(user(with_context("text: fine", ["text: quoted"])))
    assert answer.message["content"] == MARK + "fine"


@pytest.mark.requirement(131)
def test_says_in_every_answer_that_it_is_the_demo_model() -> None:
    help_text, _ = ask(user("Fix the bug.\nerror: cannot find module x"))
    summary, _ = ask(user("[]"), tools=())
    for answer in (help_text, summary):
        assert (answer.message["content"] or "").startswith(MARK)
        assert answer.stop_reason == "stop"
        assert answer.usage is not None


def test_the_help_holds_a_script_that_works() -> None:
    help_text, _ = ask(user("hi"))
    answer, _ = ask(user(help_text.message["content"] or ""))
    assert answer.message["content"] == MARK + "Let me look around."
    assert [call["function"]["name"] for call in answer.message["tool_calls"]] == ["bash"]


def test_same_messages_same_answer() -> None:
    assert ask(user(LONG)) == ask(user(LONG))


def test_text_can_be_streamed_in_pieces() -> None:
    answer, deltas = ask(user("stream: 5 1\nreasoning: hm\ntext: one two three"))
    assert deltas[0] == Delta("reasoning", "hm")
    assert len(deltas) == 6
    assert "".join(delta.text for delta in deltas[1:]) == answer.message["content"]


def test_scripted_errors() -> None:
    with pytest.raises(ProviderError, match="slow down") as raised:
        ask(user("usage: 1 2\ntext: so far\nerror: rate_limit slow down"))
    assert (raised.value.code, raised.value.retryable) == ("rate_limit", True)
    assert raised.value.partial == MARK + "so far"
    assert raised.value.usage == {"input": 1, "output": 2, "cacheRead": 0, "cacheWrite": 0}


@pytest.mark.parametrize("line", ["sleep: soon", "id: x", "stop: now", "error: nonsense x"])
def test_a_line_that_cannot_be_read_is_named(line: str) -> None:
    with pytest.raises(ProviderError, match="script") as raised:
        ask(user(f"text: x\n{line}"))
    assert raised.value.code == "invalid_request"


def test_can_be_cancelled_while_it_sleeps() -> None:
    async def cancelled() -> bool:
        request = ModelRequest(system="", messages=[user("sleep: 60000\ntext: x")], tools=TOOLS)
        task = asyncio.create_task(ScriptedProvider().complete(request, lambda delta: None))
        await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.wait([task])
        return task.cancelled()

    assert asyncio.run(cancelled())
