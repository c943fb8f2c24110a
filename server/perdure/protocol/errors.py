"""What an error carries."""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict

from perdure.protocol.status import Status


class ErrorData(TypedDict):
    """``data`` of a JSON-RPC error."""

    code: str
    status: NotRequired[Status]
