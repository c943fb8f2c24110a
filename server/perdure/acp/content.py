"""The blocks of a prompt as the text that is stored and sent."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TypeAlias, assert_never
from urllib.parse import unquote, urlsplit

from acp.schema import (
    AudioContentBlock,
    EmbeddedResourceContentBlock,
    ImageContentBlock,
    ResourceContentBlock,
    TextContentBlock,
    TextResourceContents,
)

Block: TypeAlias = (
    TextContentBlock
    | ImageContentBlock
    | AudioContentBlock
    | ResourceContentBlock
    | EmbeddedResourceContentBlock
)


def prompt_text(blocks: Iterable[Block], root: Path) -> str:
    """Return the text of a prompt; files below ``root`` are named relative to it.

    What no text can carry is named, so that neither the user nor the model takes it for sent.
    """
    return "".join(_text(block, root) for block in blocks)


def _text(block: Block, root: Path) -> str:
    match block:
        case TextContentBlock():
            return block.text
        case ResourceContentBlock():
            return place(block.uri, root)
        case EmbeddedResourceContentBlock(resource=TextResourceContents() as resource):
            where = place(resource.uri, root)
            return f'\n<context path="{where}">\n{resource.text}\n</context>\n'
        case EmbeddedResourceContentBlock():
            return f"[Left out, because it is no text: {place(block.resource.uri, root)}]"
        case ImageContentBlock() | AudioContentBlock():
            return f"[{block.type.capitalize()} left out]"
        case _:
            assert_never(block)


def place(uri: str, root: Path) -> str:
    """Return the path of a file below ``root`` relative to it; anything else as it is."""
    parts = urlsplit(uri)
    if parts.scheme != "file":
        return uri
    path = Path(unquote(parts.path))
    return str(path.relative_to(root)) if path.is_relative_to(root) else str(path)
