"""Text of others as it stands in a prompt: cut, and without what no session can hold."""

from __future__ import annotations

from perdure.agent.context.quoting import cut, quoted_block


def test_a_long_text_of_the_client_is_cut() -> None:
    assert cut("a\nb") == "a\nb"
    assert cut("x\n" * 3000).startswith("x\n" * 1999 + "x\n\n[Cut: ")
    assert len(cut("ä" * 60_000).encode()) < 51_300


def test_lone_surrogates_do_not_get_through() -> None:
    assert "\ufffd" in quoted_block("File", "\ud800")
