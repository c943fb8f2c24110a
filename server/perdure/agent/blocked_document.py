"""Why an operation is blocked, as a document: every field, with what differs inside of it."""

from __future__ import annotations

from collections.abc import Iterator

from perdure.agent.transcript.inert import code_span, fenced
from perdure.protocol.trouble import BlockedInfo


def blocked_document(blocked: BlockedInfo) -> str:
    """Return Markdown in which nothing that was recorded, or is there now, is alive."""
    return "\n".join(_lines(blocked)) + "\n"


def _lines(blocked: BlockedInfo) -> Iterator[str]:
    yield "# What changed"
    yield ""
    yield blocked["title"]
    for detail in blocked["details"]:
        yield ""
        yield f"## {code_span(detail['field'])}"
        yield ""
        yield f"- recorded: {code_span(detail['recorded'])}"
        yield f"- current: {code_span(detail['current'])}"
        diff = detail.get("diff", "")
        if diff:
            yield ""
            yield fenced(diff, "diff")
