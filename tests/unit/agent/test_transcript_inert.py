"""No text of a user, a model or a tool changes the structure of the document around it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from tests.support.log import session
from tests.unit.agent.transcripts import HOSTILE, document

from perdure.agent.transcript.inert import code_span, fenced, quoted, visible

PIECES = [
    *("`", "``", "```", "~~~", "\\", "\\`", "<", "<b>", "</details>", "<!--", "-->", "<textarea>"),
    *("# ", "===", "---", "- ", "1. ", "> ", "    ", "\t", "  ", "\n", "\n\n", "\r", "\r\n"),
    *("\0", "\x1b", "\x85", "\u2028", "\u202e", "[x]: /url", "&lt;", "a", "é", "𝒇"),
]
TEXTS = st.lists(st.sampled_from(PIECES), min_size=1, max_size=14).map("".join)
OURS = ("<details><summary>", "</details>")


def _tokens(markdown: str) -> list[Token]:
    return MarkdownIt("commonmark").parse(markdown)


def _outline(text: str) -> list[str]:
    """The outermost tokens of a document in which ``text`` stands wherever a text can."""
    log = session().prompt(text).attempt(text)
    log.answer(
        text, (text, {"long": f"{text}\n", "path": f"{text}\n"}), ("x", text), stop="toolUse"
    )
    log.started(0).result(0, text)
    shown = document(
        log.synthetic(1, "invalidArguments")
        .attempt(text)
        .failed()
        .patch("record.error", {"code": text, "message": text})
    )
    return [token.type for token in _tokens(shown.text) if token.level == 0]


def _raw_html(tokens: list[Token]) -> list[str]:
    flat = [inner for token in tokens for inner in (token, *(token.children or []))]
    return [token.content for token in flat if token.type in ("html_block", "html_inline")]


@given(text=TEXTS)
@settings(max_examples=300)
def test_a_quote_stays_one_quote_without_html(text: str) -> None:
    tokens = _tokens(f"before\n\n{quoted(text)}\n\nafter")
    assert [token.type for token in tokens if token.level == 0] == [
        *("paragraph_open", "paragraph_close"),
        *("blockquote_open", "blockquote_close"),
        *("paragraph_open", "paragraph_close"),
    ]
    assert _raw_html(tokens) == []


@given(text=TEXTS)
@settings(max_examples=200)
def test_a_fence_holds_its_text_as_it_is_seen(text: str) -> None:
    [block] = _tokens(fenced(text, "text"))
    assert block.type == "fence"
    assert block.content == visible(text).removesuffix("\n") + "\n"


@given(text=TEXTS)
@settings(max_examples=200)
def test_a_code_span_is_one_span_on_one_line(text: str) -> None:
    span = code_span(text)
    assert "\n" not in span
    _, inline, _ = _tokens(f"x {span} y")
    assert [token.type for token in inline.children or []] == ["text", "code_inline", "text"]


@given(text=TEXTS)
@settings(max_examples=60)
def test_the_outline_of_a_document_does_not_depend_on_its_texts(text: str) -> None:
    assert _outline(text) == _outline("plain\n")


@given(text=st.text(max_size=40))
@settings(max_examples=200)
def test_lines_end_with_lf_alone_and_everything_can_be_encoded(text: str) -> None:
    shown = visible(text)
    assert shown.encode().decode() == shown
    assert not re.search("[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]", shown)
    assert len(shown.split("\n")) == len(re.split("\r\n|\n", text))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a < b", "> a < b"),
        ("Vec<T>", "> Vec&lt;T>"),
        ("use `Vec<T>` here", "> use `Vec<T>` here"),
        ("```\n<b>\n```\n<b>", "> ```\n> <b>\n> ```\n> &lt;b>"),
        ("~~~\n```\n<b>\n~~~", "> ~~~\n> ```\n> <b>\n> ~~~"),
        ("- ```\n<b>", "> - ```\n> &lt;b>"),
        ("odd ` here\n`<b>`", "> odd ` here\n> `&lt;b>`"),
        ("a\n\n\nb\n\n", "> a\n>\n>\n> b"),
    ],
)
def test_a_quote_keeps_code_and_disarms_tags(text: str, shown: str) -> None:
    assert quoted(text) == shown


def test_the_only_html_of_a_hostile_document_is_ours() -> None:
    log = session().prompt(HOSTILE).attempt().answer(HOSTILE).finish()
    log.compact(keep=1).attempt().summary(HOSTILE).finish()
    html = _raw_html(_tokens(document(log).text))
    assert len(html) == 2
    assert all(part.startswith(OURS) for part in html)
