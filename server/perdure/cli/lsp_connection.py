"""The client's end of a connection to a language server."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any, TypeAlias

from perdure.json_types import JsonObject, JsonValue

Handler: TypeAlias = Callable[[Any], Any]
"""Answers a request of the server: params in, result out; it may be a coroutine function."""


class RpcError(Exception):
    """The server answered with an error; ``data`` is ``{}`` when there is none."""

    def __init__(self, error: Mapping[str, Any]) -> None:
        super().__init__(f"{error['code']}: {error['message']}")
        self.code: int = error["code"]
        self.message: str = error["message"]
        self.data: Mapping[str, Any] = error.get("data") or {}


class ConnectionLost(Exception):
    """The server closed its output while something was awaited."""


class Connection:
    """JSON-RPC over a pair of streams; reading begins at once.

    ``notifications`` and ``requests`` hold the params received so far, by method, and ``order``
    the methods of all notifications.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.notifications: defaultdict[str, list[Any]] = defaultdict(list)
        self.requests: defaultdict[str, list[Any]] = defaultdict(list)
        self.order: list[str] = []
        self._input = reader
        self._output = writer
        self._handlers: dict[str, Handler] = {}
        self._answers: dict[int, asyncio.Future[Any]] = {}
        self._unmatched: asyncio.Queue[Any] = asyncio.Queue()
        self._ids = count(1)
        self._news = asyncio.Condition()
        self._may_read = asyncio.Event()
        self._may_read.set()
        self._lost = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._reader = asyncio.create_task(self._read())

    def on_request(self, method: str, handler: Handler) -> None:
        """Answer the server's requests ``method``; without a handler they get -32601."""
        self._handlers[method] = handler

    async def request(self, method: str, params: JsonValue = None) -> Any:  # noqa: ANN401
        """Send a request and return its result.

        Raises:
            RpcError: the server answered with an error.
            ConnectionLost: the server ended first.
        """
        return await self.begin(method, params)[1]

    def begin(self, method: str, params: JsonValue = None) -> tuple[int, asyncio.Future[Any]]:
        """Send a request; return its id and the future of its result."""
        request_id = next(self._ids)
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        if self._lost:
            _fail(answer, ConnectionLost(method))
        else:
            self._answers[request_id] = answer
            self._send({"id": request_id, "method": method, "params": params})
        return request_id, answer

    def notify(self, method: str, params: JsonValue = None) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def write(self, data: bytes) -> None:
        """Send raw bytes."""
        self._output.write(data)

    async def until(
        self, method: str, condition: Callable[[Any], object], *, timeout: float = 20
    ) -> Any:  # noqa: ANN401
        """Return the first notification ``method``, past or future, that fulfils ``condition``.

        Raises:
            TimeoutError: after ``timeout`` seconds.
            ConnectionLost: the server ended first.
        """
        async with asyncio.timeout(timeout), self._news:
            seen = 0
            while True:
                received = self.notifications[method]
                for params in received[seen:]:
                    if condition(params):
                        return params
                seen = len(received)
                if self._lost:
                    raise ConnectionLost(method)
                await self._news.wait()

    async def unmatched(self, *, timeout: float = 20) -> Any:  # noqa: ANN401
        """Return the next message that answers no request of this client."""
        async with asyncio.timeout(timeout):
            return await self._unmatched.get()

    def stop_reading(self) -> None:
        """Let the server's output lie from now on, but for 128 KiB that are read ahead."""
        self._may_read.clear()

    def go_on_reading(self) -> None:
        """Undo ``stop_reading``."""
        self._may_read.set()

    async def finish(self) -> None:
        """Close the server's input, read its output to the end, and end the tasks."""
        self._output.close()
        self.go_on_reading()
        await self._reader
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _send(self, message: JsonObject) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    async def _read(self) -> None:
        try:
            while True:
                await self._may_read.wait()
                header = await self._input.readuntil(b"\r\n\r\n")
                length = int(header.split(b":")[1])
                await self._receive(json.loads(await self._input.readexactly(length)))
        except (asyncio.IncompleteReadError, ConnectionError):
            await self._lose()

    async def _receive(self, message: Any) -> None:  # noqa: ANN401
        match message:
            case {"method": str(method), "id": request_id}:
                params = message.get("params")
                self.requests[method].append(params)
                task = asyncio.create_task(self._answer(request_id, method, params))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
            case {"method": str(method)}:
                async with self._news:
                    self.notifications[method].append(message.get("params"))
                    self.order.append(method)
                    self._news.notify_all()
            case {"id": int(request_id)} if request_id in self._answers:
                _settle(self._answers.pop(request_id), message)
            case _:
                self._unmatched.put_nowait(message)

    async def _answer(self, request_id: JsonValue, method: str, params: Any) -> None:  # noqa: ANN401
        handler = self._handlers.get(method)
        if handler is None:
            error: JsonObject = {"code": -32601, "message": f"no handler for {method}"}
            self._send({"id": request_id, "error": error})
            return
        result = handler(params)
        if asyncio.iscoroutine(result):
            result = await result
        self._send({"id": request_id, "result": result})

    async def _lose(self) -> None:
        self._lost = True
        for answer in self._answers.values():
            _fail(answer, ConnectionLost("the server closed its output"))
        async with self._news:
            self._news.notify_all()


def _settle(answer: asyncio.Future[Any], message: Mapping[str, Any]) -> None:
    if "error" in message:
        _fail(answer, RpcError(message["error"]))
    elif not answer.done():
        answer.set_result(message["result"])


def _fail(answer: asyncio.Future[Any], error: Exception) -> None:
    """Let whoever awaits ``answer`` see ``error``; nobody has to."""
    if not answer.done():
        answer.set_exception(error)
        answer.exception()
