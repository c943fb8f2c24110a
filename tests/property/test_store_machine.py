"""The store under any sequence of commits, faults, torn ends and reopenings.

Laws: what was acknowledged is in the file, in order and once, and nothing else is; the state is
what the bytes mean, for a second reader too; after an error nothing of the transaction is in the
file, or the store has said that it does not know and takes no more; the sidecar agrees.
"""

from __future__ import annotations

import asyncio
import errno
import tempfile
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from tests.property.store_story import Drafts, Story
from tests.property.store_world import Facts, StoreWorld, drafts_in, ids
from tests.support.faults import Fault, fails, short
from tests.support.torture import count, report, torturing

from perdure.errors import RejectedTransaction, StorageFailed, StorageFull
from perdure.store.levels import LEVELS, Level

Answer: TypeAlias = Facts | BaseException

NTH = st.integers(1, 3)
LENGTH = st.integers(0, 200)
ERROR = st.sampled_from([errno.EIO, errno.ENOSPC, errno.EINTR])
NO_FAULTS: st.SearchStrategy[list[Fault]] = st.just([])
ANY = st.one_of(
    st.builds(lambda nth, length: short(nth, length=length), NTH, LENGTH),
    st.builds(fails, st.sampled_from(["write", "sync", "truncate", "stat"]), NTH, ERROR),
    st.builds(lambda nth, error: fails("write", nth, error, file="seal"), NTH, ERROR),
)
SEAL_CUT_SHORT = st.builds(
    lambda length, error: [
        Fault("write", 1, length=length, file="seal"),
        fails("write", 2, error, file="seal"),
    ],
    st.integers(1, 60),
    ERROR,
)
UNSYNCED = st.builds(lambda nth, error: [fails("sync", nth, error)], NTH, ERROR)
CUT_SHORT = st.builds(
    lambda length, error: [short(1, length=length), fails("write", 2, error)], LENGTH, ERROR
)
NOT_CUT_BACK = st.builds(
    lambda faults, operation: [*faults, fails(operation, 1, errno.EIO)],
    CUT_SHORT,
    st.sampled_from(["truncate", "sync"]),
)
FAULTS = st.one_of(
    NO_FAULTS,
    UNSYNCED,
    CUT_SHORT,
    NOT_CUT_BACK,
    SEAL_CUT_SHORT,
    st.lists(ANY, min_size=1, max_size=3),
)
OPENING = st.builds(
    fails, st.sampled_from(["open", "read", "write", "sync", "create", "truncate"]), NTH, ERROR
)
TAIL = st.sampled_from([b"", b'{"kind":"rec', b"\0" * 600, b'[{"kind":"entry"}]', b"\xff"])
CHOICES = st.lists(st.integers(0, 9), min_size=1, max_size=5)
CANCELLED = st.frozensets(st.integers(0, 4), max_size=2)


@dataclass(frozen=True)
class Candidate:
    """A transaction; ``after`` is the story once it is stored. Illegal ones name their refusal."""

    drafts: Drafts
    after: Story
    legal: bool = True
    code: str = ""


