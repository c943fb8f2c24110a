"""Damage on the command line: doctor and verify name it, salvage copies what is left."""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path

import pytest
from tests.support.cli import Cli, new_cli
from tests.support.log import session
from tests.unit.store.sessions import FILE_NAME, SESSION_ID

from perdure.store.places import locate_workspace

LOG = session().prompt("look").attempt().answer("seen").finish()


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return new_cli(tmp_path)


@pytest.fixture
def damaged(cli: Cli) -> Path:
    """A session of the folder whose fourth line is damaged."""
    sessions = locate_workspace(cli.folder, state=cli.home / "state").sessions
    sessions.mkdir(parents=True, mode=0o700)
    path = sessions / FILE_NAME
    lines = LOG.to_bytes().split(b"\n")
    path.write_bytes(b"\n".join([*lines[:3], b"#" + lines[3][1:], *lines[4:]]))
    return path


@pytest.mark.hazard("corrupt at that line and byte", "says so where the user looks")
def test_doctor_names_line_and_byte_and_what_to_do(cli: Cli, damaged: Path) -> None:
    said = cli.run("doctor").stdout.decode()
    byte = damaged.read_bytes().index(b"#")
    assert f"{damaged} is damaged at line 4, byte {byte}: MALFORMED_JSON" in said
    assert f"perdure session salvage {damaged}" in said


@pytest.mark.hazard("offer to copy the valid prefix to a *new* session")
def test_salvage_makes_a_new_session_and_leaves_the_old_one(cli: Cli, damaged: Path) -> None:
    before = sha256(damaged.read_bytes()).hexdigest()
    done = cli.run("session", "salvage", SESSION_ID)
    assert done.returncode == 0
    path = Path(done.stdout.decode().partition(": 3 facts; ")[0])
    assert path.parent == damaged.parent
    assert sha256(damaged.read_bytes()).hexdigest() == before
    verified = cli.run("session", "verify", path, damaged)
    good, bad = verified.stdout.decode().splitlines()
    assert good == f"{path}: ok, 3 facts, run"
    assert ": line 4, byte " in bad
    assert verified.returncode == 1


def test_what_models_want_back_goes_along(cli: Cli, damaged: Path) -> None:
    entry = re.findall(rb'"id":"([^"]+)"', damaged.read_bytes())[1].decode()
    kept = damaged.with_suffix(".d") / "replay" / f"{entry}.json"
    kept.parent.mkdir(parents=True)
    kept.write_bytes(b"{}")
    done = cli.run("session", "salvage", damaged)
    path = Path(done.stdout.decode().partition(": ")[0])
    assert (path.with_suffix(".d") / "replay" / kept.name).read_bytes() == b"{}"


def test_verify_believes_the_seals_rather_than_the_text(cli: Cli, damaged: Path) -> None:
    damaged.write_bytes(LOG.to_bytes() + b"#\n")
    path = Path(cli.run("session", "salvage", damaged).stdout.decode().partition(": ")[0])
    path.write_bytes(path.read_bytes().replace(b"seen", b"SEEN"))
    done = cli.run("session", "verify", path)
    assert done.returncode == 1
    said = done.stdout.decode()
    what = r": line 1, byte 0: CHAIN_MISMATCH \(sealed as \w{12}, is \w{12}\)\n"
    assert re.fullmatch(re.escape(str(path)) + what, said)


def test_nothing_can_be_salvaged_of_what_is_no_session(cli: Cli, damaged: Path) -> None:
    damaged.write_bytes(b"garbage\n")
    done = cli.run("session", "salvage", damaged)
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"damaged at line 1, byte 0" in done.stderr
    assert b"copies" not in done.stderr


@pytest.mark.parametrize("command", ["show", "verify", "export", "salvage", "abort"])
def test_a_directory_is_no_session(cli: Cli, command: str) -> None:
    done = cli.run("session", command, ".")
    assert done.returncode == 1
    assert b"Session not found: . is no file" in done.stdout + done.stderr


def test_a_sound_session_is_not_copied(cli: Cli, damaged: Path) -> None:
    damaged.write_bytes(LOG.to_bytes())
    done = cli.run("session", "salvage", damaged)
    assert (done.returncode, done.stderr) == (0, b"")
    assert "the session is sound" in done.stdout.decode()
    assert cli.sessions == [damaged]


def test_export_of_a_damaged_session_names_what_copies_its_good_lines(
    cli: Cli, damaged: Path
) -> None:
    done = cli.run("session", "export", damaged)
    assert (done.returncode, done.stdout) == (1, b"")
    assert "line 4, byte " in done.stderr.decode()
    assert f"`perdure session salvage {damaged}`" in done.stderr.decode()


def test_export_believes_the_seals_rather_than_the_text(cli: Cli, damaged: Path) -> None:
    damaged.write_bytes(LOG.to_bytes() + b"#\n")
    path = Path(cli.run("session", "salvage", damaged).stdout.decode().partition(": ")[0])
    path.write_bytes(path.read_bytes().replace(b"seen", b"SEEN"))
    done = cli.run("session", "export", path)
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"CHAIN_MISMATCH" in done.stderr


def test_the_beginning_of_an_id_is_enough_unless_another_one_begins_so(
    cli: Cli, damaged: Path
) -> None:
    damaged.write_bytes(LOG.to_bytes())
    beginning = SESSION_ID[:8]
    for command in ("show", "export", "verify", "abort"):
        assert cli.run("session", command, beginning).returncode == 0
    assert cli.run("session", "show", SESSION_ID[:7]).returncode == 1
    other = SESSION_ID[:-1] + "f"
    twin = damaged.with_name(damaged.name.replace(SESSION_ID, other))
    twin.write_bytes(LOG.to_bytes().replace(SESSION_ID.encode(), other.encode()))
    done = cli.run("session", "show", beginning)
    assert done.returncode == 1
    assert f"{beginning} is the beginning of 2 ids: {SESSION_ID}, {other}" in done.stderr.decode()
    assert cli.run("session", "show", other).returncode == 0
