"""Breadth first through everything that can happen, until nothing is new."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from tests.property.explorer.laws import Broken, check
from tests.property.explorer.logs import Log, empty_log
from tests.property.explorer.moves import Moves
from tests.property.explorer.requests import Ask
from tests.property.explorer.shapes import Shapes
from tests.property.explorer.stage import Stage
from tests.property.explorer.steps import Node, Steps
from tests.property.explorer.world import Bounds, configurations

from perdure.core.state import Run

LINE_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Explored:
    """What was seen: distinct states, distinct logs in them, moves between them, depth.

    ``exhausted`` tells that nothing was left to look at; ``seconds`` is the processor time it took.
    """

    states: int
    logs: int
    moves: int
    depth: int
    exhausted: bool
    seconds: float

    def __str__(self) -> str:
        left = "nothing left" if self.exhausted else "more left"
        return (
            f"{self.states:,} states of {self.logs:,} logs, {self.moves:,} moves, "
            f"{self.depth} deep, {left}, {self.seconds:.1f} s"
        )


class Violation(Exception):
    """A law is broken; the text says which, everything that led there, and the log before."""

    def __init__(self, broken: Broken, trace: list[str], log: Log) -> None:
        moves = [f"{number:3} {name}" for number, name in enumerate(trace, start=1)]
        lines = [line.decode()[:LINE_SHOWN].rstrip() for line in log.text()]
        super().__init__("\n".join((str(broken), *moves, *reversed(lines))))
        self.law = broken.law


class Search:
    """One exploration. With ``watched`` only that law counts."""

    def __init__(self, bounds: Bounds, *, watched: str | None = None) -> None:
        log, named = empty_log(), configurations()
        steps = Steps(named, Stage(named, log), partial(check, watched=watched), bounds.power)
        self._start = _after_opening(Moves(_wide(bounds), steps), bounds.opening, Node(log))
        self._moves = Moves(bounds, steps)
        self._shapes = Shapes()
        self._seen: set[int] = set()
        self._came_from: list[tuple[int, str]] = []
        self._waiting: deque[tuple[int, int, Node]] = deque()

    def run(self, *, limit: int) -> Explored:
        """Explore until nothing is new or ``limit`` states have been seen.

        Raises ``Violation`` at the first broken law; no shorter way leads to one.
        """
        began = time.process_time()
        moves = depth = 0
        self._meet(-1, 0, "begin", self._start)
        while self._waiting and len(self._seen) < limit:
            number, depth, node = self._waiting.popleft()
            for name, move in self._moves.of(node):
                moves += 1
                try:
                    after = move()
                except Broken as broken:
                    trace = [*self._trace(number), name, *broken.way]
                    raise Violation(broken, trace, node.log) from broken
                self._meet(number, depth + 1, name, after)
        return Explored(
            states=len(self._seen),
            logs=len(self._shapes),
            moves=moves,
            depth=depth,
            exhausted=not self._waiting,
            seconds=time.process_time() - began,
        )

    def _meet(self, came_from: int, depth: int, name: str, node: Node) -> None:
        key = hash(self._key(node))
        if key in self._seen:
            return
        self._seen.add(key)
        self._waiting.append((len(self._came_from), depth, node))
        self._came_from.append((came_from, name))

    def _key(self, node: Node) -> Hashable:
        """Return what tells this node from others: small, and free of ids."""
        number = self._shapes.number
        unsynced = tuple([number(log) for log in node.log.unsynced])
        turn = node.turn
        if turn is None:
            return number(node.log), unsynced, _ran(node)
        return (
            number(node.log),
            unsynced,
            _ran(node),
            node.abort,
            turn.configuration,
            number(turn.top.log),
            turn.top.stopped,
            tuple([(event.name, event.stopped, number(event.log)) for event in turn.events]),
        )

    def _trace(self, number: int) -> list[str]:
        names: list[str] = []
        while number >= 0:
            number, name = self._came_from[number]
            names.append(name)
        return names[::-1]


def _wide(bounds: Bounds) -> Bounds:
    """Return bounds in which every opening is possible."""
    return replace(bounds, calls=3, steps=3)


def _after_opening(moves: Moves, opening: tuple[str, ...], node: Node) -> Node:
    """Return where a calm day ends on which the model answers with ``opening``."""
    answers: Iterator[str] = iter(opening)
    waiting = len(opening)
    while waiting or node.turn is not None:
        if node.turn is not None and isinstance(node.turn.request, Ask):
            node = dict(moves.of(node))[next(answers)]()
            waiting -= 1
        else:
            _, move = next(moves.of(node))
            node = move()
    return node


def _ran(node: Node) -> tuple[int, ...]:
    """Return which calls of the last answer took effect outside."""
    operation = node.log.state.operation
    if not node.ran or not isinstance(operation, Run) or operation.step is None:
        return ()
    answer = operation.step.settled_entry_id
    return tuple(sorted(index for entry, index in node.ran if entry == answer))
