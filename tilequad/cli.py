"""The command line: `tilequad info`, `tilequad render` and `tilequad view`."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Sequence
from math import inf
from pathlib import Path
from typing import Any

from PIL import Image
from tqdm import tqdm  # type: ignore[import-untyped]

import tilequad
from tilequad.bounds import Bounds
from tilequad.draw.image import render
from tilequad.tiled import ImageLayer, Layer, Limits, MapError, ObjectLayer, TileMap, load_map

__all__ = ["main"]

# Rows of pixels that are drawn between two steps of the progress bar. Fewer make it smoother;
# each costs a query of every layer, which is nothing beside drawing them.
BAND = 256


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        arguments: What follows the program's name; by default what the shell gave.

    Returns:
        The exit status: 0, or 2 where the map or the request is at fault and one line on stderr
        says how.
    """
    options = make_parser().parse_args(arguments)
    try:
        options.run(options)
        sys.stdout.flush()
    except BrokenPipeError:  # whoever reads, such as `head`, has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (MapError, RequestError) as problem:
        print(f"tilequad: {problem}", file=sys.stderr)
        return 2
    return 0


class RequestError(Exception):
    """A request that cannot be fulfilled, in one line for the user."""


def make_parser() -> argparse.ArgumentParser:
    """The commands and their options."""
    parser = argparse.ArgumentParser(
        prog="tilequad", description="Look into, draw and view maps made with Tiled."
    )
    parser.add_argument(
        "--version", action="version", version=f"tilequad {tilequad.__version__}, {core()}"
    )
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    info = add_command(commands, "info", run_info, "print what is in a map")
    info.add_argument("--json", action="store_true", help="print it as JSON, for programs")

    draw = add_command(commands, "render", run_render, "draw a map into a picture, without a GPU")
    draw.add_argument(
        "-o", "--output", type=Path, required=True, metavar="OUT.png",
        help="the picture to write; its ending says in which format",
    )  # fmt: skip
    draw.add_argument(
        "--bounds", type=float, nargs=4, metavar=("MIN_X", "MIN_Y", "MAX_X", "MAX_Y"),
        help="the part to draw, in pixels of the map, y up from its lower edge; "
        "by default all that Tiled would draw",
    )  # fmt: skip
    draw.add_argument(
        "--scale", type=float, default=1, metavar="FACTOR",
        help="pixels of the picture for one pixel of the map (default: 1)",
    )  # fmt: skip
    draw.add_argument(
        "--layers", type=lambda text: text.split(","), metavar="NAME,NAME",
        help="draw only the layers of these names, hidden ones too",
    )  # fmt: skip
    draw.add_argument("--no-objects", action="store_true", help="leave object layers out")
    draw.add_argument(
        "--time", type=float, default=0, metavar="MS",
        help="the moment that animated tiles show, in milliseconds (default: 0)",
    )  # fmt: skip

    add_command(commands, "view", run_view, "open a window on a map; F1 lists the keys")
    return parser


def add_command(commands: Any, name: str, run: Any, summary: str) -> argparse.ArgumentParser:
    """Add a command that takes a map."""
    command: argparse.ArgumentParser = commands.add_parser(
        name, help=summary, description=f"{summary[0].upper()}{summary[1:]}."
    )
    command.add_argument("map", type=Path, metavar="MAP", help="a map of Tiled, such as level.tmx")
    command.set_defaults(run=run)
    return command


def core() -> str:
    """How fast the trees are."""
    return "core compiled" if tilequad.COMPILED else "core not compiled, slower"


def run_info(options: argparse.Namespace) -> None:
    """`tilequad info MAP`."""
    world = load_map(options.map)
    facts = describe(world)
    print(json.dumps(facts, indent=2, default=str) if options.json else as_text(facts))


