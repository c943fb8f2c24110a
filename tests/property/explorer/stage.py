"""Where the product's loop is played, request by request.

A coroutine cannot be copied, so a place in the life of a loop is a *turn*: the log at its top
and what the world replied since. Playing a turn again up to there is cheap, because a turn
depends on nothing else; that this is so is what makes a crash harmless.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, cast

from tests.property.explorer.logs import Log, identifier
from tests.property.explorer.requests import (
    Reply,
    Request,
    SteppedEffects,
    SteppedOutcomes,
    SteppedPermission,
    SteppedStore,
)

from perdure.agent.configuration import Configuration
from perdure.agent.keys import Keys
from perdure.agent.known_outcomes import KnownOutcomes
from perdure.agent.loop import Loop, Work
from perdure.agent.model_step import ModelStep
from perdure.agent.permission import Permission
from perdure.agent.tool_step import ToolStep
from perdure.core.plans import Blocked, RecoveryPlan
from perdure.core.state import ToolIntent
from perdure.store.jsonl import SessionStore
from perdure.tools.base import ToolContext


@dataclass(frozen=True, slots=True)
class Event:
    """A reply, and what the loop finds when it goes on: the log, and whether it was stopped."""

    name: str
    reply: Reply
    log: Log
    stopped: bool


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn of a loop that waits for the reply to ``request``.

    ``configuration`` is None for a loop that can only abort.
    """

    configuration: str | None
    top: Event
    events: tuple[Event, ...]
    request: Request


@dataclass(frozen=True, slots=True)
class Rest:
    """The loop ended: idle (None), blocked, or by an error that it did not expect."""

    ending: Blocked | Exception | None


Place: TypeAlias = Turn | Rest


class Stage:
    """Plays loops under the given configurations; one at a time."""

    def __init__(self, configurations: Mapping[str, Configuration], log: Log) -> None:
        self._store = SteppedStore(log.state)
        self._effects = SteppedEffects()
        self._log = log
        self._ids = 0
        self._top = Event("begin", None, log, stopped=False)
        self._events: list[Event] = []
        outcomes = cast("KnownOutcomes", SteppedOutcomes(self._store, self._effects))
        store = cast("SessionStore", self._store)
        self._loops: dict[str | None, Loop] = {
            name: Loop(store, self._work(configuration), outcomes, self._planned, lambda: None)
            for name, configuration in configurations.items()
        }
        self._loops[None] = Loop(store, None, outcomes, self._planned, lambda: None)

    def start(self, configuration: str | None, log: Log) -> Place:
        """Start a loop and return where it waits or how it ended."""
        return self._play(configuration, Event("begin", None, log, stopped=False), ())

    def reply(self, turn: Turn, event: Event) -> Place:
        """Reply to the turn's request and return where the loop waits then or how it ended."""
        return self._play(turn.configuration, turn.top, (*turn.events, event))

    def _play(self, configuration: str | None, top: Event, events: tuple[Event, ...]) -> Place:
        self._effects.intent = None
        self._enter(top)
        loop = self._loops[configuration].run()
        request: Request
        try:
            request = loop.send(None)
            for event in events:
                self._enter(event)
                self._events.append(event)
                if isinstance(event.reply, BaseException):
                    request = loop.throw(event.reply.with_traceback(None))
                else:
                    request = loop.send(event.reply)
        except StopIteration as stop:
            return Rest(stop.value)
        except Exception as error:  # noqa: BLE001  what a loop does not expect is what is looked for
            return Rest(error)
        loop.close()
        return Turn(configuration, self._top, tuple(self._events), request)

    def _enter(self, event: Event) -> None:
        """Let the loop see the log as it was when the event came."""
        self._log = event.log
        self._store.state = event.log.state
        self._effects.stopped = event.stopped
        self._ids = 0

    def _planned(self, _: RecoveryPlan) -> None:
        """A turn begins here, whatever went before it."""
        self._top = Event("begin", None, self._log, self._effects.stopped)
        self._events = []

    def _new_id(self) -> str:
        self._ids += 1
        return identifier(self._log.state.next_seq, self._ids)

    def _context(self, intent: ToolIntent) -> ToolContext:
        self._effects.intent = intent
        return ToolContext(Path("/workspace"), Path("/data"), intent.tool_started_id, False, _drop)

    def _work(self, configuration: Configuration) -> Work:
        store = cast("SessionStore", self._store)
        model = ModelStep(
            session_id=identifier(0, 0),
            store=store,
            configuration=configuration,
            effects=self._effects,
            show=_drop,
            new_id=self._new_id,
            keys=Keys(()),
        )
        tools = ToolStep(
            store=store,
            configuration=configuration,
            effects=self._effects,
            permission=cast("Permission", SteppedPermission()),
            context=self._context,
            keys=Keys(()),
            new_id=self._new_id,
        )
        return Work(configuration, model, tools)


def _drop(_: object) -> None:
    """Show nothing."""
