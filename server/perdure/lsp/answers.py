"""Errors as JSON-RPC answers."""

from __future__ import annotations

import logging
from typing import Any, NotRequired, cast

from cattrs import transform_error
from cattrs.errors import BaseValidationError
from pygls.exceptions import JsonRpcException
from typing_extensions import TypedDict

from perdure.errors import PerdureError
from perdure.protocol.errors import ErrorData
from perdure.protocol.status import Status

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
NOT_INITIALIZED = -32002
CANCELLED = -32800
REQUEST_FAILED = -32803

MALFORMED = (BaseValidationError, ValueError, TypeError, LookupError, AttributeError)
"""What structuring params into lsprotocol's classes raises."""

logger = logging.getLogger(__name__)


class ErrorObject(TypedDict):
    """``error`` of an answer."""

    code: int
    message: str
    data: NotRequired[ErrorData]


def invalid_params(error: Exception) -> ErrorObject:
    """The answer to params that do not fit; names the path below ``message``."""
    where = str(error)
    if isinstance(error, BaseValidationError):
        where = "; ".join(transform_error(error, path="message"))
    return {
        "code": INVALID_PARAMS,
        "message": f"Invalid params: {where}",
        "data": {"code": "invalid_params"},
    }


def failure(error: BaseException) -> ErrorObject:
    """The answer to a request whose handler raised; only the unexpected is logged."""
    match error:
        case JsonRpcException():
            return {"code": error.code, "message": error.message}
        case PerdureError():
            code = INVALID_PARAMS if error.code == "invalid_params" else REQUEST_FAILED
            return {"code": code, "message": str(error), "data": _data(error)}
        case _:
            logger.error("A handler failed", exc_info=error)
            return {
                "code": INTERNAL_ERROR,
                "message": f"{type(error).__name__}: {error}",
                "data": {"code": "internal_error"},
            }


def _data(error: Any) -> ErrorData:  # noqa: ANN401
    status = cast("Status | None", getattr(error, "status", None))
    if status is None:
        return {"code": error.code}
    return {"code": error.code, "status": status}
