"""The files as the user sees them: unsaved text in the editor goes before what is on disk."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from perdure.agent.host import Buffer, Host
from perdure.agent.text_changes import changes
from perdure.tools.files import DiskFiles, Files, FilesFor


def files_of(host: Host) -> FilesFor:
    """Return the access to files beside a host that may have some of them open."""

    async def files_for(path: Path) -> Files:
        buffer = await host.buffer(path)
        return DiskFiles() if buffer is None else BufferFiles(buffer, host)

    return files_for


@dataclass(frozen=True, slots=True)
class BufferFiles:
    """One unsaved document. The disk is neither read nor written."""

    buffer: Buffer
    host: Host

    @property
    def in_editor(self) -> bool:
        """See ``Files``."""
        return True

    def open(self, path: Path) -> BinaryIO:
        """See ``Files``."""
        return BytesIO(self.buffer.text.encode())

    async def replace(self, path: Path, content: bytes, *, tool_started_id: str) -> None:
        """Change the document where the content differs; raises ToolError when it cannot be.

        The version goes along, so that nothing is changed in a text that was not read.
        """
        wanted = await asyncio.to_thread(changes, self.buffer.text, content.decode())
        if wanted:
            await self.host.apply_edit(self.buffer, wanted, f"Perdure: {path.name}")
