"""What a reduction can come to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from perdure.core.framing import FrameCode
from perdure.core.state import SessionState
from perdure.errors import PerdureError

RuleCode: TypeAlias = Literal[
    "INVALID_HEADER",
    "UNSUPPORTED_VERSION",
    "EMPTY_TRANSACTION",
    "INVALID_FACT",
    "SEQ_MISMATCH",
    "DUPLICATE_ID",
    "INVALID_REFERENCE",
    "INVALID_TRANSITION",
    "INVALID_TRANSCRIPT",
]
ErrorCode: TypeAlias = FrameCode | RuleCode


class Refusal(PerdureError):
    """A header or transaction breaks a rule; the ledger is as it was before.

    ``seq`` is the one found in the fact, None where section 5 reports none.
    """

    def __init__(self, code: RuleCode, *, seq: int | None = None) -> None:
        super().__init__(code)
        self.code: RuleCode = code
        self.seq = seq


@dataclass(frozen=True, slots=True)
class Reduced:
    """The bytes are a session and mean this."""

    state: SessionState


@dataclass(frozen=True, slots=True)
class Corrupt:
    """A complete line breaks a rule.

    ``line`` counts from 1 and ``offset`` is the byte at which it starts; ``seq`` is None where
    section 5 reports none. The offset is not part of the public shape.
    """

    code: ErrorCode
    line: int
    offset: int
    seq: int | None = None
