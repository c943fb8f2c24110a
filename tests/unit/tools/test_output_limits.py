"""What is shown of captured output: the tail, and where the rest is."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from perdure.tools.output import MAX_BYTES, shown_output


class Captured:
    """Captured streams in files, and what is shown of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = folder / "tool-output" / "1.log"

    def show(self, out: bytes, err: bytes = b"", *notes: str, capped: bool = False) -> str:
        """Return the text for the model."""
        streams = (self.folder / "1.out", self.folder / "1.err")
        streams[0].write_bytes(out)
        streams[1].write_bytes(err)
        shown = shown_output(streams, complete=self.log, capped=capped, notes=notes)
        shown.encode()
        return shown

    def label(self, first: int, last: int) -> str:
        """Return the line that names the file with the full output."""
        return f"[Showing lines {first}-{last} of {last}. Full output: {self.log}]"


@pytest.fixture
def captured(tmp_path: Path) -> Captured:
    """Return an empty folder for captures."""
    return Captured(tmp_path)


def numbered(first: int, last: int) -> bytes:
    return b"".join(b"%d\n" % n for n in range(first, last + 1))


@pytest.mark.parametrize(
    ("out", "err", "notes", "shown"),
    [
        (b"", b"", [], "(no output)"),
        (b"a\n", b"", [], "a\n"),
        (b"a\n", b"b\n", [], "a\nb\n"),
        (b"a", b"", ["note"], "a\n\nnote"),
        (b"a\n", b"", ["note"], "a\n\nnote"),
        (b"", b"", ["note"], "note"),
        (numbered(1, 2000), b"", [], numbered(1, 2000).decode()),
        (b"x" * MAX_BYTES, b"", [], "x" * MAX_BYTES),
        ("a\u2028b\x85c\x0bd\n".encode(), b"", [], "a\u2028b\x85c\x0bd\n"),
    ],
)
def test_what_fits_is_shown_as_it_is_and_not_stored(
    captured: Captured, out: bytes, err: bytes, notes: list[str], shown: str
) -> None:
    assert captured.show(out, err, *notes) == shown
    assert not captured.log.exists()


@pytest.mark.requirement(127, 130)
def test_2001_lines_are_cut_to_the_last_2000(captured: Captured) -> None:
    shown = captured.show(numbered(1, 2001))
    assert shown == numbered(2, 2001).decode() + "\n" + captured.label(2, 2001)
    assert captured.log.read_bytes() == numbered(1, 2001)
    assert stat.S_IMODE(captured.log.stat().st_mode) == 0o600
    assert stat.S_IMODE(captured.log.parent.stat().st_mode) == 0o700


@pytest.mark.requirement(127)
def test_an_open_last_line_counts(captured: Captured) -> None:
    shown = captured.show(numbered(1, 2000) + b"open")
    assert shown == numbered(2, 2000).decode() + "open\n\n" + captured.label(2, 2001)


@pytest.mark.requirement(127)
def test_a_line_of_60_kb_is_cut_to_its_last_50(captured: Captured) -> None:
    line = b"a" * 10_000 + b"b" * 50_000
    shown = captured.show(line)
    assert shown == (line[-MAX_BYTES:]).decode() + "\n\n" + captured.label(1, 1)


@pytest.mark.hazard("cutting an emoji at a byte limit")
@pytest.mark.parametrize("shift", range(4))
def test_the_cut_never_splits_a_character(captured: Captured, shift: int) -> None:
    out = ("\N{PILE OF POO}" * 20_000 + "x" * shift).encode()
    body = captured.show(out).split("\n\n")[0]
    assert out.decode().endswith(body)
    assert MAX_BYTES - 4 < len(body.encode()) <= MAX_BYTES


def test_the_tail_runs_over_both_streams(captured: Captured) -> None:
    shown = captured.show(numbered(1, 1500), numbered(1501, 3000), "note")
    assert shown == numbered(1001, 3000).decode() + f"\n{captured.label(1001, 3000)}\n\nnote"
    assert captured.log.read_bytes() == numbered(1, 3000)


@pytest.mark.requirement(129, 130)
def test_capped_output_is_never_called_full(captured: Captured) -> None:
    shown = captured.show(numbered(1, 2001), b"", "note", capped=True)
    assert shown.endswith(
        "2001\n\n[Showing lines 2-2001 of 2001. "
        f"Captured output; command exceeded the 10MB safety cap: {captured.log}]\n\n"
        "Bash output exceeded the 10MB safety cap; complete output was not captured.\n\nnote"
    )
    assert "Full output" not in shown


@pytest.mark.hazard("NUL and binary output become a one-line summary")
@pytest.mark.parametrize("out", [b"text\0more\n", bytes(range(128, 256)) * 5], ids=["nul", "bytes"])
def test_binary_output_becomes_one_line(captured: Captured, out: bytes) -> None:
    shown = captured.show(out)
    assert shown == f"[Binary output, {len(out)} bytes. Full output: {captured.log}]"
    assert captured.log.read_bytes() == out


@pytest.mark.hazard("Lone surrogates ... stored and sent as U+FFFD")
def test_a_few_bad_bytes_are_replaced_and_the_limit_still_holds(captured: Captured) -> None:
    out = (b"x" * 12 + b"\xff") * 3_900
    shown = captured.show(out + b"\xed\xa0\x80")
    body = shown.split("\n\n")[0]
    assert body.endswith("xx\N{REPLACEMENT CHARACTER}" + "\N{REPLACEMENT CHARACTER}" * 3)
    assert len(body.encode()) <= MAX_BYTES
    assert captured.log.read_bytes() == out + b"\xed\xa0\x80"
