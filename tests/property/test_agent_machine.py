"""The whole agent under any sequence of commands, kills and changes: hypothesis plays the user.

Laws, after each step: the log reduces, no effect is there twice, no accepted prompt is lost, the
status says what the log says. At the end everything can be finished, and then a further resume
and a further reopening write nothing.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import TypeAlias

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from tests.property.agent_world import MODELS, World, script
from tests.support.torture import count, torturing

from perdure.agent.refusals import Busy
from perdure.core.constants import SYNTHETIC_TEXT
from perdure.core.context import open_calls
from perdure.core.messages import calls_of
from perdure.core.state import SessionState
from perdure.protocol.approvals import Decision
from perdure.protocol.operations import ApproveArguments

Steps: TypeAlias = list[list[str]]

CALLS = st.sampled_from(["edit", "edit", "edit", "read", "bash", "unknown", "broken", "error"])
SCRIPTS = st.lists(st.lists(CALLS, min_size=1, max_size=3), min_size=1, max_size=3)
TORN = st.sampled_from([b"", b"", b'{"kind":"rec', b"\0" * 100, b'[{"kind":"entry"}]'])
COMMITS = st.integers(1, 4)
MARK = re.compile(r"m\d+-\d+-\d+")
UNFINISHED = ("running", "waitingForApproval", "suspended", "blocked")


class AgentMachine(RuleBasedStateMachine):
    """One workspace and its user."""

    @initialize(
        asks=st.booleans(),
        durability=st.sampled_from(["process", "barrier", "full"]),
        steps=SCRIPTS,
    )
    def begin(self, asks: bool, durability: str, steps: Steps) -> None:
        """Open an agent on an empty workspace and send the first prompt."""
        self.home = tempfile.TemporaryDirectory()
        self.world = World(Path(self.home.name), asks=asks, durability=durability)
        self.accepted: list[str] = []
        self.sent = 0
        self.prompt(steps)

    @rule(steps=SCRIPTS)
    def prompt(self, steps: Steps) -> None:
        """Send a prompt; while an operation is unfinished it is refused."""
        self.sent += 1
        text = script(self.sent, steps)
        state = self.state
        if self.refused(self.world.agent.prompt({"text": text})):
            assert state in UNFINISHED
        else:
            assert state not in ("waitingForApproval", "suspended", "blocked")
            self.accepted.append(text)

    @rule()
    def compact(self) -> None:
        """Ask for a compaction; while an operation is unfinished it is refused."""
        state = self.state
        if self.refused(self.world.agent.compact({})):
            assert state in UNFINISHED

    @rule(steps=SCRIPTS, commits=COMMITS, at_a_commit=st.booleans(), torn=TORN)
    def kill(self, steps: Steps, commits: int, at_a_commit: bool, torn: bytes) -> None:
        """Kill the agent right after a commit or in the middle of something, and reopen."""
        self.work_on(steps)
        if at_a_commit:
            self.world.kill_at(commits, torn)
        else:
            self.world.work(commits - 1)
            self.world.kill_now(torn)

    @rule(steps=SCRIPTS, commits=COMMITS)
    def abort(self, steps: Steps, commits: int) -> None:
        """Abort; afterwards nothing is unfinished."""
        self.work_on(steps)
        self.world.work(commits)
        self.abort_now()

    @rule(commits=COMMITS, decision=st.sampled_from(["allow", "allow", "deny"]))
    def go_on(self, commits: int, decision: Decision) -> None:
        """Do what lets the agent go on, and let it work."""
        if self.state == "waitingForApproval":
            self.answer(decision)
        elif self.state in ("suspended", "blocked"):
            self.resume()
        self.world.work(commits)

    @rule(model=st.sampled_from(MODELS), resume=st.sampled_from(["auto", "never"]))
    def change_settings(self, model: str, resume: str) -> None:
        """Choose another model, or the one before again."""
        self.world.model, self.world.resume = model, resume
        self.world.configure()

    @invariant()
    def the_log_and_the_world_agree(self) -> None:
        """See the laws above."""
        session = self.world.session()
        assert all(number == 1 for mark, number in self.world.marks().items() if mark != "END")
        users = [] if session is None else user_texts(session)
        assert [text for text in users if text in self.accepted] == self.accepted
        assert len(set(users)) == len(users)
        if self.state != "running":
            assert self.status_of(session) == self.world.status["state"]
            marks = self.world.marks()
            for mark, number in judged_effects(session) if session else ():
                assert marks[mark] == number, mark

    def teardown(self) -> None:
        """Finish everything; after that nothing is written any more."""
        if not hasattr(self, "world"):
            return
        try:
            self.finish()
            before = self.world.content()
            self.world.do(self.world.agent.resume({}))
            self.world.kill_now()
            assert self.state in ("none", "idle")
            assert self.world.content() == before
            session = self.world.session()
            assert session is None or open_calls(session) == ()
        finally:
            self.world.end()
            self.home.cleanup()

    def refused(self, command: Coroutine[None, None, object]) -> bool:
        """Give a command; return whether the agent is busy."""
        try:
            self.world.do(command)
        except Busy:
            return True
        return False

    @property
    def state(self) -> str:
        """What the agent shows."""
        return self.world.status["state"]

    def work_on(self, steps: Steps) -> None:
        """Send a prompt, unless something is unfinished."""
        if self.state in ("none", "idle"):
            self.prompt(steps)

    def answer(self, decision: Decision) -> None:
        """Answer the approval that is pending."""
        approval = self.world.status["approval"]
        assert approval is not None
        approval_id = approval["approvalId"]
        arguments: ApproveArguments = {"approvalId": approval_id, "decision": decision}
        self.world.do(self.world.agent.approve(arguments))
        self.world.settle()

    def resume(self) -> None:
        """Go on; a blocked plan writes nothing."""
        before = self.world.content()
        result = self.world.do(self.world.agent.resume({}))
        assert result["outcome"] in ("resumed", "blocked")
        if result["outcome"] == "blocked":
            assert self.world.content() == before

    def abort_now(self) -> None:
        """Abort; afterwards nothing is unfinished."""
        result = self.world.do(self.world.agent.abort({}))
        assert result["outcome"] in ("aborted", "completed", "failed", "idle")
        assert self.state == "idle"

    def finish(self) -> None:
        """Bring the agent to rest, without abort where the plan allows it."""
        models = list(MODELS)
        self.world.settle()
        while self.state not in ("none", "idle"):
            if self.state == "waitingForApproval":
                self.answer("allow")
            elif self.state == "blocked" and not models:
                self.abort_now()
            else:
                if self.state == "blocked":
                    self.world.model = models.pop()
                    self.world.configure()
                self.resume()
            self.world.settle()
            self.the_log_and_the_world_agree()

    def status_of(self, session: SessionState | None) -> str:
        """The state that the log has, as far as it is a matter of the log."""
        if session is None:
            return "none"
        shown = self.state
        if session.operation.kind == "idle":
            return "idle"
        assert self.world.status["operation"] is not None
        assert self.world.status["operation"]["operationId"] == session.operation.operation_id
        return shown if shown in UNFINISHED else "unfinished"


def user_texts(session: SessionState) -> list[str]:
    """All prompts in the log."""
    return [message["content"] for message in session.transcript if message["role"] == "user"]


def judged_effects(session: SessionState) -> Iterator[tuple[str, int]]:
    """Yield the mark of each call whose result says what happened, and how often it must be there.

    An interrupted call and one without a result may have happened or not.
    """
    marks: list[str | None] = []
    for message in session.transcript:
        if message["role"] == "assistant":
            found = (MARK.search(call["function"]["arguments"]) for call in calls_of(message))
            marks = [match and match[0] for match in found]
        elif message["role"] == "tool":
            mark, text = marks.pop(0), message["content"]
            if mark is not None and text != SYNTHETIC_TEXT["interrupted"]:
                yield mark, int(text.startswith(("Successfully", "(no output)")))


TestAgent = AgentMachine.TestCase
TestAgent.settings = settings(
    max_examples=count(25, 100),
    stateful_step_count=count(15, 40),
    derandomize=not torturing(),
    suppress_health_check=[HealthCheck.too_slow],
)
