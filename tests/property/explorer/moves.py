"""What may happen next: every move of the world from one node to the nodes after it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, TypeAlias, assert_never

from tests.property.explorer.drafts import abort, compaction, prompt, without_terminal
from tests.property.explorer.laws import Broken
from tests.property.explorer.logs import Log
from tests.property.explorer.moments import (
    MOST_TURNS,
    Call,
    Committed,
    Moment,
    Ran,
    Recovered,
    Refused,
    Requested,
    Rested,
    Sent,
    Told,
    TurnBegan,
    call_of,
)
from tests.property.explorer.requests import Approve, Ask, Begin, Commit, End, Halt, Recall, Reply
from tests.property.explorer.stage import Event, Place, Rest, Stage, Turn
from tests.property.explorer.world import REFUSAL, RESULTS, Bounds, answers, failure, summaries

from perdure.agent.configuration import Configuration
from perdure.agent.records import Drafts
from perdure.core.messages import Message
from perdure.core.state import Idle, Step
from perdure.errors import RejectedTransaction

Abort: TypeAlias = Literal["none", "recorded", "signalled"]


@dataclass(frozen=True, slots=True)
class Node:
    """Everything at one instant: the log, the loop that works (None at rest), what is outside.

    ``ran`` are the calls of ``never`` tools that took effect; ``sent`` is the last step that the
    model was asked for, with the messages.
    """

    log: Log
    turn: Turn | None = None
    abort: Abort = "none"
    ran: frozenset[Call] = frozenset()
    sent: tuple[str, tuple[Message, ...]] | None = None


Move: TypeAlias = tuple[str, Callable[[], Node]]


class Moves:
    """The moves of a world with the given bounds. Every moment on the way goes to ``check``."""

    def __init__(
        self,
        *,
        bounds: Bounds,
        configurations: Mapping[str, Configuration],
        stage: Stage,
        check: Callable[[Moment], None],
    ) -> None:
        self._bounds = bounds
        self._configurations = configurations
        self._first = next(iter(configurations))
        self._stage = stage
        self._check = check

    def of(self, node: Node) -> Iterator[Move]:
        """Yield every move with its name. The first one is what happens on a calm day."""
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
            for name in self._configurations:
                yield f"reopen under {name}", partial(self._go, node, node.log, name)
            yield "abort", partial(self._abort_at_rest, node)
            yield "reopen, nothing more goes wrong", partial(self._recover, node)
        for back, log in enumerate(reversed(node.log.unsynced), start=1):
            yield f"power cut takes {back}", partial(replace, node, log=log)

    def _commands(self, node: Node) -> Iterator[Move]:
        allowed = self._bounds.operations[len(node.log.operations) :]
        if allowed.startswith("r"):
            yield "prompt", partial(self._accept, node, prompt(node.log.state))
        drafts = compaction(node.log.state) if allowed.startswith("c") else None
        if drafts is not None:
            yield "compact", partial(self._accept, node, drafts)

    def _accept(self, node: Node, drafts: Drafts) -> Node:
        log = self._commit(node.log, drafts)
        self._check(Told(log))
        return self._go(node, log, self._first)

    def _abort_at_rest(self, node: Node) -> Node:
        log = node.log if _aborted(node.log) else self._commit(node.log, abort(node.log.state))
        self._check(Told(log))
        return self._go(node, log, None)

    def _recover(self, node: Node) -> Node:
        """Reopen on a calm day, until nothing works any more or it takes too many turns."""
        way: list[str] = []
        turns = 0
        try:
            node = self._go(node, node.log, self._first)
            while node.turn is not None and turns <= MOST_TURNS:
                name, move = next(self.of(node))
                way.append(name)
                node = move()
                if node.turn is None or not node.turn.events:
                    turns += 1
            self._check(Recovered(turns))
        except Broken as broken:
            broken.way = tuple(way)
            raise
        return node

    def _go(self, node: Node, log: Log, configuration: str | None) -> Node:
        place = self._stage.start(configuration, log)
        return self._reached(replace(node, log=log), place, configuration)

    # --- a loop works ---------------------------------------------------------------------------

    def _replies(self, node: Node, turn: Turn) -> Iterator[Move]:
        request = turn.request
        match request:
            case Commit():
                yield "committed", partial(self._committed, node, turn, request)
                yield from self._of_other_programs(node, request)
            case Ask():
                for name, reply in self._outcomes(node):
                    yield name, partial(self._reply, node, turn, name, reply)
            case Approve():
                yield "allowed", partial(self._reply, node, turn, "allowed", None)
                yield "refused", partial(self._reply, node, turn, "refused", REFUSAL)
            case Begin():
                yield "tool takes effect", partial(self._run, node, turn, request)
            case Recall():
                yield "nothing is known", partial(self._reply, node, turn, "unknown", None)
                if call_of(request.intent) in node.ran:
                    result = RESULTS[0]
                    yield "its result is known", partial(self._reply, node, turn, "known", result)
            case End():
                for result in RESULTS:
                    name = f"tool gives {result.type}"
                    yield name, partial(self._reply, node, turn, name, result)
            case _:
                assert_never(request)

    def _outcomes(self, node: Node) -> Iterator[tuple[str, Reply]]:
        if node.log.state.operation.kind == "compaction":
            yield from summaries()
        else:
            yield from answers(self._bounds, step=node.log.steps)
        yield "request fails", failure()

    def _committed(self, node: Node, turn: Turn, request: Commit) -> Node:
        """Judge the loop's transaction now."""
        log, refusal = self._judge(node, turn, request)
        return self._reply(replace(node, log=log), turn, _verdict(refusal), refusal)

    def _judge(
        self, node: Node, turn: Turn, request: Commit
    ) -> tuple[Log, RejectedTransaction | None]:
        try:
            return self._commit(node.log, request.drafts), None
        except RejectedTransaction as refusal:
            self._check(Refused(refusal, turn.top.log, node.log))
            return node.log, refusal

    def _of_other_programs(self, node: Node, request: Commit) -> Iterator[Move]:
        """Other writers of the format commit the terminal by itself, and may be killed before."""
        drafts = without_terminal(request.drafts)
        if drafts and not _aborted(node.log):
            name = "committed without its terminal, crash"
            yield name, partial(self._left_behind, node, drafts)

    def _left_behind(self, node: Node, drafts: Drafts) -> Node:
        return Node(self._commit(node.log, drafts), ran=node.ran, sent=node.sent)

    def _run(self, node: Node, turn: Turn, request: Begin) -> Node:
        assert turn.configuration is not None
        configuration = self._configurations[turn.configuration]
        self._check(Ran(request.intent, node.ran, turn.top.log, node.log, configuration))
        if request.intent.replay == "never":
            node = replace(node, ran=node.ran | {call_of(request.intent)})
        return self._reply(node, turn, "effect", None)

    # --- the user aborts ------------------------------------------------------------------------

    def _aborts(self, node: Node, turn: Turn) -> Iterator[Move]:
        if node.abort == "recorded":
            yield "abort is signalled", partial(self._signal, node, turn)
        if node.abort != "none" or turn.configuration is None or _aborted(node.log):
            return
        yield "abort is recorded", partial(self._record_abort, node)
        if isinstance(turn.request, Commit):
            commit = turn.request
            yield "committed, then abort", partial(self._abort_behind, node, turn, commit)

    def _record_abort(self, node: Node) -> Node:
        log = self._commit(node.log, abort(node.log.state))
        return replace(node, log=log, abort="recorded")

    def _abort_behind(self, node: Node, turn: Turn, request: Commit) -> Node:
        """Judge an abort queued behind the loop's transaction; it was made from the old state."""
        log, refusal = self._judge(node, turn, request)
        if not _aborted(log):
            log = self._commit(log, abort(node.log.state))
            node = replace(node, abort="recorded")
        return self._reply(replace(node, log=log), turn, _verdict(refusal), refusal)

    def _signal(self, node: Node, turn: Turn) -> Node:
        self._check(Told(node.log))
        node = replace(node, abort="signalled")
        if isinstance(turn.request, Commit):
            return node
        return self._reply(node, turn, "stopped", Halt())

    # --- where it leads -------------------------------------------------------------------------

    def _commit(self, log: Log, drafts: Drafts) -> Log:
        after, facts = log.commit(drafts, power=self._bounds.power)
        self._check(Committed(log, after, facts))
        return after

    def _reply(self, node: Node, turn: Turn, name: str, reply: Reply) -> Node:
        event = Event(name, reply, node.log, stopped=node.abort == "signalled")
        return self._reached(node, self._stage.reply(turn, event), turn.configuration)

    def _reached(self, node: Node, place: Place, configuration: str | None) -> Node:
        if isinstance(place, Rest):
            return self._ended(node, place, configuration)
        if node.turn is not None and not place.events:
            self._check(TurnBegan(node.turn.top.log, node.log))
        now = self._named(configuration)
        self._check(Requested(place.request, place.top.log, node.log, now))
        if not isinstance(place.request, Ask):
            return replace(node, turn=place)
        return replace(node, turn=place, sent=self._sent(node, place.request))

    def _named(self, configuration: str | None) -> Configuration | None:
        return None if configuration is None else self._configurations[configuration]

    def _sent(self, node: Node, ask: Ask) -> tuple[str, tuple[Message, ...]] | None:
        messages = tuple(ask.request.messages)
        step = _step(node.log)
        before = None
        if step is not None and node.sent is not None and step.attempt == 2:
            before = node.sent[1] if node.sent[0] == step.step_id else None
        self._check(Sent(messages, before, node.log))
        return None if step is None else (step.step_id, messages)

    def _ended(self, node: Node, rest: Rest, configuration: str | None) -> Node:
        again = self._stage.start(configuration, node.log)
        same = again if isinstance(again, Rest) else None
        self._check(Rested(rest, node.log, self._named(configuration), same))
        return Node(node.log, ran=node.ran, sent=node.sent)


def _aborted(log: Log) -> bool:
    """Tell whether an abort would write nothing."""
    operation = log.state.operation
    return isinstance(operation, Idle) or operation.abort_requested


def _verdict(refusal: RejectedTransaction | None) -> str:
    return "committed" if refusal is None else "refused"


def _step(log: Log) -> Step | None:
    operation = log.state.operation
    return None if isinstance(operation, Idle) else operation.step
