"""Which turn a fact belongs to, and what it changes there.

A prompt opens a turn, and so does a compaction. Every other fact names its operation, directly or
through its step or its call; facts of an older turn may stand after the beginning of the next.
"""

from __future__ import annotations

from typing import assert_never

from perdure.agent.transcript.call import Ended, Started
from perdure.agent.transcript.entry_kinds import is_answer, is_result, is_started_result
from perdure.agent.transcript.inert import visible_line
from perdure.agent.transcript.turn import CallKey, TurnBuilder
from perdure.agent.transcript.wording import moment
from perdure.core.entries import Entry, StartedToolEntry, UnstartedToolEntry
from perdure.core.facts import Fact, RecordFact
from perdure.core.masking import Shown
from perdure.core.records import Record, RunStarted
from perdure.core.user_content import divided

TITLE_LENGTH = 80


class Router:
    """Hands every fact of a session to its turn. ``turns`` are in the order of their beginning."""

    def __init__(self, cwd: str, shown: Shown) -> None:
        self.turns: list[TurnBuilder] = []
        self._cwd = cwd
        self._shown = shown
        self._prompts: dict[str, int] = {}
        self._operations: dict[str, int] = {}
        self._steps: dict[str, int] = {}
        self._intents: dict[str, CallKey] = {}

    def take(self, fact: Fact) -> int:
        """Apply one fact; return the number of the turn that it changed."""
        if fact["kind"] == "entry":
            return self._entry(fact["id"], fact["entry"], fact["timestamp"])
        if fact["kind"] == "record":
            return self._record(fact)
        number = self._operations[fact["operationId"]]
        self.turns[number].used(fact["usage"])
        return number

    def _entry(self, entry_id: str, entry: Entry, timestamp: int) -> int:
        if entry["type"] == "compaction":
            number = self._operations[entry["operationId"]]
            self.turns[number].summarised(entry)
        elif is_result(entry):
            number = self._steps[entry["stepId"]]
            content = self._shown(entry["message"]["content"])
            ended = Ended(timestamp, entry["result"], content)
            self.turns[number].ended(self._key(entry), ended)
        elif is_answer(entry):
            number = self._steps[entry["stepId"]]
            self.turns[number].answered(entry_id, entry)
        else:
            text, context = divided(entry["message"]["content"])
            number = self._open("Prompt", visible_line(text, limit=TITLE_LENGTH), timestamp)
            self.turns[number].prompted(text, context)
            self._prompts[entry_id] = number
        return number

    def _record(self, fact: RecordFact) -> int:
        record, timestamp = fact["record"], fact["timestamp"]
        number = self._turn_of(record, timestamp)
        turn = self.turns[number]
        match record["type"]:
            case "runStarted" | "compactionStarted":
                turn.operation_id = record["operationId"]
            case "stepAttempt":
                self._steps[record["stepId"]] = number
                turn.requested(record["attempt"])
            case "stepFailed":
                turn.failed(record["error"])
            case "toolStarted":
                key = record["assistantEntryId"], record["toolIndex"]
                self._intents[fact["id"]] = key
                turn.started(key, Started(fact["id"], timestamp, record))
            case "abortRequested":
                turn.show(f"*Abort requested at {moment(timestamp)}.*")
            case "operationFinished":
                turn.finished(record, timestamp)
            case _:
                assert_never(record)
        return number

    def _turn_of(self, record: Record, timestamp: int) -> int:
        operation_id = record["operationId"]
        if record["type"] == "runStarted":
            self._operations[operation_id] = self._run(record, timestamp)
        elif record["type"] == "compactionStarted":
            self._operations[operation_id] = self._open("Compaction", "Compaction", timestamp)
        return self._operations[operation_id]

    def _run(self, record: RunStarted, timestamp: int) -> int:
        """Return the turn of the prompt; a second run of one prompt has a turn of its own."""
        number = self._prompts[record["inputEntryId"]]
        prompt = self.turns[number]
        if prompt.operation_id is None:
            return number
        return self._open("Same prompt again", prompt.title, timestamp)

    def _open(self, heading: str, title: str, timestamp: int) -> int:
        number = len(self.turns)
        turn = TurnBuilder(title=title, cwd=self._cwd, began=timestamp)
        turn.show(f"## {number + 1}. {heading} · {moment(timestamp)}")
        self.turns.append(turn)
        return number

    def _key(self, entry: StartedToolEntry | UnstartedToolEntry) -> CallKey:
        if is_started_result(entry):
            return self._intents[entry["toolStartedId"]]
        return entry["assistantEntryId"], entry["toolIndex"]
