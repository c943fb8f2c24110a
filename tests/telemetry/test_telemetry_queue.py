"""The way from facts to the endpoint: never waiting, bounded, and said once."""

from __future__ import annotations

import sys

import pytest
from tests.support.collector import Collector
from tests.support.log import session
from tests.support.wire import uid

from perdure.agent.session_facts import facts_in
from perdure.telemetry import telemetry
from perdure.telemetry.settings import TelemetrySettings
from perdure.telemetry.telemetry import Observer, Telemetry


def observer_of(made: Telemetry, endpoint: str) -> Observer:
    """An observer of a session, with nothing unfinished."""
    return made.observer(TelemetrySettings(endpoint=endpoint), uid("session", 1), None)


def observe_runs(observer: Observer, count: int) -> None:
    """Have it see runs of one request each."""
    log = session().prompt().attempt().answer("a").finish()
    lines = log.to_bytes().split(b"\n")[1:-1]
    for _ in range(count):
        for line in lines:
            observer(facts_in(line + b"\n"))


def test_more_than_can_wait_is_lost_and_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telemetry, "LAST_SECONDS", 0.1)
    logged: list[str] = []
    with Collector("hangs") as collector:
        made = Telemetry(environ={}, log=logged.append)
        observe_runs(observer_of(made, collector.endpoint), telemetry.MAX_WAITING)
        made.close()
    assert logged == [
        f"The telemetry endpoint {collector.endpoint} takes too long; spans are lost."
    ]


def test_an_endpoint_that_refuses_is_said_once_and_asked_again() -> None:
    logged: list[str] = []
    with Collector("refuses") as collector:
        made = Telemetry(environ={}, log=logged.append)
        observe_runs(observer_of(made, collector.endpoint), 300)
        made.close()
    assert logged == [f"The telemetry endpoint {collector.endpoint} does not take spans."]
    assert len(collector.paths) > 1


def test_without_the_sdk_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    monkeypatch.delitem(sys.modules, "perdure.telemetry.sending", raising=False)
    logged: list[str] = []
    made = Telemetry(environ={}, log=logged.append)
    observe_runs(observer_of(made, "http://127.0.0.1:1"), 1)
    made.close()
    (line,) = logged
    assert "pip install 'perdure[otel]'" in line


def test_all_that_waits_is_sent_at_the_end() -> None:
    with Collector() as collector:
        made = Telemetry(environ={}, log=print)
        observe_runs(observer_of(made, f"{collector.endpoint}/v1/traces"), 100)
        made.close()
    assert len(collector.spans) == 200
