"""What calls did to files, as the diffs that a client shows."""

from __future__ import annotations

from pathlib import Path

from acp import helpers
from acp.schema import FileEditToolCallContent, ToolCallProgress

from perdure.acp.projection import Succeeded
from perdure.tools import images


def with_diff(succeeded: Succeeded, data: Path) -> ToolCallProgress:
    """Return the update with a diff in the place of the result's text, where one is known.

    ``data`` is the session's own folder; its files are read.
    """
    image = images.noted(data, succeeded.tool_started_id)
    if image is None:
        return succeeded.update
    before = None if image.before is None else images.kept_content(data, image.before)
    after = images.kept_content(data, image.after)
    if after is None or (before is None and image.before is not None):
        return succeeded.update
    diff = diff_content(image.path, None if before is None else _text(before), _text(after))
    return succeeded.update.model_copy(update={"content": [diff]})


def diff_content(path: Path, before: str | None, after: str) -> FileEditToolCallContent:
    """Return a change of a file; ``before`` is None where there was none."""
    return helpers.tool_diff_content(str(path), after, before)


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace")
