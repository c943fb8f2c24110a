"""The blocks that a message can have as its context. Pure."""

from __future__ import annotations

from perdure.agent.context.instructions import Instructions
from perdure.agent.context.quoting import cut, place, quoted_block
from perdure.agent.context.reading import Found
from perdure.protocol.editor import Attachment

NO_IMAGES = "no images are given to the model"


def found_block(found: Found, lines: tuple[int, int] | None) -> str:
    """Return what a prompt mentions."""
    match found.kind:
        case "folder":
            return quoted_block(f"What is in the folder {place(found.path)}", found.text)
        case "image":
            return image_block(found.path)
        case "file":
            return quoted_block(f"File {place(found.path, lines)}", found.text, path=found.path)


def image_block(path: str) -> str:
    """Return what the model is told of an image: the format of sessions holds text only."""
    return f"Image {place(path)}: left out, because {NO_IMAGES}."


def instructions_block(instructions: Instructions) -> str:
    """Return the instructions of a folder below the root."""
    folder = instructions.path.rpartition("/")[0]
    heading = f"Instructions for work in {place(folder)}, from {place(instructions.path)}"
    return quoted_block(heading, instructions.text)


def offered_block(
    attachment: Attachment, path: str, text: str, lines: tuple[int, int] | None
) -> str:
    """Return what the editor offers; ``text`` is cut to what ``read`` would return."""
    match attachment["kind"]:
        case "file":
            heading = f"The file {place(path)}, open in the editor"
        case "selection":
            heading = f"Selected in the editor, in {place(path, lines)}"
        case "diagnostics":
            heading = f"Problems that the editor reports in {place(path, lines)}"
    language = "" if attachment["kind"] == "diagnostics" else path
    return quoted_block(heading, cut(text), path=language)
