"""The transcript of a session as Markdown: a pure function of its facts.

Everything is told in the order of the file. A call is shown when its result comes; calls that
never got one are shown at the end of their operation, as what they are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from perdure.agent.entry_kinds import is_answer, is_result
from perdure.agent.markdown_blocks import Result, fence, folded, quote, tokens, verdict
from perdure.core.facts import (
    AssistantEntry,
    CompactionEntry,
    Entry,
    Fact,
    OperationFinished,
    Record,
    UsageCounters,
)
from perdure.core.messages import Call, calls_of
from perdure.core.state import SessionHeader


def transcript_markdown(header: SessionHeader, facts: Sequence[Fact]) -> str:
    """Return the document; ``facts`` are those of a session that reduces without a fault."""
    writer = _Writer(usage=_usage_by_operation(facts))
    for fact in facts:
        if fact["kind"] == "entry":
            writer.entry(fact["entry"], fact["timestamp"])
        elif fact["kind"] == "record":
            writer.record(fact["record"], fact["timestamp"])
    writer.end()
    return "\n\n".join((*_title(header), *writer.blocks)) + "\n"


@dataclass
class _Writer:
    """Walks over the facts; ``open`` are the calls without a result, by call id."""

    usage: dict[str, UsageCounters]
    blocks: list[str] = field(default_factory=list)
    open: dict[str, Call] = field(default_factory=dict)
    started: set[str] = field(default_factory=set)
    turns: int = 0
    unfinished: bool = False

    def entry(self, entry: Entry, timestamp: int) -> None:
        """Show a message or a compaction."""
        if entry["type"] == "compaction":
            self._compaction(entry)
        elif is_result(entry):
            call = self.open.pop(entry["message"]["tool_call_id"])
            self._call(call, entry["result"], entry["message"]["content"])
        elif is_answer(entry):
            self._answer(entry)
        else:
            self.turns += 1
            self.blocks += [
                f"## {self.turns}. Prompt ({_time(timestamp)})",
                quote(entry["message"]["content"]),
            ]

    def record(self, record: Record, timestamp: int) -> None:
        """Show what the messages do not say."""
        if record["type"] == "runStarted":
            self.unfinished = True
        elif record["type"] == "compactionStarted":
            self.unfinished = True
            self.blocks.append(f"## Compaction ({_time(timestamp)})")
        elif record["type"] == "toolStarted":
            self.started.add(record["toolCallId"])
        elif record["type"] == "operationFinished":
            self._finish(record)

    def end(self) -> None:
        """Close the document; an operation may still be unfinished."""
        self._show_open_calls()
        if self.unfinished:
            self.blocks.append("*Unfinished.*")

    def _answer(self, entry: AssistantEntry) -> None:
        message = entry["message"]
        if message["content"]:
            self.blocks.append(message["content"].rstrip())
        if entry["stopReason"] == "length":
            self.blocks.append("*The answer was cut off by the token limit.*")
        self.open = {call["id"]: call for call in calls_of(message)}
        self.started = set()

    def _compaction(self, entry: CompactionEntry) -> None:
        count = len(entry["retainedTail"])
        kept = "message is" if count == 1 else f"{count} messages are"
        summary = f"Summary of what came before; the last {kept} kept as they were"
        self.blocks.append(folded(summary, quote(entry["summary"])))

    def _finish(self, record: OperationFinished) -> None:
        self._show_open_calls()
        self.unfinished = False
        outcome = record["outcome"].capitalize()
        if "error" in record:
            outcome += f": {record['error']['message']} (`{record['error']['code']}`)"
        elif record.get("completion") == "truncated":
            outcome += ", cut off by the token limit"
        self.blocks.append(f"*{outcome}. {tokens(self.usage[record['operationId']])}.*")

    def _call(self, call: Call, result: Result, content: str) -> None:
        self._call_head(call, verdict(result))
        lines = content.count("\n") + 1
        label = "1 line" if lines == 1 else f"{lines} lines"
        self.blocks.append(folded(f"Result, {label}", fence(content, "text")))

    def _show_open_calls(self) -> None:
        for call in self.open.values():
            started = call["id"] in self.started
            self._call_head(call, "Started, no result recorded" if started else "Not started")
        self.open = {}

    def _call_head(self, call: Call, words: str) -> None:
        function = call["function"]
        self.blocks += [
            f"**Tool `{function['name']}`** · {words}",
            fence(function["arguments"], "json"),
        ]


def _title(header: SessionHeader) -> Iterable[str]:
    yield f"# Session {header.id}"
    yield (
        f"Created {_time(header.created_at)} in `{header.cwd}`, "
        f"with {header.model} ({header.provider})."
    )


def _usage_by_operation(facts: Sequence[Fact]) -> dict[str, UsageCounters]:
    """Add up per operation; usage may stand after the terminal."""
    sums: dict[str, UsageCounters] = defaultdict(
        lambda: {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}
    )
    for fact in facts:
        if fact["kind"] == "usage":
            total, added = sums[fact["operationId"]], fact["usage"]
            total["input"] += added["input"]
            total["output"] += added["output"]
            total["cacheRead"] += added["cacheRead"]
            total["cacheWrite"] += added["cacheWrite"]
    return sums


def _time(timestamp: int) -> str:
    """Return ms since the epoch as text, in UTC: the same file gives the same document."""
    try:
        moment = datetime.fromtimestamp(timestamp / 1000, tz=UTC)
    except (ValueError, OverflowError, OSError):
        return f"{timestamp} ms"
    return f"{moment:%Y-%m-%d %H:%M:%S} UTC"
