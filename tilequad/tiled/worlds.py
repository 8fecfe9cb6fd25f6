"""World files: several maps side by side."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tilequad.bounds import Bounds

from .errors import MapError
from .limits import Limits
from .load import load_map
from .model.tile_map import TileMap
from .read.context import LoadContext

__all__ = ["World", "WorldMap", "load_world"]

# A pattern of a world file is a regular expression of a stranger. Repeats of repeats, and many
# repeats in a row on a long name, take Python's engine longer than anyone waits.
_REPEATED_GROUP = re.compile(r"\)[*+{]")
_MOST_REPEATS = 5
_LONGEST_PATTERN = 200
_LONGEST_NAME = 64
_FARTHEST = float(1 << 53)  # beyond it a double no longer tells one pixel from the next

Place = tuple[Path, tuple[float, float, float, float]]  # a file, and x, y, width, height of it


@dataclass(frozen=True)
class WorldMap:
    """One map of a world.

    Attributes:
        path: The map's file.
        bounds: Where it lies, in the units and the direction of the world.
    """

    path: Path
    bounds: Bounds
    _options: dict[str, Any] = field(repr=False, compare=False)

    def load(self) -> TileMap:
        """Open the map with the options that the world was opened with.

        Its own coordinates begin at its own bottom-left corner; add those of `bounds`.

        Raises:
            MapError: As load_map.
        """
        return load_map(self.path, **self._options)


@dataclass(frozen=True)
class World:
    """Maps side by side, as a .world file has them.

    Attributes:
        path: The file.
        maps: The maps in the order of the file.
        adjacent_only: Whether Tiled is to show only the neighbours of a map.
    """

    path: Path
    maps: tuple[WorldMap, ...]
    adjacent_only: bool

    def map_at(self, x: float, y: float) -> WorldMap | None:
        """The first map whose box holds a point, edges counted in; None where there is none."""
        return next((entry for entry in self.maps if entry.bounds.contains(x, y)), None)


def load_world(
    path: str | os.PathLike[str],
    *,
    y_up: bool = True,
    strict: bool = False,
    root: str | os.PathLike[str] | None = None,
    limits: Limits | None = None,
) -> World:
    """Open a .world file; its maps are opened one by one when asked for.

    Args:
        path: A .world file of Tiled.
        y_up: The world's y points up: a map further down in Tiled has a lower y.
        strict: Passed on to load_map; refuses maps that are missing, too.
        root: Open files only below this folder.
        limits: Passed on to load_map.

    Returns:
        The places of the maps.

    Raises:
        MapError: The file cannot be read, is no world, or refers to where it may not.

    Example:
        >>> world = load_world("maps/land.world")  # doctest: +SKIP
        >>> world.map_at(100, 200).load()  # doctest: +SKIP
    """
    context = LoadContext(path, root, limits, strict)
    options = {"y_up": y_up, "strict": strict, "root": root, "limits": limits}
    try:
        content = json.loads(context.read(context.path))
    except (ValueError, RecursionError) as problem:
        raise context.error(f"is not JSON: {problem}") from None
    if not isinstance(content, dict) or content.get("type", "world") != "world":
        raise context.error("is not a world")
    try:
        places = [*_listed(content, context), *_matching(content, context)]
        adjacent = bool(content.get("onlyShowAdjacentMaps", False))
    except (AttributeError, KeyError, TypeError, ValueError) as problem:
        if isinstance(problem, MapError):
            raise
        raise context.error(f"is JSON, but no world as Tiled writes it: {problem!r}") from None
    maps = []
    for file, (x, y, width, height) in places:
        low = 0.0 - y - height if y_up else y
        bounds = Bounds(x, low, x + width, low + height)
        maps.append(WorldMap(file, bounds, options))
    return World(context.path, tuple(maps), adjacent)


def _listed(content: dict[str, Any], context: LoadContext) -> list[Place]:
    """The maps that a world names one by one."""
    places = []
    for entry in content.get("maps", ()):
        file = context.locate(str(entry["fileName"]), context.path.parent)
        if not file.is_file():
            context.warn("no such file", file)
        x, y, width, height = (_number(entry, key) for key in ("x", "y", "width", "height"))
        places.append((file, (x, y, width, height)))
    return places


def _matching(content: dict[str, Any], context: LoadContext) -> list[Place]:
    """The maps beside a world whose names match a pattern, which tells their place."""
    folder = context.path.parent
    places = []
    for entry in content.get("patterns", ()):
        pattern = _pattern(str(entry["regexp"]), context)
        across, down = _number(entry, "multiplierX", 1), _number(entry, "multiplierY", 1)
        width = _number(entry, "mapWidth", abs(across))
        height = _number(entry, "mapHeight", abs(down))
        for name in sorted(os.listdir(folder)):
            match = pattern.search(name) if len(name) <= _LONGEST_NAME else None
            if match is None or pattern.groups < 2:
                continue
            x = float(match[1]) * across + _number(entry, "offsetX")
            y = float(match[2]) * down + _number(entry, "offsetY")
            places.append((context.locate(name, folder), (x, y, width, height)))
    return places


def _pattern(text: str, context: LoadContext) -> re.Pattern[str]:
    repeats = len(re.findall(r"[*+]|\{\d*,", text))
    if len(text) > _LONGEST_PATTERN or repeats > _MOST_REPEATS or _REPEATED_GROUP.search(text):
        raise context.error(f"the pattern {text[:40]!r} may take too long to match")
    try:
        return re.compile(text)
    except re.error as problem:
        raise context.error(f"the pattern {text[:40]!r} is none: {problem}") from None


def _number(entry: dict[str, Any], key: str, default: float = 0) -> float:
    value = float(entry.get(key, default))
    if not abs(value) < _FARTHEST:
        raise ValueError(f"{key} is {value}")
    return value
