"""The configuration identity: everything that decides what the model is asked, in order."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from perdure.agent.configuration import Configuration, freeze, snapshot_digest
from perdure.agent.prompt import system_prompt
from perdure.core.declarations import ToolDeclaration
from perdure.providers.base import Answer, Delta, ModelRequest, ProviderIdentity
from perdure.providers.prices import Prices
from perdure.tools.base import ToolSet
from perdure.tools.bash import BashTool
from perdure.tools.files import on_disk
from perdure.tools.read import ReadTool
from perdure.tools.registry import Tools

IDENTITY = ProviderIdentity(
    provider="openai",
    model="model",
    adapter="openai:chat-completions:v1",
    routing="example.org/v1:model",
    output_options={},
)
BASH = BashTool(secret_names=frozenset())
READ = ReadTool(on_disk)


@dataclass(frozen=True)
class Named:
    """A provider that only has an identity."""

    identity: ProviderIdentity
    context_window: int | None = None
    prices: Prices | None = None

    async def complete(self, request: ModelRequest, on_delta: Callable[[Delta], None]) -> Answer:
        """Not asked here."""
        raise NotImplementedError

    async def aclose(self) -> None:
        """Nothing to release."""


class Reworded(ReadTool):
    """The built-in read with another description."""

    @property
    def declaration(self) -> ToolDeclaration:
        """The declaration in other words."""
        own = super().declaration
        return replace(own, definition=replace(own.definition, description="other words"))


def frozen(
    *,
    identity: ProviderIdentity = IDENTITY,
    prompt: str = "You are a test.",
    tools: ToolSet | None = None,
    environment: str = "here",
) -> Configuration:
    """A configuration; every part can be replaced."""
    return freeze(
        provider=Named(identity),
        system_prompt=prompt,
        tools=tools or Tools([BASH, READ]),
        environment_identity=environment,
    )


SNAPSHOT_KEYS = {
    "model",
    "systemPromptDigest",
    "tools",
    "adapterIdentity",
    "routingIdentity",
    "outputOptionsDigest",
}


@pytest.mark.requirement(40)
def test_a_snapshot_has_exactly_the_six_parts_and_carries_their_digest() -> None:
    configuration = frozen()
    assert set(configuration.snapshot) == SNAPSHOT_KEYS
    digest = snapshot_digest(configuration.snapshot)
    assert configuration.current.configuration_digest == digest


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param(frozen(identity=replace(IDENTITY, model="other")), id="model"),
        pytest.param(frozen(prompt="You are another test."), id="system prompt"),
        pytest.param(frozen(tools=Tools([BASH])), id="tool removed"),
        pytest.param(
            frozen(tools=Tools([BASH, Reworded(on_disk)])),
            id="tool described otherwise",
            marks=pytest.mark.requirement(47),
        ),
        pytest.param(
            frozen(tools=Tools([READ, BASH])),
            id="order of tools",
            marks=pytest.mark.requirement(41),
        ),
        pytest.param(frozen(identity=replace(IDENTITY, adapter="x:y:v2")), id="adapter"),
        pytest.param(frozen(identity=replace(IDENTITY, routing="elsewhere:model")), id="routing"),
        pytest.param(
            frozen(identity=replace(IDENTITY, output_options={"max_tokens": 1})),
            id="output options",
        ),
    ],
)
@pytest.mark.requirement(40)
def test_every_part_counts(changed: Configuration) -> None:
    assert changed.current.configuration_digest != frozen().current.configuration_digest


def test_what_is_not_part_of_the_identity_does_not_count() -> None:
    elsewhere = frozen(environment="elsewhere")
    assert elsewhere.current.configuration_digest == frozen().current.configuration_digest


def test_the_system_prompt_holds_the_instructions_and_no_absolute_path(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("Always whistle.", encoding="utf-8")
    prompt = system_prompt(tmp_path, ["bash", "read"])
    assert "Always whistle." in prompt
    assert "bash, read" in prompt
    assert str(tmp_path) not in prompt


def test_instructions_stay_in_the_workspace(tmp_path: Path) -> None:
    root = tmp_path.resolve() / "work"
    root.mkdir()
    (tmp_path / "secret").write_text("Whisper.", encoding="utf-8")
    (root / "CLAUDE.md").write_text("Whistle.", encoding="utf-8")
    link = root / "AGENTS.md"
    link.symlink_to("../secret")
    assert "project_instructions" not in system_prompt(root, [])
    link.unlink()
    link.symlink_to("CLAUDE.md")
    assert "Whistle." in system_prompt(root, [])


@pytest.mark.parametrize("kind", ["fifo", "folder", "huge"])
def test_instructions_are_a_file_of_reasonable_size(tmp_path: Path, kind: str) -> None:
    path = tmp_path.resolve() / "AGENTS.md"
    match kind:
        case "fifo":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case _:
            path.write_text("a")
            os.truncate(path, 1 << 40)
    assert "project_instructions" not in system_prompt(path.parent, [])


def test_the_system_prompt_names_no_tool_that_was_not_given(tmp_path: Path) -> None:
    prompt = system_prompt(tmp_path, [])
    assert not any(f" {name}" in prompt.split("tools of this request:")[1] for name in ("bash",))


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"CLAUDE.md": "Dance."}, "Dance."),
        ({"CLAUDE.md": "Dance.", "AGENTS.md": "Whistle."}, "Whistle."),
        ({"CLAUDE.md": "Dance.", "AGENTS.md": ""}, ""),
    ],
)
def test_claude_md_counts_where_there_is_no_agents_md(
    tmp_path: Path, files: dict[str, str], expected: str
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    name = "AGENTS.md" if "AGENTS.md" in files else "CLAUDE.md"
    block = f'<project_instructions path="{name}">\n{expected}\n</project_instructions>'
    assert block in system_prompt(tmp_path, [])
