"""`load_world`: several maps side by side, as listed in a .world file."""

from __future__ import annotations

import json
import os
import re
import time
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tilequad._optional import needs
from tilequad.bounds import Bounds

from .context import LoadContext
from .errors import MapError
from .limits import Limits
from .load import load_map
from .model.tile_map import TileMap
from .read.attributes import boolean
from .read.documents import read_outermost
from .read.tile_map import read_grid
from .read.unreadable import why_unreadable

__all__ = ["World", "WorldMap", "load_world"]

# The patterns of a world file are regular expressions that may come from strangers. A time limit
# stops those that backtrack too much; counted and nested repeats would take memory as well.
_REPEATED_GROUP = re.compile(r"\)[*+{]")
_LONGEST_PATTERN = 200
_LONGEST_NAME = 64
_MOST_PATTERNS = 256  # of one world; to compile one takes up to a few milliseconds
_SECONDS = 1.0  # for all patterns of a world together
_FARTHEST = float(1 << 53)  # a double is exact up to here

Place = tuple[Path, tuple[float, float, float, float]]  # a file, and its x, y, width, height


@dataclass(frozen=True)
class WorldMap:
    """One map of a world, not opened yet.

    Attributes:
        path: The map's file.
        bounds: Its box in the world.
    """

    path: Path
    bounds: Bounds
    _options: dict[str, Any] = field(repr=False, compare=False)

    def load(self) -> TileMap:
        """Open the map with the options that the world was opened with.

        The map's coordinates begin at its own bottom-left corner; add `bounds.min_x` and
        `bounds.min_y` to get coordinates of the world.

        Raises:
            MapError: As for `load_map`.
        """
        return load_map(self.path, **self._options)


@dataclass(frozen=True)
class World:
    """Maps side by side.

    See https://doc.mapeditor.org/en/stable/manual/worlds/.

    Attributes:
        path: The .world file.
        maps: The maps in the order of the file.
        adjacent_only: Whether Tiled shows only the neighbors of the current map.
    """

    path: Path
    maps: tuple[WorldMap, ...]
    adjacent_only: bool

    def map_at(self, x: float, y: float) -> WorldMap | None:
        """Return the first map whose closed box contains a point, or None.

        Args:
            x: The point, in world units.
            y: The point.
        """
        return next((entry for entry in self.maps if entry.bounds.contains(x, y)), None)


def load_world(
    path: str | os.PathLike[str],
    *,
    y_up: bool = True,
    strict: bool = False,
    root: str | os.PathLike[str] | None = None,
    limits: Limits | None = None,
    types: str | os.PathLike[str] | None = None,
) -> World:
    """Open a .world file; each map opens when you call its `load`.

    Args:
        path: A .world file of Tiled.
        y_up: The world's y points up, so a map farther down in Tiled has a lower y.
        strict: Passed on to `load_map`; a missing or broken map is then an error as well.
        root: Open files only below this folder.
        limits: Passed on to `load_map`.
        types: Passed on to `load_map`.

    Returns:
        The maps and their boxes. Each map is opened to read its size, because it may have changed
        since the world was saved; a world file says only where its upper left corner is.

    Raises:
        MapError: The file cannot be read, is not a world, refers to forbidden files, or exceeds the
            limits.
        ModuleNotFoundError: The world has patterns, and regex is not installed.

    Example:
        >>> world = load_world("maps/land.world")  # doctest: +SKIP
        >>> world.map_at(100, 200).load()  # doctest: +SKIP
    """
    context = LoadContext(path, root, limits, strict)
    options = {"y_up": y_up, "strict": strict, "root": root, "limits": limits, "types": types}
    data = context.read(context.path)
    context.take("elements", sum(map(data.count, (b"{", b"[", b","))))  # at least the values
    try:
        content = json.loads(data)
    except (ValueError, RecursionError) as problem:
        raise context.error(why_unreadable(data, problem, "JSON")) from None
    if not isinstance(content, dict) or content.get("type", "world") != "world":
        raise context.error("is not a world")
    try:
        places = [*_listed(content, context), *_matching(content, context)]
        adjacent = bool(content.get("onlyShowAdjacentMaps", False))
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as problem:
        if isinstance(problem, MapError):
            raise
        raise context.error(f"is JSON, but not a world of Tiled: {problem!r}") from None
    maps = []
    sizes: dict[Path, tuple[float, float] | None] = {}
    for file, (x, y, *said) in places:
        if file not in sizes:
            sizes[file] = _size_of_map(file, min(said) > 0, context)
        width, height = sizes[file] or said
        low = 0.0 - y - height if y_up else y
        bounds = Bounds(x, low, x + width, low + height)
        maps.append(WorldMap(file, bounds, options))
    return World(context.path, tuple(maps), adjacent)