def describe(world: TileMap) -> dict[str, Any]:
    """What is in a map, in plain values."""
    return {
        "path": str(world.path),
        "orientation": world.orientation,
        "infinite": world.infinite,
        "size": list(world.size),
        "tile_size": list(world.tile_size),
        "bounds": list(world.bounds),
        "properties": world.properties,
        "layers": [describe_layer(layer) for layer in world.layers],
        "tilesets": [
            {
                "name": tileset.name,
                "first_gid": tileset.first_gid,
                "tiles": tileset.tile_count,
                "tile_size": [tileset.tile_width, tileset.tile_height],
                "path": tileset.path and str(tileset.path),
            }
            for tileset in world.tilesets
        ],
        "warnings": world.warnings,
    }


def describe_layer(layer: Any) -> dict[str, Any]:
    """What a layer says of itself, and how much it holds."""
    facts = {
        "name": layer.name,
        "kind": type(layer).__name__.removesuffix("Layer").lower(),
        "groups": list(layer.groups),
        "visible": layer.visible,
        "opacity": layer.opacity,
        "properties": layer.properties,
    }
    if isinstance(layer, ImageLayer):
        return {**facts, "image": layer.image_path and str(layer.image_path)}
    facts["tree"] = {"nodes": len(layer.nodes()), "bytes": layer.tree_bytes()}
    if isinstance(layer, ObjectLayer):
        shapes = Counter(item.shape for item in layer.objects)
        return {**facts, "objects": len(layer), "shapes": dict(shapes.most_common())}
    return {**facts, "tiles": len(layer)}


def as_text(facts: dict[str, Any]) -> str:
    """The same for people."""
    (columns, rows), (width, height) = facts["size"], facts["tile_size"]
    min_x, min_y, max_x, max_y = facts["bounds"]
    lines = [
        facts["path"],
        f"  {facts['orientation']}{', infinite' * facts['infinite']}, {columns} x {rows} cells of "
        f"{width} x {height} pixels, {max_x - min_x:g} x {max_y - min_y:g} pixels in all",
        *(f"  {name} = {value}" for name, value in facts["properties"].items()),
        counted(len(facts["layers"]), "layer") + ", the lowest first",
        *table([layer_row(layer) for layer in facts["layers"]]),
        counted(len(facts["tilesets"]), "tileset"),
        *table([tileset_row(tileset) for tileset in facts["tilesets"]]),
    ]
    if facts["warnings"]:
        lines.append(counted(len(facts["warnings"]), "warning"))
        lines += [f"  {text}" for text in facts["warnings"]]
    return "\n".join(map(shown, lines))


def shown(text: str) -> str:
    """A line for the terminal: what a map's names may have in them must not move its cursor."""
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


def counted(count: int, name: str) -> str:
    """How many there are, in words."""
    return f"{count:,} {name}{'s' * (count != 1)}"


def layer_row(layer: dict[str, Any]) -> list[str]:
    """The columns of a layer."""
    if layer["kind"] == "tile":
        content = counted(layer["tiles"], "tile")
    elif layer["kind"] == "object":
        shapes = ", ".join(f"{count} {shape}" for shape, count in layer["shapes"].items())
        content = counted(layer["objects"], "object") + (f": {shapes}" if shapes else "")
    else:
        content = layer["image"] or "no image"
    hidden = "" if layer["visible"] else "hidden"
    tree = layer.get("tree")
    size = f"tree: {counted(tree['nodes'], 'node')}, {tree['bytes']:,} bytes" if tree else ""
    return [layer["kind"], "/".join([*layer["groups"], layer["name"]]), content, size, hidden]


def tileset_row(tileset: dict[str, Any]) -> list[str]:
    """The columns of a tileset."""
    width, height = tileset["tile_size"]
    return [
        f"from {tileset['first_gid']}",
        tileset["name"],
        f"{counted(tileset['tiles'], 'tile')} of {width} x {height}",
        tileset["path"] or "in the map",
    ]


