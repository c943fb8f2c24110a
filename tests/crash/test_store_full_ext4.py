"""A full disk of the kind that users have: what was reserved still takes an abort to its end."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.disk_image import MIB, Image, ext4
from tests.support.log import session
from tests.support.torture import report, torturing
from tests.unit.store.sessions import drafts_of, make_options, open_session, user_draft

from perdure.errors import StorageFull
from perdure.store.follow import read_session
from perdure.store.jsonl import SessionStore

pytestmark = [pytest.mark.asyncio, pytest.mark.process]


@pytest.fixture
def image(tmp_path: Path) -> Iterator[Image]:
    with ext4(tmp_path, size=8 * MIB) as mounted:
        yield mounted


def fill(place: Path) -> Path:
    """Take all the room there is."""
    ballast = place / "ballast"
    fd = os.open(ballast, os.O_WRONLY | os.O_CREAT)
    try:
        for size in (MIB, 4096, 1):
            try:
                while True:
                    os.write(fd, b"x" * size)
            except OSError as error:
                assert error.errno == errno.ENOSPC  # noqa: PT017
    finally:
        os.close(fd)
    return ballast


async def use_up(store: SessionStore) -> None:
    """Commit until the reserve is used up too."""
    for _ in range(30):
        await store.commit([user_draft("x" * 30_000)])


@pytest.mark.hazard("Disk full (a 256 KiB tmpfs)")
@pytest.mark.parametrize("length", range(1_000, 51_000, 1_000) if torturing() else [50_000])
async def test_an_abort_and_its_end_fit_into_the_reserve(image: Image, length: int) -> None:
    log = session().prompt().attempt().calls(("bash", {}))
    store = await open_session(image.root / str(length), log, make_options(level="barrier"))
    await store.commit(drafts_of(log.started(0)))
    ballast = fill(image.root)
    await store.commit(drafts_of(log.result(0, "x" * length)))
    await store.commit(drafts_of(log.abort("model")))
    await store.commit(drafts_of(log.finish("aborted")))
    assert store.state == read_session(store.path)
    with pytest.raises(StorageFull):
        await use_up(store)
    assert store.state == read_session(store.path)
    ballast.unlink()
    await store.commit([user_draft("room again")])
    await store.close()
    reopened = await SessionStore.open(store.path, options=make_options())
    assert reopened.state == store.state
    await reopened.close()
    report(10, "full disks on which an abort was committed", 1)
