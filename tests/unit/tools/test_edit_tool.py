"""``edit``: what it does not name stays as it is, byte for byte."""

from __future__ import annotations

import asyncio
import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.tools.bench import Bench

from perdure.errors import ToolError
from perdure.json_types import JsonObject, JsonValue
from perdure.tools.replacements import Edit, replaced


def edits(*pairs: tuple[str, str]) -> list[JsonValue]:
    return [{"oldText": old, "newText": new} for old, new in pairs]


@pytest.mark.hazard("CRLF, LF, mixed, CR only, BOM, no final newline")
@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        (b"a word b\r\nnext\r\n", "word", "thing", b"a thing b\r\nnext\r\n"),
        (b"one\nword\r\nthree\rfour", "word", "thing", b"one\nthing\r\nthree\rfour"),
        (b"one\rword\rthree", "one\nword", "one\nthing", b"one\rthing\rthree"),
        (b"\xef\xbb\xbfword\n", "word", "thing", b"\xef\xbb\xbfthing\n"),
        (b"last word", "word", "thing", b"last thing"),
        (b"a\r\nb\nc\r\n", "a\nb\nc\n", "a\nX\nc\n", b"a\r\nX\nc\r\n"),
        (b"a\r\nb\r\n", "a\nb\n", "a\nnew\nb\n", b"a\r\nnew\r\nb\r\n"),
        (b"a\nb\n", "a\r\nb", "a\r\nnew\r\nb", b"a\nnew\nb\n"),
        (b"a\r\nb\r\n", "a\r\nb", "a\r\nc", b"a\r\nc\r\n"),
        (b"a\n1\n\r\nz\r\n", "z", "z\ny", b"a\n1\n\r\nz\r\ny\r\n"),
        (b"a\rb\rc", "b", "b\nB", b"a\rb\rB\rc"),
        (b"only", "only", "one\ntwo", b"one\ntwo"),
        (b"a\r\nb\r\n", "a\nb\n", "", b""),
        (b"keep\rthis\nword\n", "word", "x", b"keep\rthis\nx\n"),
        (b"caf\xe9 word \xff\n", "word", "thing", b"caf\xe9 thing \xff\n"),
        ("né word ü\n".encode(), "né word", "nè word", "nè word ü\n".encode()),
        (b"aXbXc", "bX", "bY", b"aXbYc"),
    ],
)
def test_only_the_named_bytes_change(
    bench: Bench, before: bytes, old: str, new: str, after: bytes
) -> None:
    (bench.root / "file").write_bytes(before)
    message = bench.ok("edit", path="file", edits=edits((old, new)))
    assert message == "Successfully replaced 1 block(s) in file."
    assert (bench.root / "file").read_bytes() == after


def test_all_edits_refer_to_the_original(bench: Bench) -> None:
    (bench.root / "file").write_text("a b c\n")
    message = bench.ok("edit", path="file", edits=edits(("c", "a"), ("a ", "b "), ("b", "c")))
    assert message == "Successfully replaced 3 block(s) in file."
    assert (bench.root / "file").read_text() == "b c a\n"


@pytest.mark.parametrize(
    ("before", "pairs", "message"),
    [
        ("a\n", [("b", "c")], "edits[0].oldText was not found in file."),
        (
            "a a\n",
            [("a", "b")],
            "edits[0].oldText occurs more than once in file; add more context.",
        ),
        (
            "aaa\n",
            [("aa", "b")],
            "edits[0].oldText occurs more than once in file; add more context.",
        ),
        ("abc\n", [("bc", "x"), ("ab", "y")], "edits[0] and edits[1] overlap in file."),
        ("a\n", [("a", "b"), ("z", "y")], "edits[1].oldText was not found in file."),
        (
            "caf\udce9\n",
            [("caf", "café")],
            "file is not UTF-8; only ASCII text can be put into it.",
        ),
    ],
)
def test_all_is_checked_before_anything_is_written(
    bench: Bench, before: str, pairs: list[tuple[str, str]], message: str
) -> None:
    file = bench.root / "file"
    file.write_bytes(before.encode("utf-8", "surrogateescape"))
    inode = file.stat().st_ino
    assert bench.error("edit", path="file", edits=edits(*pairs)) == f"Error: {message}"
    assert file.read_bytes() == before.encode("utf-8", "surrogateescape")
    assert file.stat().st_ino == inode


def test_empty_text_is_refused_before_the_call_starts(bench: Bench) -> None:
    arguments: JsonObject = {"path": "file", "edits": edits(("", "x"))}
    assert bench.tool("edit").validate(arguments) == "edits[0].oldText must not be empty"
    with pytest.raises(ToolError, match=r"^edits\[0\]\.oldText must not be empty$"):
        replaced(b"a", [Edit(0, "", "x")], "file")


def test_a_missing_file_is_not_created(bench: Bench) -> None:
    message = bench.error("edit", path="file", edits=edits(("a", "b")))
    assert message == "Error: file does not exist. Use write to create it."
    assert not (bench.root / "file").exists()


def test_the_mode_is_kept(bench: Bench) -> None:
    file = bench.root / "file"
    file.write_text("a")
    file.chmod(0o700)
    bench.ok("edit", path="file", edits=edits(("a", "b")))
    assert stat.S_IMODE(file.stat().st_mode) == 0o700


def test_the_preview_shows_the_file_before_and_after(bench: Bench) -> None:
    (bench.root / "file").write_text("a b\n")
    arguments: JsonObject = {"path": "file", "edits": edits(("b", "c"))}
    shown = asyncio.run(bench.tool("edit").preview(arguments, bench.root))
    assert (shown.before, shown.after) == ("a b\n", "a c\n")
    assert (bench.root / "file").read_text() == "a b\n"


LINES = st.lists(
    st.tuples(st.text("abé ", max_size=4), st.sampled_from(["\n", "\r\n"])), max_size=6
)


@given(before=LINES, after=LINES, new=st.text("xy", max_size=3))
def test_the_surroundings_of_an_edit_never_change(
    before: list[tuple[str, str]], after: list[tuple[str, str]], new: str
) -> None:
    head = "".join(text + ending for text, ending in before).encode()
    tail = "".join(text + ending for text, ending in after).encode()
    result = replaced(head + b"WORD" + tail, [Edit(0, "WORD", new)], "file")
    assert result == head + new.encode() + tail
