"""Small Tiled maps written by the tests, so that each test shows the map it is about."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from PIL import Image

from tilequad.tiled import Tileset, load_map

TILE = 16  # pixels; every map of the tests has square cells of this size unless it says otherwise

TILESET = (
    '<tileset firstgid="1" name="tiles" tilewidth="16" tileheight="16" tilecount="4" columns="2">'
    '<image source="tiles.png" width="32" height="32"/></tileset>'
)

JSON_MAP = {
    "type": "map",
    "width": 1,
    "height": 1,
    "tilewidth": TILE,
    "tileheight": TILE,
    "layers": [],
}

JSON_TILESET = {
    "firstgid": 1,
    "name": "tiles",
    "tilewidth": 16,
    "tileheight": 16,
    "tilecount": 4,
    "columns": 2,
    "image": "tiles.png",
    "imagewidth": 32,
    "imageheight": 32,
}


def csv_layer(name: str, rows: list[list[int]], attributes: str = "") -> str:
    """A <layer> with its cells in csv."""
    text = ",\n".join(",".join(map(str, row)) for row in rows)
    return (
        f'<layer name="{name}" width="{len(rows[0])}" height="{len(rows)}" {attributes}>'
        f'<data encoding="csv">\n{text}\n</data></layer>'
    )


def map_text(*parts: str, size: tuple[int, int] = (4, 3), attributes: str = "") -> str:
    """A whole map around tilesets and layers; the attributes may give it cells of another kind."""
    usual = f'width="{size[0]}" height="{size[1]}"'
    if "tilewidth" not in attributes:
        usual += f' tilewidth="{TILE}" tileheight="{TILE}"'
    return f'<?xml version="1.0" encoding="UTF-8"?><map {usual} {attributes}>{"".join(parts)}</map>'


def write_map(
    folder: Path, *parts: str, size: tuple[int, int] = (4, 3), attributes: str = ""
) -> Path:
    """Write a map, and beside it the image of four one-colored tiles that TILESET names."""
    write_tiles(folder / "tiles.png")
    path = folder / "map.tmx"
    path.write_text(map_text(*parts, size=size, attributes=attributes), encoding="utf-8")
    return path


def write_json(folder: Path, members: dict[str, Any], name: str = "map.tmj") -> Path:
    """Write a JSON map with more members than JSON_MAP has, or others, and its image."""
    write_tiles(folder / "tiles.png")
    path = folder / name
    path.write_text(json.dumps({**JSON_MAP, **members}))
    return path


def write_world(folder: Path, content: dict[str, Any]) -> Path:
    """Write a world."""
    path = folder / "land.world"
    path.write_text(json.dumps(content))
    return path


def write_tiles(path: Path) -> None:
    """Four tiles of 16 x 16: red, green, blue and white, each with a black top-left pixel."""
    image = Image.new("RGBA", (2 * TILE, 2 * TILE))
    colors = [(255, 0, 0, 255), (0, 255, 0, 255), (0, 0, 255, 255), (255, 255, 255, 255)]
    for number, color in enumerate(colors):
        left, top = number % 2 * TILE, number // 2 * TILE
        image.paste(color, (left, top, left + TILE, top + TILE))
        image.putpixel((left, top), (0, 0, 0, 255))
    image.save(path)


def tileset_of_xml(folder: Path, inner: str, attributes: str = "") -> Tileset:
    """The tileset of a map, with more elements and attributes than usual."""
    text = TILESET.replace("<image", f"{inner}<image").replace("<tileset", f"<tileset {attributes}")
    tileset: Tileset = load_map(write_map(folder, text)).tilesets[0]
    return tileset


def tileset_of_json(folder: Path, **members: Any) -> Tileset:
    """The tileset of a JSON map, with more members than usual."""
    path = write_json(folder, {"tilesets": [{**JSON_TILESET, **members}]})
    tileset: Tileset = load_map(path).tilesets[0]
    return tileset
