"""A small LSP client on asyncio and the standard library.

It starts any command line as a real server process and drives it: for ``perdure demo``, and for
tests, which also need the rude things that editors do (kill, stop reading, close the pipe).
"""

from __future__ import annotations

import asyncio
import json
import os
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any, TypeAlias

from perdure.json_types import JsonObject, JsonValue

Handler: TypeAlias = Callable[[Any], Any]
"""Answers a request of the server: params in, result out."""

_POLL_SECONDS = 0.01


class RpcError(Exception):
    """The server answered with an error; ``data`` is ``{}`` when there is none."""

    def __init__(self, error: Mapping[str, Any]) -> None:
        super().__init__(f"{error['code']}: {error['message']}")
        self.code: int = error["code"]
        self.message: str = error["message"]
        self.data: Mapping[str, Any] = error.get("data") or {}


class ConnectionLost(Exception):
    """The server closed its output while something was awaited."""


class LspClient:
    """One server process and the connection to it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        if process.stdin is None or process.stdout is None:
            raise ValueError("the process needs pipes")
        self.process = process
        self.notifications: defaultdict[str, list[Any]] = defaultdict(list)
        self.requests: defaultdict[str, list[Any]] = defaultdict(list)
        self._stdin = process.stdin
        self._stdout = process.stdout
        self._handlers: dict[str, Handler] = {}
        self._answers: dict[int, asyncio.Future[Any]] = {}
        self._unmatched: asyncio.Queue[Any] = asyncio.Queue()
        self._ids = count(1)
        self._news = asyncio.Condition()
        self._reading = asyncio.Event()
        self._reading.set()
        self._lost = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._reader = asyncio.create_task(self._read())

    @classmethod
    async def start(
        cls,
        command: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        stderr: Path | None = None,
    ) -> LspClient:
        """Start ``command``; its standard error is appended to ``stderr`` or thrown away."""
        sink = open(stderr or os.devnull, "ab")  # noqa: ASYNC230, SIM115
        with sink:
            process = await asyncio.create_subprocess_exec(
                *command,
                cwd=cwd,
                env=dict(env),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=sink,
            )
        return cls(process)

    def on_request(self, method: str, handler: Handler) -> None:
        """Answer the server's requests ``method`` with what ``handler(params)`` returns.

        ``handler`` may be a coroutine function. A request without handler gets -32601.
        """
        self._handlers[method] = handler

    async def initialize(
        self,
        folders: Sequence[Path] = (),
        *,
        settings: JsonObject | None = None,
        capabilities: JsonObject | None = None,
        **params: JsonValue,
    ) -> Any:  # noqa: ANN401
        """Do ``initialize`` and ``initialized``; return the result of the first."""
        result = await self.request(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": None,
                "capabilities": capabilities or {},
                "workspaceFolders": [
                    {"uri": folder.as_uri(), "name": folder.name} for folder in folders
                ],
                "initializationOptions": settings,
                **params,
            },
        )
        self.notify("initialized", {})
        return result

    async def command(self, name: str, **argument: JsonValue) -> Any:  # noqa: ANN401
        """Run ``perdure.<name>`` and return its result; raises like ``request``."""
        return await self.begin_command(name, **argument)[1]

    def begin_command(self, name: str, **argument: JsonValue) -> tuple[int, asyncio.Future[Any]]:
        """Run ``perdure.<name>``; return the request's id and the future of its result."""
        params: JsonObject = {"command": f"perdure.{name}", "arguments": [argument]}
        return self.begin("workspace/executeCommand", params)

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
            answer.set_exception(ConnectionLost(method))
        else:
            self._answers[request_id] = answer
            self._send({"id": request_id, "method": method, "params": params})
        return request_id, answer

    def notify(self, method: str, params: JsonValue = None) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def write(self, data: bytes) -> None:
        """Send raw bytes."""
        self._stdin.write(data)

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

    async def shutdown(self, *, timeout: float = 5) -> int:
        """Do ``shutdown`` and ``exit``; return the exit code."""
        await self.request("shutdown")
        self.notify("exit")
        return await self.wait(timeout=timeout)

    def stop_reading(self) -> None:
        """Let the server's output lie from now on, but for 128 KiB that are read ahead."""
        self._reading.clear()

    def go_on_reading(self) -> None:
        """Undo ``stop_reading``."""
        self._reading.set()

    def close_stdin(self) -> None:
        """Close the server's input, as an editor that vanishes does."""
        self._stdin.close()

    def kill(self) -> None:
        """SIGKILL."""
        self.process.kill()

    async def wait(self, *, timeout: float = 5) -> int:
        """Return the exit code; raises TimeoutError after ``timeout`` seconds."""
        async with asyncio.timeout(timeout):
            # Process.wait() also waits until the output is read to its end.
            while (code := self.process.returncode) is None:  # noqa: ASYNC110
                await asyncio.sleep(_POLL_SECONDS)
            return code

    async def close(self) -> None:
        """Kill the process if it still runs, and end the client's tasks."""
        if self.process.returncode is None:
            self.kill()
        self.close_stdin()
        self.go_on_reading()
        await self._reader
        await self.process.wait()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _send(self, message: JsonObject) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    async def _read(self) -> None:
        try:
            while True:
                await self._reading.wait()
                header = await self._stdout.readuntil(b"\r\n\r\n")
                length = int(header.split(b":")[1])
                await self._receive(json.loads(await self._stdout.readexactly(length)))
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
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
                    self._news.notify_all()
            case {"id": int(request_id)} if request_id in self._answers:
                answer = self._answers.pop(request_id)
                if not answer.done():
                    _settle(answer, message)
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
            if not answer.done():
                answer.set_exception(ConnectionLost("the server closed its output"))
        async with self._news:
            self._news.notify_all()


def _settle(answer: asyncio.Future[Any], message: Mapping[str, Any]) -> None:
    if "error" in message:
        answer.set_exception(RpcError(message["error"]))
    else:
        answer.set_result(message["result"])
