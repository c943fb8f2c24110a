"""The transcript of a session as a Markdown document: a pure function of its facts.

::

    append(facts) -> numbers of the turns that changed        document -> the frozen document

What a fact changes is rendered, nothing else. The document of all facts at once and the one of
fact after fact are the same.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from perdure.agent.transcript.blocks import Block, BlockBuilder
from perdure.agent.transcript.inert import code_span
from perdure.agent.transcript.routing import Router
from perdure.agent.transcript.turn import Turn
from perdure.agent.transcript.wording import moment
from perdure.core.facts import Fact
from perdure.core.masking import Shown, as_stored
from perdure.core.state import SessionHeader


@dataclass(frozen=True, slots=True)
class Placed:
    """A block and the number of its first line in the document, counted from 0."""

    line: int
    block: Block


@dataclass(frozen=True, slots=True)
class Document:
    """A rendered session. ``starts[i]`` is the line of the heading of ``turns[i]``."""

    title: Block
    turns: tuple[Turn, ...]
    starts: tuple[int, ...]

    @property
    def text(self) -> str:
        """The whole document; ends with LF."""
        blocks = [self.title, *(block for turn in self.turns for block in turn.blocks)]
        return "\n".join(block.text for block in blocks)

    def placed(self) -> Iterator[Placed]:
        """Yield the blocks of all turns."""
        for start, turn in zip(self.starts, self.turns, strict=True):
            yield from _placed(start, turn)

    def block_at(self, line: int) -> Placed | None:
        """Return the block of a turn that has this line, None between two blocks."""
        number = bisect_right(self.starts, line) - 1
        if number < 0:
            return None
        blocks = _placed(self.starts[number], self.turns[number])
        return next((p for p in blocks if p.line <= line < p.line + p.block.height), None)

    def turn_line(self, operation_id: str) -> int | None:
        """Return the line of the heading of an operation's turn; None for an unknown one."""
        for number in reversed(range(len(self.turns))):
            if self.turns[number].operation_id == operation_id:
                return self.starts[number]
        return None


class Transcript:
    """Follows the facts of one session; they must be those of a session without a fault.

    ``notice`` is what the reader has to know before all else, in one sentence of ours; ``shown``
    is how results of tools are.
    """

    def __init__(
        self, header: SessionHeader, *, notice: str = "", shown: Shown = as_stored
    ) -> None:
        self._title = _title(header, notice)
        self._router = Router(header.cwd, shown)
        self._turns: list[Turn] = []
        self._starts = [self._title.height + 1]

    def append(self, facts: Sequence[Fact]) -> frozenset[int]:
        """Take the next facts; return which turns changed, counted from 0."""
        changed = frozenset([self._router.take(fact) for fact in facts])
        for number in sorted(changed):
            self._turns[number : number + 1] = [self._router.turns[number].build()]
        if changed:
            self._place(min(changed))
        return changed

    @property
    def document(self) -> Document:
        """The document as it stands now."""
        return Document(self._title, tuple(self._turns), tuple(self._starts[:-1]))

    def _place(self, first: int) -> None:
        """Place the turns behind the first that changed, and the end of the document."""
        heights = [turn.height for turn in self._turns[first:]]
        self._starts[first:] = accumulate(heights, initial=self._starts[first])


def transcript_of(
    header: SessionHeader, facts: Sequence[Fact], *, shown: Shown = as_stored
) -> Document:
    """Return the document of a whole session."""
    transcript = Transcript(header, shown=shown)
    transcript.append(facts)
    return transcript.document


def _placed(start: int, turn: Turn) -> Iterator[Placed]:
    for block in turn.blocks:
        yield Placed(start, block)
        start += block.height + 1


def _title(header: SessionHeader, notice: str) -> Block:
    builder = BlockBuilder()
    builder.add(f"# Session {header.id}")
    if notice:
        builder.add(f"**{notice}**")
    builder.add(
        f"Created {moment(header.created_at)} in {code_span(header.cwd, limit=300)}, "
        f"with {code_span(header.model)} ({code_span(header.provider)})."
    )
    return builder.build()
