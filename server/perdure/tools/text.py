"""Text that goes to the model and into the session: Unicode without lone surrogates."""

from __future__ import annotations

from collections.abc import Sequence

from perdure.core.text import without_lone_surrogates
from perdure.errors import ToolError
from perdure.tools.base import ToolResult


def success(content: str) -> ToolResult:
    """Return a successful result."""
    return ToolResult("success", without_lone_surrogates(content))


def unsaved(result: ToolResult) -> ToolResult:
    """Return the result of a change that was made in the editor only."""
    return ToolResult(
        result.type,
        f"{result.content} The file is open in the editor with unsaved changes: the change was "
        "made there and is not saved; on disk the file is as it was.",
    )


def failure(error: ToolError) -> ToolResult:
    """Return the result of a tool that could not do what was asked."""
    return ToolResult("error", without_lone_surrogates(f"Error: {error}"))


def os_failure(path: str, error: OSError) -> ToolError:
    """Return what the operating system refused, as a sentence for the model."""
    return ToolError(f"{path}: {error.strerror or error}.")


def with_notes(body: str, notes: Sequence[str]) -> str:
    """Return ``body`` and, each after a blank line, the notes."""
    parts = [body.removesuffix("\n"), *notes] if notes and body else notes
    return "\n\n".join(parts) if parts else body


def one_line(text: str, limit: int = 80) -> str:
    """Return ``text`` as a label: one line, at most ``limit`` characters.

    What cannot be seen, or turns the direction of reading, becomes U+FFFD.
    """
    flat = " ".join(text.split())
    shown = flat if len(flat) <= limit else f"{flat[: limit - 1]}…"
    return "".join(c if c.isprintable() else "\ufffd" for c in shown)
