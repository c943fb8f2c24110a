"""Ways out of the workspace, by paths, by races and by commands in the sandbox: none succeeds."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.unit.tools.bench import Bench

from perdure.errors import ToolError
from perdure.json_types import JsonObject
from perdure.tools.files import DiskFiles, Files
from perdure.tools.real_paths import opened
from perdure.tools.registry import builtin_tools
from perdure.tools.sandbox import Sandbox
from perdure.tools.searching import Query, find_files, find_lines, find_lines_in

TREASURE = "the treasure"

PATHS = {
    "dots": "../outside/secret.txt",
    "dots behind a folder": "sub/../../outside/secret.txt",
    "dots and slashes": "./sub//.././/..///outside//secret.txt",
    "many dots": "../" * 60 + "{outside}/secret.txt",
    "the parent": "..",
    "the root": "/",
    "absolute": "{outside}/secret.txt",
    "two slashes": "/{outside}/secret.txt",
    "a folder beside it with a longer name": "{root}-evil/secret.txt",
    "a link": "link",
    "a link to a folder": "folder/secret.txt",
    "a chain of links": "chain1",
    "a link upward": "sub/up/outside/secret.txt",
    "dots behind a link": "folder/../outside/secret.txt",
    "a circle of links": "circle/../folder/secret.txt",
    "a link to nothing": "dangling",
    "a link to a folder that is not there": "dangling_folder/new.txt",
    "a link to /proc/self/root": "proc_root{outside}/secret.txt",
    "/proc/self/root": "/proc/self/root{outside}/secret.txt",
    "/proc/self/cwd": "/proc/self/cwd/../outside/secret.txt",
    "the environment": "/proc/self/environ",
    "the memory": "/proc/self/mem",
    "an open file": "/dev/fd/{descriptor}",
    "standard input": "/dev/stdin",
    "a device": "/dev/zero",
    "a device in the workspace": "zero",
    "a pipe": "pipe",
    "a socket": "socket",
    "git's configuration": ".git/config",
    "in capitals": ".GIT/config",
    "with a character that HFS+ ignores": ".g\u200cit/config",
    "by its short name": "git~1/config",
    "as NTFS reads it": ".git::$INDEX_ALLOCATION/config",
    "a hook": ".git/hooks/pre-commit",
    "a new hook": ".git/hooks/post-merge",
    "git by a link": "gitlink/config",
    "git of a folder below": "sub/.git/config",
    "home": "~/secret.txt",
    "a variable": "$OUTSIDE/secret.txt",
    "a substitution": "$(echo ..)/outside/secret.txt",
    "percent signs": "%2e%2e/outside/secret.txt",
    "a coded slash": "..%2foutside%2fsecret.txt",
    "a URI": "file://{outside}/secret.txt",
    "a URI in capitals": "FILE://localhost{outside}/secret.txt",
    "a URI without slashes": "file:{outside}/secret.txt",
    "backslashes": "..\\outside\\secret.txt",
    "a drive": "C:\\..\\outside\\secret.txt",
    "a network share": "\\\\localhost\\outside\\secret.txt",
    "one dot leaders": "\u2024\u2024/outside/secret.txt",
    "a two dot leader": "\u2025/outside/secret.txt",
    "wide dots": "\uff0e\uff0e/outside/secret.txt",
    "wide slashes": "..\uff0foutside\uff0fsecret.txt",
    "NUL at the end": "../outside/secret.txt\0",
    "NUL before the name": "a.txt\0/../../outside/secret.txt",
    "half a character": "\ud800/../../outside/secret.txt",
    "a byte": "\udc2e\udc2e/outside/secret.txt",
    "blanks": " ../outside/secret.txt",
    "a line end": "..\n/outside/secret.txt",
    "a long name": "a" * 300,
    "a long path": "a/" * 3_000 + "x",
    "nothing": "",
    "a file of the session": "{data}/prompts/1.txt",
    "from the session's output": "{data}/tool-output/../prompts/1.txt",
}

COMMANDS = {
    "write": "echo x > {outside}/secret.txt",
    "make": "touch {outside}/new",
    "by a link": "ln -s {outside} l && echo x > l/secret.txt",
    "by a hard link": "ln {outside}/secret.txt hard; echo x > hard",
    "dots": "cd .. && touch new outside/new",
    "remove": "rm -rf {outside}",
    "move": "mv {outside}/secret.txt .",
    "permissions": "chmod 777 {outside}/secret.txt; chown 1 {outside}/secret.txt",
    "home": "HOME={outside} git config --global a.b c; echo x >> {outside}/.bashrc",
    "remount": "mount -o remount,rw /; mount -o remount,rw,bind {outside}; touch {outside}/new",
    "mount over": "mount --bind {root} {outside}; echo x > {outside}/secret.txt",
    "unmount": "umount -l /tmp /run /; touch {outside}/new",
    "another namespace": "unshare -Urm bash -c 'mount -o remount,rw /; touch {outside}/new'",
    "the first process": "nsenter -t 1 -a touch {outside}/new; touch /proc/1/root{outside}/new",
    "the parent": "touch /proc/$PPID/root{outside}/new /proc/$PPID/cwd/../outside/new",
    "kill": "kill -9 {pid}; kill -9 -1",
    "a device": "mknod disk b 8 0; mknod mem c 1 1; echo x > mem; echo x > disk",
    "the kernel": "echo x > /proc/sys/kernel/hostname; hostname x",
    "later": "(sleep 0.2; touch {outside}/new) & echo",
    "another session": "setsid nohup bash -c 'sleep 0.2; touch {outside}/new' & echo",
    "a program": "cp /bin/bash b; chmod u+s b; ./b -p -c 'touch {outside}/new'",
    "time": "touch -d 2000-01-01 {outside}/secret.txt",
    "a socket": "bash -c 'echo x > /dev/tcp/127.0.0.1/{port}' && touch {root}/reached",
    "the session": "rm -rf {data}; echo x > {data}/prompts/1.txt",
}


@dataclass
class World:
    """A workspace between things that must not be touched or told."""

    bench: Bench
    outside: Path
    values: dict[str, object]
    more: list[Path] = field(default_factory=list)

    def filled(self, text: str) -> str:
        """Return the text with what it names in braces."""
        for name, value in self.values.items():
            text = text.replace(f"{{{name}}}", str(value))
        return text

    def untouchable(self) -> list[tuple[str, int, bytes]]:
        """Return what is beside the workspace, and git's data in it."""
        root, data = self.bench.root, self.bench.data
        folders = (self.outside, Path(f"{root}-evil"), data / "prompts", root / ".git", *self.more)
        paths = [path for folder in folders for path in sorted(folder.rglob("*"))]
        return [(str(path), path.lstat().st_mode, _content(path)) for path in paths]


