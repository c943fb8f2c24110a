"""A real file system on a loop device whose power can be cut. Needs root and ext4."""

from __future__ import annotations

import fcntl
import os
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from perdure.store._fs import SystemFiles

_SHUTDOWN = 0x8004587D  # EXT4_IOC_SHUTDOWN
_NO_LOG_FLUSH = struct.pack("I", 2)
MIB = 1 << 20


class Image:
    """A mounted ext4 file system; ``root`` is where."""

    def __init__(self, image: Path, root: Path, options: str) -> None:
        self.root = root
        self._image = image
        self._options = f"loop,{options}"

    def mount(self) -> None:
        """Mount; the journal is replayed as after a power cut."""
        _run("mount", "-o", self._options, str(self._image), str(self.root))

    def unmount(self) -> None:
        """Unmount."""
        _run("umount", str(self.root))

    def cut_power(self) -> None:
        """Let nothing reach the disk any more, not even what the journal holds in memory."""
        fd = os.open(self.root, os.O_RDONLY)
        try:
            fcntl.ioctl(fd, _SHUTDOWN, _NO_LOG_FLUSH)
        finally:
            os.close(fd)

    def restart(self) -> None:
        """Come back after a power cut."""
        self.unmount()
        self.mount()


class Fuse(SystemFiles):
    """Real files; the power goes in place of the ``nth`` change, which then fails."""

    def __init__(self, image: Image, nth: int) -> None:
        self.image = image
        self.rest = nth

    def write(self, fd: int, data: bytes | memoryview) -> int:
        self._burn()
        return super().write(fd, data)

    def sync(self, fd: int) -> None:
        self._burn()
        super().sync(fd)

    def sync_directory(self, path: Path) -> None:
        self._burn()
        super().sync_directory(path)

    def truncate(self, fd: int, length: int) -> None:
        self._burn()
        super().truncate(fd, length)

    def create(self, path: Path) -> int:
        self._burn()
        return super().create(path)

    def _burn(self) -> None:
        self.rest -= 1
        if self.rest == 0:
            self.image.cut_power()


@contextmanager
def ext4(directory: Path, *, size: int = 16 * MIB, options: str = "defaults") -> Iterator[Image]:
    """Make and mount an image; skips the test where that cannot be done."""
    image, root = directory / "image", directory / "mounted"
    root.mkdir()
    with image.open("wb") as file:
        file.truncate(size)
    mounted = Image(image, root, options)
    try:
        _run("mkfs.ext4", "-q", "-F", "-m", "0", str(image))
        mounted.mount()
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"an ext4 image needs root, mkfs.ext4 and loop devices: {error}")
    try:
        yield mounted
    finally:
        with suppress(subprocess.CalledProcessError):
            mounted.unmount()
        image.unlink()


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)
