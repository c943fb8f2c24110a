"""What must hold whenever the planner says ``blocked``: shown in place, and nothing touched."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.scene import Scene, wait_state

from perdure.cli.lsp_client import LspClient, RpcError


async def assert_blocked(
    scene: Scene, client: LspClient, code: str, recorded: str = "", current: str = ""
) -> None:
    """Assert that the folder is blocked, says why, and did nothing; resume and prompt neither.

    ``recorded`` and ``current`` stand in one line of the details.
    """
    before, requests = scene.digest(), scene.model.count
    status = await wait_state(client, "blocked")
    assert status["blocked"]["code"] == code
    assert any(
        recorded in detail["recorded"] and current in detail["current"]
        for detail in status["blocked"]["details"]
    )
    resumed = await client.command("resume")
    assert resumed["outcome"] == "blocked"
    assert resumed["plan"] == {"type": "blocked", "reason": code}
    with pytest.raises(RpcError) as busy:
        await client.command("prompt", text="one more thing")
    assert busy.value.data["code"] == "busy"
    assert busy.value.data["status"]["state"] == "blocked"
    await _assert_shown_in_place(client, status, recorded, current)
    assert (scene.digest(), scene.model.count) == (before, requests)
    assert not scene.names()[-1].startswith("operationFinished")


async def _assert_shown_in_place(
    client: LspClient,
    status: Any,  # noqa: ANN401
    recorded: str,
    current: str,
) -> None:
    uri = f"perdure:/{status['sessionId']}.md"
    shown = await client.until(
        "textDocument/publishDiagnostics", lambda p: p["uri"] == uri and p["diagnostics"]
    )
    (diagnostic,) = shown["diagnostics"]
    assert (diagnostic["source"], diagnostic["code"]) == ("perdure", status["blocked"]["code"])
    assert recorded in diagnostic["message"]
    assert current in diagnostic["message"]
    actions = await client.request(
        "textDocument/codeAction",
        {
            "textDocument": {"uri": uri},
            "range": diagnostic["range"],
            "context": {"diagnostics": [diagnostic]},
        },
    )
    commands = {action["command"]["command"] for action in actions}
    assert commands == {action["command"] for action in status["blocked"]["actions"]}
    assert "perdure.abort" in commands


async def assert_shown_no_longer(client: LspClient) -> None:
    """Assert that the diagnostic went with the state."""
    told = client.notifications["textDocument/publishDiagnostics"]
    await client.until("textDocument/publishDiagnostics", lambda _: not told[-1]["diagnostics"])
