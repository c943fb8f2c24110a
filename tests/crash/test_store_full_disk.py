"""A disk that is really full: a small tmpfs. The same at the seam: tests/unit/store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.log import Log, session
from tests.support.tmpfs import mounted_tmpfs
from tests.unit.store.sessions import drafts_of, make_options, open_session, user_draft

from perdure.core.facts import Draft
from perdure.errors import StorageFull
from perdure.store.follow import read_session
from perdure.store.jsonl import SessionStore

SIZE = 256 * 1024


@pytest.fixture(params=[SIZE])
def small_disk(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """Mount a file system, of 256 KiB unless said."""
    with mounted_tmpfs(tmp_path / "disk", size=request.param) as place:
        yield place


@pytest.mark.asyncio
@pytest.mark.hazard("Disk full (a 256 KiB tmpfs)")
@pytest.mark.parametrize("size", [700, 30_000], ids=["many small", "few large"])
async def test_a_full_disk_refuses_whole_transactions_and_later_goes_on(
    small_disk: Path, size: int
) -> None:
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"x" * (SIZE // 2))
    store = await open_session(small_disk, session(), make_options())
    with pytest.raises(StorageFull):
        await fill(store, [user_draft("x" * size)])
    assert store.state == read_session(store.path)
    assert store.path.read_bytes().endswith(b"\n")
    before = store.state
    ballast.unlink()
    (fact,) = await store.commit([user_draft("x" * size)])
    assert fact["seq"] == before.next_seq
    assert store.state == read_session(store.path)
    await store.close()


@pytest.mark.asyncio
@pytest.mark.hazard("Disk full (a 256 KiB tmpfs)")
@pytest.mark.parametrize("small_disk", [4 * SIZE], indirect=True)
async def test_an_abort_still_fits_into_the_reserve(small_disk: Path) -> None:
    log: Log = session().prompt().attempt().calls(("bash", {}))
    store = await open_session(small_disk, log)
    await store.commit(drafts_of(log.started(0)))
    with pytest.raises(OSError, match="No space"):
        (small_disk / "ballast").write_bytes(b"x" * 4 * SIZE)
    await store.commit(drafts_of(log.abort("tool", call=0)))
    await store.commit(drafts_of(log.interrupted(0).finish("aborted"), lines=2))
    assert store.state == read_session(store.path)
    await store.close()


async def fill(store: SessionStore, drafts: list[Draft]) -> None:
    """Commit until the disk is full."""
    for _ in range(SIZE):
        await store.commit(drafts)
