"""JSON-RPC: pygls' protocol with its faults corrected.

What plain pygls 2.1 does, and what holds here instead:

* Any object with a "jsonrpc" key inside params is taken for a message; here only the outermost
  object is one, and custom params stay plain JSON.
* Malformed params, and requests without params, are never answered; here -32602 with the path.
* Requests before ``initialize`` are served; here -32002.
* A future per handled notification leaks; here each is forgotten when it is done.
* Every request can be cancelled in the middle; here a handler may say that its own cannot.
* A request with an id of another type is taken for a notification; here it is refused.
* A failing handler opens a popup; here it is logged.
* The capability for ``workspace/textDocumentContent`` is never declared; here it is.
* Writing blocks the loop, and whole bodies are logged; here everything goes to the ``Outbox``.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
from collections.abc import Callable, Generator, Hashable, Mapping, Set
from concurrent.futures import Future
from itertools import count
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.protocol import LanguageServerProtocol, lsp_method

from perdure.errors import PerdureError
from perdure.json_types import JsonObject, JsonValue
from perdure.lsp import answers
from perdure.lsp.framing import frame
from perdure.lsp.json_text import decode, encode

if TYPE_CHECKING:
    from cattrs import Converter
    from pygls.lsp.server import LanguageServer

    from perdure.lsp.outbox import Outbox

SCHEME = "perdure"
"""The scheme of the documents whose text we give."""

logger = logging.getLogger(__name__)


class CallFailed(PerdureError):
    """The client answered one of our requests with an error."""

    code = "client_error"


class Protocol(LanguageServerProtocol):
    """One connection to one client. What is sent before ``connect`` goes nowhere."""

    def __init__(self, server: LanguageServer, converter: Converter) -> None:
        # pygls reads every attribute while it collects its handlers, so ours come first.
        self._outbox: Outbox | None = None
        self._calls: dict[str, asyncio.Future[JsonValue]] = {}
        self._call_numbers = count(1)
        self._uncancellable: set[int | str] = set()
        super().__init__(server, converter)

    @property
    def shut_down(self) -> bool:
        """Whether the client has sent ``shutdown``."""
        return self._shutdown

    @property
    def congested(self) -> bool:
        """Whether the client does not keep up, so that droppable output should be dropped."""
        return self._outbox is not None and self._outbox.congested

    def connect(self, outbox: Outbox) -> None:
        """Send through ``outbox`` from now on."""
        self._outbox = outbox

    def publish(
        self, method: str, params: Mapping[str, object], *, replaces: Hashable | None = None
    ) -> None:
        """Send a notification; see ``Outbox.put`` for ``replaces``."""
        message = {"jsonrpc": self.VERSION, "method": method, "params": params}
        self._put(message, replaces=replaces)

    async def call(self, method: str, params: Mapping[str, object]) -> JsonValue:
        """Send a request and return its result; cancelling this cancels it at the client.

        Raises:
            CallFailed: the client answered with an error.
        """
        call_id = f"perdure-{next(self._call_numbers)}"
        answer: asyncio.Future[JsonValue] = asyncio.get_running_loop().create_future()
        self._calls[call_id] = answer
        self._put({"jsonrpc": self.VERSION, "id": call_id, "method": method, "params": params})
        try:
            return await answer
        except asyncio.CancelledError:
            self.publish(types.CANCEL_REQUEST, {"id": call_id})
            raise
        finally:
            self._calls.pop(call_id, None)

    def receive(self, body: bytes) -> None:
        """Take one message from the client. Never raises for what the client sent."""
        try:
            message = decode(body)
        except ValueError as error:
            self._refuse(None, answers.PARSE_ERROR, f"The message is not JSON: {error}")
            return
        if isinstance(message, dict):
            contextvars.copy_context().run(self._dispatch, message)
        else:
            self._refuse(None, answers.INVALID_REQUEST, "A message is one JSON object.")

    def never_cancel(self) -> None:
        """From now on ``$/cancelRequest`` does nothing to the request that is being handled."""
        if self.msg_id is not None:
            self._uncancellable.add(self.msg_id)

    def end_requests(self) -> None:
        """Refuse what comes after ``shutdown`` and cancel what can be, but this request."""
        self._shutdown = True
        self._cancel_all_but(self._uncancellable)

    def give_up_requests(self) -> None:
        """Cancel all that is not answered now, but this request."""
        self._cancel_all_but(set())

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(
        self, params: types.InitializeParams
    ) -> Generator[Any, Any, types.InitializeResult]:
        """Do what pygls does, and declare what it does not know of."""
        result = yield from super().lsp_initialize(params)
        if (workspace := result.capabilities.workspace) is not None:
            workspace.text_document_content = types.TextDocumentContentOptions([SCHEME])
        return result

    def _dispatch(self, message: JsonObject) -> None:
        match message:
            case {"method": _, "id": None | bool() | float() | list() | dict()}:
                self._refuse(None, answers.INVALID_REQUEST, "An id is a string or an integer.")
            case {"jsonrpc": "2.0", "method": str(method), "id": int() | str() as msg_id}:
                self._receive_request(msg_id, method, message)
            case {"jsonrpc": "2.0", "method": str(method)}:
                self._receive_notification(method, message)
            case {"jsonrpc": "2.0", "id": str(call_id)}:
                self._receive_answer(call_id, message)
            case _:
                self._refuse(None, answers.INVALID_REQUEST, "This is no JSON-RPC 2.0 message.")

    def _receive_request(self, msg_id: int | str, method: str, message: JsonObject) -> None:
        initialized = self._workspace is not None
        if self._shutdown:
            self._refuse(msg_id, answers.INVALID_REQUEST, "The server is shutting down.")
        elif method == types.INITIALIZE and initialized:
            self._refuse(msg_id, answers.INVALID_REQUEST, "initialize may be sent only once.")
        elif method != types.INITIALIZE and not initialized:
            self._refuse(msg_id, answers.NOT_INITIALIZED, "initialize has to be sent first.")
        else:
            try:
                params = self._params(method, message)
            except answers.MALFORMED as error:
                self._send_error(msg_id, answers.invalid_params(error))
            else:
                self._handle_request(msg_id, method, params)

    def _receive_notification(self, method: str, message: JsonObject) -> None:
        usable = self._workspace is not None and not self._shutdown
        if not usable and method != types.EXIT:
            logger.warning("Ignoring %s before initialize or after shutdown", method)
            return
        try:
            params = self._params(method, message)
        except answers.MALFORMED as error:
            logger.warning("Ignoring %s: %s", method, answers.invalid_params(error)["message"])
        else:
            self._handle_notification(method, params)

    def _receive_answer(self, call_id: str, message: JsonObject) -> None:
        answer = self._calls.pop(call_id, None)
        if answer is None or answer.done():
            return
        match message.get("error"):
            case None:
                answer.set_result(message.get("result"))
            case {"message": str(text)}:
                answer.set_exception(CallFailed(text))
            case _:
                answer.set_exception(CallFailed("The client answered with an error."))

    def _params(self, method: str, message: JsonObject) -> Any:  # noqa: ANN401
        """Return params as lsprotocol's class, or as plain JSON where the method is not LSP's."""
        message_type = self.get_message_type(method)
        if message_type is None:
            return message.get("params")
        return self._converter.structure(message, message_type).params

    def _execute_handler(
        self,
        msg_id: int | str,
        handler: Callable[..., Any],
        callback: Callable[[Future[Any]], None],
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        def done(future: Future[Any]) -> None:
            self._request_futures.pop(msg_id, None)
            self._uncancellable.discard(msg_id)
            callback(future)

        super()._execute_handler(msg_id, handler, done, args, kwargs)

    def _cancel_all_but(self, kept: Set[int | str]) -> None:
        for msg_id, future in list(self._request_futures.items()):
            if msg_id != self.msg_id and msg_id not in kept:
                future.cancel()

    def _handle_cancel_notification(self, msg_id: int | str) -> None:
        if msg_id not in self._uncancellable:
            super()._handle_cancel_notification(msg_id)

    def _send_handler_result(self, future: Future[Any], *, msg_id: int | str) -> None:
        if future.cancelled():
            self._refuse(msg_id, answers.CANCELLED, "The request was cancelled.")
        elif (error := future.exception()) is not None:
            self._send_error(msg_id, answers.failure(error))
        else:
            self._send_response(msg_id, result=future.result())

    def _refuse(self, msg_id: int | str | None, code: int, text: str) -> None:
        self._send_error(msg_id, {"code": code, "message": text})

    def _send_error(self, msg_id: int | str | None, error: answers.ErrorObject) -> None:
        self._put({"jsonrpc": self.VERSION, "id": msg_id, "error": error})

    def _send_data(self, data: Any) -> None:  # noqa: ANN401
        self._put(self._converter.unstructure(data))

    def _put(self, message: Any, *, replaces: Hashable | None = None) -> None:  # noqa: ANN401
        if self._outbox is not None:
            self._outbox.put(frame(encode(message)), replaces=replaces)
