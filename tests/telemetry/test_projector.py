"""Facts become spans: names, parents, outcomes, and nothing that was said unless it is wanted."""

from __future__ import annotations

import pytest
from tests.support.log import CallSpec, Log, session
from tests.support.wire import uid

from perdure.agent.session_facts import facts_in
from perdure.core.facts import Fact
from perdure.core.ids import milliseconds_of
from perdure.telemetry.projector import Projector
from perdure.telemetry.span import Span, span_id, trace_id

BASH: CallSpec = ("bash", {"command": "secret-command"})
SECRETS = ("secret-prompt", "secret-command", "secret-output", "secret-answer")


def whole_run() -> Log:
    """Prompt, call, result, answer."""
    log = session().prompt("secret-prompt").attempt().calls(BASH).usage(output=3).joined()
    log = log.started(0).result(0, "secret-output").attempt()
    return log.answer("secret-answer").usage(output=4).finish().joined(3)


def transactions(log: Log) -> list[list[Fact]]:
    """The lines after the header, each as its facts."""
    return [facts_in(line + b"\n") for line in log.to_bytes().split(b"\n")[1:-1]]


def spans_of(log: Log, *, lines: slice = slice(None), content: bool = False) -> list[Span]:
    """What a projector makes of some of a log's lines."""
    unfinished = uid("operation", 1) if lines.start else None
    projector = Projector(uid("session", 1), unfinished=unfinished, content=content)
    return [span for facts in transactions(log)[lines] for span in projector.take(facts)]


def shown(span: Span) -> tuple[str, object, str]:
    """Name, outcome and error."""
    return span.name, span.attributes["perdure.outcome"], span.error


MODEL = "chat test/model"
TOOL = "execute_tool bash"
RUN = "invoke_agent perdure"


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        (
            whole_run(),
            [
                (MODEL, "succeeded", ""),
                (TOOL, "succeeded", ""),
                (MODEL, "succeeded", ""),
                (RUN, "succeeded", ""),
            ],
        ),
        (
            session().prompt().attempt().failed().finish("failed"),
            [(MODEL, "failed", "model_error"), (RUN, "failed", "model_error")],
        ),
        (
            session().prompt().attempt().calls(BASH).started(0).result(0, kind="error"),
            [(MODEL, "succeeded", ""), (TOOL, "failed", "tool_error")],
        ),
        (
            session().prompt().attempt().calls(BASH).started(0).interrupted(0),
            [(MODEL, "succeeded", ""), (TOOL, "effect_unknown", "interrupted")],
        ),
        (
            session().prompt().attempt().calls(BASH).started(0)
            .abort("tool", call=0).interrupted(0).finish("aborted"),
            [
                (MODEL, "succeeded", ""),
                (TOOL, "cancelled", "interrupted"),
                (RUN, "cancelled", ""),
            ],
        ),
        (
            session().prompt().attempt().calls(BASH).synthetic(0, "unknownTool"),
            [(MODEL, "succeeded", "")],
        ),
        (session().prompt().attempt(), []),
        (session().prompt().attempt().retry().answer("a"), [(MODEL, "succeeded", "")]),
    ],
)  # fmt: skip
def test_spans(log: Log, expected: list[tuple[str, object, str]]) -> None:
    assert [shown(span) for span in spans_of(log)] == expected


def test_a_span_comes_with_the_fact_that_ends_it_and_no_sooner() -> None:
    log = whole_run()
    numbers = range(len(transactions(log)) + 1)
    counts = [len(spans_of(log, lines=slice(number))) for number in numbers]
    assert counts == [0, 0, 0, 1, 1, 2, 2, 4]


def test_one_trace_with_the_operation_as_its_root() -> None:
    *children, root = spans_of(whole_run())
    operation = uid("operation", 1)
    assert {span.trace_id for span in (*children, root)} == {trace_id(operation)}
    assert (root.span_id, root.parent_id) == (span_id(operation), None)
    assert {span.parent_id for span in children} == {root.span_id}
    assert all(root.start <= span.start <= span.end <= root.end for span in children)


def test_usage_is_that_of_each_request_and_their_sum() -> None:
    first, _, second, root = spans_of(whole_run())
    tokens = [span.attributes["gen_ai.usage.output_tokens"] for span in (first, second, root)]
    assert tokens == [3, 4, 7]
    assert root.attributes["llm.token_count.total"] == 9


def test_both_conventions_name_what_it_is() -> None:
    first, tool, _, root = spans_of(whole_run())
    kinds = [span.attributes["openinference.span.kind"] for span in (first, tool, root)]
    assert kinds == ["LLM", "TOOL", "AGENT"]
    names = [span.attributes["gen_ai.operation.name"] for span in (first, tool, root)]
    assert names == ["chat", "execute_tool", "invoke_agent"]
    assert first.attributes["gen_ai.provider.name"] == "demo"
    assert first.attributes["gen_ai.response.finish_reasons"] == ["toolUse"]


@pytest.mark.hazard("the provider key appears in no session, log or trace")
def test_nothing_that_was_said_unless_it_is_wanted() -> None:
    without, with_content = (str(spans_of(whole_run(), content=it)) for it in (False, True))
    assert [word for word in SECRETS if word in without] == []
    assert [word for word in SECRETS if word in with_content] == list(SECRETS)


def test_after_a_crash_the_rest_belongs_to_the_same_trace_and_says_so() -> None:
    log = whole_run()
    tool, model, root = spans_of(log, lines=slice(4, None))
    assert [span.name for span in (tool, model, root)] == [TOOL, MODEL, RUN]
    assert {span.trace_id for span in (tool, model, root)} == {trace_id(uid("operation", 1))}
    recovered = [span.attributes.get("perdure.recovery") for span in (tool, model, root)]
    assert recovered == [True, None, True]
    assert root.start == milliseconds_of(uid("operation", 1))


def test_a_compaction() -> None:
    log = whole_run().prompt().attempt().answer("a").finish()
    log = log.compact(keep=2).attempt().summary("secret-summary")
    log = log.usage().finish().joined(3)
    model, root = spans_of(log)[-2:]
    assert (model.name, root.attributes["perdure.operation.kind"]) == (MODEL, "compaction")
    assert "secret-summary" not in str(spans_of(log))
