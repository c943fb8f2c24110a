"""The planner describes the next effect and touches nothing."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from tests.support.fixtures.stages import READ, tool_started
from tests.support.resume import matching, state_of

from perdure.core.plan_shape import plan_to_json
from perdure.core.recovery import plan_recovery

GUARDED = """
import json, os, sys
from perdure.core.plan_shape import current_from_json, plan_to_json
from perdure.core.recovery import plan_recovery
from perdure.core.reducer import reduce_session

data, current = sys.stdin.buffer.read(), current_from_json(json.loads(sys.argv[1]))
state = reduce_session(data).state
higher = ("perdure.store", "perdure.providers", "perdure.tools", "perdure.agent")
assert not [name for name in sys.modules if name.startswith(higher)]
forbidden = ("open", "os.", "socket.", "subprocess.", "time.", "import")

def guard(event, args):
    if event.startswith(forbidden):
        os._exit(99)

sys.addaudithook(guard)
print(json.dumps(plan_to_json(plan_recovery(state, current))))
"""


@pytest.mark.requirement(4, 7, 8, 9, 13)
def test_no_file_network_process_or_higher_layer() -> None:
    data = tool_started(READ).to_bytes()
    state = state_of(data)
    current = matching(state)
    tools = [
        {
            "name": tool.name,
            "definitionDigest": tool.definition_digest,
            "replay": tool.replay,
            "replayKey": tool.replay_key,
        }
        for tool in current.tools
    ]
    given = {
        "configurationDigest": current.configuration_digest,
        "environmentIdentity": current.environment_identity,
        "tools": tools,
    }
    command = [sys.executable, "-c", GUARDED, json.dumps(given)]
    done = subprocess.run(command, input=data, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == plan_to_json(plan_recovery(state, current))
