"""Fixed texts of the wire (session-format section 15).

The synthetic texts enter the transcript and the fixtures of every implementation: they are never
translated and never reworded.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from perdure.core.plans import SyntheticReason
from perdure.core.records import WireError

SYNTHETIC_TEXT: Mapping[SyntheticReason, str] = MappingProxyType(
    {
        "invalidArguments": "Error: Tool arguments were invalid; the tool was not executed.",
        "unknownTool": "Error: Unknown tool; the tool was not executed.",
        "truncated": (
            "Error: Tool call arguments were truncated by the model token limit; "
            "the tool was not executed."
        ),
        "aborted": "Operation aborted before execution.",
        "interrupted": (
            "Operation interrupted after execution status became unknown; "
            "the tool was not replayed."
        ),
    }
)

SUMMARY_PREFIX = "[Compacted history]\n"
"""What stands before a summary in the active context."""

ABORTED_ERROR: WireError = {"code": "aborted", "message": "Operation aborted"}
"""The error of an attempt that an abort closes."""

FAILED_ERROR: WireError = {"code": "model_error", "message": "provider request failed"}
"""The error of a terminal whose step failed before this process started."""

EMPTY_RESPONSE_ERROR: WireError = {
    "code": "empty_response",
    "message": "model returned an empty response",
}
"""The error of a terminal after a blank stop, or a length answer without calls (14.5 B4)."""
