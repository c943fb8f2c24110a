"""The blocks of a prompt as the text that the user typed, and what is attached to it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias, assert_never

from acp.schema import (
    AudioContentBlock,
    EmbeddedResourceContentBlock,
    ImageContentBlock,
    ResourceContentBlock,
    TextContentBlock,
    TextResourceContents,
)

from perdure.protocol.editor import Attachment
from perdure.protocol.uris import file_path

Block: TypeAlias = (
    TextContentBlock
    | ImageContentBlock
    | AudioContentBlock
    | ResourceContentBlock
    | EmbeddedResourceContentBlock
)


@dataclass(slots=True)
class Content:
    """A prompt; what no text can carry is named in it, so that nobody takes it for sent."""

    text: str = ""
    attachments: list[Attachment] = field(default_factory=list)


def prompt_content(blocks: Iterable[Block], root: Path) -> Content:
    """Return the content of a prompt; files below ``root`` are named relative to it."""
    content = Content()
    for block in blocks:
        _add(block, content, root)
    return content


def place(uri: str, root: Path) -> str:
    """Return the path of a file below ``root`` relative to it; anything else as it is."""
    path = file_path(uri)
    if path is None:
        return uri
    return str(Path(path).relative_to(root)) if Path(path).is_relative_to(root) else path


def _add(block: Block, content: Content, root: Path) -> None:
    match block:
        case TextContentBlock():
            content.text += block.text
        case ResourceContentBlock():
            content.text += place(block.uri, root)
            if file_path(block.uri) is not None:
                content.attachments.append({"kind": "file", "uri": block.uri})
        case EmbeddedResourceContentBlock(resource=TextResourceContents() as resource):
            content.text += place(resource.uri, root)
            content.attachments.append({"kind": "file", "uri": resource.uri, "text": resource.text})
        case EmbeddedResourceContentBlock():
            content.text += f"[Left out, because it is no text: {place(block.resource.uri, root)}]"
        case ImageContentBlock() | AudioContentBlock():
            content.text += f"[{block.type.capitalize()} left out]"
        case _:
            assert_never(block)