class StoreMachine(RuleBasedStateMachine):
    """One session, its only writer, and a story that goes on with what is stored."""

    @initialize(level=st.sampled_from(LEVELS))
    def begin(self, level: Level) -> None:
        """Open a session that has only its header."""
        self.home = tempfile.TemporaryDirectory()
        self.level = level
        self.worlds: list[StoreWorld] = []
        self.failures = 0
        self.begin_another()

    def begin_another(self) -> None:
        """Go on with a session of its own: of the last one it is not known what is legal next."""
        folder = Path(self.home.name, str(len(self.worlds)))
        self.worlds.append(StoreWorld(folder, self.level))
        self.story = Story()
        self.in_doubt: list[Candidate] = []

    @property
    def world(self) -> StoreWorld:
        """The session of now."""
        return self.worlds[-1]

    @precondition(lambda self: not self.in_doubt)
    @rule(choices=CHOICES, illegal=st.integers(0, 60), cancelled=CANCELLED, faults=FAULTS)
    def commit(
        self, choices: list[int], illegal: int, cancelled: frozenset[int], faults: list[Fault]
    ) -> None:
        """Submit several transactions at once, at most one of them illegal."""
        self.submit(self.candidates(choices, illegal), cancelled=cancelled, faults=faults)

    @precondition(lambda self: self.in_doubt)
    @rule(choices=CHOICES)
    def commit_in_doubt(self, choices: list[int]) -> None:
        """Submit to a store that takes no more: nothing is written, whatever it is."""
        self.submit(self.candidates(choices, 0), cancelled=(), faults=[])

    @rule()
    def refuse(self) -> None:
        """Submit all that is illegal: bytes, seq and state stay."""
        before = (self.world.store.state, self.world.files_on_disk())
        for code, drafts in self.story.illegal().values():
            (answer,), stored = self.world.commit([drafts])
            assert isinstance(answer, RejectedTransaction)
            assert code in ("", answer.code)
            assert (self.world.store.state, self.world.files_on_disk()) == before
            assert stored == []

    @rule(tail=TAIL, faults=st.one_of(NO_FAULTS, st.lists(OPENING, min_size=1, max_size=2)))
    def reopen(self, tail: bytes, faults: list[Fault]) -> None:
        """Close, with or without a torn end after it, and open; the doubt is over."""
        standing = self.world.reopen(tail, faults)
        found = self.in_doubt[: len(standing)]
        self.in_doubt = []
        if standing != [ids(candidate.drafts) for candidate in found]:
            self.begin_another()
        elif found:
            self.story = found[-1].after

    @invariant()
    def the_file_holds_what_was_acknowledged(self) -> None:
        """See the laws above."""
        self.world.check()

    def teardown(self) -> None:
        """Open every session once more: everything is still there."""
        if not hasattr(self, "worlds"):
            return
        try:
            for world in self.worlds:
                world.reopen(b"", [])
                world.check()
        finally:
            for world in self.worlds:
                world.end()
            self.home.cleanup()
        report(9, "faults injected", self.failures)

    def candidates(self, choices: list[int], illegal: int) -> list[Candidate]:
        """Tell the story on, and break in with something illegal where ``illegal`` says."""
        found: list[Candidate] = []
        story = self.story
        for index, choice in enumerate(choices):
            if index == illegal % 6:
                wrong = list(story.illegal().values())
                code, drafts = wrong[illegal % len(wrong)]
                found.append(Candidate(drafts, story, legal=False, code=code))
            moves = story.moves()
            story, drafts = story.told(moves[choice % len(moves)])
            found.append(Candidate(drafts, story))
        return found

    def submit(
        self, candidates: Sequence[Candidate], *, cancelled: Collection[int], faults: list[Fault]
    ) -> None:
        """Submit at once, and judge; a caller that left may be the only one who heard of doubt."""
        before = self.world.path.read_bytes()
        answers, stored = self.world.commit(
            [candidate.drafts for candidate in candidates], cancelled=cancelled, faults=faults
        )
        judged = Judged(faulty=bool(faults or self.in_doubt), waiting=list(stored))
        for candidate, answer in zip(candidates, answers, strict=True):
            judged.judge(candidate, answer)
        assert judged.waiting == []
        self.failures += judged.failures
        self.story = judged.after or self.story
        if self.in_doubt:
            assert self.world.path.read_bytes() == before
        elif judged.doubtful:
            self.world.in_doubt = [ids(candidate.drafts) for candidate in judged.doubtful]
            if judged.unknown or (not judged.mixed and self.takes_no_more()):
                self.in_doubt = judged.doubtful
            else:
                self.world.in_doubt = []
        assert self.in_doubt or judged.mixed or not self.world.unsure
        assert faults or not stored or self.world.is_sealed
        if judged.mixed:
            self.begin_another()

    def takes_no_more(self) -> bool:
        """Go on with the story; return whether the store refuses because it is in doubt."""
        story, drafts = self.story.told(self.story.moves()[0])
        (answer,), stored = self.world.commit([drafts])
        if stored:
            self.story = story
        else:
            assert "unknown" in str(answer)
        return not stored


@dataclass
class Judged:
    """The answers to a group, compared in their order with what was stored of it.

    ``doubtful`` may be in the file though nobody was told. After a legal candidate that was not
    stored the others may be legal or not; when one of them was stored, the story is ``mixed``.
    """

    faulty: bool
    waiting: list[Facts]
    after: Story | None = None
    doubtful: list[Candidate] = field(default_factory=list)
    unknown: bool = False
    whole: bool = True
    mixed: bool = False
    failures: int = 0

    def judge(self, candidate: Candidate, answer: Answer) -> None:
        """Judge the next answer."""
        if self.waiting and drafts_in(self.waiting[0]) == candidate.drafts:
            facts = self.waiting.pop(0)
            assert candidate.legal or not self.whole
            assert answer == facts or isinstance(answer, asyncio.CancelledError)
            self.after = candidate.after
            self.mixed = self.mixed or not self.whole
            return
        assert self.faulty or not candidate.legal
        if isinstance(answer, asyncio.CancelledError):
            self.doubtful += [candidate] if candidate.legal else []
        elif isinstance(answer, RejectedTransaction):
            assert not self.whole or (not candidate.legal and candidate.code in ("", answer.code))
        else:
            self._judge_failure(candidate, answer)
        self.whole = self.whole and not candidate.legal

    def _judge_failure(self, candidate: Candidate, answer: Answer) -> None:
        assert self.faulty
        assert isinstance(answer, StorageFull | StorageFailed)
        self.failures += 1
        if "unknown" in str(answer):
            self.unknown = True
            self.doubtful += [candidate] if candidate.legal else []
        else:
            assert "Nothing was written" in str(answer)


TestStore = StoreMachine.TestCase
TestStore.settings = settings(
    max_examples=count(60, 600),
    stateful_step_count=count(12, 30),
    derandomize=not torturing(),
    suppress_health_check=[HealthCheck.too_slow],
)
