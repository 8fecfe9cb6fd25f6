"""`tilequad render`: a picture of a map, without a GPU."""

from __future__ import annotations

import argparse
import io
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from pathlib import Path
from tempfile import TemporaryFile
from threading import current_thread, main_thread
from typing import TYPE_CHECKING, Any, NoReturn

from tilequad._optional import needs
from tilequad.bounds import Bounds
from tilequad.cli.common import RequestError, add_objects, counted, path, printable
from tilequad.tiled import ImageLayer, Layer, ObjectLayer, TileMap, load_map
from tilequad.tiled.write.files import write_whole

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
        "-o", "--output", type=path, required=True, metavar="OUT.png",
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
        "--layers", metavar="NAME,NAME",
        help="draw only these layers, even if they are hidden",
    )  # fmt: skip
    add_objects(parser)
    parser.add_argument(
        "--time", type=float, default=0, metavar="MS",
        help="the time that animated tiles show, in milliseconds (default: 0)",
    )  # fmt: skip


def run(options: argparse.Namespace) -> str:
    """Draw the map, write the picture, and say where it is."""
    output: Path = options.output
    mode = check_output(output)
    if not 0 <= options.time < inf:
        raise RequestError(f"--time must be finite and at least 0, got {options.time}")
    tile_map = load_map(options.map)
    area, size = _area_and_size(tile_map, options)
    with _progress_bar(len(_tops(size)) + 1) as bar:
        bar.set_description(f"drawing {tile_map.path.name}", refresh=False)
        picture = _draw(tile_map, area, size, options, bar)
        if mode == "RGB":
            picture = _flatten(picture, tile_map.background_color or WHITE)
        bar.set_description(f"writing {output.name}")  # which may take as long
        _save(picture, output)
        bar.update()
    _report_warnings(tile_map.warnings)
    return f"{printable(str(output))}: {picture.width} x {picture.height} pixels"


def check_output(output: Path) -> str:
    """Find out before drawing whether the picture can be written, or raise RequestError.

    Return the mode to write it in: "RGB" if the format has no transparency, otherwise "RGBA".
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
    try:
        TemporaryFile(dir=output.parent).close()
    except OSError as problem:
        raise RequestError(f"{output}: the folder takes no new file: {problem.strerror}") from None
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
        raise RequestError(f"--scale must be finite and above 0, got {scale}")
    try:
        area = tile_map.canvas if options.bounds is None else Bounds.of(options.bounds, "--bounds")
    except ValueError as problem:
        raise RequestError(problem) from None
    if options.bounds is not None:
        _check_inside(tile_map, area)
    width, height = (round(min(side * scale, MAX_SIDE)) for side in (area.width, area.height))
    if not width or not height:
        raise RequestError(
            f"--scale {scale:g} makes {area.width:g} x {area.height:g} pixels of the map less than "
            "one pixel"
        )
    limit = tile_map.limits.pixels
    if width * height > limit:
        raise RequestError(
            f"{tile_map.path}: a picture of {width:,} x {height:,} pixels exceeds the limit of "
            f"{limit:,} pixels: change --scale or --bounds"
        )
    return area, (width, height)


def _check_inside(tile_map: TileMap, area: Bounds) -> None:
    """Refuse a part of the map where nothing can be."""
    if not area.width or not area.height:
        raise RequestError("--bounds must have a width and a height, got none")
    whole = tile_map.canvas
    if not area.overlaps(whole) and not any(
        any(layer.repeat)
        if isinstance(layer, ImageLayer)
        else isinstance(layer, ObjectLayer) and len(layer.query(area))
        for layer in tile_map.layers
    ):
        raise RequestError(
            f"--bounds lies outside of the map, which reaches from {whole.min_x:g} {whole.min_y:g} "
            f"to {whole.max_x:g} {whole.max_y:g}"
        )


def _progress_bar(steps: int) -> Any:
    """Return a bar of tqdm, a step for each band and one for the file."""
    with needs("tqdm", "tilequad render", '"tilequad[pillow]"'):
        from tqdm import tqdm  # type: ignore[import-untyped]

    # disable=None: no bar if stderr is not a terminal
    return tqdm(total=steps, unit="band", delay=1, leave=False, disable=None)


def _tops(size: tuple[int, int]) -> range:
    """Return the first row of each band."""
    return range(0, size[1], BAND)


def _draw(
    tile_map: TileMap, area: Bounds, size: tuple[int, int], options: argparse.Namespace, bar: Any
) -> Image.Image:
    """Draw the picture in bands, each a step of the progress bar."""
    from PIL import Image

    from tilequad.draw.pillow import render

    layers = None if options.layers is None else _named_layers(tile_map, options.layers)
    picture = Image.new("RGBA", size)
    for top in _tops(size):
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


def _named_layers(tile_map: TileMap, text: str) -> list[Layer]:
    """Return all layers with a name, or with names between commas, in the order of the map."""
    known = [layer.name for layer in tile_map.layers]
    names = [text] if text in known else text.split(",")
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
    content = io.BytesIO()  # in memory, so that Ctrl-C while it is compressed leaves no file
    content.name = output.name  # names the format
    try:
        picture.save(content)
        with _orderly_end():
            write_whole(output, content.getvalue())
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise RequestError(f"{output}: cannot be written: {reason}") from None


@contextmanager
def _orderly_end() -> Iterator[None]:
    """Let SIGTERM end the program by an exception, so that `finally` is run."""

    def leave(number: int, _: object) -> NoReturn:
        raise SystemExit(128 + number)

    if current_thread() is not main_thread():  # other threads cannot set handlers
        yield
        return
    before = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _report_warnings(warnings: list[str]) -> None:
    """Print the warnings of the map, which include images that could not be read."""
    if not warnings:
        return
    print(f"tilequad: {counted(len(warnings), 'warning')}", file=sys.stderr)
    for text in warnings[:MAX_WARNINGS]:
        print(f"  {printable(text)}", file=sys.stderr)
    if len(warnings) > MAX_WARNINGS:
        print(f"  and {len(warnings) - MAX_WARNINGS} more", file=sys.stderr)
