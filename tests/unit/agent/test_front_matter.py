"""The front matter of a skill: what is read of YAML, and what is refused."""

from __future__ import annotations

import pytest

from perdure.agent.context.front_matter import Malformed, front_matter

WANTED = ("name", "description")


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("pdf files", "pdf files"),
        ("pdf # a comment", "pdf"),
        ("c#, f#", "c#, f#"),
        ("it's plain: not", None),
        ("http://example.org", "http://example.org"),
        ("- pdf", None),
        ("-pdf", "-pdf"),
        ('"a: b # c"', "a: b # c"),
        ('"say \\"hi\\" \\u00e9\\x21"', 'say "hi" é!'),
        ('"open', None),
        ('"\\q"', None),
        ('"a" b', None),
        ("'it''s: so' # told", "it's: so"),
        ("'open", None),
        ("[a, b]", None),
        ("{a: b}", None),
        ("&anchor a", None),
        ("*alias", None),
        ("!!str a", None),
        ("@a", None),
        ("plain\n  goes on", "plain goes on"),
        ('"quoted\n  goes on"', "quoted goes on"),
        ("|\n  first: line\n\n  second # line", "first: line second # line"),
        (">-\n  folded\n  text", "folded text"),
        ("|2+\n   x", "x"),
        ("\n  on the next line", "on the next line"),
        ("\n- a\n- b", None),
        ("\n\ttab", None),
        ("a:", None),
        ("", ""),
    ],
)
def test_a_value(written: str, read: str | None) -> None:
    text = f"---\nname: x\ndescription: {written}\nlicense: MIT\n---\nBody: no key.\n"
    for spelled in (text, text.replace("\n", "\r\n"), f"\ufeff{text}"):
        if read is None:
            with pytest.raises(Malformed, match="description"):
                front_matter(spelled, WANTED)
        else:
            assert front_matter(spelled, WANTED) == {"name": "x", "description": read}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# A heading\n---\nname: x\n---\n",
        "---\nname: x\n",
        "---\nname: x\nname: y\n---\n",
        "---\nname:x\n---\n",
        "---\nno key\n---\n",
        " ---\nname: x\n---\n",
    ],
)
def test_no_front_matter(text: str) -> None:
    with pytest.raises(Malformed):
        front_matter(text, WANTED)


def test_what_nobody_asked_for_is_not_judged() -> None:
    text = "---\n# head\nmetadata:\n  a: [1, {b: c}]\nallowed-tools:\n- x\nname: y\n...\n---\n"
    assert front_matter(text, WANTED) == {"name": "y"}
