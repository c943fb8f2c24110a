"""What a disk may hold after a power cut.

``RecordingDisk`` is the real file system, and remembers every version of every file since its
last sync. A power cut leaves, of each file, one of the sizes it had since then, and in each
sector any of the versions that it had since then; a sector that was never written is blank. A
name that was not synced with its directory may be missing.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from perdure.store._fs import SystemFiles

SECTOR = 512

Versions: TypeAlias = tuple[bytes, ...]


@dataclass(frozen=True)
class File:
    """``versions`` since the last sync, that one first; ``named`` is whether the name is synced."""

    versions: Versions = (b"",)
    named: bool = False


Moment: TypeAlias = dict[str, File]


@dataclass
class RecordingDisk(SystemFiles):
    """Real files; ``moments`` are what could be lost after each change."""

    now: Moment = field(default_factory=dict)
    moments: list[Moment] = field(default_factory=list)
    _names: dict[int, str] = field(default_factory=dict)

    @classmethod
    def holding(cls, directory: Path) -> RecordingDisk:
        """Return a disk on which the files of ``directory`` are durable."""
        return cls({path.name: File((path.read_bytes(),), True) for path in directory.iterdir()})

    def open(self, path: Path) -> int:
        fd = super().open(path)
        self._names[fd] = path.name
        return fd

    def create(self, path: Path) -> int:
        fd = super().create(path)
        self._names[fd] = path.name
        self._change(path.name, File())
        return fd

    def write(self, fd: int, data: bytes | memoryview) -> int:
        written = super().write(fd, data)
        self._add_version(fd, self._file(fd).versions[-1] + bytes(data[:written]))
        return written

    def truncate(self, fd: int, length: int) -> None:
        super().truncate(fd, length)
        self._add_version(fd, self._file(fd).versions[-1][:length])

    def sync(self, fd: int) -> None:
        file = self._file(fd)
        self._change(self._names[fd], File(file.versions[-1:], file.named))

    def sync_directory(self, path: Path) -> None:
        for name, file in list(self.now.items()):
            if (path / name).exists():
                self._change(name, File(file.versions, named=True))

    def _file(self, fd: int) -> File:
        return self.now[self._names[fd]]

    def _add_version(self, fd: int, content: bytes) -> None:
        file = self._file(fd)
        self._change(self._names[fd], File((*file.versions, content), file.named))

    def _change(self, name: str, file: File) -> None:
        self.now = {**self.now, name: file}
        self.moments.append(self.now)


def after_power_cut(moment: Moment, dice: random.Random) -> dict[str, bytes]:
    """Return the files that one power cut at this moment leaves."""
    left = {}
    for name, file in moment.items():
        if file.named or dice.random() < 0.5:
            left[name] = _content(file.versions, dice)
    return left


def _content(versions: Versions, dice: random.Random) -> bytes:
    """Draw a size, and for each sector a version; mostly new or mostly old is likely too."""
    size = len(dice.choice(versions))
    newest = dice.choice((0.1, 0.5, 0.9))
    sectors = []
    for start in range(0, size, SECTOR):
        version = versions[-1] if dice.random() < newest else dice.choice(versions)
        sectors.append(version[start : start + SECTOR].ljust(SECTOR, b"\0"))
    return b"".join(sectors)[:size]
