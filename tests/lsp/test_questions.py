"""What the server asks: approvals and settings."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.support.lsp_client import TRIVIAL, start_server, workspace
from tests.support.notes import noted
from tests.support.trivial_deeds import APPROVAL

from perdure.cli.lsp_client import LspClient
from perdure.json_types import JsonObject, JsonValue

pytestmark = [pytest.mark.process, pytest.mark.asyncio]

APPROVE: JsonObject = {"experimental": {"perdure": {"approve": True}}}
CONFIGURATION: JsonObject = {
    "workspace": {
        "configuration": True,
        "didChangeConfiguration": {"dynamicRegistration": True},
    }
}


@pytest.mark.hazard('A null answer to an approval means "not decided", never "deny"')
@pytest.mark.parametrize(
    ("answer", "result"),
    [
        ({"decision": "allow"}, "{'decision': 'allow'}"),
        ({"decision": "deny", "message": "no"}, "{'decision': 'deny', 'message': 'no'}"),
        (None, "None"),
        ({"decision": "perhaps"}, "None"),
        ("allow", "None"),
    ],
)
async def test_a_client_that_declares_it_is_asked_by_approve(
    tmp_path: Path, answer: JsonValue, result: str
) -> None:
    folder = workspace(tmp_path)
    async with start_server(tmp_path, command=TRIVIAL) as client:
        client.on_request("perdure/approve", lambda params: answer)
        await client.initialize([folder], capabilities=APPROVE)
        await client.command("prompt", text="ask")
        assert await noted(folder, "approval ") == result
        assert client.requests == {"perdure/approve": [APPROVAL]}


async def test_an_error_instead_of_an_answer_decides_nothing(tmp_path: Path) -> None:
    folder = workspace(tmp_path)
    async with start_server(tmp_path, command=TRIVIAL) as client:
        await client.initialize([folder], capabilities=APPROVE)
        await client.command("prompt", text="ask")
        assert await noted(folder, "approval ") == "None"


@pytest.mark.parametrize(
    ("chosen", "result"),
    [
        ("Allow", "{'decision': 'allow'}"),
        ("Allow for this session", "{'decision': 'allowForSession'}"),
        ("Always allow in this workspace", "{'decision': 'allowForWorkspace'}"),
        ("Deny", "{'decision': 'deny'}"),
        (None, "None"),
    ],
)
async def test_other_clients_are_asked_by_a_message(
    tmp_path: Path, chosen: str | None, result: str
) -> None:
    folder = workspace(tmp_path)
    async with start_server(tmp_path, command=TRIVIAL) as client:
        client.on_request("window/showMessageRequest", lambda params: chosen and {"title": chosen})
        await client.initialize([folder])
        await client.command("prompt", text="ask")
        assert await noted(folder, "approval ") == result
        [question] = client.requests["window/showMessageRequest"]
        assert question["message"] == "Run a command\nmake all"
        titles = [action["title"] for action in question["actions"]]
        assert titles == [
            "Allow",
            "Allow for this session",
            "Always allow in this workspace",
            "Deny",
        ]


async def test_a_question_that_is_settled_elsewhere_is_taken_back(tmp_path: Path) -> None:
    folder = workspace(tmp_path)
    async with start_server(tmp_path, command=TRIVIAL) as client:
        client.on_request("perdure/approve", _never)
        await client.initialize([folder], capabilities=APPROVE)
        await client.command("prompt", text="give_up_asking")
        await client.until("$/cancelRequest", lambda params: params["id"])


@pytest.mark.parametrize(
    "options", [{"model": {"name": "one"}}, {"settings": {"model": {"name": "one"}}}]
)
async def test_settings_of_initialize(tmp_path: Path, options: JsonObject) -> None:
    folder = workspace(tmp_path)
    async with start_server(tmp_path, command=TRIVIAL) as client:
        await client.initialize([folder], settings=options)
        assert await noted(folder, "settings ") == "one"


async def test_a_client_that_can_be_asked_for_settings_is_asked(tmp_path: Path) -> None:
    folder = workspace(tmp_path)
    settings: JsonObject = {"model": {"name": "asked"}}
    async with start_server(tmp_path, command=TRIVIAL) as client:
        client.on_request("workspace/configuration", lambda params: [settings])
        client.on_request("client/registerCapability", lambda params: None)
        await client.initialize(
            [folder], settings={"model": {"name": "initial"}}, capabilities=CONFIGURATION
        )
        assert await noted(folder, "settings ") == "asked"
        settings["model"] = {"name": "changed"}
        client.notify("workspace/didChangeConfiguration", {"settings": None})
        assert await noted(folder, "configured ") == "changed"
        assert client.requests["workspace/configuration"][0] == {"items": [{"section": "perdure"}]}
        [registered] = client.requests["client/registerCapability"]
        [registration] = registered["registrations"]
        assert registration["method"] == "workspace/didChangeConfiguration"


@pytest.mark.parametrize("wrapped", [True, False])
async def test_pushed_settings(tmp_path: Path, wrapped: bool) -> None:
    folder = workspace(tmp_path)
    settings: JsonValue = {"model": {"name": "pushed"}}
    async with start_server(tmp_path, command=TRIVIAL) as client:
        await client.initialize([folder])
        await client.command("status")
        pushed: JsonValue = {"perdure": settings} if wrapped else settings
        client.notify("workspace/didChangeConfiguration", {"settings": pushed})
        assert await noted(folder, "configured ") == "pushed"


@pytest.mark.hazard("bad settings: the server stays up and says so; no restart loop")
async def test_bad_settings_are_told_once(tmp_path: Path) -> None:
    folder = workspace(tmp_path)
    bad: JsonObject = {"model": {"name": 5, "colour": "red"}, "resume": "perhaps"}
    async with start_server(tmp_path, command=TRIVIAL) as client:
        await client.initialize([folder], settings=bad)
        assert await noted(folder, "settings ") == ""
        for _ in range(3):
            client.notify("workspace/didChangeConfiguration", {"settings": {"resume": 1}})
        await noted(folder, "configured ")
        await client.command("status")
        told = _messages(client)
    assert len(told) == 2
    for path in ("model.name", "model.colour", "resume"):
        assert f"initializationOptions: {path}: " in told[0]
    assert "editor settings: resume: " in told[1]


async def test_a_message_is_shown_once(tmp_path: Path) -> None:
    async with start_server(tmp_path, command=TRIVIAL) as client:
        await client.initialize([workspace(tmp_path)])
        await client.command("prompt", text="tell hello")
        await client.until("window/showMessage", lambda params: True)
        assert client.notifications["window/showMessage"] == [{"type": 3, "message": "hello"}]


def _messages(client: LspClient) -> list[str]:
    return [params["message"] for params in client.notifications["window/showMessage"]]


async def _never(params: Any) -> None:  # noqa: ANN401
    await asyncio.sleep(1000)
