"""Another program that edits a map, as Tiled does: random changes of anything, saved at once.

    python -m tests.map_editor FOLDER SEED

writes a map, and then edits it once for each line of its input.
"""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path
from typing import Any

from PIL import Image

SIZE = 24, 18
COLORS = ("#ff0000", "#00ff00", "#800000ff")


class Editor:
    """Keeps a map as plain values, changes it and writes it.

    Args:
        folder: Where to write the map and its files.
        seed: For the chance.
    """

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        self.chance = random.Random(seed)
        self.next_id = 1
        self.properties: dict[str, str] = {}
        self.solid = {3}
        self.offset = 0
        self.more_tiles = False
        self.layers: list[dict[str, Any]] = [self.tiles(), self.tiles(), self.objects(), self.sky()]
        for name in ("floor.png", "walls.png", "sky.png"):
            self.paint(name)

    # -- what a map has --

    def number(self) -> int:
        self.next_id += 1
        return self.next_id

    def layer(self, kind: str) -> dict[str, Any]:
        number = self.number()
        return {"kind": kind, "id": number, "name": f"{kind}{number}", "settings": {}, "group": 0}

    def tiles(self) -> dict[str, Any]:
        columns, rows = SIZE
        cells = [[self.tile() for _ in range(columns)] for _ in range(rows)]
        return {**self.layer("layer"), "cells": cells}

    def tile(self) -> int:
        last = 12 if self.more_tiles else 8
        flips = self.chance.choice([0, 0, 0, 1 << 31, 1 << 29])
        return self.chance.choice([0, 0, 0, *(gid | flips for gid in range(1, last + 1))])

    def objects(self) -> dict[str, Any]:
        return {**self.layer("objectgroup"), "objects": [self.item() for _ in range(4)]}

    def sky(self) -> dict[str, Any]:
        return {**self.layer("imagelayer"), "image": "sky.png"}

    def item(self) -> dict[str, Any]:
        pick = self.chance.choice
        found = {
            "id": self.number(),
            "x": self.chance.randrange(300),
            "y": pick([0, 20, 99.5, 200]),
        }
        if pick([0, 1]):
            return {**found, "gid": pick([1, 3, 6])}
        return {**found, "width": pick([8, 30]), "height": 20, "type": pick(["", "rock"])}

    # -- changes --

    def edit(self) -> None:
        """Change a few things, and save."""
        for _ in range(self.chance.randint(1, 4)):
            self.chance.choice([
                self.draw, self.draw, self.draw, self.fill, self.set, self.set, self.describe,
                self.move_item, self.move_item, self.add_item, self.remove_item, self.add_layer,
                self.remove_layer, self.move_layer, self.group, self.edit_tileset, self.add_tileset,
                lambda: self.paint(self.chance.choice(["floor.png", "walls.png", "sky.png"])),
            ])()  # fmt: skip
        self.save()

    def some(self, kind: str) -> dict[str, Any] | None:
        own = [layer for layer in self.layers if layer["kind"] == kind]
        return self.chance.choice(own) if own else None

    def draw(self) -> None:
        layer = self.some("layer")
        for _ in range(self.chance.randint(1, 5) if layer else 0):
            row = self.chance.choice(layer["cells"]) if layer else []
            row[self.chance.randrange(len(row))] = self.tile()

    def fill(self) -> None:
        layer = self.some("layer")
        if layer and self.chance.random() < 0.3:
            top, gid = self.chance.randrange(SIZE[1] - 9), self.tile()
            for row in layer["cells"][top : top + 9]:
                row[:] = [gid] * len(row)

    def set(self) -> None:
        pick = self.chance.choice
        settings = pick(self.layers)["settings"]
        name, values = pick([
            ("visible", [0, 1]), ("opacity", [0.5, 1]), ("offsetx", [0, 3.5]), ("offsety", [0, -8]),
            ("tintcolor", COLORS), ("class", ["", "a"]), ("parallaxx", [1, 0.5]),
            ("mode", ["normal", "add"]), ("locked", [0, 1]), ("draworder", ["index", "topdown"]),
        ])  # fmt: skip
        settings[name] = pick(values)

    def describe(self) -> None:
        pick = self.chance.choice
        targets = [self.properties, *(layer.setdefault("own", {}) for layer in self.layers)]
        target = pick(targets)
        target[pick(["a", "b"])] = pick(
            ['type="int" value="1"', 'type="bool" value="true"', 'value="x"']
        )
        if pick([0, 0, 1]):
            target.clear()

    def move_item(self) -> None:
        layer = self.some("objectgroup")
        if layer and layer["objects"]:
            item = self.chance.choice(layer["objects"])
            item["x"], item["rotation"] = self.chance.randrange(300), self.chance.choice([0, 30])

    def add_item(self) -> None:
        layer = self.some("objectgroup")
        if layer:
            layer["objects"].insert(self.chance.randint(0, len(layer["objects"])), self.item())

    def remove_item(self) -> None:
        layer = self.some("objectgroup")
        if layer and layer["objects"]:
            layer["objects"].pop(self.chance.randrange(len(layer["objects"])))

    def add_layer(self) -> None:
        if len(self.layers) < 7:
            new = self.chance.choice([self.tiles, self.objects, self.sky])()
            self.layers.insert(self.chance.randint(0, len(self.layers)), new)

    def remove_layer(self) -> None:
        if len(self.layers) > 3:
            self.layers.pop(self.chance.randrange(len(self.layers)))

    def move_layer(self) -> None:
        layer = self.layers.pop(self.chance.randrange(len(self.layers)))
        self.layers.insert(self.chance.randint(0, len(self.layers)), layer)

    def group(self) -> None:
        self.chance.choice(self.layers)["group"] = self.chance.choice([0, 0, 900, 901])

    def edit_tileset(self) -> None:
        self.solid = set(self.chance.sample([1, 2, 3, 4], 2))
        self.offset = self.chance.choice([0, 0, 5])

    def add_tileset(self) -> None:
        last = max(
            (
                gid & 0xFFFFFFF
                for layer in self.layers
                for row in layer.get("cells", ())
                for gid in row
            ),
            default=0,
        )
        self.more_tiles = True if last > 8 else not self.more_tiles

    def paint(self, name: str) -> None:
        """Paint an image anew."""
        image = Image.new("RGBA", (32, 32))
        for place in range(4):
            color = tuple(self.chance.randrange(256) for _ in range(3))
            left, top = place % 2 * 16, place // 2 * 16
            image.paste((*color, 255), (left + place, top, left + 16, top + 16))
        image.save(self.folder / "new.png")
        os.replace(self.folder / "new.png", self.folder / name)

    # -- files --

    def save(self) -> None:
        """Write the tileset and the map; each appears at once."""
        self.write("walls.tsx", self.tileset("walls", "") + "\n")
        width, height = SIZE
        more = '<tileset firstgid="9" source="walls.tsx"/>' if self.more_tiles else ""
        attributes = 'orientation="orthogonal" tilewidth="16" tileheight="16"'
        own = self.tileset("floor", ' firstgid="1"')
        layers = "".join(map(self.text, self.layers))
        self.write(
            "map.tmx",
            f'<map width="{width}" height="{height}" {attributes}>{described(self.properties)}'
            f'{own}<tileset firstgid="5" source="walls.tsx"/>{more}{layers}\n</map>\n',
        )

    def tileset(self, name: str, attributes: str) -> str:
        solid = described({"solid": 'type="bool" value="true"'})
        tiles = "".join(f'<tile id="{tile - 1}">{solid}</tile>' for tile in sorted(self.solid))
        size = 'tilewidth="16" tileheight="16" tilecount="4" columns="2"'
        offset = f'<tileoffset x="{self.offset}" y="0"/>' if self.offset else ""
        image = f'<image source="{name}.png" width="32" height="32"/>'
        return f'<tileset name="{name}"{attributes} {size}>{offset}{image}{tiles}</tileset>'

    def text(self, layer: dict[str, Any]) -> str:
        width, height = SIZE
        settings = "".join(f' {name}="{value}"' for name, value in layer["settings"].items())
        inner = described(layer.get("own", {}))
        if "cells" in layer:
            settings += f' width="{width}" height="{height}"'
            rows = ",\n".join(",".join(map(str, row)) for row in layer["cells"])
            inner += f'<data encoding="csv">\n{rows}\n</data>'
        for item in layer.get("objects", ()):
            values = "".join(f' {name}="{value}"' for name, value in item.items())
            inner += f"<object{values}/>"
        if "image" in layer:
            inner += f'<image source="{layer["image"]}"/>'
        kind, number = layer["kind"], layer["id"]
        text = f'\n<{kind} id="{number}" name="{layer["name"]}"{settings}>{inner}</{kind}>'
        if layer["group"]:
            text = f'\n<group id="{layer["group"]}" name="g" offsetx="2">{text}</group>'
        return text

    def write(self, name: str, text: str) -> None:
        new = self.folder / f"new-{name}"
        new.write_text(text)
        os.replace(new, self.folder / name)


def described(properties: dict[str, str]) -> str:
    if not properties:
        return ""
    rows = "".join(f'<property name="{name}" {value}/>' for name, value in properties.items())
    return f"<properties>{rows}</properties>"


def main() -> None:
    """Edit whenever a line comes in, and answer."""
    folder, seed = sys.argv[1:]
    editor = Editor(Path(folder), int(seed))
    editor.save()
    print("ready", flush=True)
    for _ in sys.stdin:
        editor.edit()
        print("saved", flush=True)


if __name__ == "__main__":
    main()
