"""All that a game can see of a map, in values that can be compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tilequad.tiled import ObjectLayer, TileLayer, TileMap, Tileset

__all__ = ["LAYER", "assert_equal", "facts", "rounded", "tileset_facts"]

LAYER = (
    "name", "class_name", "visible", "locked", "opacity", "tint", "mode", "offset", "parallax",
    "properties", "color", "repeat", "draw_order",
)  # fmt: skip
TILESET = (
    "name", "class_name", "tile_offset", "render_size", "fill_mode", "object_alignment", "grid",
    "transformations", "wang_sets", "properties",
)  # fmt: skip


def tileset_facts(tileset: Tileset) -> list[object]:
    """All that a game can see of a tileset, but where its file is."""
    tiles = (
        (number, tile.class_name, tile.probability, tile.properties, tile.frames)
        for number, tile in sorted(tileset.tiles.items())
    )
    return [*(getattr(tileset, name) for name in TILESET), *tiles]


def facts(tile_map: TileMap) -> list[object]:
    """All that a game can see of a map, in values that can be compared."""
    found: list[object] = [tile_map.properties, tile_map.bounds, tile_map.background_color]
    for tileset in tile_map.tilesets:
        inside_tiled = tileset.missing and ":" in str(tileset.path)  # such as :/automap-tiles.tsx
        found += [tileset.first_gid, inside_tiled or tileset.path, *tileset_facts(tileset)]
    pictures = [tileset.picture for tileset in tile_map.tilesets]
    pictures += [tile.picture for tileset in tile_map.tilesets for tile in tileset.tiles.values()]
    found += [picture and picture.path for picture in pictures]
    for layer in tile_map.layers:
        found += [getattr(layer, name, None) for name in LAYER]
        if isinstance(layer, TileLayer):
            ids = layer.ids()
            found += [
                layer.cells(ids).tolist(),
                layer.gids(ids).tolist(),
                layer.flags(ids).tolist(),
            ]
        elif isinstance(layer, ObjectLayer):
            for item in layer.objects:
                own = {**vars(item), "points": item.points.tolist(), "template": None}
                own.pop("_outline", None)  # where the points were made for
                found.append(own)
        else:
            found.append(layer.image_path)
    return found


def assert_equal(
    one: TileMap, other: TileMap, told: Callable[..., Sequence[object]] = facts
) -> None:
    """Compare the facts one by one: pytest would take minutes to show how long lists differ."""
    for here, there in zip(told(one), told(other), strict=True):
        if here != there:
            raise AssertionError(f"{here!r:.300} is not {there!r:.300}")


def rounded(tile_map: TileMap) -> TileMap:
    """Round the places of objects to a millionth of a pixel."""
    for layer in tile_map.layers:
        for item in layer.objects if isinstance(layer, ObjectLayer) else ():
            item.x, item.y = round(item.x, 6) + 0.0, round(item.y, 6) + 0.0
            item.points = item.points.round(6) + 0.0
            item.bounds = tuple(round(side, 6) + 0.0 for side in item.bounds)
    for tileset in tile_map.tilesets:
        for picture in (tileset.picture, *(tile.picture for tile in tileset.tiles.values())):
            if picture is not None and picture.path is not None:
                picture.path = picture.path.resolve()
    return tile_map
