"""Reading pauses the collector of cycles, and leaves it as it was."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from perdure.store._collection import collection_paused


@pytest.fixture(autouse=True)
def _collecting() -> Iterator[None]:
    yield
    gc.enable()


@pytest.mark.parametrize("enabled", [True, False])
def test_it_goes_on_as_it_was(enabled: bool) -> None:
    (gc.enable if enabled else gc.disable)()
    with collection_paused():
        assert not gc.isenabled()
        with collection_paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled() == enabled
