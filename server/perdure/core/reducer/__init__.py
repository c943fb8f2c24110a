"""The reducer: ``reduce_session(bytes)`` and the ledger that does it step by step.

It is exactly as lenient and as strict as session-format sections 2 to 12; what only our own
transactions must obey besides (section 13) is the store's to ask.
"""

from perdure.core.reducer.books import EntryInfo, Mark
from perdure.core.reducer.ledger import Ledger
from perdure.core.reducer.outcome import Corrupt, ErrorCode, Reduced, Refusal, RuleCode
from perdure.core.reducer.session import apply, load_ledger, reduce_session

__all__ = [
    "Corrupt",
    "EntryInfo",
    "ErrorCode",
    "Ledger",
    "Mark",
    "Reduced",
    "Refusal",
    "RuleCode",
    "apply",
    "load_ledger",
    "reduce_session",
]
