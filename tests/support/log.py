"""A small language for session files, legal and illegal, that does not know the reducer.

::

    session().prompt("x").attempt().calls(("read", {"path": "a"})).started(0).result(0, "text")

Every call writes one line. Ids and timestamps are deterministic: ``uid("entry", 3)`` is the
third entry of the log. Illegal files are made by ``patch`` (change the last fact), ``joined``
(one transaction out of several lines), ``raw`` and ``tail`` (any bytes).
"""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Self, TypeAlias

from tests.support.raw_log import RawLog
from tests.support.wire import (
    TEXTS,
    default_header,
    function_call,
    object_at,
    sha256,
    snapshot,
    text_at,
    tool_message,
    uid,
)

from perdure.json_types import JsonObject

CallSpec: TypeAlias = tuple[str, JsonObject | str]


def session(header: JsonObject | None = None) -> Log:
    """Start a log with a header line."""
    return Log([header or default_header()])


@dataclass
class Answer:
    """The latest assistant entry; ``intents`` holds (toolStarted id, result id) by index."""

    entry_id: str
    step_id: str
    calls: list[JsonObject]
    intents: dict[int, tuple[str, str]] = field(default_factory=dict)

    def tool_name(self, index: int) -> str:
        """Return the name of the tool that a call asks for."""
        return text_at(object_at(self.calls[index], "function"), "name")


