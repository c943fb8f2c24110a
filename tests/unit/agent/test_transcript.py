"""The transcript as Markdown: what is in it, and how a fact changes it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.corpus import OWN, fixtures
from tests.support.log import Log, session
from tests.support.wire import default_header
from tests.unit.agent.transcripts import BASH, COMMAND, GOLDEN, READ, SESSIONS, document

from perdure.agent.context.quoting import quoted_block
from perdure.agent.session_facts import session_facts
from perdure.agent.transcript import Document, Transcript, hover, transcript_of
from perdure.core.reducer import Reduced, reduce_session
from perdure.core.user_content import with_context

LEGAL = [
    pytest.param(fixture.path, id=fixture.name)
    for fixture in fixtures(OWN)
    if isinstance(reduce_session(fixture.path.read_bytes()), Reduced)
]


@pytest.mark.parametrize("name", SESSIONS)
def test_golden(name: str) -> None:
    golden = (GOLDEN / f"{name}.md").read_text(encoding="utf-8")
    assert document(SESSIONS[name]).text == golden, f"If this is meant: {COMMAND}"


@pytest.mark.parametrize("path", LEGAL)
def test_fact_after_fact_gives_the_same_document_as_all_at_once(path: Path) -> None:
    data = path.read_bytes()
    result = reduce_session(data)
    assert isinstance(result, Reduced)
    header, facts = result.state.header, session_facts(data)
    growing = Transcript(header)
    for number, fact in enumerate(facts, start=1):
        before = growing.document
        changed = growing.append([fact])
        after = growing.document
        assert after == transcript_of(header, facts[:number])
        kept = set(range(len(before.turns))) - changed
        assert all(after.turns[turn] is before.turns[turn] for turn in kept)
    _check_places(growing.document)


@pytest.mark.parametrize("name", SESSIONS)
def test_the_places_are_those_of_the_text(name: str) -> None:
    _check_places(document(SESSIONS[name]))


@pytest.mark.hazard("Synthetic results are marked as such in every view: never shown as success")
@pytest.mark.parametrize(
    ("end", "words"),
    [
        (lambda log: log.started(0).result(0, kind="error"), "Failed · 1 ms"),
        (
            lambda log: log.started(0).result(0, "no\n\nCommand exited with code 2"),
            "Exited with code 2 · 1 ms",
        ),
        (
            lambda log: log.started(0).result(0, "Command timed out after 2.5 seconds."),
            "Timed out after 2.5 seconds · 1 ms",
        ),
        (
            lambda log: log.started(0).interrupted(0),
            "Interrupted: started, whether it took effect is unknown, not repeated",
        ),
        (
            lambda log: log.synthetic(0, "aborted"),
            "Not executed: the operation was aborted before it started",
        ),
        (lambda log: log.synthetic(0, "unknownTool"), "Not executed: there is no such tool"),
        (
            lambda log: log.synthetic(0, "invalidArguments"),
            "Not executed: its arguments were invalid",
        ),
        (
            lambda log: log.synthetic(0, "truncated"),
            "Not executed: its arguments were cut off by the token limit",
        ),
        (lambda log: log.started(0), "Started, no result recorded"),
        (lambda log: log, "Not started"),
    ],
)
def test_a_call_without_a_good_result_is_never_shown_as_success(
    end: Callable[[Log], Log], words: str
) -> None:
    shown = document(end(session().prompt().attempt().calls(BASH)))
    assert f"**Tool** `bash` · {words}\n" in shown.text
    assert "Succeeded" not in shown.text
    assert shown.turns[0].state == "unfinished"
    [call] = [placed.block.call for placed in shown.placed() if placed.block.call]
    assert "Succeeded" not in hover(call)


def test_usage_after_the_next_prompt_belongs_to_its_own_turn() -> None:
    log = session().prompt("one").attempt().answer("1").finish().usage(output=7)
    late = document(log.prompt("two"))
    first, second = late.turns
    assert "7 out" in first.blocks[-1].text
    assert "0 out" in second.blocks[-1].text


def test_hover_tells_what_was_recorded_of_a_call() -> None:
    log = session().prompt().attempt().calls(BASH, READ)
    log.started(0).result(0, "hi\n\nCommand exited with code 3").started(1)
    bash, read = [placed.block.call for placed in document(log).placed() if placed.block.call]
    assert hover(bash).splitlines()[2:] == [
        "- Call: `call_1`",
        "- Replay policy: `never`: never repeated",
        "- Replay key: `builtin:bash:v1`",
        "- Environment: `fixture`",
        "- Started: 2023-11-14 22:13:20 UTC",
        "- Duration: 1 ms",
        "- Exit status: exited with code 3",
        f"- Job: `{log.latest.intents[0][0]}`",
    ]
    assert "`safe`: may be repeated after a crash" in hover(read)
    assert "Job" not in hover(read)


def test_files_of_started_calls_are_linked() -> None:
    log = session().prompt().attempt().calls(READ, ("read", {"path": "/a/../b"}), READ)
    log.started(0).result(0).started(1)
    links = [link for placed in document(log).placed() for link in placed.block.links]
    assert [link.target for link in links] == ["/workspace/src/app.py", "/b"]


@pytest.mark.parametrize(("cwd", "path"), [("relative", "a"), ("/workspace", "a\0b")])
def test_what_is_no_place_in_the_file_system_is_not_linked(cwd: str, path: str) -> None:
    log = session({**default_header(), "cwd": cwd}).prompt().attempt()
    shown = document(log.calls(("read", {"path": path})).started(0))
    assert [link for placed in shown.placed() for link in placed.block.links] == []


def _check_places(shown: Document) -> None:
    lines = shown.text.split("\n")
    for start, turn in zip(shown.starts, shown.turns, strict=True):
        assert lines[start].startswith("## ")
        assert shown.turn_line(turn.operation_id or "") in (start, None)
    for placed in shown.placed():
        block, end = placed.block, placed.line + placed.block.height
        assert "\n".join(lines[placed.line : end]) + "\n" == block.text
        assert lines[end] == ""
        assert shown.block_at(placed.line) == shown.block_at(end - 1) == placed
        assert shown.block_at(end) is None
        for fold in block.folds:
            assert 0 <= fold.first < fold.last < block.height
        for link in block.links:
            assert lines[placed.line + link.line][link.start : link.end].startswith("`")


def test_the_context_of_a_prompt_is_folded_behind_its_words() -> None:
    block = quoted_block("File `a.md`", "</details>\n## 7. Prompt\n```\nx\n```", path="a.md")
    log = session().prompt(with_context("Explain @a.md", [block])).attempt().answer("fine").finish()
    (turn,) = document(log).turns
    assert turn.title == "Explain @a.md"
    _, words, context, *_ = turn.blocks
    assert words.text == "> Explain @a.md\n"
    assert [(fold.first, fold.last) for fold in context.folds] == [(0, context.height - 1)]
    assert context.text.startswith("<details><summary>Context of this message, 9 lines</summary>")
    assert all(
        line.startswith((">", "<details>")) for line in context.text.split("\n")[:-3] if line
    )
