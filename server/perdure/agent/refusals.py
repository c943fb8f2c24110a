"""Why a command is refused, with the folder's status for the client to show."""

from __future__ import annotations

from perdure.errors import CommandError
from perdure.protocol.status import Status


class Busy(CommandError):
    """An operation is unfinished; ``status`` says which. The client keeps the text."""

    def __init__(self, status: Status) -> None:
        super().__init__(
            f"An operation is unfinished ({status['state']}): wait for it, resume it or abort it.",
            code="busy",
        )
        self.status = status


class Unavailable(CommandError):
    """The session cannot be written; ``status["blocked"]`` says why and what is legal next."""

    def __init__(self, status: Status) -> None:
        problem = status["blocked"]
        super().__init__(
            problem["title"] if problem else "The session cannot be written.",
            code=problem["code"] if problem else "storage_failed",
        )
        self.status = status
