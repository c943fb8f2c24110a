"""Committed facts become spans; pure, so that a test is a list of facts and a list of spans.

Nothing is a span before the fact that ends it is in the log. A request that an earlier process
had begun is none, for nobody knows its end; a call or an operation that it had begun is one, from
the time in its id on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

import orjson

from perdure.core.entries import AssistantEntry, Entry, StartedToolEntry
from perdure.core.facts import Fact, RecordFact, UsageCounters
from perdure.core.ids import milliseconds_of
from perdure.core.masking import masked
from perdure.core.records import OperationFinished
from perdure.telemetry import conventions
from perdure.telemetry.span import Span, Value, span_id, trace_id

_OUTCOMES = {"completed": "succeeded", "aborted": "cancelled", "failed": "failed"}
_NO_USAGE: UsageCounters = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}


@dataclass(frozen=True, slots=True)
class _Begun:
    """What is under way; ``said`` is what went in, None where it is not to be told."""

    fact_id: str
    start: int
    attributes: Mapping[str, Value] = field(default_factory=dict)
    said: str | None = None
    recovered: bool = False


@dataclass(frozen=True, slots=True)
class _End:
    """How something ended; ``text`` is what came out."""

    at: int
    outcome: str = "succeeded"
    error: str = ""
    text: str | None = None


class Projector:
    """Follows one session. With ``content``, spans hold what was said, secrets in results masked.

    ``unfinished`` is the operation that was under way when the session was opened.
    """

    def __init__(self, session_id: str, *, unfinished: str | None, content: bool) -> None:
        self._session_id = session_id
        self._content = content
        self._prompts: dict[str, str] = {}
        self._operation: _Begun | None = None
        self._usage: Counter[str] = Counter()
        self._attempt: _Begun | None = None
        self._tool: _Begun | None = None
        self._answer: str | None = None
        self._aborting = False
        if unfinished is not None:
            self._recover(unfinished)

    def take(self, facts: Sequence[Fact]) -> list[Span]:
        """Return the spans that one transaction ends, in the order of their ends."""
        usage = {
            fact["attemptId"]: fact["usage"]
            for fact in facts
            if fact["kind"] == "usage" and "attemptId" in fact
        }
        for counters in usage.values():
            self._usage.update(cast("Mapping[str, int]", counters))
        return [span for fact in facts for span in self._spans(fact, usage)]

    def _spans(self, fact: Fact, usage: Mapping[str, UsageCounters]) -> Iterator[Span]:
        if fact["kind"] == "record":
            yield from self._record(fact, usage)
        elif fact["kind"] == "entry":
            yield from self._entry(fact["id"], fact["entry"], fact["timestamp"], usage)

    def _entry(
        self, entry_id: str, entry: Entry, end: int, usage: Mapping[str, UsageCounters]
    ) -> Iterator[Span]:
        match entry:
            case {"stopReason": _}:
                yield from self._answered(cast("AssistantEntry", entry), end, usage)
            case {"toolStartedId": _}:
                yield self._tool_ended(cast("StartedToolEntry", entry), end)
            case {"type": "compaction", "summary": str(summary)}:
                yield from self._attempt_ended(_End(end, text=summary), usage)
            case {"message": {"role": "user", "content": content}}:
                self._prompts = {entry_id: content}
            case _:
                pass

    def _record(self, fact: RecordFact, usage: Mapping[str, UsageCounters]) -> Iterator[Span]:
        record, at = fact["record"], fact["timestamp"]
        match record["type"]:
            case "runStarted" | "compactionStarted":
                said = self._prompts.get(str(record.get("inputEntryId")))
                self._begin(record["operationId"], at, said)
            case "stepAttempt":
                attributes = conventions.request(
                    self._session_id, record["configurationSnapshot"], record["attempt"]
                )
                self._recover(record["operationId"])
                self._attempt = _Begun(record["attemptId"], at, attributes)
            case "stepFailed":
                code = record["error"]["code"]
                outcome = "cancelled" if code == "aborted" else "failed"
                yield from self._attempt_ended(_End(at, outcome, code), usage)
            case "toolStarted":
                self._recover(record["operationId"])
                said = orjson.dumps(record["arguments"]).decode()
                self._tool = _Begun(fact["id"], at, said=said)
            case "abortRequested":
                self._recover(record["operationId"])
                self._aborting = True
            case "operationFinished":
                yield self._finished(record, at)

    def _begin(self, operation_id: str, start: int, said: str | None) -> None:
        self._operation = _Begun(operation_id, start, said=said)
        self._usage = Counter()
        self._answer = None
        self._aborting = False

    def _recover(self, operation_id: str) -> _Begun:
        """Return the operation under way; an earlier process had begun one that is not known."""
        if self._operation is None or self._operation.fact_id != operation_id:
            self._begin(operation_id, milliseconds_of(operation_id), None)
            self._operation = _Begun(operation_id, milliseconds_of(operation_id), recovered=True)
        return self._operation

    def _answered(
        self, entry: AssistantEntry, end: int, usage: Mapping[str, UsageCounters]
    ) -> Iterator[Span]:
        self._answer = entry["message"]["content"]
        calls = entry["message"].get("tool_calls")
        text = self._answer if calls is None else orjson.dumps(entry["message"]).decode()
        more: dict[str, Value] = {"gen_ai.response.finish_reasons": [entry["stopReason"]]}
        yield from self._attempt_ended(_End(end, text=text), usage, more)

    def _attempt_ended(
        self,
        end: _End,
        usage: Mapping[str, UsageCounters],
        more: Mapping[str, Value] | None = None,
    ) -> Iterator[Span]:
        attempt, self._attempt = self._attempt, None
        if attempt is None or self._operation is None:
            return
        counters = usage.get(attempt.fact_id)
        attributes = {
            **attempt.attributes,
            **({} if counters is None else conventions.usage(counters)),
            **(more or {}),
        }
        name = f"chat {attempt.attributes['gen_ai.request.model']}"
        yield self._span(name, attempt, end, attributes)

    def _tool_ended(self, entry: StartedToolEntry, end: int) -> Span:
        key = entry["toolStartedId"]
        tool, self._tool = self._tool, None
        if tool is None or tool.fact_id != key:
            tool = _Begun(key, milliseconds_of(key), recovered=True)
        name, message = entry["toolName"], entry["message"]
        attributes = conventions.tool(self._session_id, name, message["tool_call_id"])
        return self._span(f"execute_tool {name}", tool, self._tool_end(entry, end), attributes)

    def _tool_end(self, entry: StartedToolEntry, at: int) -> _End:
        text = masked(entry["message"]["content"])
        match entry["result"]["type"]:
            case "success":
                return _End(at, text=text)
            case "error":
                return _End(at, "failed", "tool_error", text)
            case "synthetic":
                outcome = "cancelled" if self._aborting else "effect_unknown"
                return _End(at, outcome, "interrupted", text)

    def _finished(self, record: OperationFinished, end: int) -> Span:
        operation = self._recover(record["operationId"])
        kind = record["operationKind"]
        attributes = {
            **conventions.operation(self._session_id, record["operationId"], kind),
            **conventions.usage(cast("UsageCounters", {**_NO_USAGE, **self._usage})),
        }
        error = record.get("error", {"code": "", "message": ""})["code"]
        name = f"invoke_agent {conventions.AGENT}"
        outcome = _OUTCOMES[record["outcome"]]
        ended = _End(end, outcome, error, self._answer)
        span = self._span(name, operation, ended, attributes)
        self._operation = None
        return span

    def _span(self, name: str, begun: _Begun, end: _End, attributes: Mapping[str, Value]) -> Span:
        operation = self._operation or begun
        is_root = begun.fact_id == operation.fact_id
        said = conventions.contents(begun.said, end.text) if self._content else {}
        how = conventions.ending(end.outcome, end.error, recovered=begun.recovered)
        return Span(
            name=name,
            trace_id=trace_id(operation.fact_id),
            span_id=span_id(begun.fact_id),
            parent_id=None if is_root else span_id(operation.fact_id),
            start=begun.start,
            end=max(begun.start, end.at),
            attributes={**attributes, **how, **said},
            error=end.error,
        )
