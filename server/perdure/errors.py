"""Everything Perdure raises on purpose.

::

    PerdureError                  one root; ``code`` is stable, ``str(error)`` says what to do
    ├── RejectedTransaction       *our* candidate broke a rule: nothing was written
    ├── StoreError
    │   ├── SessionInUse          session_in_use: another process holds the writer's lock
    │   ├── SessionCorrupt        session_corrupt: *their* file broke a rule, at line and byte
    │   ├── UnsupportedVersion    unsupported_version
    │   ├── StorageFull           storage_full
    │   ├── StorageFailed         storage_failed: outcome of the last write unknown, reopen
    │   └── SessionNotFound       not_found
    ├── ProviderError             a model request failed; see ``perdure.providers.base``
    ├── ToolError                 a tool failed; the sentence goes to the model
    └── CommandError              busy, provider_not_configured, not_pending, invalid_params

Expected outcomes (blocked, aborted, torn tail, nothing to compact) are values, not exceptions.
The codes are those of the protocol (``data.code`` of a JSON-RPC error).
"""

from __future__ import annotations


class PerdureError(Exception):
    """Root of all deliberate errors.

    ``code`` is stable and machine readable; the message is one sentence that says what is
    wrong, where, and what to do.
    """

    code: str = "internal_error"

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(message)
        if code is not None:
            self.code = code


class RejectedTransaction(PerdureError):
    """A candidate transaction broke a rule; bytes, seq and state are as before.

    ``code`` is the reducer's code (session-format section 5 to 9) or ``ABORT_REQUESTED`` /
    ``UNANSWERED_CALLS`` for the rules that only the store applies (section 13, H1 to H5).
    """

    def __init__(self, message: str, *, code: str, seq: int | None = None) -> None:
        super().__init__(message, code=code)
        self.seq = seq


class StoreError(PerdureError):
    """The session file could not be opened, read or written."""

    code = "storage_failed"


class SessionInUse(StoreError):
    """Another process holds the writer's lock; ``pid`` names it when known."""

    code = "session_in_use"

    def __init__(self, message: str, *, pid: int | None = None) -> None:
        super().__init__(message)
        self.pid = pid


class SessionCorrupt(StoreError):
    """A complete line of the file breaks the format or its seal; no byte was changed.

    ``reason`` is the reducer's code or the store's, ``line`` counts from 1, ``offset`` is the
    line's first byte. The chains are hex, where the sidecar tells them.
    """

    code = "session_corrupt"

    def __init__(
        self,
        message: str,
        *,
        reason: str,
        line: int,
        offset: int,
        seq: int | None = None,
        expected_chain: str | None = None,
        actual_chain: str | None = None,
    ) -> None:
        super().__init__(message)
        self.reason = reason
        self.line = line
        self.offset = offset
        self.seq = seq
        self.expected_chain = expected_chain
        self.actual_chain = actual_chain


class UnsupportedVersion(StoreError):
    """The header names a format version other than 2."""

    code = "unsupported_version"


class StorageFull(StoreError):
    """The file system has no room; the transaction was not accepted."""

    code = "storage_full"


class StorageFailed(StoreError):
    """A write or sync failed and the outcome is unknown; the store refuses work until reopened."""

    code = "storage_failed"


class SessionNotFound(StoreError):
    """There is no session of that id."""

    code = "not_found"


class ToolError(PerdureError):
    """A tool could not do what was asked; the model is told ``Error: <message>``."""

    code = "tool_error"


class CommandError(PerdureError):
    """A command cannot be carried out now: busy, not_pending, invalid_params and the like."""

    code = "invalid_params"
