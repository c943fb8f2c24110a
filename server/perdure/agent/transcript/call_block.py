"""A tool call as a block of the document."""

from __future__ import annotations

import os

from perdure.agent.transcript.arguments import argument_paragraphs, path_argument
from perdure.agent.transcript.blocks import Block, BlockBuilder
from perdure.agent.transcript.call import Call, Ended
from perdure.agent.transcript.inert import code_span, fenced
from perdure.agent.transcript.wording import count, duration
from perdure.core.arguments import parse_arguments
from perdure.mcp.names import readable

_OPEN_LINES = 8
"""Lines of an argument above which editors can fold it."""


def call_block(call: Call, *, cwd: str) -> Block:
    """Return the call with its arguments open and its output folded; paths are below ``cwd``."""
    builder = BlockBuilder()
    text = call.asked["function"]["arguments"]
    arguments = parse_arguments(text)
    _add_head(builder, call, path_argument(arguments or {}), cwd)
    shown = [fenced(text, "text")] if arguments is None else argument_paragraphs(arguments)
    for paragraph in shown:
        if paragraph.count("\n") > _OPEN_LINES:
            builder.add_foldable(paragraph)
        else:
            builder.add(paragraph)
    if call.ended is not None:
        builder.add_folded(_label(call.ended), fenced(call.ended.content, "text"))
    return builder.build(call=call)


def _label(ended: Ended) -> str:
    if ended.result["type"] == "synthetic":
        return "What the model is told instead of a result"
    lines = ended.content.removesuffix("\n").count("\n") + 1
    return f"Output, {count(lines, 'line')}"


def _add_head(builder: BlockBuilder, call: Call, path: str | None, cwd: str) -> None:
    before = f"**Tool** {code_span(readable(call.name))} · "
    spent = call.milliseconds
    after = call.words if spent is None else f"{call.words} · {duration(spent)}"
    if path is None:
        builder.add(f"{before}{after}")
        return
    target = os.path.normpath(os.path.join(cwd, path))
    if call.started is not None and os.path.isabs(target) and "\0" not in target:
        builder.add_link(before, code_span(path), f" · {after}", target=target)
    else:
        builder.add(f"{before}{code_span(path)} · {after}")
