"""States that no log reduces to: the planner says which promise was broken, and guesses nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.support.fixtures.stages import accepted_run, attempting
from tests.support.resume import state_of
from tests.support.wire import ZERO_DIGEST

from perdure.core.plans import CurrentConfiguration
from perdure.core.recovery import plan_recovery
from perdure.core.state import Prefix, Run, SessionState

ACCEPTED = state_of(accepted_run().to_bytes())
ANSWERED = state_of(attempting().answer("done").to_bytes())


def _without_settled_entry(state: SessionState) -> SessionState:
    run = state.operation
    assert isinstance(run, Run)
    assert run.step is not None
    step = run.step._replace(settled_entry_id=None)
    return replace(state, operation=run._replace(step=step))


@pytest.mark.parametrize(
    ("state", "promise"),
    [
        pytest.param(replace(ACCEPTED, boundary=None), "boundary is known", id="no input entry"),
        pytest.param(_without_settled_entry(ANSWERED), "has an answer", id="no settled entry"),
        pytest.param(
            replace(ANSWERED, transcript=Prefix([])), "in the transcript", id="no answer stored"
        ),
    ],
)
def test_a_state_that_cannot_be_is_not_planned(state: SessionState, promise: str) -> None:
    run = state.operation
    assert isinstance(run, Run)
    digest = ZERO_DIGEST if run.step is None else run.step.configuration_digest
    current = CurrentConfiguration(digest, state.header.environment_identity, tools=())
    with pytest.raises(LookupError, match=promise):
        plan_recovery(state, current)
