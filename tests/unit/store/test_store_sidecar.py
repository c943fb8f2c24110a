"""What is written to the sidecar, when, and what its failures cost: nothing but seals."""

from __future__ import annotations

import errno
import stat
from hashlib import sha256
from pathlib import Path

import orjson
import pytest
from tests.support.faults import Fault, FaultyFiles, fails
from tests.support.log import session
from tests.unit.store.sessions import (
    create_session,
    drafts_of,
    make_options,
    open_session,
    user_draft,
    write_session,
)

from perdure.core.state import SessionState
from perdure.errors import SessionCorrupt
from perdure.json_types import JsonObject
from perdure.store._seal_file import seal_path
from perdure.store.follow import read_session
from perdure.store.jsonl import SessionStore
from perdure.store.levels import Level
from perdure.store.options import system_options
from perdure.store.seal import Repair, Seal, parse_sidecar

pytestmark = pytest.mark.asyncio


def records(path: Path) -> list[JsonObject]:
    return [orjson.loads(line) for line in seal_path(path).read_bytes().splitlines()]


async def test_a_seal_follows_each_transaction(tmp_path: Path) -> None:
    log = session().prompt()
    store = await create_session(tmp_path, make_options(level="barrier"))
    await store.commit([user_draft("a"), user_draft("b")])
    await store.commit(drafts_of(log))
    await store.commit(drafts_of(log.attempt()))
    await store.close()
    assert stat.S_IMODE(seal_path(store.path).stat().st_mode) == 0o600
    level, *seals = records(store.path)
    assert level == {"level": "barrier"}
    assert [(seal["through"], seal["durable"]) for seal in seals] == [
        (0, 0),
        (2, 0),
        (4, 4),
        (5, 4),
    ]
    end, chain = 0, b""
    for line, seal in zip(store.path.read_bytes().splitlines(keepends=True), seals, strict=True):
        end += len(line)
        chain = sha256(chain + line).digest()[:16]
        assert (seal["end"], seal["chain"]) == (end, chain.hex())


async def test_a_log_without_sidecar_is_sealed_from_its_first_commit_on(tmp_path: Path) -> None:
    path = write_session(tmp_path, session().user("by another program"))
    before = path.read_bytes()
    await (await SessionStore.open(path, options=make_options())).close()
    assert not seal_path(path).exists()
    store = await SessionStore.open(path, options=make_options())
    await store.commit([user_draft()])
    await store.close()
    assert [record.get("end") for record in records(path)] == [
        None,
        len(before),
        len(store.path.read_bytes()),
    ]


async def test_lines_of_another_program_are_sealed_too(tmp_path: Path) -> None:
    store = await create_session(tmp_path)
    await store.close()
    line = write_session(tmp_path / "other", session().user("foreign")).read_bytes().splitlines()[1]
    with store.path.open("ab") as file:
        file.write(line + b"\n")
    store = await SessionStore.open(store.path, options=make_options())
    await store.commit([user_draft()])
    await store.close()
    (*_, last) = records(store.path)
    assert (last["through"], last["end"]) == (2, store.path.stat().st_size)
    assert isinstance(read_session(store.path), SessionState)


async def test_a_change_of_level_is_recorded(tmp_path: Path) -> None:
    store = await create_session(tmp_path, make_options(level="process"))
    path = store.path
    levels: tuple[Level, ...] = ("full", "full", "barrier")
    for level in levels:
        await store.close()
        store = await SessionStore.open(path, options=system_options(level=level))
        await store.commit([user_draft()])
    await store.close()
    assert [record["level"] for record in records(path) if "level" in record] == [
        *("process", "full", "barrier")
    ]


FAULTS = [
    pytest.param([fails("write", 1, errno.ENOSPC, file="seal")], id="full"),
    pytest.param(
        [Fault("write", 1, length=7, file="seal"), fails("write", 2, errno.EIO, file="seal")],
        id="half a seal",
    ),
    pytest.param(
        [
            *(Fault("write", 1, length=7, file="seal"), fails("write", 2, errno.EIO, file="seal")),
            fails("truncate", 1, errno.EIO, file="seal"),
        ],
        id="not cut back",
    ),
]


@pytest.mark.parametrize("faults", FAULTS)
async def test_a_transaction_is_stored_whatever_becomes_of_its_seal(
    tmp_path: Path, faults: list[Fault]
) -> None:
    files = FaultyFiles()
    store = await create_session(tmp_path, make_options(files))
    files.add(*faults)
    facts = [fact for text in "abc" for fact in await store.commit([user_draft(text)])]
    assert [fact["seq"] for fact in facts] == [1, 2, 3]
    await store.close()
    sidecar = parse_sidecar(seal_path(store.path).read_bytes())
    assert sidecar.seals[-1].end == store.path.stat().st_size
    assert read_session(store.path) == store.state


async def test_a_sidecar_that_cannot_be_created_is_tried_again(tmp_path: Path) -> None:
    files = FaultyFiles(fails("create", 1, errno.ENOSPC, file="seal"))
    store = await open_session(tmp_path, session(), make_options(files))
    await store.commit([user_draft("a")])
    assert not seal_path(store.path).exists()
    await store.commit([user_draft("b")])
    await store.close()
    assert [record.get("through") for record in records(store.path)] == [None, 1, 2]


async def test_a_foreign_change_is_damage_and_no_byte_changes(tmp_path: Path) -> None:
    store = await create_session(tmp_path)
    for text in ("one", "two", "three"):
        await store.commit([user_draft(text)])
    await store.close()
    content = store.path.read_bytes().replace(b"two", b"TWO")
    store.path.write_bytes(content)
    seals = seal_path(store.path).read_bytes()
    with pytest.raises(SessionCorrupt, match=r"line 3, byte .*sealed as") as caught:
        await SessionStore.open(store.path, options=make_options())
    assert (caught.value.reason, caught.value.line, caught.value.seq) == ("CHAIN_MISMATCH", 3, 2)
    assert caught.value.expected_chain != caught.value.actual_chain
    assert (store.path.read_bytes(), seal_path(store.path).read_bytes()) == (content, seals)


SEAL = Seal(through=3, end=400, durable=2, chain=bytes(range(16)))
REPAIR = Repair(offset=300, length=5, sha256="ab", reason="torn", rule="R1")


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"garbage",
        b"\0" * 90,
        SEAL.encode()[:-2],
        SEAL.encode().upper()[:-1],
        Seal(through=1, end=400, durable=2, chain=bytes(16)).encode()[:-1],
        b'{"level":"none"}',
        b'{"repaired":{"offset":"0"}}',
        b"[]",
    ],
)
async def test_what_is_no_record_is_ignored(line: bytes) -> None:
    sidecar = parse_sidecar(
        SEAL.encode() + line + b"\n" + b'{"level":"full"}\n' + SEAL.encode()[:9]
    )
    assert (sidecar.seals, sidecar.repairs, sidecar.level) == ((SEAL,), (), "full")


async def test_a_repair_voids_the_seals_of_what_was_cut() -> None:
    later = Seal(through=2, end=300, durable=2, chain=bytes(16))
    data = later.encode() + SEAL.encode() + REPAIR.encode()
    assert parse_sidecar(data).seals == (later,)
    assert parse_sidecar(data + SEAL.encode()).seals == (later, SEAL)
    assert parse_sidecar(data).repairs == (REPAIR,)
