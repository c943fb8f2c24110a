"""The name that a user gives a session, and takes away again."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
from tests.support.faults import FaultyFiles, fails
from tests.unit.store.sessions import FILE_NAME, make_options

from perdure.errors import StorageFull
from perdure.store.titles import TITLE_LENGTH, read_title, title_path, write_title


@pytest.mark.parametrize("title", ["A title", "é" * TITLE_LENGTH])
def test_a_title_is_kept_until_it_is_taken_away(tmp_path: Path, title: str) -> None:
    session = tmp_path / FILE_NAME
    assert read_title(session) == ""
    write_title(session, title, make_options())
    assert read_title(session) == title
    assert title_path(session).stat().st_mode & 0o777 == 0o600
    for _ in range(2):
        write_title(session, "", make_options())
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_keeps_the_old_title(tmp_path: Path) -> None:
    session = tmp_path / FILE_NAME
    write_title(session, "old", make_options())
    options = make_options(FaultyFiles(fails("write", 1, errno.ENOSPC)))
    with pytest.raises(StorageFull, match="keeps its title"):
        write_title(session, "new", options)
    assert read_title(session) == "old"