def table(rows: list[list[str]]) -> list[str]:
    """Rows in columns, indented."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  " + "  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]


def run_render(options: argparse.Namespace) -> None:
    """`tilequad render MAP -o OUT.png`."""
    output: Path = options.output
    if output.suffix.lower() not in Image.registered_extensions():
        raise RequestError(f"{output}: not the name of a picture, such as map.png")
    if not output.parent.is_dir():
        raise RequestError(f"{output}: no such folder")
    world = load_map(options.map)
    area, size = canvas(world, options)
    layers = None if options.layers is None else named_layers(world, options.layers)
    picture = Image.new("RGBA", size)
    tops = range(0, size[1], BAND)
    with tqdm(total=len(tops) + 1, unit="band", delay=1, leave=False) as bar:
        bar.set_description(f"drawing {world.path.name}", refresh=False)
        for top in tops:
            high, low = area.max_y - top / options.scale, min(top + BAND, size[1]) / options.scale
            part = render(
                world, area._replace(min_y=area.max_y - low, max_y=high), options.scale,
                layers=layers, objects=not options.no_objects, time=options.time,
            )  # fmt: skip
            picture.paste(part, (0, top))
            bar.update()
        bar.set_description(f"writing {output.name}", refresh=False)
        bar.update(0)
        save(picture, output)
    print(f"{output}: {picture.width} x {picture.height} pixels")


def canvas(world: TileMap, options: argparse.Namespace) -> tuple[Bounds, tuple[int, int]]:
    """What to draw, and the size of the picture in pixels."""
    scale = options.scale
    if not 0 < scale < inf:
        raise RequestError(f"--scale must be above 0 and finite, got {scale}")
    try:
        area = world.canvas if options.bounds is None else Bounds.of(options.bounds, "--bounds")
    except ValueError as problem:
        raise RequestError(problem) from None
    width, height = max(1, round(area.width * scale)), max(1, round(area.height * scale))
    limit = Limits().pixels
    if width * height > limit:
        raise RequestError(
            f"{world.path}: a picture of {width} x {height} pixels is beyond the limit of "
            f"{limit:,} pixels: change --scale or --bounds"
        )
    return area, (width, height)


def save(picture: Image.Image, output: Path) -> None:
    """Write the picture, or say why not."""
    try:
        picture.save(output)
    except (OSError, ValueError) as problem:
        raise RequestError(f"{output}: {problem}") from None


def named_layers(world: TileMap, names: list[str]) -> list[Layer]:
    """All layers of some names, in the order of the map."""
    there = [layer.name for layer in world.layers]
    for name in names:
        if name not in there:
            raise RequestError(f"{world.path}: no layer {name!r}; it has {', '.join(there)}")
    return [layer for layer in world.layers if layer.name in names]


def run_view(options: argparse.Namespace) -> None:
    """`tilequad view MAP`."""
    world = load_map(options.map)
    window = open_window(f"{world.path.name} - tilequad")
    from tilequad.draw.arcade.viewer import MapScreen

    window.run(MapScreen(world))


def open_window(title: str) -> Any:
    """A window of arcade, or the reason why there is none, in one sentence."""
    try:
        import arcade
    except ModuleNotFoundError:
        raise RequestError('a window needs arcade: pip install "tilequad[arcade]"') from None
    except ImportError as problem:  # pyglet names the library that it misses
        raise RequestError(
            f"a window needs OpenGL and fonts ({str(problem).rstrip('.')}): on Debian or Ubuntu, "
            "apt-get install libgl1 libegl1 libfontconfig1 libxrender1"
        ) from None
    try:
        # Tiles are drawn texel by texel: antialiasing would cost twice the time and show nothing.
        return arcade.Window(1280, 720, title, resizable=True, antialiasing=False)
    except Exception as problem:  # each system has its own kinds
        raise RequestError(
            f"no window can be opened ({problem}): run it on a desktop, or under xvfb-run "
            "(apt-get install xvfb xauth)"
        ) from None
