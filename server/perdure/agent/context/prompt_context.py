"""What goes with a prompt into its user entry: attachments, mentions, nested instructions.

Attachments are as they were when the prompt was sent; what is mentioned is read when its run
starts. Nothing fails for what is missing: it is left out, and the user is told.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from perdure.agent.context.attached import attached
from perdure.agent.context.blocks import NO_IMAGES, found_block, instructions_block
from perdure.agent.context.gathering import MAX_LOOKED_AT, Gathering
from perdure.agent.context.instructions import nested_instructions
from perdure.agent.context.mentions import Mention, mentions
from perdure.agent.context.reading import Reader
from perdure.core.messages import Message
from perdure.core.user_content import with_context
from perdure.errors import CommandError, ToolError
from perdure.protocol.editor import Attachment
from perdure.tools.files import FilesFor


class PromptContext:
    """Gathers for one workspace folder; ``root`` is canonical.

    ``tell`` takes what the user must know. ``clean`` is applied to everything that is quoted: it
    takes out what no session may hold. ``instructed``: whether instructions may be read now.
    ``directories``: the real paths of folders beyond the workspace that may be read now.
    """

    def __init__(
        self,
        *,
        root: Path,
        files_for: FilesFor,
        tell: Callable[[str], None],
        clean: Callable[[str], str],
        instructed: Callable[[], bool] = lambda: True,
        directories: Callable[[], Sequence[Path]] = tuple,
    ) -> None:
        self._root = root
        self._instructed = instructed
        self._reader = Reader(root, files_for, directories)
        self._tell = tell
        self._clean = clean

    async def attached(
        self, attachments: Sequence[Attachment], shown: Sequence[Message]
    ) -> tuple[str, ...]:
        """Return what the editor offers as blocks, behind the instructions that hold for it.

        ``shown`` is what the model sees already. Raises ``CommandError`` ``invalid_params`` for an
        attachment without what its kind needs.
        """
        if len(attachments) > MAX_LOOKED_AT:
            raise CommandError(f"arguments[0].attachments are more than {MAX_LOOKED_AT}.")
        gathering = Gathering(self._clean)
        for number, attachment in enumerate(attachments):
            where = f"arguments[0].attachments[{number}]"
            found = await attached(attachment, self._reader, where=where)
            gathering.take(found.path, found.block, folder=found.folder, problem=found.problem)
        return await self._finished(gathering, shown, before=())

    async def composed(self, text: str, blocks: Sequence[str], shown: Sequence[Message]) -> str:
        """Return the content of the user entry: ``text``, ``blocks`` and what ``text`` mentions."""
        gathering = Gathering(self._clean, used=blocks)
        mentioned = [*dict.fromkeys(mentions(text))]
        for mention in mentioned[:MAX_LOOKED_AT]:
            await self._mentioned(mention, gathering)
        if len(mentioned) > MAX_LOOKED_AT:
            gathering.say(f"Only the first {MAX_LOOKED_AT} of {len(mentioned)} mentions are read.")
        return with_context(text, await self._finished(gathering, shown, before=blocks))

    async def _mentioned(self, mention: Mention, gathering: Gathering) -> None:
        """Take the first that is there of what a mention may mean."""
        reason = "there is no such file"
        for target in mention.targets:
            try:
                found = await self._reader.find(target)
            except ToolError as error:
                reason = str(error).removesuffix(".")
                continue
            if found is not None:
                problem = NO_IMAGES if found.kind == "image" else ""
                block = found_block(found, target.lines)
                gathering.take(found.path, block, folder=found.folder, problem=problem)
                return
        if mention.looks_like_a_path:
            gathering.say(f"@{mention.spelled} stays as it is typed: {reason}.")

    async def _finished(
        self, gathering: Gathering, shown: Sequence[Message], *, before: Sequence[str]
    ) -> tuple[str, ...]:
        """Return ``before``, new instructions and the blocks; tell what was left out."""
        nested = await asyncio.to_thread(self._nested, gathering)
        known = (*before, *_user_texts(shown))
        new = [block for block in nested if not any(block in text for text in known)]
        if gathering.problems:
            self._tell(" ".join(gathering.problems))
        return (*before, *new, *gathering.blocks)

    def _nested(self, gathering: Gathering) -> list[str]:
        blocks: list[str] = []
        if not self._instructed():
            return blocks
        for instructions in nested_instructions(gathering.folders, root=self._root):
            block = self._clean(instructions_block(instructions))
            if gathering.fits(instructions.path, block):
                blocks.append(block)
        return blocks


def _user_texts(messages: Sequence[Message]) -> Iterator[str]:
    for message in messages:
        if message["role"] == "user":
            yield message["content"]
