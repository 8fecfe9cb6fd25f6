"""The tilesets of the maps as Tiled's XML, from the same lists as the art."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from art import buildings, people, terrain, trees
from PIL import Image

HERE = Path(__file__).resolve().parent
TILE = 32  # width and height of a tile in pixels
FORMAT = {"version": "1.8", "tiledversion": "1.8.2"}

#: Local id of each tile, by name.
TERRAIN_ID = {name: number for number, name in enumerate(terrain.TILES)}
TREE_ID = {name: ("trees_tall", number) for number, name in enumerate(trees.TALL_TREES)} | {
    name: ("trees_small", number) for number, name in enumerate(trees.SMALL_TREES)
}
BUILDING_ID = {name: number for number, name in enumerate(buildings.BUILDINGS)}
#: The color of each ground in Tiled's list of terrains.
BRUSH_COLORS = {
    "meadow": "#94ba54",
    "moss": "#62923f",
    "water": "#4898bc",
    "deep": "#347aa8",
    "dirt": "#c8a472",
    "cobble": "#b6aea0",
}


def tilesets() -> dict[str, ET.Element]:
    """Return all tilesets by file name, in the order in which the map uses them."""
    return {
        "terrain.tsx": _terrain_tileset(),
        "trees_tall.tsx": _tree_tileset("trees_tall", trees.TALL, list(trees.TALL_TREES), 80),
        "trees_small.tsx": _tree_tileset("trees_small", trees.SMALL, list(trees.SMALL_TREES), 40),
        "buildings.tsx": _building_tileset(),
        "people.tsx": _sheet(
            "people", (people.SIZE, people.SIZE), people.COLUMNS, list(people.FIGURES)
        ),
        "effects.tsx": _sheet(
            "effects",
            (people.EFFECT_SIZE, people.EFFECT_SIZE),
            people.COLUMNS,
            list(people.EFFECTS),
        ),
    }


def _sheet(name: str, size: tuple[int, int], columns: int, names: Sequence[str]) -> ET.Element:
    """Return a tileset cut from one picture; the class of each tile is its name."""
    width, height = size
    rows = -(-len(names) // columns)
    root = ET.Element(
        "tileset",
        FORMAT,
        name=name,
        tilewidth=str(width),
        tileheight=str(height),
        tilecount=str(rows * columns),  # Tiled also counts the empty cells at the end
        columns=str(columns),
    )
    ET.SubElement(
        root,
        "image",
        source=f"{name}.png",
        width=str(columns * width),
        height=str(rows * height),
    )
    for number, class_name in enumerate(names):
        ET.SubElement(root, "tile", id=str(number), type=class_name)
    return root


def _terrain_tileset() -> ET.Element:
    """Return the ground tileset, with solid water and the terrain sets of Tiled's brush."""
    classes = [name.split("_")[0] if name[-1].isdigit() else name for name in TERRAIN_ID]
    root = _sheet("terrain", (TILE, TILE), terrain.COLUMNS, classes)
    for tile, name in zip(root.findall("tile"), TERRAIN_ID, strict=True):
        ground, _, case = name.partition("_")
        if ground == "deep" or (ground == "water" and int(case.split("_")[0]).bit_count() >= 3):
            properties(tile, solid=True)
    for version in (1, 2):
        frames = [f"water_15_{version}", *(f"ripples_{version}_{phase}" for phase in (1, 2, 3))]
        tile = root.findall("tile")[TERRAIN_ID[frames[0]]]
        _animation(tile, [TERRAIN_ID[name] for name in frames], 420)
    sets = ET.SubElement(root, "wangsets")
    for ground in terrain.CORNER_SETS:
        sets.append(_terrain_set(ground))
    return root


def _terrain_set(ground: str) -> ET.Element:
    """Return the terrain set of one ground for Tiled's terrain brush."""
    root = ET.Element("wangset", name=ground, type="corner", tile="-1")
    ET.SubElement(
        root,
        "wangcolor",
        name=ground,
        color=BRUSH_COLORS[ground],
        tile=str(TERRAIN_ID[f"{ground}_15_0"]),
        probability="1",
    )
    for case in range(1, 16):
        versions = (terrain.WHOLE if case == 15 else terrain.CORNER_SETS)[ground]
        # Tiled lists edges and corners alternately, clockwise from the top edge.
        corners = [case >> bit & 1 for bit in (1, 2, 3, 0)]
        for version in range(versions):
            ET.SubElement(
                root,
                "wangtile",
                tileid=str(TERRAIN_ID[f"{ground}_{case}_{version}"]),
                wangid=",".join(f"0,{corner}" for corner in corners),
            )
    return root


def _tree_tileset(name: str, size: tuple[int, int], names: Sequence[str], wood: int) -> ET.Element:
    """Return a tree tileset, centered on the cell, with properties for wood and stump."""
    root = _sheet(name, size, trees.COLUMNS, names)
    if size[0] != TILE:
        offset = ET.Element("tileoffset", x=str((TILE - size[0]) // 2), y="0")
        root.insert(0, offset)
    for tile, tree in zip(root.findall("tile"), names, strict=True):
        if "stump" not in tree:
            stump = TREE_ID[trees.STUMPS[tree]][1]
            properties(tile, resource="wood", amount=wood, stump=stump)
    return root


def _building_tileset() -> ET.Element:
    """Return the building tileset, an image collection: one picture per building."""
    drawn = {name: building_size(name) for name in buildings.BUILDINGS}
    root = ET.Element(
        "tileset",
        FORMAT,
        name="buildings",
        tilewidth=str(max(width for width, _ in drawn.values())),
        tileheight=str(max(height for _, height in drawn.values())),
        tilecount=str(len(drawn)),
        columns="0",
    )
    ET.SubElement(root, "grid", orientation="orthogonal", width="1", height="1")
    for number, (name, (width, height)) in enumerate(drawn.items()):
        tile = ET.SubElement(root, "tile", id=str(number), type=name)
        ET.SubElement(tile, "image", width=str(width), height=str(height), source=f"{name}.png")
        if name == "mill":
            sails = ("mill", "mill_1", "mill_2", "mill_3")
            _animation(tile, [BUILDING_ID[sail] for sail in sails], 160)
    return root


def _animation(tile: ET.Element, frames: Sequence[int], milliseconds: int) -> None:
    """Add an animation to a tile."""
    animation = ET.SubElement(tile, "animation")
    for frame in frames:
        ET.SubElement(animation, "frame", tileid=str(frame), duration=str(milliseconds))


@cache
def building_size(name: str) -> tuple[int, int]:
    """Return width and height of the building's picture in this folder."""
    with Image.open(HERE / f"{name}.png") as picture:
        width, height = picture.size
    return width, height


def properties(parent: ET.Element, **values: str | int | bool) -> None:
    """Add custom properties to an element, with Tiled's types."""
    holder = ET.Element("properties")
    for name, value in values.items():
        entry = ET.SubElement(holder, "property", name=name)
        if isinstance(value, bool):
            entry.attrib |= {"type": "bool", "value": str(value).lower()}
        elif isinstance(value, int):
            entry.attrib |= {"type": "int", "value": str(value)}
        else:
            entry.set("value", value)
    parent.insert(0, holder)