def _content(path: Path) -> bytes:
    return path.read_bytes() if stat.S_ISREG(path.lstat().st_mode) else b""


@pytest.fixture
def world() -> Iterator[World]:
    """Make it where the sandbox can see it: not below ``/tmp``."""
    around = Path(tempfile.mkdtemp(dir="/var/tmp")).resolve()
    outside, root, data = around / "outside", around / "workspace", around / "session.d"
    _fill(outside, root, data)
    with (
        socket.socket(socket.AF_UNIX) as listening,
        socket.create_server(("127.0.0.1", 0)) as server,
        (outside / "secret.txt").open() as opened_file,
    ):
        listening.bind(str(root / "socket"))
        values = {
            "outside": outside,
            "root": root,
            "data": data,
            "descriptor": opened_file.fileno(),
            "pid": os.getpid(),
            "port": server.getsockname()[1],
        }
        yield World(Bench(root, data), outside, values, [root / "sub" / ".git"])
    shutil.rmtree(around)


def _fill(outside: Path, root: Path, data: Path) -> None:
    for path in (
        outside / "secret.txt",
        Path(f"{root}-evil") / "secret.txt",
        root / ".git" / "config",
        root / ".git" / "hooks" / "pre-commit",
        root / "sub" / ".git" / "config",
        data / "prompts" / "1.txt",
        data / "tool-output" / "1.log",
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(TREASURE)
    (root / "a.txt").write_text("text")
    for name, target in {
        "link": "../outside/secret.txt",
        "folder": str(outside),
        "chain1": "chain2",
        "chain2": "sub/chain3",
        "sub/chain3": str(outside / "secret.txt"),
        "sub/up": "../..",
        "circle": "circle",
        "dangling": str(outside / "new.txt"),
        "dangling_folder": str(outside / "new"),
        "proc_root": "/proc/self/root",
        "gitlink": ".git",
    }.items():
        (root / name).symlink_to(target)
    os.mkfifo(root / "pipe")
    if os.geteuid() == 0:
        os.mknod(root / "zero", stat.S_IFCHR | 0o600, os.makedev(1, 5))


CALLS: dict[str, JsonObject] = {
    "read": {},
    "write": {"content": "x"},
    "edit": {"edits": [{"oldText": TREASURE, "newText": "x"}]},
    "grep": {"pattern": "."},
    "glob": {"pattern": "*"},
    "list": {},
}


@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS.keys())
def test_no_path_leads_out(world: World, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(world.outside))
    monkeypatch.setenv("OUTSIDE", str(world.outside))
    monkeypatch.chdir(world.bench.root)
    before = world.untouchable()
    for tool, more in CALLS.items():
        call = world.bench.run(tool, path=world.filled(path), **more)
        result = asyncio.run(asyncio.wait_for(call, 20))
        assert TREASURE not in result.content
        assert "secret.txt" not in result.content.replace(world.filled(path), "")
    assert world.untouchable() == before


