"""Blocks: the frozen pieces of a transcript, with what an editor can do on their lines.

A block's text ends with LF; between two blocks stands one empty line. Lines and columns in a
block count from its own first line, columns in characters.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from perdure.agent.transcript.call import Call


@dataclass(frozen=True, slots=True)
class Fold:
    """Lines that can be folded into the first of them; ``last`` is folded too."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Link:
    """A stretch of one line that leads to a file; ``target`` is an absolute path."""

    line: int
    start: int
    end: int
    target: str


@dataclass(frozen=True, slots=True)
class Block:
    """Some lines of Markdown. ``height`` is their number, ``call`` the tool call they show."""

    text: str
    height: int
    folds: tuple[Fold, ...] = ()
    links: tuple[Link, ...] = ()
    call: Call | None = None


@dataclass(slots=True)
class BlockBuilder:
    """Puts a block together from paragraphs, which have an empty line between them."""

    _paragraphs: list[str] = field(default_factory=list)
    _folds: list[Fold] = field(default_factory=list)
    _links: list[Link] = field(default_factory=list)
    _height: int = 0

    def add(self, paragraph: str) -> None:
        """Add a paragraph as it is."""
        self._paragraphs.append(paragraph)
        self._height += paragraph.count("\n") + 2

    def add_link(self, before: str, shown: str, after: str, *, target: str) -> None:
        """Add a line in which ``shown`` leads to the file ``target``."""
        end = len(before) + len(shown)
        self._links.append(Link(self._height, len(before), end, target))
        self.add(f"{before}{shown}{after}")

    def add_foldable(self, paragraph: str) -> None:
        """Add a paragraph that editors can fold, and that viewers of Markdown show open."""
        self._fold(paragraph.count("\n") + 1)
        self.add(paragraph)

    def add_folded(self, summary: str, paragraph: str) -> None:
        """Add a paragraph that viewers fold; ``summary`` is our own text."""
        self._fold(paragraph.count("\n") + 5)
        self.add(f"<details><summary>{summary}</summary>\n\n{paragraph}\n\n</details>")

    def build(self, *, call: Call | None = None) -> Block:
        """Return the block."""
        return Block(
            text="\n\n".join(self._paragraphs) + "\n",
            height=self._height - 1,
            folds=tuple(self._folds),
            links=tuple(self._links),
            call=call,
        )

    def _fold(self, height: int) -> None:
        self._folds.append(Fold(self._height, self._height + height - 1))


def paragraph(text: str) -> Block:
    """Return a block of one paragraph."""
    builder = BlockBuilder()
    builder.add(text)
    return builder.build()