@dataclass
class Log(RawLog):
    """A session file being written; see the text above."""

    operation_kind: str = "run"
    step_id: str = uid("step", 1)
    attempt_id: str = uid("attempt", 1)
    attempt_number: int = 0
    final_id: str = uid("entry", 1)
    stop_reason: str = "stop"
    _answer: Answer | None = None
    _request: tuple[str, JsonObject] = field(default_factory=lambda: ("", {}))
    _partition: tuple[list[str], list[str]] = field(default_factory=lambda: ([], []))

    # --- runs ---------------------------------------------------------------------------------

    def user(self, text: str) -> Self:
        """Write a user entry alone."""
        return self.message({"role": "user", "content": text})

    def prompt(self, text: str = "do it") -> Self:
        """Accept a run: user entry and ``runStarted`` in one transaction."""
        return self.user(text).run().joined()

    def run(self) -> Self:
        """Write ``runStarted`` alone, for the last entry."""
        self.operation_id, self.operation_kind = self.new_id("operation"), "run"
        return self.record("runStarted", operationKind="run", inputEntryId=self.boundary)

    def attempt(self, *tools: str, model: str = "test/model") -> Self:
        """Write attempt 1 of a new step; the tools are ``read`` and ``bash`` unless said."""
        self.step_id, self.attempt_number = self.new_id("step"), 1
        self._request = (self.boundary, snapshot(*(tools or ("read", "bash")), model=model))
        return self._attempt()

    def retry(self) -> Self:
        """Write attempt 2 of the same step."""
        self.attempt_number = 2
        return self._attempt()

    def answer(self, text: str | None, *calls: CallSpec, stop: str = "stop") -> Self:
        """Write an assistant entry."""
        made = [function_call(index, *call) for index, call in enumerate(calls)]
        message: JsonObject = {"role": "assistant", "content": text}
        if made:
            message["tool_calls"] = [*made]
        self.message(message, stepId=self.step_id, attemptId=self.attempt_id, stopReason=stop)
        self.final_id, self.stop_reason = self.boundary, stop
        self._answer = Answer(self.boundary, self.step_id, made)
        return self

    def calls(self, *calls: CallSpec) -> Self:
        """Write an assistant entry that calls tools."""
        return self.answer(None, *calls, stop="toolUse")

    def started(self, index: int, *, replay: str = "", environment: str = "fixture") -> Self:
        """Write ``toolStarted``; ``read`` is safe, everything else never, unless said."""
        call, name = self.latest.calls[index], self.latest.tool_name(index)
        result_id = self.new_id("result")
        self.record(
            "toolStarted",
            stepId=self.latest.step_id,
            assistantEntryId=self.latest.entry_id,
            toolIndex=index,
            toolCallId=call["id"],
            toolName=name,
            arguments=json.loads(text_at(call["function"], "arguments")),
            replay=replay or ("safe" if name == "read" else "never"),
            replayKey=f"builtin:{name}:v1",
            environmentIdentity=environment,
            resultEntryId=result_id,
        )
        self.latest.intents[index] = (text_at(self.last_fact, "id"), result_id)
        return self

    def result(self, index: int, text: str = "ok", *, kind: str = "success") -> Self:
        """Write the result of a started call."""
        return self._started_result(index, text, {"type": kind})

    def interrupted(self, index: int) -> Self:
        """Write the synthetic result of a started call."""
        result: JsonObject = {"type": "synthetic", "reason": "interrupted"}
        return self._started_result(index, TEXTS["interrupted"], result)

    def synthetic(self, index: int, reason: str) -> Self:
        """Write the synthetic result of a call that was never started."""
        return self.message(
            tool_message(self.latest.calls[index], TEXTS[reason]),
            stepId=self.latest.step_id,
            assistantEntryId=self.latest.entry_id,
            toolIndex=index,
            toolName=self.latest.tool_name(index),
            result={"type": "synthetic", "reason": reason},
        )

    # --- every operation ------------------------------------------------------------------------

    def failed(self) -> Self:
        """Write ``stepFailed``."""
        error: JsonObject = {"code": "model_error", "message": "no answer"}
        return self.record(
            "stepFailed", stepId=self.step_id, attemptId=self.attempt_id, error=error
        )

    def abort(self, phase: str = "model", *, call: int | None = None) -> Self:
        """Write ``abortRequested``."""
        tool: JsonObject = {} if call is None else {"toolCallId": self.latest.calls[call]["id"]}
        kind = self.operation_kind
        return self.record(
            "abortRequested", operationKind=kind, phase=phase, **tool, reason="escape"
        )

    def finish(self, outcome: str = "completed") -> Self:
        """Write ``operationFinished``."""
        body: JsonObject = {"operationKind": self.operation_kind, "outcome": outcome}
        if outcome == "completed" and self.operation_kind == "run":
            body["completion"] = "truncated" if self.stop_reason == "length" else "normal"
        if outcome == "completed":
            body["finalEntryId"] = self.final_id
        if outcome == "failed":
            body["error"] = {"code": "model_error", "message": "no answer"}
        return self.record("operationFinished", **body)

    def usage(self, *, output: int = 1, tool: int | None = None) -> Self:
        """Write the usage of the latest attempt, or of an intent."""
        owner: JsonObject = {"attemptId": self.attempt_id}
        if tool is not None:
            owner = {"toolStartedId": self.latest.intents[tool][0]}
        counters: JsonObject = {"input": 1, "output": output, "cacheRead": 0, "cacheWrite": 0}
        operation_id = self.operation_id
        return self.fact(
            "usage", self.new_id("usage"), operationId=operation_id, **owner, usage=counters
        )

    # --- compactions ----------------------------------------------------------------------------

    def compact(self, *, keep: int) -> Self:
        """Accept a compaction that keeps the last ``keep`` source entries."""
        ids = [source for source, _ in self.sources]
        split = len(ids) - keep
        self._partition = (ids[:split], ids[split:])
        self.operation_id, self.operation_kind = self.new_id("operation"), "compaction"
        self.final_id = self.new_id("result")
        return self.record(
            "compactionStarted",
            operationKind="compaction",
            inputThroughEntryId=ids[-1],
            resultEntryId=self.final_id,
            compactedEntryIds=[*ids[:split]],
            retainedEntryIds=[*ids[split:]],
            sourceDigest=sha256([{"sourceEntryId": i, "message": m} for i, m in self.sources]),
        )

    def summary(self, text: str = "summary") -> Self:
        """Write the compaction entry."""
        compacted, retained = self._partition
        messages = dict(self.sources)
        entry: JsonObject = {
            "type": "compaction",
            "operationId": self.operation_id,
            "summary": text,
            "compactedThroughEntryId": compacted[-1],
            "retainedTail": [
                {"sourceEntryId": i, "message": deepcopy(messages[i])} for i in retained
            ],
        }
        self.boundary = [*compacted, *retained][-1]
        return self.fact("entry", self.final_id, entry=entry)

    @property
    def latest(self) -> Answer:
        """The latest assistant entry."""
        assert self._answer is not None
        return self._answer

    def _attempt(self) -> Self:
        self.attempt_id = self.new_id("attempt")
        context, configuration = self._request
        return self.record(
            "stepAttempt",
            stepId=self.step_id,
            attemptId=self.attempt_id,
            stepKind="assistant" if self.operation_kind == "run" else "compaction",
            attempt=self.attempt_number,
            contextThroughEntryId=context,
            configurationSnapshot=configuration,
            configurationDigest=sha256(configuration),
        )

    def _started_result(self, index: int, text: str, result: JsonObject) -> Self:
        intent_id, result_id = self.latest.intents[index]
        message = tool_message(self.latest.calls[index], text)
        return self.message(
            message,
            result_id,
            stepId=self.latest.step_id,
            toolName=self.latest.tool_name(index),
            toolStartedId=intent_id,
            result=result,
        )