@pytest.mark.parametrize("tool", ["write", "edit"])
def test_another_name_of_an_outer_file_is_no_way_to_it(world: World, tool: str) -> None:
    os.link(world.outside / "secret.txt", world.bench.root / "hard.txt")
    before = world.untouchable()
    world.bench.ok(tool, path="hard.txt", **CALLS[tool])
    assert world.untouchable() == before


@pytest.mark.parametrize("place", ["sub", "sub/deep", "sub/deep/file.txt"])
@pytest.mark.parametrize("tool", ["read", "write", "edit"])
def test_a_link_that_comes_between_check_and_opening_is_not_followed(
    world: World, tool: str, place: str
) -> None:
    root = world.bench.root
    for folder in (root / "sub" / "deep", world.outside / "deep"):
        folder.mkdir()
        (folder / "file.txt").write_text("inside" if folder.is_relative_to(root) else TREASURE)
    target = world.outside / Path(place).relative_to("sub")

    async def swap(path: Path) -> Files:
        (root / place).rename(root / "was")
        (root / place).symlink_to(target)
        return DiskFiles()

    world.more.clear()
    before = world.untouchable()
    world.bench.tools = builtin_tools(files_for=swap)
    edits: JsonObject = {"edits": [{"oldText": "inside", "newText": "x"}]}
    more = {**CALLS, "edit": edits}[tool]
    assert TREASURE not in world.bench.error(tool, path="sub/deep/file.txt", **more)
    assert world.untouchable() == before


@pytest.mark.parametrize("place", ["sub", "sub/deep"])
def test_a_search_does_not_follow_it_either(world: World, place: str) -> None:
    deep = world.bench.root / "sub" / "deep"
    for folder in (deep, world.outside / "deep"):
        folder.mkdir()
        (folder / "file.txt").write_text(TREASURE)
    (world.bench.root / place).rename(world.bench.root / "was")
    (world.bench.root / place).symlink_to(world.outside / Path(place).relative_to("sub"))
    query = Query(TREASURE)
    for search in (
        find_lines(deep, query),
        find_files(deep, "*"),
        find_lines_in(deep / "file.txt", query),
    ):
        with pytest.raises(OSError, match="Not a directory"):
            asyncio.run(search)
    with pytest.raises(OSError, match="Not a directory"), opened(deep, os.O_DIRECTORY):
        pass


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS.keys())
def test_no_command_has_an_effect_outside_of_its_sandbox(world: World, command: str) -> None:
    try:
        asyncio.run(Sandbox().wrapper(world.bench.root))
    except ToolError as error:
        pytest.skip(str(error))
    before = world.untouchable()
    host = socket.gethostname()
    world.bench.tools = builtin_tools(sandbox=Sandbox())
    world.bench.ok("bash", command=world.filled(command), timeout=20)
    assert world.untouchable() == before
    assert socket.gethostname() == host
    assert not (world.bench.root / "reached").exists()
