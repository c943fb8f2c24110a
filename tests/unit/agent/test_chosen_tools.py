"""Which tools the settings and the host give to a model."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from tests.support.recording_host import RecordingHost

from perdure.agent.chosen_tools import chosen_tools
from perdure.agent.settings import Settings
from perdure.json_types import JsonObject
from perdure.protocol.editor import FileDiagnostics
from perdure.tools.diagnostics import AskEditor
from perdure.tools.supervisors import Supervisors

ALWAYS = ["bash", "read", "write", "edit", "grep", "glob", "list"]


class Editor(RecordingHost):
    """A host that can be asked what it reports."""

    @property
    def ask_diagnostics(self) -> AskEditor:  # type: ignore[override]
        async def ask(_uri: str | None) -> Sequence[FileDiagnostics]:
            return []

        return ask


@pytest.mark.parametrize(
    ("settings", "host", "names"),
    [
        ({}, RecordingHost(), ALWAYS),
        ({"tools": {"fetch": True}}, RecordingHost(), [*ALWAYS, "fetch"]),
        ({}, Editor(), [*ALWAYS, "diagnostics"]),
        ({"tools": {"fetch": True}}, Editor(), [*ALWAYS, "diagnostics", "fetch"]),
        (
            {"tools": {"fetch": True}, "trusted": False},
            Editor(),
            ["read", "grep", "glob", "list", "diagnostics"],
        ),
    ],
)
def test_names(settings: JsonObject, host: RecordingHost, names: list[str]) -> None:
    tools = chosen_tools(Settings.model_validate(settings), host, {}, Supervisors())
    assert [tool.declaration.definition.name for tool in tools] == names


@pytest.mark.parametrize(
    ("tools", "words"),
    [
        ({}, None),
        ({"network": True}, None),
        ({"sandbox": "on"}, "there is no network"),
        ({"sandbox": "on", "network": True}, "the network can be used"),
    ],
)
def test_a_sandbox_is_part_of_what_the_model_is_told(tools: JsonObject, words: str | None) -> None:
    settings = Settings.model_validate({"tools": tools})
    bash, *_ = chosen_tools(settings, RecordingHost(), {}, Supervisors())
    description = bash.declaration.definition.description
    assert ("sandbox" in description) == (words is not None)
    assert words is None or words in description
