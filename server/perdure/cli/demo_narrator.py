"""What the demo prints: numbered steps, plain words, and short lines of the real log."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from perdure.agent.transcript.entry_kinds import is_answer, is_result
from perdure.agent.transcript.wording import verdict
from perdure.core.entries import Entry
from perdure.core.facts import Fact
from perdure.core.messages import calls_of
from perdure.core.records import Record
from perdure.errors import PerdureError

_WIDTH = 64


class DemoFailed(PerdureError):
    """Something that the demo shows was not observed."""

    code = "demo_failed"


class Narrator:
    """Tells the story and insists that it is true; ``write`` prints a line."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self.number = 0
        self._write = write
        self._began = time.monotonic()

    def headline(self, words: str) -> None:
        """Tell something that belongs to no step."""
        self._write(words)

    def step(self, title: str) -> None:
        """Begin a step, with the seconds since the beginning."""
        self.number += 1
        seconds = time.monotonic() - self._began
        self._write(f"\n{self.number:>2}. {title:<{_WIDTH}} {seconds:6.2f} s")

    def say(self, words: str) -> None:
        """Tell something about the step."""
        self._write(f"    {words}")

    def show(self, rows: Iterable[str]) -> None:
        """Show what really lies on the disk or came over the wire."""
        for row in rows:
            self._write(f"    | {row}")

    def check(self, observed: object, otherwise: str) -> None:
        """Raise ``DemoFailed`` unless it was observed."""
        if not observed:
            raise DemoFailed(f"Step {self.number} is not as it should be: {otherwise}.")


def brief(fact: Fact) -> str:
    """Return a fact of the log as a short line."""
    if fact["kind"] == "entry":
        words = _entry(fact["entry"])
    elif fact["kind"] == "record":
        words = _record(fact["record"])
    else:
        usage = fact["usage"]
        words = f"usage              {usage['input']} tokens in, {usage['output']} out"
    return f"{fact['seq']:>3}  {words}"


def _entry(entry: Entry) -> str:
    if entry["type"] == "compaction":
        return "compaction"
    if is_result(entry):
        return f"tool result        {verdict(entry['result'])}"
    if is_answer(entry):
        message = entry["message"]
        calls = "".join(f", calls {call['function']['name']}" for call in calls_of(message))
        return f"assistant          {_first_line(message['content'])}{calls}"
    return f"user               {_first_line(entry['message']['content'])}"


def _record(record: Record) -> str:
    words = record["type"]
    if record["type"] == "toolStarted":
        return f"{words:<18} {record['toolName']}, replay {record['replay']}"
    if record["type"] == "stepAttempt":
        model = record["configurationSnapshot"]["model"]
        return f"{words:<18} attempt {record['attempt']}, model {model}"
    if record["type"] == "stepFailed":
        return f"{words:<18} {record['error']['code']}"
    if record["type"] == "operationFinished":
        return f"{words:<18} {record['outcome']}"
    return words


def _first_line(content: str | None) -> str:
    return (content or "").split("\n", 1)[0]
