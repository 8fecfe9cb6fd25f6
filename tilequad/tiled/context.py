"""One load of one map: the files it may open and their changes, its limits and its warnings."""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
from collections.abc import Hashable
from contextlib import suppress
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from tilequad._core.shown import shown

from .checks import path_of
from .errors import LimitError, MapError
from .limits import Limits

if TYPE_CHECKING:
    from PIL import Image

__all__ = ["FileWatch", "LoadContext", "Stamp", "is_absolute", "not_relative", "stamp_of"]

Stamp = tuple[int, int, int] | None  # None if there is no such file

# A drive letter, a scheme such as http: or file:, or a path from the root of the file system.
_NOT_RELATIVE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|[/\\]")

_SEPARATOR = re.compile(r"[/\\]" if os.sep == "\\" else "/")

# Each warning repeats the name of its layer or tileset, and there may be very many warnings.
_LONGEST_PART = 100

_LONGEST_REFERENCE = 4096  # characters; no system that we know opens a longer path
_MOST_FOLDERS = 1024  # how many folders' real paths are kept at a time

_COUNTED = (
    "cells", "elements", "image_pixels", "layers", "maps", "objects", "templates", "tilesets",
)  # fmt: skip
_TOO_MANY = {  # how an error says that they are too many, if not as of the others
    "cells": "{count} cells go beyond the limit of {limit} in one map",
    "templates": "uses more than the limit of {limit} templates",
    "image_pixels": "the images of the map are larger than the limit of {limit} pixels together",
}

