"""Random Tiled maps of all orientations and attributes, to compare our pictures with Tiled's.

A map holds only what the version of Tiled that judges it knows, and draws as the newest one does.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image

from tilequad.draw.blending import MODES

__all__ = ["Version", "write_random_map"]

Version = tuple[int, int]

ART = {"art.png": (72, 60), "wide.png": (40, 18), "tall.png": (11, 37), "dot.png": (7, 7)}
MASKED = 0xFA0A78  # the color that a tileset makes transparent

# The tilesets of a random map by first gid: the gids that maps use, and what Tiled reads.
GIDS = [*range(1, 13), *range(20, 26), *range(40, 43), *range(50, 56)]
ALIGNMENTS = (
    *("unspecified", "topleft", "top", "topright", "left", "center"),
    *("right", "bottomleft", "bottom", "bottomright"),
)
FAMILIES = ("sans-serif", "DejaVu Sans", "DejaVu Serif", "DejaVu Sans Mono", "No Such Font")


def write_random_map(folder: Path, seed: int, version: Version) -> Path:
    """Write a random map and its images.

    Args:
        folder: Where to write; images there are replaced.
        seed: The same seed writes the same map.
        version: The version of Tiled that is to draw it, such as (1, 8).

    Returns:
        The path of the map.
    """
    rng = random.Random(seed)
    for number, (name, size) in enumerate(ART.items()):
        _write_art(folder / name, size, seed * 7 + number)
    path = folder / "map.tmx"
    path.write_text(_Writer(rng, version).map(), encoding="utf-8")
    return path


def _write_art(path: Path, size: tuple[int, int], seed: int) -> None:
    """Write noise with transparent, half-transparent and masked pixels: a wrong one shows."""
    rng = np.random.default_rng(seed)
    shape = size[::-1]
    pixels = rng.integers(0, 256, (*shape, 4), dtype=np.uint8)
    kind = rng.random(shape)
    clear = rng.random() < 0.5  # pixels all or nothing, as in most art
    pixels[:, :, 3] = np.where(kind < 0.2, 0, 255 if clear else pixels[:, :, 3])
    pixels[kind > 0.9] = (*MASKED.to_bytes(3, "big"), 255)
    Image.fromarray(pixels).save(path)


class _Writer:
    """Writes the parts of one map."""

    def __init__(self, rng: random.Random, version: Version) -> None:
        self.rng = rng
        self.version = version
        self.ids = 0
        kinds = ["orthogonal", "orthogonal", "isometric", "staggered", "hexagonal"]
        self.orientation = rng.choice([*kinds, "oblique"] if version >= (1, 12) else kinds)
        # Before 1.9, a single staggered row was drawn at another place.
        fewest = 2 if self.orientation in ("staggered", "hexagonal") else 1
        self.columns, self.rows = rng.randint(fewest, 9), rng.randint(fewest, 9)
        self.tile_width, self.tile_height = rng.randint(4, 40), rng.randint(4, 40)
        # Tiled 1.8 draws staggered cells of odd sizes elsewhere than 1.12.
        if self.orientation in ("staggered", "hexagonal") and version < (1, 12):
            self.tile_width, self.tile_height = self.tile_width & ~1, self.tile_height & ~1
        # It also draws infinite isometric maps elsewhere.
        shifts = self.orientation == "isometric" and version < (1, 12)
        self.infinite = not shifts and self.chance(0.15)
        if self.orientation == "isometric" and self.chance(0.8):  # see tests.judge_pictures
            self.tile_width, self.tile_height = self.tile_width & ~1, self.tile_height & ~1

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def map(self) -> str:
        layers = "".join(self.layer(depth=0) for _ in range(self.rng.randint(1, 4)))
        if self.infinite:  # an infinite map is as large as its tile layers
            layers += self.tile_layer()
        return (
            f'<map version="1.8" orientation="{self.orientation}" width="{self.columns}" '
            f'height="{self.rows}" tilewidth="{self.tile_width}" tileheight="{self.tile_height}" '
            f'infinite="{int(self.infinite)}" {self.grid()}>{self.tilesets()}{layers}</map>'
        )

    def grid(self) -> str:
        rng = self.rng
        if self.orientation == "orthogonal":
            order = rng.choice(("right-down", "right-up", "left-down", "left-up"))
            return f'renderorder="{order}"'
        if self.orientation == "oblique":
            skews = rng.randint(-20, 20), rng.randint(-20, 20)
            return f'skewx="{skews[0]}" skewy="{skews[1]}"'
        if self.orientation == "isometric":
            return ""
        axis = rng.choice("xy")
        text = f'staggeraxis="{axis}" staggerindex="{rng.choice(("odd", "even"))}"'
        if self.orientation == "hexagonal":
            side = self.tile_width if axis == "x" else self.tile_height
            text += f' hexsidelength="{rng.randrange(0, side, 2)}"'
        return text

    def tilesets(self) -> str:
        frames = '<tile id="3"><animation><frame tileid="5" duration="90"/></animation></tile>'
        collection = "".join(
            f'<tile id="{number}"><image source="{name}" width="{width}" height="{height}"/></tile>'
            for number, (name, (width, height)) in enumerate(list(ART.items())[1:])
        )
        return (
            f'<tileset firstgid="1" name="grid" tilewidth="16" tileheight="18" spacing="2" '
            f'margin="1" tilecount="12" columns="4" {self.tileset_style()}>{self.offset()}'
            f'<image source="art.png" width="72" height="60"/>{frames}</tileset>'
            f'<tileset firstgid="20" name="tall" tilewidth="24" tileheight="30" tilecount="6" '
            f'columns="3" {self.tileset_style()}>{self.offset()}'
            '<image source="art.png" width="72" height="60"/></tileset>'
            f'<tileset firstgid="40" name="collection" tilewidth="40" tileheight="37" '
            f'tilecount="3" columns="0" {self.tileset_style()}>{self.offset()}{collection}'
            '</tileset><tileset firstgid="50" name="masked" tilewidth="13" tileheight="20" '
            f'tilecount="15" columns="5"><image source="art.png" trans="{MASKED:06x}" '
            'width="72" height="60"/></tileset>'
        )

    def tileset_style(self) -> str:
        style = ""
        if self.chance(0.4):
            style = f'objectalignment="{self.rng.choice(ALIGNMENTS)}" '
        if self.version >= (1, 9) and self.chance(0.4):
            fill = self.rng.choice(("stretch", "preserve-aspect-fit"))
            style += f'tilerendersize="grid" fillmode="{fill}"'
        return style

    def offset(self) -> str:
        if self.chance(0.6):
            return ""
        return f'<tileoffset x="{self.rng.randint(-9, 9)}" y="{self.rng.randint(-9, 9)}"/>'

    def layer(self, depth: int) -> str:
        kinds: list[tuple[float, Callable[[], str]]] = [
            (0.5, self.tile_layer),
            (0.35, self.object_layer),
            (0.15, self.image_layer),
        ]
        if depth < 2 and self.chance(0.15):
            inside = "".join(self.layer(depth + 1) for _ in range(self.rng.randint(1, 2)))
            return f"<group {self.style()}>{inside}</group>"
        [write] = self.rng.choices([kind for _, kind in kinds], [share for share, _ in kinds])
        return write()

    def style(self) -> str:
        """Attributes that all layers have."""
        rng = self.rng
        self.ids += 1
        text = f'id="{self.ids}" name="layer {self.ids}"'
        if self.chance(0.3):
            whole = (rng.randint(-20, 20), rng.randint(-20, 20))
            half = (rng.randint(-40, 40) / 2, rng.randint(-40, 40) / 2)
            x, y = whole if self.chance(0.8) else half
            text += f' offsetx="{x}" offsety="{y}"'
        if self.chance(0.3):
            text += f' opacity="{rng.choice((0, 0.25, 0.5, 0.8, 0.99))}"'
        if self.chance(0.3):
            alpha = "" if self.chance(0.7) else f"{rng.randrange(256):02x}"
            text += f' tintcolor="#{alpha}{rng.randrange(1 << 24):06x}"'
        if self.chance(0.1):
            text += ' visible="0"'
        if self.version >= (1, 12) and self.chance(0.3):
            text += f' mode="{rng.choice(list(MODES))}"'
        return text

    def gid(self) -> int:
        rng = self.rng
        flags = 0
        if self.chance(0.4):
            flags = rng.randrange(16) if self.orientation == "hexagonal" else rng.randrange(8) << 1
        return rng.choice(GIDS) | flags << 28

    def tile_layer(self) -> str:
        head = f'<layer {self.style()} width="{self.columns}" height="{self.rows}">'
        empty = self.rng.choice((0.1, 0.5, 0.9))
        cells = self.chunks() if self.infinite else self.cells(self.columns, self.rows, empty)
        return f'{head}<data encoding="csv">{cells}</data></layer>'

    def chunks(self) -> str:
        places = [(0, 0), *((x, y) for x in (-16, 0) for y in (16, 32) if self.chance(0.6))]
        return "".join(
            f'<chunk x="{x}" y="{y}" width="16" height="16">{self.cells(16, 16, 0.9)}</chunk>'
            for x, y in places
        )

    def cells(self, columns: int, rows: int, empty: float) -> str:
        cells = [0 if self.chance(empty) else self.gid() for _ in range(columns * rows)]
        return ",".join(map(str, cells))

    def object_layer(self) -> str:
        order = "" if self.chance(0.5) else 'draworder="index"'
        color = "" if self.chance(0.5) else f'color="#{self.rng.randrange(1 << 24):06x}"'
        items = "".join(self.object() for _ in range(self.rng.randint(1, 6)))
        return f"<objectgroup {self.style()} {order} {color}>{items}</objectgroup>"

    def object(self) -> str:
        """A tile object."""
        rng = self.rng
        x, y = rng.randint(-20, 200), rng.randint(-20, 200)
        if self.chance(0.2):
            x, y = x + rng.randint(0, 3) / 4, y + rng.randint(0, 3) / 4
        text = f'<object id="{rng.randrange(1, 1 << 20)}" x="{x}" y="{y}" gid="{self.gid()}"'
        if self.chance(0.6):
            text += f' width="{rng.randint(1, 60)}" height="{rng.randint(1, 60)}"'
        if self.chance(0.3):
            text += f' rotation="{rng.choice((45, 90, 180, 270, -90, rng.uniform(-360, 360)))}"'
        if self.chance(0.1):
            text += ' visible="0"'
        if self.version >= (1, 12) and self.chance(0.2):
            text += f' opacity="{rng.choice((0, 0.3, 0.7))}"'
        return text + "/>"

    def image_layer(self) -> str:
        repeat = ""
        if self.version >= (1, 8) and self.chance(0.3):
            repeat = f'repeatx="{self.rng.randrange(2)}" repeaty="{self.rng.randrange(2)}"'
        name = self.rng.choice(list(ART))
        return f'<imagelayer {self.style()} {repeat}><image source="{name}"/></imagelayer>'
