"""Writes a file at once: whoever reads it sees the old bytes or the new ones, never a part."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path
from threading import get_ident

from ..context import Stamp, stamp_of

__all__ = ["write_whole"]


def write_whole(path: Path, data: bytes) -> Stamp:
    """Write a file; an older one stays as it was until all of the new one is on disk.

    A link is followed, and a file that is replaced passes on its permissions. Return what tells
    whether the file has changed since.
    """
    target = Path(os.path.realpath(path))
    mode = None
    with suppress(FileNotFoundError):
        mode = os.stat(target).st_mode
        if not stat.S_ISREG(mode):
            raise OSError(f"{target} is not a regular file")
    # a file that a killed process has left may be in the way, but no other one
    part = target.with_name(f".{target.name[:99]}.{os.getpid()}-{get_ident()}.part")
    try:
        with open(part, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            os.chmod(part, stat.S_IMODE(mode))
        stamp = stamp_of(os.fspath(part))
        os.replace(part, target)
    except BaseException:  # such as Ctrl-C
        part.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)
    return stamp


def _sync_folder(folder: Path) -> None:
    """Make the new name last through a power cut, where a system can."""
    with suppress(OSError):  # Windows opens no folders
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
