"""What may happen next: every move of the world from one node to the nodes after it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias, assert_never

from tests.property.explorer.drafts import abort, compaction, prompt, user_entry, without_terminal
from tests.property.explorer.laws import Broken
from tests.property.explorer.logs import Log
from tests.property.explorer.moments import (
    MOST_TURNS,
    Ran,
    Recovered,
    Refused,
    Reopened,
    Told,
    call_of,
)
from tests.property.explorer.requests import Approve, Ask, Begin, Commit, End, Halt, Recall, Reply
from tests.property.explorer.stage import Turn
from tests.property.explorer.steps import Node, Steps
from tests.property.explorer.world import REFUSAL, RESULTS, Bounds, answers, failure, summaries

from perdure.agent.records import Drafts
from perdure.core.state import Idle
from perdure.errors import RejectedTransaction

Move: TypeAlias = tuple[str, Callable[[], Node]]


@dataclass(frozen=True, slots=True)
class Moves:
    """The moves of a world with the given bounds."""

    bounds: Bounds
    steps: Steps

    def of(self, node: Node) -> Iterator[Move]:
        """Yield every move with its name; the first one is what happens on a calm day.

        Making a move raises ``Broken`` when a law does not hold on its way.
        """
        if node.turn is None:
            yield from self._at_rest(node)
        else:
            yield from self._replies(node, node.turn)
            yield "crash", partial(replace, node, turn=None, abort="none")
            yield from self._aborts(node, node.turn)

    # --- no loop works --------------------------------------------------------------------------

    def _at_rest(self, node: Node) -> Iterator[Move]:
        if isinstance(node.log.state.operation, Idle):
            yield from self._commands(node)
        else:
            for name in self.steps.configurations:
                yield f"reopen under {name}", partial(self.steps.go, node, node.log, name)
            yield "abort", partial(self._abort_at_rest, node)
            yield "reopen, nothing more goes wrong", partial(self._recover, node)
            if node.log.added < self.bounds.added and not node.log.ledger.unanswered:
                yield "another program adds a user entry", partial(self._left, node, user_entry())
        for back, log in enumerate(reversed(node.log.unsynced), start=1):
            yield f"power cut takes {back}", partial(replace, node, log=log)

    def _commands(self, node: Node) -> Iterator[Move]:
        allowed = self.bounds.operations[len(node.log.operations) :]
        if allowed.startswith("r"):
            yield "prompt", partial(self._accept, node, prompt(node.log.state))
        drafts = compaction(node.log.state) if allowed.startswith("c") else None
        if drafts is not None:
            yield "compact", partial(self._accept, node, drafts)

    def _accept(self, node: Node, drafts: Drafts) -> Node:
        log = self.steps.command(node.log, drafts)
        self.steps.check(Told(log))
        return self.steps.go(node, log, self._calm)

    def _abort_at_rest(self, node: Node) -> Node:
        log = node.log
        if not _aborted(log):
            log = self.steps.command(log, abort(log.state))
        self.steps.check(Told(log))
        return self.steps.go(node, log, None)

    def _recover(self, node: Node) -> Node:
        """Reopen on a calm day, until nothing works any more or it takes too many turns."""
        way: list[str] = []
        turns = 0
        self.steps.check(Reopened(node.log))
        try:
            node = self.steps.go(node, node.log, self._calm)
            while node.turn is not None and turns <= MOST_TURNS:
                name, move = next(self.of(node))
                way.append(name)
                node = move()
                if node.turn is None or not node.turn.events:
                    turns += 1
            self.steps.check(Recovered(turns))
        except Broken as broken:
            broken.way = tuple(way)
            raise
        return node

    @property
    def _calm(self) -> str:
        """The configuration in which the session began."""
        return next(iter(self.steps.configurations))

    # --- a loop works ---------------------------------------------------------------------------

    def _replies(self, node: Node, turn: Turn) -> Iterator[Move]:
        request = turn.request
        match request:
            case Commit():
                yield "committed", partial(self._committed, node, turn, request)
                yield from self._of_other_programs(node, request)
            case Ask():
                for name, reply in self._outcomes(node):
                    yield name, partial(self.steps.reply, node, turn, name, reply)
            case Approve():
                yield "allowed", partial(self.steps.reply, node, turn, "allowed", None)
                yield "refused", partial(self.steps.reply, node, turn, "refused", REFUSAL)
            case Begin():
                yield "tool takes effect", partial(self._run, node, turn, request)
            case End():
                for result in RESULTS:
                    name = f"tool gives {result.type}"
                    yield name, partial(self.steps.reply, node, turn, name, result)
            case Recall():
                yield from self._recollections(node, turn, request)
            case _:
                assert_never(request)

    def _outcomes(self, node: Node) -> Iterator[tuple[str, Reply]]:
        if node.log.state.operation.kind == "compaction":
            yield from summaries()
        else:
            yield from answers(self.bounds, step=node.log.steps)
        yield "request fails", failure()

    def _committed(self, node: Node, turn: Turn, request: Commit) -> Node:
        """Judge the loop's transaction now."""
        log, refusal = self._judge(node, turn, request)
        return self.steps.reply(replace(node, log=log), turn, _verdict(refusal), refusal)

    def _judge(
        self, node: Node, turn: Turn, request: Commit
    ) -> tuple[Log, RejectedTransaction | None]:
        try:
            return self.steps.commit(node.log, request.drafts), None
        except RejectedTransaction as refusal:
            self.steps.check(Refused(refusal, turn.top.log, node.log))
            return node.log, refusal

    def _of_other_programs(self, node: Node, request: Commit) -> Iterator[Move]:
        """Other writers of the format commit the terminal by itself, and may be killed before."""
        drafts = without_terminal(request.drafts)
        if drafts and not _aborted(node.log):
            yield "committed without its terminal, crash", partial(self._left, node, drafts)

    def _left(self, node: Node, drafts: Drafts) -> Node:
        return Node(self.steps.commit(node.log, drafts), ran=node.ran, sent=node.sent)

    def _run(self, node: Node, turn: Turn, request: Begin) -> Node:
        intent = request.intent
        assert turn.configuration is not None
        configuration = self.steps.configurations[turn.configuration]
        self.steps.check(Ran(intent, node.ran, turn.top.log, node.log, configuration))
        if intent.replay == "never":
            node = replace(node, ran=node.ran | {call_of(intent)})
        return self.steps.reply(node, turn, "effect", None)

    def _recollections(self, node: Node, turn: Turn, request: Recall) -> Iterator[Move]:
        """Only the result of an effect that did happen may be known."""
        yield "nothing is known", partial(self.steps.reply, node, turn, "unknown", None)
        if call_of(request.intent) in node.ran:
            result = RESULTS[0]
            yield "its result is known", partial(self.steps.reply, node, turn, "known", result)

    # --- the user aborts ------------------------------------------------------------------------

    def _aborts(self, node: Node, turn: Turn) -> Iterator[Move]:
        if node.abort == "recorded":
            yield "abort is signalled", partial(self._signal, node, turn)
        if node.abort != "none" or turn.configuration is None or _aborted(node.log):
            return
        yield "abort is recorded", partial(self._record_abort, node)
        if isinstance(turn.request, Commit):
            yield "committed, then abort", partial(self._abort_behind, node, turn, turn.request)

    def _record_abort(self, node: Node) -> Node:
        log = self.steps.command(node.log, abort(node.log.state))
        return replace(node, log=log, abort="recorded")

    def _abort_behind(self, node: Node, turn: Turn, request: Commit) -> Node:
        """Judge an abort queued behind the loop's transaction; it was made from the old state."""
        log, refusal = self._judge(node, turn, request)
        if not _aborted(log):
            log = self.steps.command(log, abort(node.log.state))
            node = replace(node, abort="recorded")
        return self.steps.reply(replace(node, log=log), turn, _verdict(refusal), refusal)

    def _signal(self, node: Node, turn: Turn) -> Node:
        self.steps.check(Told(node.log))
        node = replace(node, abort="signalled")
        if isinstance(turn.request, Commit):
            return node
        return self.steps.reply(node, turn, "stopped", Halt())


def _aborted(log: Log) -> bool:
    """Tell whether an abort would write nothing."""
    operation = log.state.operation
    return isinstance(operation, Idle) or operation.abort_requested


def _verdict(refusal: RejectedTransaction | None) -> str:
    return "committed" if refusal is None else "refused"
