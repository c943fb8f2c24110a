"""Approvals: asked with a preview, answered from anywhere, never decided by silence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.support.model_replies import Reply, ReplyFunction, calls_reply, text_reply
from tests.support.model_server import assert_legal_history
from tests.support.scene import APPROVES, messages_of, scene_at, wait_state

from perdure.cli.lsp_client import LspClient, RpcError
from perdure.json_types import JsonObject

pytestmark = [pytest.mark.process, pytest.mark.asyncio]

ASK: JsonObject = {"approval": {"bash": "ask", "write": "ask", "edit": "ask"}}


def _each_prompt_calls(*calls: tuple[str, JsonObject | str]) -> ReplyFunction:
    def reply(_number: int, body: JsonObject) -> Reply:
        is_prompt = messages_of(body)[-1]["role"] == "user"
        return calls_reply(*calls) if is_prompt else text_reply("done")

    return reply


def _answers(client: LspClient, answer: JsonObject | None) -> list[Any]:
    """Answer every ``perdure/approve`` so; return the list of the questions."""
    client.on_request("perdure/approve", lambda _: answer)
    return client.requests["perdure/approve"]


async def test_previews(tmp_path: Path) -> None:
    calls = _each_prompt_calls(
        ("write", {"path": "new.txt", "content": "hello\n"}),
        ("edit", {"path": "old.txt", "edits": [{"oldText": "one", "newText": "two"}]}),
        ("bash", {"command": "cat new.txt old.txt"}),
        ("read", {"path": "old.txt"}),
    )
    with scene_at(tmp_path, calls) as scene:
        (scene.folder / "old.txt").write_text("one\n")
        async with scene.server(settings=ASK, capabilities=APPROVES) as client:
            asked = _answers(client, {"decision": "allow"})
            await scene.talk(client, "go")
        assert [params["toolName"] for params in asked] == ["write", "edit", "bash"]
        write, edit, bash = (params["preview"] for params in asked)
        new, old = (scene.folder / name for name in ("new.txt", "old.txt"))
        assert write == {"uri": new.as_uri(), "before": "", "after": "hello\n"}
        assert edit == {"uri": old.as_uri(), "before": "one\n", "after": "two\n"}
        assert bash == {"command": "cat new.txt old.txt", "directory": str(scene.folder)}
        answer = scene.named("assistant")[0]
        assert [params["approvalId"] for params in asked] == [
            f"{answer['id']}:{index}" for index in range(3)
        ]
        assert "hello\ntwo\n" in scene.tool_results()[2]


@pytest.mark.hazard('A null answer to an approval means "not decided", never "deny"')
async def test_null_keeps_it_pending_until_it_is_denied(tmp_path: Path) -> None:
    calls = _each_prompt_calls(("bash", {"command": "touch done"}))
    with scene_at(tmp_path, calls) as scene:
        async with scene.server(settings=ASK, capabilities=APPROVES) as client:
            asked = _answers(client, None)
            await client.command("prompt", text="go")
            status = await wait_state(client, "waitingForApproval")
            waited = await client.command("wait", timeoutSeconds=5)
            assert waited["state"] == "waitingForApproval"
            assert waited["operation"]["phase"] == "approval"
            assert scene.names()[-2:] == ["assistant", "usage"]
            approval_id = status["approval"]["approvalId"]
            for wrong in ("nothing", f"{approval_id}0"):
                with pytest.raises(RpcError) as refused:
                    await client.command("approve", approvalId=wrong, decision="allow")
                assert refused.value.data["code"] == "not_pending"
            await client.command(
                "approve", approvalId=approval_id, decision="deny", message="Use the other file."
            )
            await wait_state(client, "idle")
            assert len(asked) == 1
        assert not (scene.folder / "done").exists()
        lines = scene.session_file().read_bytes().split(b"\n")
        (refusal,) = (line for line in lines if b'"toolStarted"' in line)
        assert b'"type":"error"' in refusal
        assert "refused" in scene.tool_results()[0]
        assert "Use the other file." in scene.tool_results()[0]
        assert_legal_history(scene.model.requests[-1].body)


@pytest.mark.hazard("K9 while an approval is pending: after reopen the same approval is asked")
async def test_a_pending_approval_survives_a_kill(tmp_path: Path) -> None:
    calls = _each_prompt_calls(("bash", {"command": "echo x >> effects"}))
    with scene_at(tmp_path, calls) as scene:
        async with scene.server(settings=ASK, capabilities=APPROVES) as client:
            _answers(client, None)
            await client.command("prompt", text="go")
            status = await wait_state(client, "waitingForApproval")
            client.kill()
        async with scene.server(settings=ASK, capabilities=APPROVES) as client:
            asked = _answers(client, {"decision": "allow"})
            await wait_state(client, "idle")
            assert [params["approvalId"] for params in asked] == [status["approval"]["approvalId"]]
        assert scene.text("effects") == "x\n"
        assert scene.model.count == 2


async def test_what_was_allowed_is_not_asked_again(tmp_path: Path) -> None:
    calls = _each_prompt_calls(("bash", {"command": "echo x >> effects"}))
    with scene_at(tmp_path, calls) as scene:
        async with scene.server(settings=ASK, capabilities=APPROVES) as client:
            asked = _answers(client, {"decision": "allowForSession"})
            await scene.talk(client, "one", "two")
            assert len(asked) == 1
        async with scene.server(settings=ASK, capabilities=APPROVES) as client:
            asked = _answers(client, {"decision": "allowForWorkspace"})
            await scene.talk(client, "three", "four")
            assert len(asked) == 1
        async with scene.server(settings=ASK, capabilities=APPROVES) as client:
            asked = _answers(client, None)
            await scene.talk(client, "five")
            assert asked == []
            denied: JsonObject = {**scene.settings(), "approval": {"bash": "deny"}}
            client.notify("workspace/didChangeConfiguration", {"settings": denied})
            await scene.talk(client, "six")
            assert asked == []
        assert scene.text("effects") == "x\n" * 5
        assert scene.tool_results()[-1].startswith("Error: ")


async def test_a_client_without_approve_is_asked_by_a_message(tmp_path: Path) -> None:
    calls = _each_prompt_calls(("bash", {"command": "echo x >> effects #\x1b[2K\u202eoh"}))
    with scene_at(tmp_path, calls) as scene:
        async with scene.server(settings=ASK, choose="Deny") as client:
            await scene.talk(client, "go")
            (question,) = client.requests["window/showMessageRequest"]
            assert "echo x >> effects #␛[2K⟨U+202E⟩oh" in question["message"]
            assert "\x1b" not in question["message"]
            assert client.requests["perdure/approve"] == []
        assert scene.text("effects") == ""


async def test_nonsense_for_an_answer_is_no_decision(tmp_path: Path) -> None:
    calls = _each_prompt_calls(("bash", {"command": "touch done"}))
    with scene_at(tmp_path, calls) as scene:
        async with scene.server(settings=ASK, capabilities=APPROVES) as client:
            _answers(client, {"decision": "perhaps"})
            await client.command("prompt", text="go")
            status = await wait_state(client, "waitingForApproval")
            with pytest.raises(RpcError) as refused:
                await client.command(
                    "approve", approvalId=status["approval"]["approvalId"], decision="perhaps"
                )
            assert refused.value.data["code"] == "invalid_params"
            assert "arguments[0].decision" in refused.value.message
            assert client.notifications["perdure/status"][-1]["state"] == "waitingForApproval"
            assert not (scene.folder / "done").exists()
