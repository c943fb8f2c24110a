"""The life of a session as transactions: which are legal next, and which never are.

A ``Story`` knows what the facts so far allow without asking the product. Each move is one
transaction; ``told`` makes it on a copy, so a move that was not stored leaves no trace.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Literal, Self, TypeAlias

from tests.support.log import CallSpec, Log, session
from tests.support.wire import uid
from tests.unit.store.sessions import drafts_of, user_draft

from perdure.core.facts import Draft

Phase: TypeAlias = Literal["idle", "waiting", "attempting", "failed", "calls", "answered"]
Drafts: TypeAlias = list[Draft]

KINDS_OF_RESULT = ("success", "error")


@dataclass
class Story:
    """``calls`` says of each call of the last answer whether it is open, started or done."""

    log: Log = field(default_factory=session)
    phase: Phase = "idle"
    kind: Literal["run", "compaction"] = "run"
    aborted: bool = False
    compacted: bool = False
    tries: int = 0
    calls: list[Literal["open", "started", "done"]] = field(default_factory=list)

    def moves(self) -> list[str]:
        """Name what may come next, in a fixed order."""
        if self.phase == "idle":
            compact = 0 < self._last_turn() < len(self.log.sources) and not self.compacted
            return ["prompt", "user", *(["compact"] if compact else [])]
        if self.aborted:
            return [self._closing()]
        return [*self._going_on(), "abort"]

    def told(self, move: str) -> tuple[Story, Drafts]:
        """Return the story after a move, and the transaction that tells it."""
        after = deepcopy(self)
        before = len(after.log.lines)
        _MOVES[move](after)
        after.log.joined(len(after.log.lines) - before)
        return after, drafts_of(after.log)

    def illegal(self) -> dict[str, tuple[str, Drafts]]:
        """Return transactions that break a rule, with the code of the refusal, "" for any."""
        legal = self.told(self.moves()[0])[1]
        unwritable: Draft = user_draft("\ud83d")
        found = {
            "empty": ("EMPTY_TRANSACTION", []),
            "unwritable": ("MALFORMED_JSON", [*legal, unwritable]),
            "twice in one": ("", [*legal, legal[-1]]),
            "foreign": ("", drafts_of(_foreign())),
        }
        if len(self.log.lines) > 1:
            again = drafts_of(self.log)
            found |= {"again": ("", again), "legal, then again": ("", [*legal, *again])}
        return found | self._too_early()

    def _too_early(self) -> dict[str, tuple[str, Drafts]]:
        """Return what only the store refuses; an old file may hold it."""
        log = deepcopy(self.log)
        if self.phase == "attempting" and self.aborted and self.kind == "run":
            return {"late answer": ("ABORT_REQUESTED", drafts_of(log.answer("late")))}
        if self.phase == "attempting" and not self.aborted:
            return {"open attempt": ("OPEN_ATTEMPT", drafts_of(log.finish("failed")))}
        if self.phase == "calls" and self.aborted:
            return {"unanswered": ("", drafts_of(log.finish("aborted")))}
        return {}

    def _going_on(self) -> list[str]:
        match self.phase:
            case "attempting":
                answers = ["answer", "answer and finish", "call two", "call none that exists"]
                ends = answers if self.kind == "run" else ["summary"]
                return [*ends, "fail", *(["retry"] if self.tries == 1 else [])]
            case "failed":
                return ["finish failed"]
            case "calls":
                ways = ["success", "error", "interrupted"]
                return ways if "started" in self.calls else ["start"]
            case "answered":
                return ["finish"]
            case _:
                return ["attempt"]

    def _closing(self) -> str:
        """Name what an aborted operation still needs."""
        if self.phase == "attempting":
            return "fail"
        if self.phase == "calls":
            return "interrupted" if "started" in self.calls else "never started"
        return "finish aborted"

    def _last_turn(self) -> int:
        """Count the messages from the last prompt on."""
        roles = [message["role"] for _, message in self.log.sources]
        return len(roles) - max(i for i, role in enumerate(roles) if role == "user") if roles else 0

    # --- the moves --------------------------------------------------------------------------------

    def begin(self, kind: Literal["run", "compaction"]) -> Self:
        """Accept an operation."""
        self.phase, self.kind = "waiting", kind
        if kind == "run":
            self.log.user("do it").run()
        else:
            self.log.compact(keep=self._last_turn())
        return self

    def attempt(self, *, again: bool = False) -> Self:
        """Send a request."""
        self.phase, self.tries = "attempting", 2 if again else 1
        if again:
            self.log.retry()
        else:
            self.log.attempt()
        return self

    def answer(self, *names: str) -> Self:
        """Answer, with calls of these tools, and pay for it."""
        calls: list[CallSpec] = [(name, {"path": "ü\u2028"}) for name in names]
        if names:
            self.log.calls(*calls)
        else:
            self.log.answer("done 🙂")
        self.log.usage()
        self.calls = ["open" for _ in names]
        self.phase = "calls" if names else "answered"
        return self

    def start(self) -> Self:
        """Start the next call."""
        index = self.calls.index("open")
        self.calls[index] = "started"
        self.log.started(index)
        return self

    def result(self, kind: str) -> Self:
        """Give the next call its result."""
        index = next(i for i, call in enumerate(self.calls) if call != "done")
        self.calls[index] = "done"
        if kind == "interrupted":
            self.log.interrupted(index)
        elif kind in KINDS_OF_RESULT:
            self.log.result(index, kind=kind)
        else:
            self.log.synthetic(index, kind)
        if set(self.calls) == {"done"}:
            self.phase = "waiting"
        return self

    def unknown(self) -> Self:
        """Answer with a call of no tool that exists, whose result comes with it."""
        return self.answer("frobnicate").result("unknownTool")

    def summarise(self) -> Self:
        """Store the summary and what it costs."""
        self.log.summary().usage()
        self.phase, self.compacted = "answered", True
        return self

    def fail(self) -> Self:
        """Let the request fail."""
        self.phase = "failed"
        self.log.failed()
        return self

    def abort(self) -> Self:
        """Ask for the end of the operation."""
        self.aborted = True
        if "started" in self.calls and self.phase == "calls":
            self.log.abort("tool", call=self.calls.index("started"))
        else:
            self.log.abort("compact" if self.kind == "compaction" else "model")
        return self

    def finish(self, outcome: str = "completed") -> Self:
        """End the operation."""
        self.phase, self.aborted = "idle", False
        self.log.finish(outcome)
        return self

    def user(self) -> Self:
        """Store a prompt that starts nothing."""
        self.log.user("a word")
        return self


def _foreign() -> Log:
    """Return a log whose last line ends an operation that no other log has."""
    return session().prompt().finish("aborted").patch("record.operationId", uid("free", 1))


_MOVES: dict[str, Callable[[Story], object]] = {
    "prompt": lambda story: story.begin("run"),
    "user": Story.user,
    "compact": lambda story: story.begin("compaction"),
    "attempt": Story.attempt,
    "retry": lambda story: story.attempt(again=True),
    "answer": Story.answer,
    "answer and finish": lambda story: story.answer().finish(),
    "call two": lambda story: story.answer("bash", "read"),
    "call none that exists": Story.unknown,
    "start": Story.start,
    "success": lambda story: story.result("success"),
    "error": lambda story: story.result("error"),
    "interrupted": lambda story: story.result("interrupted"),
    "never started": lambda story: story.result("aborted"),
    "summary": Story.summarise,
    "fail": Story.fail,
    "abort": Story.abort,
    "finish": Story.finish,
    "finish failed": lambda story: story.finish("failed"),
    "finish aborted": lambda story: story.finish("aborted"),
}
