"""What a move is made of: commit, start a loop, reply to it; and the laws asked at each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from tests.property.explorer.logs import Log
from tests.property.explorer.moments import (
    Call,
    CommandRefused,
    Committed,
    Moment,
    Requested,
    Rested,
    Sent,
    TurnBegan,
)
from tests.property.explorer.requests import Ask, Reply
from tests.property.explorer.stage import Event, Place, Rest, Stage, Turn

from perdure.agent.configuration import Configuration
from perdure.agent.records import Drafts
from perdure.core.messages import Message
from perdure.core.state import Idle
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


@dataclass(frozen=True, slots=True)
class Steps:
    """Steps under the given configurations; every moment on the way goes to ``check``.

    Without ``power`` nothing is noted that only a power cut could take.
    """

    configurations: Mapping[str, Configuration]
    stage: Stage
    check: Callable[[Moment], None]
    power: bool

    def commit(self, log: Log, drafts: Drafts) -> Log:
        """Store one transaction. Raises ``RejectedTransaction``."""
        after, facts = log.commit(drafts, power=self.power)
        self.check(Committed(log, after, facts))
        return after

    def command(self, log: Log, drafts: Drafts) -> Log:
        """Store what the user asks for."""
        try:
            return self.commit(log, drafts)
        except RejectedTransaction as error:
            self.check(CommandRefused(error))
            raise

    def go(self, node: Node, log: Log, configuration: str | None) -> Node:
        """Start a loop on a session at rest."""
        place = self.stage.start(configuration, log)
        return self._reached(replace(node, log=log), place, configuration)

    def reply(self, node: Node, turn: Turn, name: str, reply: Reply) -> Node:
        """Reply to what the loop asked for; it goes on under the log of ``node``."""
        event = Event(name, reply, node.log, stopped=node.abort == "signalled")
        return self._reached(node, self.stage.reply(turn, event), turn.configuration)

    def _reached(self, node: Node, place: Place, configuration: str | None) -> Node:
        now = None if configuration is None else self.configurations[configuration]
        if isinstance(place, Rest):
            again = self.stage.start(configuration, node.log)
            same = again if isinstance(again, Rest) else None
            self.check(Rested(place, node.log, now, same))
            return Node(node.log, ran=node.ran, sent=node.sent)
        if node.turn is not None and not place.events:
            self.check(TurnBegan(node.turn.top.log, node.log))
        self.check(Requested(place.request, place.top.log, node.log, now))
        if isinstance(place.request, Ask):
            node = replace(node, sent=self._sent(node, place.request))
        return replace(node, turn=place)

    def _sent(self, node: Node, ask: Ask) -> tuple[str, tuple[Message, ...]] | None:
        messages = tuple(ask.request.messages)
        operation = node.log.state.operation
        step = None if isinstance(operation, Idle) else operation.step
        before = None
        if step is not None and node.sent is not None and step.attempt == 2:
            before = node.sent[1] if node.sent[0] == step.step_id else None
        self.check(Sent(messages, before, node.log))
        return None if step is None else (step.step_id, messages)
