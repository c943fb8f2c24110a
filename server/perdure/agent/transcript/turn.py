"""A turn: one operation of the session, from its prompt to its outcome."""

from __future__ import annotations

from dataclasses import dataclass, field

from perdure.agent.transcript.blocks import Block, BlockBuilder, paragraph
from perdure.agent.transcript.call import Call, Ended, Started
from perdure.agent.transcript.call_block import call_block
from perdure.agent.transcript.inert import code_span, fenced, quoted
from perdure.agent.transcript.wording import count, duration, tokens
from perdure.core.entries import AssistantEntry, CompactionEntry
from perdure.core.facts import UsageCounters
from perdure.core.messages import calls_of
from perdure.core.records import OperationFinished, WireError

CallKey = tuple[str, int]
"""A call: id of its assistant entry, index in it."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn as it is shown. ``height`` counts its lines with one empty line after each block.

    ``operation_id`` is None for a prompt that was never accepted as a run.
    """

    title: str
    state: str
    operation_id: str | None
    blocks: tuple[Block, ...]
    height: int


_NOT_RENDERED = Block(text="", height=0)


def _no_tokens() -> UsageCounters:
    return {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}


@dataclass(slots=True)
class TurnBuilder:
    """Takes the facts of one turn, in order; ``build`` renders what they changed.

    ``title`` names the turn in an outline, ``cwd`` is where relative paths begin, ``began`` is
    ms since the epoch.
    """

    title: str
    cwd: str
    began: int
    operation_id: str | None = None
    _blocks: list[Block] = field(default_factory=list)
    _height: int = 0
    _places: dict[CallKey, int] = field(default_factory=dict)
    _calls: dict[int, Call] = field(default_factory=dict)
    _changed: set[int] = field(default_factory=set)
    _usage: UsageCounters = field(default_factory=_no_tokens)
    _requests: int = 0
    _error: WireError | None = None
    _finished: tuple[OperationFinished, int] | None = None

    def show(self, *paragraphs: str) -> None:
        """Show paragraphs as they are."""
        for text in paragraphs:
            self._add(paragraph(text))

    def prompted(self, text: str, context: str) -> None:
        """Show what the user wrote, and folded what went with it."""
        self.show(quoted(text))
        if context:
            builder = BlockBuilder()
            lines = count(context.count("\n") + 1, "line")
            builder.add_folded(f"Context of this message, {lines}", quoted(context))
            self._add(builder.build())

    def answered(self, entry_id: str, entry: AssistantEntry) -> None:
        """Show an answer and the calls in it."""
        message = entry["message"]
        if message["content"]:
            self.show(f"**Answer**\n\n{quoted(message['content'])}")
        if entry["stopReason"] == "length":
            self.show("*The answer was cut off by the token limit.*")
        for index, asked in enumerate(calls_of(message)):
            place = self._places[entry_id, index] = len(self._blocks)
            self._add(_NOT_RENDERED)
            self._change(place, Call(asked))

    def started(self, key: CallKey, started: Started) -> None:
        """Show that a call was started."""
        place = self._places[key]
        self._change(place, Call(self._calls[place].asked, started))

    def ended(self, key: CallKey, ended: Ended) -> None:
        """Show the result of a call."""
        place = self._places[key]
        call = self._calls[place]
        self._change(place, Call(call.asked, call.started, ended))

    def summarised(self, entry: CompactionEntry) -> None:
        """Show the summary of a compaction, folded."""
        kept = len(entry["retainedTail"])
        words = "message stays as it was" if kept == 1 else f"{kept} messages stay as they were"
        builder = BlockBuilder()
        builder.add_folded(
            f"Summary of what came before; the last {words}", quoted(entry["summary"])
        )
        self._add(builder.build())

    def requested(self, attempt: int) -> None:
        """Count a model request; the second one of a step is remarkable."""
        self._requests += 1
        if attempt > 1:
            self.show("*The model was asked again, because its answer had been lost.*")

    def failed(self, error: WireError) -> None:
        """Take note of a failed request; the end of the turn tells it."""
        self._error = error

    def used(self, usage: UsageCounters) -> None:
        """Add tokens."""
        self._usage["input"] += usage["input"]
        self._usage["output"] += usage["output"]
        self._usage["cacheRead"] += usage["cacheRead"]
        self._usage["cacheWrite"] += usage["cacheWrite"]

    def finished(self, record: OperationFinished, timestamp: int) -> None:
        """Take note of the outcome."""
        self._finished = record, timestamp

    def build(self) -> Turn:
        """Return the turn as it stands now."""
        for place in self._changed:
            self._replace(place, call_block(self._calls[place], cwd=self.cwd))
        self._changed.clear()
        end = self._end()
        return Turn(
            title=self.title,
            state="unfinished" if self._finished is None else self._finished[0]["outcome"],
            operation_id=self.operation_id,
            blocks=self._blocks_and(end),
            height=self._height + end.height + 1,
        )

    def _blocks_and(self, end: Block) -> tuple[Block, ...]:
        """Return all blocks and ``end``; many blocks are copied once, not twice."""
        self._blocks.append(end)
        blocks = tuple(self._blocks)
        self._blocks.pop()
        return blocks

    def _add(self, block: Block) -> None:
        self._blocks.append(block)
        self._height += block.height + 1

    def _replace(self, place: int, block: Block) -> None:
        self._height += block.height - self._blocks[place].height
        self._blocks[place] = block

    def _change(self, place: int, call: Call) -> None:
        self._calls[place] = call
        self._changed.add(place)

    def _end(self) -> Block:
        builder = BlockBuilder()
        error = self._error
        words = "Unfinished"
        if self._finished is not None:
            record, timestamp = self._finished
            error = record.get("error") if record["outcome"] == "failed" else None
            cut_off = record.get("completion") == "truncated"
            words = record["outcome"].capitalize()
            words += ", cut off by the token limit," if cut_off else ""
            words += f" in {duration(max(0, timestamp - self.began))}"
        requests = count(self._requests, "model request")
        builder.add(f"*{words} · {requests} · {tokens(self._usage)}.*")
        if error is not None:
            builder.add(
                f"**Error** {code_span(error['code'])}\n\n{fenced(error['message'], 'text')}"
            )
        return builder.build()