# Windows lacks O_NONBLOCK; without it, opening a pipe would wait for a writer.
_OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class LoadContext:
    """Opens the files that a map names, images when first drawn, and collects warnings."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        root: str | os.PathLike[str] | None = None,
        limits: Limits | None = None,
        strict: bool = False,
    ) -> None:
        self.path = path_of(path, "path")  #: of the map, or a tileset or template of it
        self.root = None if root is None else path_of(root, "root").resolve()
        if limits is not None and not isinstance(limits, Limits):
            raise TypeError(f"limits must be Limits or None, got {shown(limits)}")
        self.limits = limits or Limits()
        self.strict = strict  #: whether warnings are errors
        self.warnings: list[str] = []
        self.enums: dict[str, type[Enum]] = {}
        #: the pixels of the images that were drawn, or why they could not be
        self.images: dict[Hashable, Image.Image | MapError] = {}
        #: of the images that were opened; None if opening failed
        self.image_sizes: dict[Hashable, tuple[int, int] | None] = {}
        #: what tells whether a file that was opened has changed since, by path
        self.stamps: dict[str, Stamp] = {}
        self.documents: set[str] = set()  #: the maps, tilesets and templates that were read
        self._warned_of: set[tuple[str, str, str]] = set()
        self._real_folders: dict[str, str] = {}
        self._part = ""
        self._left = {name: getattr(self.limits, name) for name in _COUNTED}

    def about(self, part: str, path: Path | None = None) -> LoadContext:
        """Return a copy whose errors name one layer or tileset, and its file if it has its own."""
        context = self._twin()
        context._part = part if len(part) < _LONGEST_PART else f"{part[:_LONGEST_PART]}..."
        context.path = path or self.path
        return context

    def anew(self) -> LoadContext:
        """Return a context for files that are read once more, to save them: it counts from zero."""
        context = LoadContext(self.path, self.root, self.limits)
        context.enums = self.enums
        return context

    def strictly(self) -> LoadContext:
        """Return a copy that raises its warnings as errors, for attributes that a map must have."""
        context = self._twin()
        context.strict = True
        return context

    def _twin(self) -> LoadContext:
        """Return a copy of the context. `copy.copy` would take as long as reading a layer."""
        context = LoadContext.__new__(LoadContext)
        vars(context).update(vars(self))
        return context

    def error(self, reason: str, path: Path | None = None) -> MapError:
        """Return the error to raise, about the file being read or another one."""
        return MapError(path or self.path, self._named(reason))

    def warn(self, reason: str, path: Path | None = None, once: str | None = None) -> None:
        """Warn of a problem that Tiled itself only warns of; an error if the load is strict.

        Reasons that are equal, or have the same `once`, give one warning per layer or tileset.
        """
        self._warn(self.error(reason, path), once or reason)

    def _warn(self, problem: MapError, reason: str) -> None:
        if self.strict:
            raise problem
        known = (problem.path, self._part, reason)
        if known not in self._warned_of:
            self._warned_of.add(known)
            self.warnings.append(str(problem))

    def note(self, reason: str) -> None:
        """Add a warning that stays a warning even if the load is strict."""
        self.warnings.append(str(self.error(reason)))

    def locate(self, reference: str, base: Path) -> Path:
        """Return the path of a file that a map refers to, relative to the folder `base`.

        Absolute paths, URLs, and paths that are too long or lead out of the root are refused.
        """
        if len(reference) > _LONGEST_REFERENCE:
            raise self.error(
                f"refers to a path of {len(reference)} characters, which is longer than the limit "
                f"of {_LONGEST_REFERENCE}"
            )
        if _NOT_RELATIVE.match(reference) or "\0" in reference:
            raise self.error(not_relative(reference))
        if not reference.isascii() and any("\ud800" <= letter <= "\udfff" for letter in reference):
            raise self.error(f"refers to {reference[:99]!r}, which is not a file name")
        path = _joined(base, reference)
        if "\\" in reference and not os.path.exists(path):  # as old versions on Windows wrote
            path = _joined(base, reference.replace("\\", "/"))
        self.check_inside(path)
        return path

    def find(self, reference: str, base: Path) -> Path | None:
        """Do as `locate` does, but only warn of an absolute path or a URL, as Tiled does."""
        if _NOT_RELATIVE.match(reference):
            self.warn(not_relative(reference))
            return None
        return self.locate(reference, base)

    def refer(self, reference: str) -> Path | None:
        """Return the path of a file that a property names; None, with a warning, if refused."""
        try:
            return self.locate(reference, self.path.parent)
        except MapError as problem:
            self._warn(problem, reference)
            return None

    def check_inside(self, path: Path) -> None:
        """Refuse a file outside the root; symbolic links are followed."""
        if self.root is None:
            return
        try:
            real = self._real(path)
            # as text first, because a Path takes four times as long
            inside = real.startswith(f"{self.root}{os.sep}") or Path(real).is_relative_to(self.root)
        except (OSError, RuntimeError, ValueError):
            inside = False
        if not inside:
            raise self._outside(path)

    def _real(self, path: Path) -> str:
        """Return a path with all links followed. A map may name very many files of few folders."""
        folder, name = os.path.split(path)
        if name in ("", os.curdir, os.pardir):
            return _followed(os.fspath(path))
        known = self._real_folders.get(folder)
        if known is None:
            if len(self._real_folders) >= _MOST_FOLDERS:
                self._real_folders.clear()
            known = self._real_folders[folder] = _followed(folder)
        real = os.path.join(known, name)
        return _followed(real) if os.path.islink(real) else real

    def open(self, path: Path) -> BinaryIO:
        """Open a regular file inside the root for reading.

        A link may change between a check and the opening, so the file is checked once it is open.
        """
        self.check_inside(path)
        self.stamps[os.fspath(path)] = None
        try:
            descriptor = os.open(path, _OPEN_FLAGS)
        except (OSError, ValueError) as problem:
            raise self.error(_reason(problem, path), path) from None
        try:
            status = os.fstat(descriptor)
            self.stamps[os.fspath(path)] = _stamp(status)
            mode = status.st_mode
            if not stat.S_ISREG(mode):
                reason = "is a folder" if stat.S_ISDIR(mode) else "is not a regular file"
                raise self.error(reason, path)
            if self.root and not _opened_path(descriptor, path).is_relative_to(self.root):
                raise self._outside(path)
            return os.fdopen(descriptor, "rb")
        except BaseException:
            os.close(descriptor)
            raise

    def read(self, path: Path) -> bytes:
        """Return the bytes of a map, tileset or template file."""
        limit = self.limits.file_bytes
        self.documents.add(os.fspath(path))
        with self.open(path) as file:
            size = os.fstat(file.fileno()).st_size  # read(limit) would allocate all of the limit
            try:
                data = file.read(min(size, limit) + 1)
            except OSError as problem:
                raise self.error(_reason(problem, path), path) from None
        self.check_size(data, path)
        return data

    def check_size(self, data: bytes, path: Path | None = None) -> None:
        """Refuse a map, tileset or template file that is too large."""
        if len(data) > self.limits.file_bytes:
            limit = self.limits.file_bytes
            raise self.error(f"is larger than the limit of {limit} bytes", path)

    def take_cells(self, columns: int, rows: int) -> None:
        """Count the cells of a layer or chunk, as `take` does.

        Tiles take memory in blocks of 8 x 8 cells, so the cells of a narrow layer count for more.
        """
        blocks = -(-columns // 8) * -(-rows // 8)
        self.take("cells", max(columns * rows, (blocks - 1) * 32))

    def take(self, what: str, count: int, path: Path | None = None) -> None:
        """Count what `Limits` cap in all files of a map together, before memory is allocated."""
        if count > self._left[what]:
            limit = getattr(self.limits, what)
            reason = _TOO_MANY.get(what, "has more than the limit of {limit} {what}")
            text = reason.format(limit=limit, what=what, count=count)
            raise LimitError(path or self.path, self._named(text))
        self._left[what] -= count

    def _named(self, reason: str) -> str:
        return f"{self._part}: {reason}" if self._part else reason

    def _outside(self, path: Path) -> MapError:
        return self.error(f"refers to {str(path)!r}, which is outside the root {self.root}")


def stamp_of(path: str) -> Stamp:
    """Return what tells whether a file has changed: by its clock, its size, its number on disk."""
    try:
        return _stamp(os.stat(path))
    except (OSError, ValueError):
        return None


def _stamp(status: os.stat_result) -> Stamp:
    return status.st_mtime_ns, status.st_size, status.st_ino


def is_absolute(reference: str) -> bool:
    """Whether a reference is a URL or, on any system, an absolute path."""
    return _NOT_RELATIVE.match(reference) is not None


def not_relative(reference: str) -> str:
    """Return the reason why a file named by an absolute path or a URL is not opened."""
    return f"refers to {reference[:99]!r}, which is not relative to the map"


def _opened_path(descriptor: int, path: Path) -> Path:
    """Return the real path of an open file, even if links on the way to it have changed."""
    with suppress(OSError):  # /proc may not be mounted
        return Path(os.readlink(f"/proc/self/fd/{descriptor}"))
    if sys.platform == "darwin":
        import fcntl

        found = fcntl.fcntl(descriptor, fcntl.F_GETPATH, bytes(1024))
        return Path(os.fsdecode(found.rstrip(b"\0")))
    real = path.resolve()
    return real if os.path.samestat(os.fstat(descriptor), os.stat(real)) else Path()


def _reason(problem: Exception, path: Path) -> str:
    if not isinstance(problem, OSError):
        return "is not a file name"
    if isinstance(problem, FileNotFoundError | NotADirectoryError):
        return "no such file"
    if isinstance(problem, PermissionError) and path.is_dir():  # as Windows calls it
        return "is a folder"
    if problem.errno == errno.ELOOP:
        return "is a link that leads back to itself"
    return problem.strerror or str(problem)


def _followed(path: str) -> str:
    """Return a path with all links followed, in linear time even if most of it does not exist."""
    whole = os.path.join(os.getcwd(), path)
    end = len(whole)
    if not os.path.lexists(whole):  # nothing below the first missing folder can be a link
        drive, _ = os.path.splitdrive(whole)
        steps = (match.start() for match in _SEPARATOR.finditer(whole, len(drive) + 1))
        end = next((at for at in steps if not os.path.lexists(whole[:at])), end)
    real = Path(whole[:end]).resolve()
    # Python 3.13 resolves a loop of links to one of the links; older versions raise.
    if any(part.is_symlink() for part in (real, *real.parents)):
        raise OSError(errno.ELOOP, "links lead back to themselves", path)
    return os.path.normpath(f"{real}{whole[end:]}")


def _joined(base: Path, reference: str) -> Path:
    # Work on text: a Path object for each step would take twice as long.
    return Path(os.path.normpath(os.path.join(base, reference)))


class FileWatch:
    """Watches the files that a map was read from.

    Documents are looked at each time, and one of the other files. Images are added when opened.
    """

    def __init__(self, stamps: dict[str, Stamp], documents: set[str]) -> None:
        self.stamps = stamps  #: what tells whether a file has changed since it was opened, by path
        self.documents = documents  #: map, tilesets, templates
        self.seen: dict[str, Stamp] = {}  #: of files that have changed, but could not be read
        self.told: object = None  #: what was said of them
        self._turn: list[str] = []

    def has_changed(self) -> bool:
        """Return whether a file was written or removed since it was read."""
        if any(self._differs(path) for path in self.documents):
            return True
        if not self._turn:
            self._turn = [path for path in self.stamps if path not in self.documents]
        return bool(self._turn) and self._differs(self._turn.pop())

    def changed(self) -> dict[str, Stamp]:
        """Return the files that have changed since they were read, each with what it is now."""
        now = {path: stamp_of(path) for path in self.stamps}
        return {path: stamp for path, stamp in now.items() if stamp != self.stamps[path]}

    def _differs(self, path: str) -> bool:
        now = stamp_of(path)
        return now != self.stamps.get(path) and (path not in self.seen or now != self.seen[path])
