"""`tilequad info`: what a map contains."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from math import isfinite
from pathlib import Path
from typing import Any

from tilequad.cli.common import counted, printable, table
from tilequad.tiled import ImageLayer, Layer, ObjectLayer, TileLayer, TileMap, load_map

__all__ = ["SUMMARY", "add_options", "run"]

KINDS: dict[str, type[Layer]] = {"tile": TileLayer, "object": ObjectLayer, "image": ImageLayer}
SUMMARY = "list the layers, tilesets and warnings of a map"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `info`."""
    parser.add_argument("--json", action="store_true", help="print JSON, for programs")


def run(options: argparse.Namespace) -> str:
    """Describe the map as text or JSON."""
    facts = describe(load_map(options.map))
    return json.dumps(_plain(facts), indent=2, default=str) if options.json else as_text(facts)


def describe(tile_map: TileMap) -> dict[str, Any]:
    """Collect the facts about a map, in plain values."""
    return {
        "path": str(tile_map.path),
        "orientation": tile_map.orientation,
        "infinite": tile_map.infinite,
        "size": list(tile_map.size),
        "tile_size": list(tile_map.tile_size),
        "bounds": list(tile_map.bounds),
        "properties": tile_map.properties,
        "layers": [_describe_layer(layer) for layer in tile_map.layers],
        "tilesets": [
            {
                "name": tileset.name,
                "first_gid": tileset.first_gid,
                "tiles": tileset.tile_count,
                "tile_size": [tileset.tile_width, tileset.tile_height],
                "path": tileset.path and str(tileset.path),
            }
            for tileset in tile_map.tilesets
        ],
        "warnings": tile_map.warnings,
    }


def _plain(value: Any) -> Any:
    """Return a value as JSON can have it: NaN and infinities become texts."""
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return str(value) if isinstance(value, float) and not isfinite(value) else value


def _describe_layer(layer: Layer) -> dict[str, Any]:
    return {
        "name": layer.name,
        "kind": next(kind for kind, cls in KINDS.items() if isinstance(layer, cls)),
        "groups": [group.name for group in layer.groups],
        "visible": layer.visible,
        "opacity": layer.opacity,
        "properties": layer.properties,
        **_describe_content(layer),
    }


def _describe_content(layer: Layer) -> dict[str, Any]:
    if isinstance(layer, ImageLayer):
        return {"image": layer.image_path and str(layer.image_path)}
    assert isinstance(layer, TileLayer | ObjectLayer)
    tree = {"nodes": len(layer.nodes()), "bytes": layer.nbytes}
    if isinstance(layer, TileLayer):
        return {"tree": tree, "tiles": len(layer)}
    shapes = Counter(item.shape for item in layer.objects)
    return {"tree": tree, "objects": len(layer), "shapes": dict(shapes.most_common())}


def as_text(facts: dict[str, Any]) -> str:
    """Format the facts about a map for people."""
    (columns, rows), (width, height) = facts["size"], facts["tile_size"]
    min_x, min_y, max_x, max_y = facts["bounds"]
    folder = Path(facts["path"]).parent
    lines = [
        facts["path"],
        f"  {facts['orientation']}{', infinite' * facts['infinite']}, {columns} x {rows} cells of "
        f"{width} x {height} pixels, {max_x - min_x:g} x {max_y - min_y:g} pixels in all",
        *(f"  {name} = {value}" for name, value in facts["properties"].items()),
        counted(len(facts["layers"]), "layer") + ", from bottom to top",
        *table([_layer_row(layer, folder) for layer in facts["layers"]]),
        counted(len(facts["tilesets"]), "tileset"),
        *table([_tileset_row(tileset, folder) for tileset in facts["tilesets"]]),
    ]
    if facts["warnings"]:
        lines.append(counted(len(facts["warnings"]), "warning"))
        lines += [f"  {text}" for text in facts["warnings"]]
    return "\n".join(map(printable, lines))


def _layer_row(layer: dict[str, Any], folder: Path) -> list[str]:
    if layer["kind"] == "tile":
        content = counted(layer["tiles"], "tile")
    elif layer["kind"] == "object":
        shapes = ", ".join(f"{count} {shape}" for shape, count in layer["shapes"].items())
        content = counted(layer["objects"], "object") + (f": {shapes}" if shapes else "")
    else:
        content = _short(layer["image"], folder) if layer["image"] else "no image"
    tree = layer.get("tree")
    size = f"tree: {counted(tree['nodes'], 'node')}, {tree['bytes']:,} bytes" if tree else ""
    hidden = "" if layer["visible"] else "hidden"
    return [layer["kind"], "/".join([*layer["groups"], layer["name"]]), content, size, hidden]


def _tileset_row(tileset: dict[str, Any], folder: Path) -> list[str]:
    width, height = tileset["tile_size"]
    return [
        f"from gid {tileset['first_gid']}",
        tileset["name"],
        f"{counted(tileset['tiles'], 'tile')} of {width} x {height}",
        _short(tileset["path"], folder) if tileset["path"] else "embedded",
    ]


def _short(path: str, folder: Path) -> str:
    """Return a path relative to the folder of the map if the folder contains it."""
    try:
        return str(Path(path).relative_to(folder))
    except ValueError:
        return path