def _listed(content: dict[str, Any], context: LoadContext) -> list[Place]:
    places = []
    entries = content.get("maps", ())
    context.take("maps", len(entries))
    for entry in entries:
        file = context.locate(str(entry["fileName"]), context.path.parent)
        size = (_number(entry, "width"), _number(entry, "height"))
        places.append((file, (_number(entry, "x"), _number(entry, "y"), *size)))
    return places


def _size_of_map(file: Path, is_known: bool, context: LoadContext) -> tuple[float, float] | None:
    """Return the width and height of a map in pixels; None if it is unreadable.

    None also for an infinite map whose size `is_known`: that of all its chunks.
    """
    try:
        tree = read_outermost(file, "map", context)
        grid = read_grid(tree, context)
    except MapError as problem:
        context.warn(problem.reason, file)
        return None
    if is_known and boolean(tree, "infinite", False):
        return None
    left, top, right, bottom = grid.box(range(grid.columns), range(grid.rows))
    return right - left, bottom - top


def _matching(content: dict[str, Any], context: LoadContext) -> list[Place]:
    """Return the maps next to a world file that match a pattern; its two groups give x and y."""
    folder = context.path.parent
    deadline = time.monotonic() + _SECONDS
    files: dict[str, Path] = {}
    places = []
    entries = content.get("patterns", ())
    if len(entries) > _MOST_PATTERNS:
        raise context.error(f"has more than the limit of {_MOST_PATTERNS} patterns")
    names = sorted(os.listdir(folder)) if entries else []
    for entry in entries:
        context.take("elements", len(names))
        text = str(entry["regexp"])
        pattern = _compiled(text, context)
        across, down = _number(entry, "multiplierX", 1), _number(entry, "multiplierY", 1)
        width = _number(entry, "mapWidth", abs(across))
        height = _number(entry, "mapHeight", abs(down))
        left, top = _number(entry, "offsetX"), _number(entry, "offsetY")
        for name in names:
            try:
                seconds = max(deadline - time.monotonic(), 0.001)
                match = pattern.search(name[:_LONGEST_NAME], timeout=seconds)
            except TimeoutError:
                raise _too_long(text, context) from None
            if match is None or pattern.groups < 2 or len(name) > _LONGEST_NAME:
                continue
            context.take("maps", 1)
            x, y = float(match[1]) * across + left, float(match[2]) * down + top
            if name not in files:
                files[name] = context.locate(name, folder)
            places.append((files[name], (x, y, width, height)))
    return places


def _compiled(text: str, context: LoadContext) -> Any:
    if len(text) > _LONGEST_PATTERN or _REPEATED_GROUP.search(text):
        raise _too_long(text, context)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it warns of sets such as [[:alpha:]]
            re.compile(text)  # regex supports more than Python's own module, such as recursion
    except (re.error, OverflowError, RecursionError) as problem:
        raise _invalid(text, problem, context) from None
    with needs("regex", "a world with patterns"):
        import regex  # type: ignore[import-untyped]
    try:
        return regex.compile(text)
    except regex.error as problem:
        raise _invalid(text, problem, context) from None


def _invalid(text: str, problem: Exception, context: LoadContext) -> MapError:
    return context.error(f"the pattern {text[:40]!r} is invalid: {problem}")


def _too_long(text: str, context: LoadContext) -> MapError:
    return context.error(f"the pattern {text[:40]!r} may take too long to match")


def _number(entry: dict[str, Any], key: str, default: float = 0) -> float:
    value = float(entry.get(key, default))
    if not abs(value) < _FARTHEST:
        raise ValueError(f"{key} is {value}")
    return value
