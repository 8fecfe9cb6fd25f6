"""`tilequad render`: a picture of a map, without a GPU."""

from __future__ import annotations

import argparse
import io
import os
import sys
from math import inf, isfinite
from pathlib import Path
from typing import TYPE_CHECKING

from tilequad._optional import needs
from tilequad.bounds import Bounds
from tilequad.cli import arguments
from tilequad.cli.errors import RequestError
from tilequad.cli.text import counted, printable
from tilequad.tiled import Layer, TileMap, load_map

if TYPE_CHECKING:
    from PIL import Image

__all__ = ["SUMMARY", "add_options", "check_output", "run"]

SUMMARY = "draw a map to a picture file, without a GPU"

# Rows of pixels between two steps of the progress bar. Each step queries every layer once, which
# costs little compared to drawing.
BAND = 256

MAX_SIDE = 1e18  # pixels; keeps the size of pictures within limits
WHITE = (255, 255, 255, 255)
MAX_WARNINGS = 10  # further warnings are only counted


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `render`."""
    parser.add_argument(
        "-o", "--output", type=arguments.path, required=True, metavar="OUT.png",
        help="the picture to write; its suffix selects the format",
    )  # fmt: skip
    parser.add_argument(
        "--bounds", type=float, nargs=4, metavar=("MIN_X", "MIN_Y", "MAX_X", "MAX_Y"),
        help="the part to draw, in pixels of the map, y up from its lower edge; "
        "by default the whole map as Tiled exports it",
    )  # fmt: skip
    parser.add_argument(
        "--scale", type=float, default=1, metavar="FACTOR",
        help="pixels of the picture for each pixel of the map (default: 1)",
    )  # fmt: skip
    parser.add_argument(
        "--layers", type=lambda text: text.split(","), metavar="NAME,NAME",
        help="draw only these layers, even if they are hidden",
    )  # fmt: skip
    arguments.add_objects(parser)
    parser.add_argument(
        "--time", type=float, default=0, metavar="MS",
        help="the time that animated tiles show, in milliseconds (default: 0)",
    )  # fmt: skip


def run(options: argparse.Namespace) -> str:
    """Draw the map, write the picture, and say where it is."""
    output: Path = options.output
    mode = check_output(output)
    if not isfinite(options.time):
        raise RequestError(f"--time must be finite, got {options.time}")
    tile_map = load_map(options.map)
    area, size = _area_and_size(tile_map, options)
    picture = _draw(tile_map, area, size, options)
    if mode == "RGB":
        picture = _flatten(picture, tile_map.background_color or WHITE)
    _save(picture, output)
    _report_warnings(tile_map.warnings)
    return f"{printable(str(output))}: {picture.width} x {picture.height} pixels"


def check_output(output: Path) -> str:
    """Find out before drawing whether the picture can be written.

    Returns:
        The mode to write it in: "RGB" if the format has no transparency, otherwise "RGBA".

    Raises:
        RequestError: It cannot; the message says why.
    """
    with needs("Pillow", "tilequad render", '"tilequad[pillow]"'):
        from PIL import Image

    kind = Image.registered_extensions().get(output.suffix.lower())
    if kind is None:
        raise RequestError(f"{output}: not the name of a picture, such as map.png")
    if not output.parent.is_dir():
        raise RequestError(f"{output}: no such folder")
    if output.is_dir():
        raise RequestError(f"{output}: is a folder")
    if not os.access(output.parent, os.W_OK):
        raise RequestError(f"{output}: the folder is not writable")
    for mode in ("RGBA", "RGB"):
        try:
            Image.new(mode, (1, 1)).save(io.BytesIO(), kind)
        except (OSError, ValueError, KeyError):
            continue
        return mode
    raise RequestError(f"{output}: Pillow cannot write {kind} pictures")


def _area_and_size(
    tile_map: TileMap, options: argparse.Namespace
) -> tuple[Bounds, tuple[int, int]]:
    """Return the part of the map to draw, and the size of the picture in pixels."""
    scale = options.scale
    if not 0 < scale < inf:
        raise RequestError(f"--scale must be above 0 and finite, got {scale}")
    try:
        area = tile_map.canvas if options.bounds is None else Bounds.of(options.bounds, "--bounds")
    except ValueError as problem:
        raise RequestError(problem) from None
    width, height = (
        max(1, round(min(side * scale, MAX_SIDE))) for side in (area.width, area.height)
    )
    limit = tile_map.limits.pixels
    if width * height > limit:
        raise RequestError(
            f"{tile_map.path}: a picture of {width:,} x {height:,} pixels exceeds the limit of "
            f"{limit:,} pixels: change --scale or --bounds"
        )
    return area, (width, height)


def _draw(
    tile_map: TileMap, area: Bounds, size: tuple[int, int], options: argparse.Namespace
) -> Image.Image:
    """Draw the picture in bands, and show a progress bar."""
    from PIL import Image

    from tilequad.draw.pillow import render

    with needs("tqdm", "tilequad render", '"tilequad[pillow]"'):
        from tqdm import tqdm  # type: ignore[import-untyped]

    layers = None if options.layers is None else _named_layers(tile_map, options.layers)
    picture = Image.new("RGBA", size)
    tops = range(0, size[1], BAND)
    # disable=None: no bar if stderr is not a terminal
    with tqdm(total=len(tops), unit="band", delay=1, leave=False, disable=None) as bar:
        bar.set_description(f"drawing {tile_map.path.name}", refresh=False)
        for top in tops:
            bottom = min(top + BAND, size[1])
            band = area._replace(
                min_y=area.max_y - bottom / options.scale, max_y=area.max_y - top / options.scale
            )
            part = render(
                tile_map, band, options.scale,
                layers=layers, objects=options.objects, time=options.time,
            )  # fmt: skip
            picture.paste(part, (0, top))
            bar.update()
    return picture


def _named_layers(tile_map: TileMap, names: list[str]) -> list[Layer]:
    """Return all layers with these names, in the order of the map."""
    known = [layer.name for layer in tile_map.layers]
    for name in names:
        if name not in known:
            raise RequestError(f"{tile_map.path}: no layer {name!r}; it has {', '.join(known)}")
    return [layer for layer in tile_map.layers if layer.name in names]


def _flatten(picture: Image.Image, background: tuple[int, int, int, int]) -> Image.Image:
    """Put the picture on an opaque background."""
    from PIL import Image

    flat = Image.new("RGBA", picture.size, (*background[:3], 255))
    flat.alpha_composite(picture)
    return flat.convert("RGB")


def _save(picture: Image.Image, output: Path) -> None:
    """Write the picture; an existing file stays as it is until the new one is complete."""
    part = output.with_name(f".{output.stem}.part{output.suffix}")
    try:
        picture.save(part)
        os.replace(part, output)
    except (OSError, ValueError) as problem:
        raise RequestError(f"{output}: {problem}") from None
    finally:
        part.unlink(missing_ok=True)


def _report_warnings(warnings: list[str]) -> None:
    """Print the warnings of the map, which include images that could not be read."""
    if not warnings:
        return
    print(f"tilequad: {counted(len(warnings), 'warning')}", file=sys.stderr)
    for text in warnings[:MAX_WARNINGS]:
        print(f"  {printable(text)}", file=sys.stderr)
    if len(warnings) > MAX_WARNINGS:
        print(f"  and {len(warnings) - MAX_WARNINGS} more", file=sys.stderr)
