"""A configuration that changed, part by part."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.support.agent_home import agent_at, leave_unfinished, session_file, talk
from tests.unit.agent.test_configuration import BASH, READ, Reworded, frozen

from perdure.agent.configuration import Configuration
from perdure.agent.diffs import CUT, MAX_COMPARED, MAX_SHOWN, TOO_LARGE, unified
from perdure.agent.explained import explained, prompt_parts
from perdure.agent.kept_configurations import keep, kept_object, kept_prompt
from perdure.agent.prompt import system_prompt
from perdure.core.canonical import digest
from perdure.core.explain import differences
from perdure.protocol.trouble import Detail
from perdure.store.places import data_path
from perdure.tools.files import on_disk
from perdure.tools.registry import Tools


def _details(recorded: Configuration, current: Configuration, data: Path) -> list[Detail]:
    found = differences(recorded.snapshot, current.snapshot)
    return explained(found, current, data)


def _prompt(root: Path, instructions: str | None) -> str:
    root.mkdir(exist_ok=True)
    if instructions is not None:
        (root / "AGENTS.md").write_text(instructions)
    return system_prompt(root, ["bash"])


def test_a_prompt_is_divided_into_its_parts(tmp_path: Path) -> None:
    tricky = "a\n</project_instructions>\n</project_context>\nb"
    parts = prompt_parts(_prompt(tmp_path, tricky))
    assert parts == {"instructions": _prompt(tmp_path / "other", None), "AGENTS.md": tricky}


@pytest.mark.requirement(49)
def test_which_part_of_the_prompt_and_how(tmp_path: Path) -> None:
    recorded = frozen(prompt=_prompt(tmp_path, "Whistle.\nDance.\n"))
    current = frozen(prompt=_prompt(tmp_path, "Whistle.\nSing.\nSleep.\n"))
    keep(tmp_path / "s.d", recorded)
    (detail,) = _details(recorded, current, tmp_path / "s.d")
    assert detail == {
        "field": "system prompt: AGENTS.md",
        "recorded": "2 lines",
        "current": "3 lines",
        "diff": "--- recorded AGENTS.md\n+++ current AGENTS.md\n"
        "@@ -1,2 +1,3 @@\n Whistle.\n-Dance.\n+Sing.\n+Sleep.\n",
    }


def test_a_part_that_is_new(tmp_path: Path) -> None:
    recorded = frozen(prompt=_prompt(tmp_path, None))
    current = frozen(prompt=_prompt(tmp_path, "Whistle."))
    keep(tmp_path / "s.d", recorded)
    (detail,) = _details(recorded, current, tmp_path / "s.d")
    assert (detail["recorded"], detail["current"]) == ("(none)", "1 line")


def test_which_part_of_a_tool(tmp_path: Path) -> None:
    recorded, current = frozen(), frozen(tools=Tools([BASH, Reworded(on_disk)]))
    keep(tmp_path / "s.d", recorded)
    (detail,) = _details(recorded, current, tmp_path / "s.d")
    assert detail["field"] == "tool read: description"
    assert "+other words\n" in detail["diff"]


@pytest.mark.parametrize("damage", [None, b"", b"other"])
def test_without_what_was_kept_the_digests_are_shown(tmp_path: Path, damage: bytes | None) -> None:
    recorded = frozen(prompt="a", tools=Tools([BASH, READ]))
    current = frozen(prompt="b", tools=Tools([BASH, Reworded(on_disk)]))
    if damage is not None:
        keep(tmp_path / "s.d", recorded)
        for file in (tmp_path / "s.d" / "prompts").iterdir():
            file.write_bytes(damage)
    details = _details(recorded, current, tmp_path / "s.d")
    assert [detail["field"] for detail in details] == ["system prompt", "tool read"]
    assert details[0]["recorded"] == digest("a")
    keep(tmp_path / "s.d", recorded)
    assert kept_prompt(tmp_path / "s.d", digest("a")) == "a"


def test_what_is_kept_is_private_and_named_by_its_digest(tmp_path: Path) -> None:
    configuration = frozen(prompt="ü\r\n")
    keep(tmp_path / "s.d", configuration)
    folder = tmp_path / "s.d" / "prompts"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {file.stat().st_mode & 0o777 for file in folder.iterdir()} == {0o600}
    assert kept_prompt(tmp_path / "s.d", digest("ü\r\n")) == "ü\r\n"
    read = configuration.snapshot["tools"][1]["definitionDigest"]
    kept = kept_object(tmp_path / "s.d", read)
    assert kept is not None
    assert kept["name"] == "read"


def test_a_fifo_in_the_place_of_a_file_is_replaced(tmp_path: Path) -> None:
    keep(tmp_path / "s.d", frozen(prompt="a"))
    for file in (tmp_path / "s.d" / "prompts").iterdir():
        file.unlink()
        os.mkfifo(file)
    assert kept_prompt(tmp_path / "s.d", digest("a")) is None
    keep(tmp_path / "s.d", frozen(prompt="a"))
    assert kept_prompt(tmp_path / "s.d", digest("a")) == "a"


def test_a_folder_in_the_way_refuses_nothing(tmp_path: Path) -> None:
    (tmp_path / "s.d").write_text("in the way")
    keep(tmp_path / "s.d", frozen())
    assert kept_prompt(tmp_path / "s.d", frozen().snapshot["systemPromptDigest"]) is None


def test_diffs_are_bounded() -> None:
    many = "".join(f"{n}\n" for n in range(MAX_SHOWN * 2))
    assert unified("", many, old="a", new="b").endswith(f"{CUT}\n")
    assert TOO_LARGE in unified("", "\n" * (MAX_COMPARED + 1), old="a", new="b")
    assert unified("a", "a\n", old="a", new="b").count("\\ No newline at end of file") == 1


@pytest.mark.asyncio
@pytest.mark.requirement(48, 49)
async def test_a_blocked_run_names_the_part(tmp_path: Path) -> None:
    await leave_unfinished(tmp_path)
    (tmp_path / "work" / "AGENTS.md").write_text("Whistle.")
    async with agent_at(tmp_path) as agent:
        blocked = agent.status()["blocked"]
        assert blocked is not None
        assert [detail["field"] for detail in blocked["details"]] == ["system prompt: AGENTS.md"]
        assert "+Whistle.\n" in blocked["details"][0]["diff"]


@pytest.mark.asyncio
async def test_the_configuration_is_kept_before_it_is_named(tmp_path: Path) -> None:
    async with agent_at(tmp_path) as agent:
        await talk(agent, "text: hello")
    data = data_path(session_file(tmp_path))
    log = session_file(tmp_path).read_text()
    kept = {file.stem for file in (data / "prompts").iterdir()}
    assert len(kept) == 9
    assert all(name in log for name in kept)
