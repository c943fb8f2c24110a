"""Where sessions lie, and which folder they belong to."""

from __future__ import annotations

import json
import os
import stat
from hashlib import sha256
from pathlib import Path

import pytest
from tests.support.faults import FaultyFiles
from tests.support.wire import uid

from perdure.errors import StorageFailed
from perdure.store._fs import SystemFiles
from perdure.store.places import (
    Workspace,
    data_path,
    environment_identity,
    locate_workspace,
    prepare_workspace,
    session_file_name,
    state_directory,
)


def prepared(folder: Path, state: Path) -> Workspace:
    folder.mkdir(exist_ok=True)
    workspace = locate_workspace(folder, state=state)
    prepare_workspace(SystemFiles(), workspace)
    return workspace


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize(
    ("environ", "setting", "expected"),
    [
        ({"PERDURE_STATE_DIR": "/a"}, "", "/a"),
        ({"PERDURE_STATE_DIR": "/a"}, "/b", "/b"),
        ({}, "/b", "/b"),
    ],
)
def test_the_state_directory_can_be_chosen(
    environ: dict[str, str], setting: str, expected: str
) -> None:
    assert state_directory(environ, sessions_dir=setting) == Path(expected)


def test_the_home_of_a_user_who_does_not_exist_is_a_name_like_others() -> None:
    assert state_directory({}, sessions_dir="~no such user/b") == Path("~no such user/b").absolute()


def test_a_place_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file")
    with pytest.raises(StorageFailed, match=r"state/workspaces/.* could not be made"):
        prepared(tmp_path / "folder", tmp_path / "state")


def test_the_platform_has_a_place_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "/somewhere")
    assert state_directory({}).name == "perdure"


def test_a_workspace_has_a_readable_and_a_unique_part(tmp_path: Path) -> None:
    folder = tmp_path / "My Project (2)"
    workspace = prepared(folder, tmp_path / "state")
    digest = sha256(str(folder).encode()).hexdigest()[:12]
    assert workspace.directory == tmp_path / "state" / "workspaces" / f"my-project-2-{digest}"
    assert workspace.sessions == workspace.directory / "sessions"


@pytest.mark.parametrize("name", ["(((", "ÄÖ", "x" * 200])
def test_any_folder_name_gives_a_directory(tmp_path: Path, name: str) -> None:
    assert prepared(tmp_path / name, tmp_path / "state").sessions.is_dir()


def test_locating_creates_nothing(tmp_path: Path) -> None:
    locate_workspace(tmp_path, state=tmp_path / "state")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.hazard("files 0600, directories 0700")
def test_directories_are_private_and_become_private_again(tmp_path: Path) -> None:
    workspace = prepared(tmp_path / "a", tmp_path / "state")
    made = [workspace.sessions, workspace.directory, workspace.directory.parent]
    assert {mode(directory) for directory in made} == {0o700}
    assert mode(workspace.directory / "workspace.json") == 0o600
    workspace.sessions.chmod(0o755)
    prepared(tmp_path / "a", tmp_path / "state")
    assert mode(workspace.sessions) == 0o700


def test_each_new_directory_is_synced_up_to_the_first_old_one(tmp_path: Path) -> None:
    files = FaultyFiles()
    prepare_workspace(files, locate_workspace(tmp_path, state=tmp_path / "a" / "b"))
    new_directories = ["a", "b", "workspaces", "the workspace", "sessions"]
    assert files.trace.count("sync_directory") == len(new_directories) + 1


@pytest.mark.requirement(44)
@pytest.mark.hazard("Open by symlink, then by real path")
def test_a_folder_and_a_link_to_it_are_one(tmp_path: Path) -> None:
    real = prepared(tmp_path / "real", tmp_path / "state")
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "real")
    assert locate_workspace(link, state=tmp_path / "state") == real
    assert environment_identity(link, {}) == str(tmp_path / "real")


@pytest.mark.requirement(45)
@pytest.mark.parametrize(
    ("stated", "expected"),
    [("job-1", "job-1"), ("  job-1\n", "job-1"), ("", None), (" \t", None)],
)
def test_a_trusted_host_may_state_the_identity(
    tmp_path: Path, stated: str, expected: str | None
) -> None:
    found = environment_identity(tmp_path, {"PERDURE_ENVIRONMENT_IDENTITY": stated})
    assert found == (expected or os.path.realpath(tmp_path))


@pytest.mark.hazard("Renamed workspace")
def test_a_renamed_folder_opens_its_old_record(tmp_path: Path) -> None:
    old = prepared(tmp_path / "old", tmp_path / "state")
    (tmp_path / "old").rename(tmp_path / "new")
    found = locate_workspace(tmp_path / "new", state=tmp_path / "state")
    assert found.directory == old.directory
    assert (found.recorded_root, found.root) == (tmp_path / "old", tmp_path / "new")


def test_a_folder_whose_record_still_has_its_folder_is_another_one(tmp_path: Path) -> None:
    old = prepared(tmp_path / "old", tmp_path / "state")
    record = old.directory / "workspace.json"
    (tmp_path / "new").mkdir()
    status = (tmp_path / "new").stat()
    content = json.loads(record.read_text()) | {"device": status.st_dev, "inode": status.st_ino}
    record.write_text(json.dumps(content))
    assert locate_workspace(tmp_path / "new", state=tmp_path / "state").directory != old.directory


@pytest.mark.parametrize("record", ["", "[]", "{}", '{"path": 1, "device": 1, "inode": 1}'])
def test_a_damaged_record_is_passed_over(tmp_path: Path, record: str) -> None:
    old = prepared(tmp_path / "old", tmp_path / "state")
    (old.directory / "workspace.json").write_text(record)
    (tmp_path / "old").rename(tmp_path / "new")
    found = locate_workspace(tmp_path / "new", state=tmp_path / "state")
    assert found.directory != old.directory


def test_a_session_file_is_named_after_its_time_and_id() -> None:
    name = session_file_name(uid("session", 1), 1_700_000_000_042)
    assert name == f"2023-11-14T22-13-20-042Z_{uid('session', 1)}.jsonl"


def test_the_data_of_a_session_lies_beside_it(tmp_path: Path) -> None:
    assert data_path(tmp_path / "2026_a.jsonl") == tmp_path / "2026_a.d"
