"""Commands in the sandbox, where bubblewrap works; and never without it where it is asked for."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import threading
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from tests.unit.tools.bench import Bench
from tests.unit.tools.living import eventually, is_still
from tests.unit.tools.servers import server

from perdure.errors import ToolError
from perdure.tools.registry import builtin_tools
from perdure.tools.sandbox import Sandbox

WRITER = "while true; do echo tick >> ticks; sleep 0.01; done"


@pytest.fixture
def boxed(bench: Bench) -> Bench:
    """Return a bench whose commands run in a sandbox."""
    try:
        asyncio.run(Sandbox().wrapper(bench.root))
    except ToolError as error:
        pytest.skip(str(error))
    return replace(bench, tools=builtin_tools(sandbox=Sandbox()))


@pytest.mark.parametrize(
    ("command", "content"),
    [
        ("echo out; echo err >&2", "out\nerr\n"),
        ("exit 3", "Command exited with code 3"),
        ("kill -9 $$", "Command exited with code 137"),
        ("cat; echo end", "end\n"),
        ("sleep 300 & echo done", "done\n"),
        ("echo one > /tmp/a && cat /tmp/a", "one\n"),
        ("echo one > made && cat made", "one\n"),
        ("ls /tmp/a", "ls: cannot access '/tmp/a'"),
    ],
)
def test_results_are_those_of_any_command(boxed: Bench, command: str, content: str) -> None:
    assert boxed.ok("bash", command=command).startswith(content)


def test_what_is_written_in_the_workspace_stays(boxed: Bench) -> None:
    boxed.ok("bash", command="pwd > where; mkdir -p a/b; rm -f none")
    assert (boxed.root / "where").read_text() == f"{boxed.root}\n"
    assert (boxed.root / "a" / "b").is_dir()


def test_folders_that_the_user_allows_can_be_written(boxed: Bench) -> None:
    other = boxed.root.parent / "other"
    other.mkdir()
    boxed.tools = builtin_tools(sandbox=Sandbox(directories=[other]))
    boxed.ok("bash", command=f"echo one > {other}/file")
    assert (other / "file").read_text() == "one\n"


@pytest.mark.parametrize("name", ["hooks/pre-commit", "config"])
def test_what_git_would_run_outside_is_not_changed(boxed: Bench, name: str) -> None:
    file = boxed.root / ".git" / name
    file.parent.mkdir(parents=True)
    file.write_text("old")
    boxed.ok("bash", command=f"echo new > .git/{name}; rm -rf .git; echo new > .git/{name}")
    assert file.read_text() == "old"


@pytest.mark.parametrize("hooks", ["present", "absent"])
def test_the_repository_cannot_be_replaced_by_one_with_other_hooks(
    boxed: Bench, hooks: str
) -> None:
    folder = boxed.root / ".git" / "hooks"
    folder.mkdir(parents=True)
    if hooks == "absent":
        folder.rmdir()
    replacing = "mv .git old; mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit; echo > .git/x"
    boxed.ok("bash", command=replacing)
    assert not (folder / "pre-commit").exists()
    assert (boxed.root / ".git/x").exists()


def test_a_file_that_names_the_repository_is_not_changed(boxed: Bench) -> None:
    (boxed.root / ".git").write_text("gitdir: elsewhere")
    boxed.ok("bash", command="echo 'gitdir: mine' > .git; rm -f .git; mv .git old")
    assert (boxed.root / ".git").read_text() == "gitdir: elsewhere"


@pytest.mark.parametrize(
    "way", ["mount -o remount,rw,bind /", "unshare -Urm mount -o remount,rw,bind /"]
)
def test_root_cannot_make_the_rest_writable(boxed: Bench, way: str) -> None:
    with TemporaryDirectory(dir="/var/tmp") as outside:
        boxed.ok("bash", command=f"{way}; echo > {outside}/made")
        assert os.listdir(outside) == []


@pytest.mark.parametrize("network", [False, True])
def test_the_network_is_off_unless_it_is_allowed(boxed: Bench, network: bool) -> None:
    boxed.tools = builtin_tools(sandbox=Sandbox(network=network))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        threading.Thread(target=listening.accept, daemon=True).start()
        said = boxed.ok("bash", command=f"(echo > /dev/tcp/127.0.0.1/{port}) && echo reached")
        assert ("reached" in said) == network
        socket.create_connection(("127.0.0.1", port)).close()


@pytest.mark.parametrize(
    "command",
    [
        f"{WRITER}",
        f"({WRITER}) & sleep 301",
        f"setsid bash -c 'trap \"\" TERM HUP; {WRITER}' & sleep 301",
    ],
)
def test_nothing_survives_an_abort_or_the_server(boxed: Bench, command: str) -> None:
    async def abort() -> None:
        call = asyncio.create_task(boxed.run("bash", command=command))
        assert await asyncio.to_thread(eventually, (boxed.root / "ticks").exists)
        call.cancel()
        await asyncio.wait({call}, timeout=3)
        assert call.cancelled()

    asyncio.run(abort())
    assert is_still(boxed.root / "ticks")
    (boxed.root / "ticks").unlink()
    with server(boxed, "kill", command, "sandbox") as process:
        assert eventually((boxed.root / "ticks").exists)
        process.kill()
    assert eventually(lambda: is_still(boxed.root / "ticks"), seconds=3)


def test_timeouts_hold(boxed: Bench) -> None:
    shown = boxed.ok("bash", command="echo out; sleep 301", timeout=1)
    assert shown == "out\n\nCommand timed out after 1 seconds."


@pytest.mark.parametrize("program", [None, "#!/bin/sh\necho 'bwrap: No permissions' >&2\nexit 1\n"])
def test_without_bubblewrap_nothing_is_run(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, program: str | None
) -> None:
    programs = bench.root.parent / "programs"
    programs.mkdir()
    (programs / "bash").symlink_to(str(shutil.which("bash")))
    if program is not None:
        (programs / "bwrap").write_text(program)
        os.chmod(programs / "bwrap", 0o700)
    monkeypatch.setenv("PATH", str(programs))
    bench.tools = builtin_tools(sandbox=Sandbox())
    said = bench.error("bash", command="echo ran > ran")
    reason = "is not there" if program is None else "does not work here: bwrap: No permissions."
    assert reason in said
    assert "Nothing was run." in said
    assert list(bench.root.iterdir()) == []


@pytest.mark.parametrize(
    ("sandbox", "words"),
    [(Sandbox(), "there is no network"), (Sandbox(network=True), "the network can be used")],
)
def test_the_model_is_told_of_it(sandbox: Sandbox, words: str) -> None:
    tools = [builtin_tools(sandbox=box).get("bash") for box in (None, sandbox)]
    plain, boxed = [tool.declaration.definition for tool in tools if tool is not None]
    assert words in boxed.description
    assert boxed.description.startswith(plain.description)
    assert boxed.parameters == plain.parameters


def test_the_folder_of_the_session_is_out_of_reach(boxed: Bench) -> None:
    secret = Path(boxed.data) / "jobs"
    boxed.ok("bash", command=f"rm -rf {secret}; echo done")
    assert list(secret.glob("*.json"))
