"""``read``: complete lines, at most 2,000 and 50 KB, and how to go on."""

from __future__ import annotations

import resource
import subprocess
import sys

import pytest
from tests.unit.tools.bench import Bench


def numbered(first: int, last: int) -> str:
    return "".join(f"line {n}\n" for n in range(first, last + 1))


@pytest.mark.parametrize(
    ("content", "arguments", "shown"),
    [
        ("a\nb\n", {}, "a\nb\n"),
        ("a\nb", {}, "a\nb"),
        ("a\r\nb\r\n", {}, "a\r\nb\r\n"),
        ("a\u2028b\x85c\x0bd\x0ce\x1cf\n", {"limit": 1}, "a\u2028b\x85c\x0bd\x0ce\x1cf\n"),
        ("\ufeffa\n", {}, "a\n"),
        ("", {}, "(empty file)"),
        ("a\nb\nc\n", {"offset": 2}, "b\nc\n"),
        (
            "a\nb\nc\n",
            {"offset": 2, "limit": 1},
            "b\n\n[Showing lines 2-2 of 3. Use offset=3 to continue.]",
        ),
        (
            numbered(1, 2001),
            {},
            numbered(1, 2000) + "\n[Showing lines 1-2000 of 2001. Use offset=2001 to continue.]",
        ),
        (
            numbered(1, 2001),
            {"limit": 5000},
            numbered(1, 2000) + "\n[Showing lines 1-2000 of 2001. Use offset=2001 to continue.]",
        ),
        (
            ("x" * 1023 + "\n") * 60,
            {},
            ("x" * 1023 + "\n") * 50 + "\n[Showing lines 1-50 of 60. Use offset=51 to continue.]",
        ),
        ("x" * 51_199 + "\n", {}, "x" * 51_199 + "\n"),
        (
            "short\n" + "x" * 51_200 + "\nafter\n",
            {},
            "short\n\n[Showing lines 1-1 of 3. Use offset=2 to continue.]",
        ),
        (
            "short\n" + "x" * 200_000 + "\nafter\n",
            {"offset": 2},
            "Line 2 exceeds 50KB. Use bash with a byte-oriented command to inspect this line.",
        ),
        ("short\n" + "x" * 200_000 + "\nafter\n", {"offset": 3}, "after\n"),
    ],
)
def test_pages(bench: Bench, content: str, arguments: dict[str, int], shown: str) -> None:
    (bench.root / "file").write_bytes(content.encode())
    assert bench.ok("read", path="file", **arguments) == shown


def test_pages_add_up_to_the_file(bench: Bench) -> None:
    content = "".join(f"{n} {'é' * (n % 90)}\n" for n in range(6000))
    (bench.root / "file").write_text(content)
    pages = []
    offset: int | None = 1
    while offset is not None:
        page = bench.ok("read", path="file", offset=offset)
        text, _, footer = page.partition("\n\n[Showing")
        pages.append(text + "\n" if footer else page)
        offset = int(footer.split("offset=")[1].split(" ")[0]) if footer else None
    assert "".join(pages) == content
    assert len(pages) > 3


@pytest.mark.parametrize(("content", "lines"), [("a\nb\n", 2), ("a\nb", 2), ("", 0)])
def test_offset_beyond_the_end(bench: Bench, content: str, lines: int) -> None:
    (bench.root / "file").write_text(content)
    expected = f"Error: Offset 3 is beyond end of file ({lines} lines total)."
    assert bench.error("read", path="file", offset=3) == expected


@pytest.mark.hazard("NUL and binary output")
def test_a_binary_file_is_refused(bench: Bench) -> None:
    (bench.root / "file").write_bytes(b"\x7fELF\0\0")
    message = "Error: file is a binary file. Use bash to inspect it."
    assert bench.error("read", path="file") == message


@pytest.mark.hazard("Lone surrogates ... stored and sent as U+FFFD")
@pytest.mark.parametrize("content", [b"caf\xe9\n", b"\xed\xa0\x80\n"], ids=["latin-1", "surrogate"])
def test_what_is_not_utf8_is_shown_with_a_note(bench: Bench, content: bytes) -> None:
    (bench.root / "file").write_bytes(content)
    shown = bench.ok("read", path="file")
    shown.encode()
    assert shown == (
        content.decode("utf-8", "replace")
        + "\n[Bytes that are not UTF-8 are shown as \N{REPLACEMENT CHARACTER}.]"
    )


def test_a_missing_file(bench: Bench) -> None:
    assert bench.error("read", path="nothing") == "Error: nothing: No such file or directory."


def test_a_line_of_any_length_needs_little_memory(bench: Bench) -> None:
    with (bench.root / "file").open("wb") as file:
        file.truncate(300_000_000)
        file.seek(0)
        file.write(b"first\n" + b"x" * 100_000)
        file.seek(300_000_000)
        file.write(b"\nlast\n")
    program = (
        "import asyncio, resource, sys, pathlib as p\n"
        "from tests.unit.tools.bench import Bench\n"
        "bench = Bench(p.Path(sys.argv[1]), p.Path(sys.argv[2]))\n"
        "print(bench.ok('read', path='file', offset=3))\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(bench.root), str(bench.data)],
        capture_output=True,
        text=True,
        check=True,
    )
    shown, peak_kilobytes = done.stdout.split()
    own_kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert shown == "last"
    assert int(peak_kilobytes) < own_kilobytes + 50_000
