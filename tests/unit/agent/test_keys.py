"""The provider's key is taken out of whatever is stored or shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from perdure.agent.keys import Keys, clean, keys_of
from perdure.core.messages import AssistantMessage
from perdure.json_types import JsonObject
from perdure.providers.base import Answer
from perdure.tools.base import ToolContext, ToolResult

KEY = "sk-test-4f1d8c0a9e7b"
LONGER = f"{KEY}-and-more"


@pytest.mark.parametrize(
    ("environ", "text", "expected"),
    [
        ({"OPENAI_API_KEY": KEY}, f"a {KEY} b {KEY}", "a [key] b [key]"),
        ({"MINE": KEY}, KEY, "[key]"),
        ({"OTHER": KEY}, KEY, KEY),
        ({"MINE": KEY, "OPENAI_API_KEY": LONGER}, f"{LONGER} {KEY}", "[key] [key]"),
        ({"OPENAI_API_KEY": "lm-studio"}, "use lm-studio", "use lm-studio"),
        ({"OPENAI_API_KEY": "sk-no-key-required"}, "sk-no-key-required", "sk-no-key-required"),
        ({}, "", ""),
    ],
)
def test_keys_of_the_environment(environ: dict[str, str], text: str, expected: str) -> None:
    assert keys_of(environ, "MINE").without(text) == expected


@pytest.mark.parametrize(
    ("pieces", "shown"),
    [
        ([KEY], "[key]"),
        (["a ", KEY[:5], KEY[5:], " b"], "a [key] b"),
        ([*KEY, "!"], "[key]!"),
        (["sk-", "test", " only"], "sk-test only"),
        (["ends with s"], "ends with "),
        (["ends with s", "!"], "ends with s!"),
    ],
)
def test_a_key_does_not_get_through_in_pieces(pieces: list[str], shown: str) -> None:
    seen: list[str] = []
    stream = Keys([KEY]).stream(seen.append)
    for piece in pieces:
        stream.take(piece)
    assert "".join(seen) == shown
    stream.end()
    assert "".join(seen) == "".join(pieces).replace(KEY, "[key]")
    assert all(seen)


def test_an_answer() -> None:
    message: AssistantMessage = {
        "role": "assistant",
        "content": f"Your key is {KEY}.",
        "tool_calls": [
            {
                "id": f"call {KEY}",
                "type": "function",
                "function": {"name": f"bash{KEY}", "arguments": f'{{"command":"echo {KEY}"}}'},
            }
        ],
    }
    answer = Answer(message, "toolUse", None)
    clean_answer = Keys([KEY]).without_in_answer(answer)
    assert KEY not in str(clean_answer)
    assert clean_answer.message["content"] == "Your key is [key]."
    assert Keys(()).without_in_answer(answer) == answer


@pytest.mark.parametrize(
    ("opaque", "kept"),
    [
        ({"reasoning": "plain", "parts": [{"signature": "abc"}, 1, None]}, True),
        ({"reasoning": f"The key is {KEY}."}, False),
        ({"parts": [{"signature": [f"{KEY}"]}]}, False),
        ({KEY: 1}, False),
    ],
)
def test_what_a_model_wants_back_is_kept_whole_or_not_at_all(
    opaque: JsonObject, kept: bool
) -> None:
    message: AssistantMessage = {"role": "assistant", "content": "plain"}
    answer = Keys([KEY]).without_in_answer(Answer(message, "stop", None, opaque))
    assert answer.opaque == (opaque if kept else None)


@pytest.mark.asyncio
async def test_a_result_and_the_complete_output_that_it_names(tmp_path: Path) -> None:
    output = tmp_path / "tool-output" / "job.log"
    output.parent.mkdir()
    output.write_text(f"{KEY}\n")
    context = ToolContext(tmp_path, tmp_path, "job", False, lambda _: None)
    result = await clean(ToolResult("success", f"{KEY}\n"), Keys([KEY]), context)
    assert result == ToolResult("success", "[key]\n")
    assert output.read_text() == "[key]\n"
    assert output.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in output.parent.iterdir()] == ["job.log"]


def test_a_file_that_cannot_be_cleaned_goes(tmp_path: Path) -> None:
    link = tmp_path / "link.log"
    link.symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere").write_text(KEY)
    Keys([KEY]).without_in_file(link)
    assert not link.is_symlink()
    assert (tmp_path / "elsewhere").read_text() == KEY
    Keys([KEY]).without_in_file(link)
