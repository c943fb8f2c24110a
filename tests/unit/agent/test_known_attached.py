"""What is shown of a call that an earlier server started and that is waited for."""

from __future__ import annotations

import time

import pytest

from perdure.agent.status import attached_label
from perdure.core.state import ToolIntent

AT_MS = 1_790_000_000_000


@pytest.mark.parametrize(
    ("zone", "since"),
    [
        ("UTC0", "2026-09-21 14:13"),
        ("JST-9", "2026-09-21 23:13"),
        ("PDT7", "2026-09-21 07:13"),
    ],
)
def test_it_says_since_when_in_local_time(
    zone: str, since: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        assert attached_label(_intent()) == f"Running bash (since {since})"
    finally:
        monkeypatch.undo()
        time.tzset()


def _intent() -> ToolIntent:
    stamp = f"{AT_MS:012x}"
    return ToolIntent(
        operation_id="o",
        tool_started_id=f"{stamp[:8]}-{stamp[8:]}-7000-8000-000000000000",
        step_id="s",
        assistant_entry_id="a",
        tool_index=0,
        tool_call_id="c",
        tool_name="bash",
        arguments={},
        replay="never",
        replay_key="builtin:bash:v1",
        environment_identity="e",
        result_entry_id="r",
    )
