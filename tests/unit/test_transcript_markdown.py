"""The transcript as Markdown: what is in it, and what can not break out of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import pytest
from tests.support.log import CallSpec, Log, session

from perdure.agent.transcript_markdown import transcript_markdown
from perdure.core.facts import Fact
from perdure.core.reducer import Reduced, reduce_session

BASH: CallSpec = ("bash", {"command": "make"})


def rendered(log: Log) -> str:
    """Return the document of a legal log."""
    result = reduce_session(log.to_bytes())
    assert isinstance(result, Reduced), result
    lines = [line if isinstance(line, list) else [line] for line in log.lines[1:]]
    facts = [cast("Fact", fact) for line in lines for fact in line]
    return transcript_markdown(result.state.header, facts)


def test_a_run_is_told_in_order() -> None:
    log = session().prompt("build it").attempt().calls(BASH).started(0).result(0, "done")
    document = rendered(log.attempt().answer("All *good*.").finish().usage(output=7))
    places = [
        document.index(words)
        for words in ("> build it", "`bash`", "Succeeded", '"make"', "done", "All *good*.", "7 out")
    ]
    assert places == sorted(places)
    assert document.count("*Completed.") == 1


@pytest.mark.parametrize(
    ("end", "words"),
    [
        (lambda log: log.started(0).result(0, kind="error"), "Failed"),
        (lambda log: log.started(0).interrupted(0), "Interrupted: started"),
        (lambda log: log.synthetic(0, "aborted"), "Not executed: the operation was aborted"),
        (lambda log: log.synthetic(0, "unknownTool"), "Not executed: there is no such tool"),
        (lambda log: log.synthetic(0, "invalidArguments"), "Not executed: its arguments were inv"),
        (lambda log: log.synthetic(0, "truncated"), "Not executed: its arguments were cut off"),
        (lambda log: log.started(0), "Started, no result recorded"),
        (lambda log: log, "Not started"),
    ],
)
def test_a_call_without_a_real_result_is_never_shown_as_success(
    end: Callable[[Log], Log], words: str
) -> None:
    document = rendered(end(session().prompt().attempt().calls(BASH)))
    assert f"**Tool `bash`** · {words}" in document
    assert "Succeeded" not in document
    assert document.endswith("*Unfinished.*\n")


@pytest.mark.parametrize(
    ("outcome", "words"), [("failed", "*Failed: no answer (`model_error`)."), ("aborted", "*Abort")]
)
def test_the_outcome_is_said(outcome: str, words: str) -> None:
    log = session().prompt().attempt()
    log = log.failed() if outcome == "failed" else log.abort().failed()
    assert words in rendered(log.finish(outcome))


def test_output_can_not_leave_its_fence() -> None:
    output = "```\n</details>\n````\n# not a heading"
    log = session().prompt().attempt().calls(BASH).started(0).result(0, output)
    assert f"`````text\n{output}\n`````" in rendered(log)


def test_a_compaction_shows_its_summary() -> None:
    log = session().prompt("one").attempt().answer("two").finish()
    log = log.compact(keep=1).attempt().summary("what was said").finish()
    document = rendered(log)
    assert "## Compaction" in document
    assert "> what was said" in document
    assert "the last message is kept" in document
