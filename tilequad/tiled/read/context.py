"""One reading of one map: which files may be opened, and what was noticed on the way."""

from __future__ import annotations

import os
import re
from copy import copy
from pathlib import Path

from ..errors import MapError
from ..limits import Limits

__all__ = ["LoadContext"]

# A drive letter, a scheme such as http: or file:, or a path from the root: none of them is
# relative to the map, and a map of a stranger has no business with them.
_NOT_RELATIVE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|[/\\]")


class LoadContext:
    """The door between a map and the disk.

    Every path that a map names goes through `locate`, every file through `read`.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        root: str | os.PathLike[str] | None = None,
        limits: Limits | None = None,
        strict: bool = False,
    ) -> None:
        self.path = Path(path)
        self.root = None if root is None else Path(root).resolve()
        self.limits = limits or Limits()
        self.strict = strict
        self.warnings: list[str] = []
        self._warned_of: set[tuple[str, str, str]] = set()
        self._where = ""
        self._left = {"cells": self.limits.cells, "objects": self.limits.objects}

    def about(self, where: str, path: Path | None = None) -> LoadContext:
        """The same reading while it is about one layer or tileset, for what its errors say.

        Args:
            where: The layer or tileset, such as "layer 'ground'".
            path: The file that it stands in, if that is not the map's own.
        """
        part = copy(self)
        part._where = where
        part.path = path or self.path
        return part

    def error(self, reason: str, path: Path | None = None) -> MapError:
        """The error to raise: about the file being read, or about another it names."""
        return MapError(path or self.path, f"{self._where}: {reason}" if self._where else reason)

    def exact(self) -> LoadContext:
        """The same reading where warnings are errors: for what a map is nothing without."""
        part = copy(self)
        part.strict = True
        return part

    def warn(self, reason: str, path: Path | None = None, once: str | None = None) -> None:
        """Note what Tiled would only warn of; an error where the caller asked for strictness.

        Args:
            reason: What is wrong.
            path: The file, if it is not the one being read.
            once: The part of the reason of which one warning is enough for a layer or tileset;
                by default all of it.
        """
        problem = self.error(reason, path)
        if self.strict:
            raise problem
        # several tiles may name one missing image
        known = (problem.path, self._where, once or reason)
        if known not in self._warned_of:
            self._warned_of.add(known)
            self.warnings.append(str(problem))

    def note(self, reason: str) -> None:
        """Note what may surprise, but is no fault of a file."""
        self.warnings.append(str(self.error(reason)))

    def locate(self, reference: str, base: Path) -> Path:
        """The file that `reference` means, seen from the folder `base`.

        Raises:
            MapError: The reference is absolute, a URL, or leads out of the root.
        """
        if _NOT_RELATIVE.match(reference) or "\0" in reference:
            raise self.error(f"refers to {reference!r}, which is not relative to the map")
        path = Path(os.path.normpath(base / reference))
        if not _exists(path) and "\\" in reference:  # written by an old Tiled on Windows
            path = Path(os.path.normpath(base / reference.replace("\\", "/")))
        self.check_inside(path)
        return path

    def check_inside(self, path: Path) -> None:
        """Refuse a file outside the root, symbolic links followed.

        Raises:
            MapError: The file lies outside.
        """
        if self.root is None:
            return
        try:
            real = path.resolve()
            # A link that is left is one of a loop: Python 3.13 leaves them, older ones raise.
            inside = real.is_relative_to(self.root) and not _has_links(real)
        except (OSError, RuntimeError):
            inside = False
        if not inside:
            raise self.error(f"refers to {str(path)!r}, which is outside the root {self.root}")

    def read(self, path: Path) -> bytes:
        """The bytes of a map, tileset or template file.

        Raises:
            MapError: There is no such file, it cannot be read, or it is larger than the limit.
        """
        self.check_inside(path)
        limit = self.limits.file_bytes
        try:
            if not path.is_file():  # before opening it: to open a pipe would wait forever
                raise self.error("is a folder" if path.is_dir() else "no such file", path)
            with path.open("rb") as file:
                size = os.fstat(file.fileno()).st_size  # read(limit) would take that much memory
                data = file.read(min(size, limit) + 1)
        except OSError as problem:
            raise self.error(problem.strerror or str(problem), path) from None
        if len(data) > limit:
            raise self.error(f"is larger than the limit of {limit} bytes", path)
        return data

    def take_cells(self, count: int) -> None:
        """Count the cells of a layer before memory is taken for them.

        Raises:
            MapError: All layers together declare more cells than the limit.
        """
        self._left["cells"] -= count
        if self._left["cells"] < 0:
            limit = self.limits.cells
            raise self.error(f"{count} cells go beyond the limit of {limit} in one map")

    def take_objects(self, count: int) -> None:
        """Count the objects of a layer before they are read.

        Raises:
            MapError: All layers together hold more objects than the limit.
        """
        self._left["objects"] -= count
        if self._left["objects"] < 0:
            raise self.error(f"has more than the limit of {self.limits.objects} objects")


def _has_links(path: Path) -> bool:
    return any(part.is_symlink() for part in (path, *path.parents))


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a name too long for the file system
        return False
