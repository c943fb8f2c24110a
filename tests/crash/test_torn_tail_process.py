"""Garbage at the end of a session: cut before anything is appended, kept, and said."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from random import Random

import pytest
from tests.support.model_replies import text_reply
from tests.support.scene import scene_at, wait_state

from perdure.cli.lsp_client import RpcError

pytestmark = [pytest.mark.process, pytest.mark.asyncio]


@pytest.mark.hazard("K9, reopen, five times, each time with a random torn tail")
async def test_five_kills_each_with_a_torn_tail(tmp_path: Path) -> None:
    random = Random(20)
    tails = [
        b'{"kind":"rec',
        b"\0" * 4096,
        b"\xff\xfe\r" + random.randbytes(300).replace(b"\n", b""),
        b'{"kind":"header","version":2}',
        "\u2028\u0085".encode() * 3 + b"\xed\xa0\x80",
    ]
    with scene_at(tmp_path, lambda *_: text_reply("fine")) as scene:
        async with scene.server() as client:
            await scene.talk(client, "start")
            client.kill()
        for number, tail in enumerate(tails, start=1):
            session = scene.session_file()
            whole = session.read_bytes()
            session.write_bytes(whole + tail)
            async with scene.server() as client:
                told = await client.until("window/showMessage", bool)
                assert str(len(tail)) in told["message"]
                assert session.read_bytes() == whole
                await scene.talk(client, f"prompt {number}")
                client.kill()
            assert session.read_bytes().startswith(whole)
            name = f"{session.stem}.torn-{len(whole)}-{sha256(tail).hexdigest()[:8]}"
            assert session.with_name(name).read_bytes() == tail
        facts = scene.facts()
        assert [fact["seq"] for fact in facts] == list(range(1, len(facts) + 1))
        assert len({fact["id"] for fact in facts}) == len(facts)
        async with scene.server() as client:
            await wait_state(client, "idle")
            assert client.notifications["window/showMessage"] == []


@pytest.mark.hazard("never opens as a shorter session; says so where the user looks")
async def test_damage_in_the_middle_is_said_and_left_alone(tmp_path: Path) -> None:
    with scene_at(tmp_path, lambda *_: text_reply("fine")) as scene:
        async with scene.server() as client:
            await scene.talk(client, "one", "two")
            assert await client.shutdown() == 0
        session = scene.session_file()
        lines = session.read_bytes().split(b"\n")
        lines[3] = b"\0" * len(lines[3])
        session.write_bytes(b"\n".join(lines))
        before = scene.digest()
        async with scene.server() as client:
            status = await wait_state(client, "unavailable")
            assert status["blocked"]["code"] == "session_corrupt"
            assert f"line 4, byte {len(b'_'.join(lines[:3])) + 1}" in status["blocked"]["title"]
            (row,) = (await client.command("sessions"))["sessions"]
            assert row["state"] == "corrupt"
            for command in ("abort", "resume", "compact"):
                with pytest.raises(RpcError) as refused:
                    await client.command(command)
                assert refused.value.data["code"] == "session_corrupt"
            await client.command("newSession")
            await scene.talk(client, "usable")
        assert len(scene.session_files()) == 2
        assert sha256(session.read_bytes()).hexdigest() == before
