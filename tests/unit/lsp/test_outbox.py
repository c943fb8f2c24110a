"""The queue of outgoing frames, with a client that reads or does not."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from perdure.lsp.outbox import SOFT_BOUND, Outbox

BIG = b"x" * (SOFT_BOUND + 1)


class Client:
    """Takes bytes only while it reads; ``take`` bytes at a time at most."""

    def __init__(self, take: int = 1 << 20) -> None:
        self.received = bytearray()
        self.reasons: list[str] = []
        self.died = threading.Event()
        self.reads = threading.Event()
        self._take = take

    def write(self, data: memoryview) -> int:
        self.reads.wait()
        self.received += data[: self._take]
        return min(len(data), self._take)

    def dead(self, reason: str) -> None:
        self.reasons.append(reason)
        self.died.set()


@pytest.fixture
def client() -> Iterator[Client]:
    client = Client()
    yield client
    client.reads.set()


def test_everything_is_sent_in_order_while_the_client_reads() -> None:
    client = Client(take=3)
    client.reads.set()
    outbox = Outbox(client.write, on_dead=client.dead)
    for number in range(100):
        outbox.put(b"%d;" % number, replaces="status")
    assert outbox.drain(5)
    assert bytes(client.received) == b"".join(b"%d;" % number for number in range(100))


def test_a_congested_queue_keeps_only_the_newest_of_a_kind(client: Client) -> None:
    outbox = Outbox(client.write, on_dead=client.dead)
    at_first = outbox.congested
    outbox.put(BIG)
    assert (at_first, outbox.congested) == (False, True)
    for number in range(100):
        outbox.put(b"<%d>" % number, replaces="status")
        outbox.put(b"(%d)" % number)
    outbox.put(b"!", replaces="other")
    client.reads.set()
    assert outbox.drain(5)
    rest = bytes(client.received[len(BIG) :])
    facts = b"".join(b"(%d)" % number for number in range(99))
    assert rest == facts + b"<99>(99)!"
    assert not outbox.congested


def test_a_client_that_never_reads_counts_as_dead(client: Client) -> None:
    outbox = Outbox(client.write, on_dead=client.dead, hard_bound=1000)
    for _ in range(100):
        outbox.put(b"x" * 100)
    assert client.reasons == ["The client does not read any more."]
    assert outbox.drain(5)


def test_a_broken_pipe_is_a_dead_client() -> None:
    client = Client()

    def broken(_: memoryview) -> int:
        raise BrokenPipeError(32, "Broken pipe")

    outbox = Outbox(broken, on_dead=client.dead)
    outbox.put(b"x")
    assert client.died.wait(5)
    assert client.reasons == ["The client cannot be written to (Broken pipe)."]


def test_draining_does_not_wait_for_ever(client: Client) -> None:
    outbox = Outbox(client.write, on_dead=client.dead)
    outbox.put(b"x")
    assert not outbox.drain(0.01)
