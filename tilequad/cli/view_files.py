"""Notice when Tiled saves a map, or a file that it uses."""

from __future__ import annotations

from pathlib import Path

from tilequad.tiled import ImageLayer, ObjectLayer, TileMap

__all__ = ["WatchedFiles"]

Stamp = tuple[int, int] | None  # when a file was written, and its size; None if it does not exist


class WatchedFiles:
    """Watches the files of a map: itself, its tilesets, templates and images.

    Args:
        tile_map: The map.
    """

    def __init__(self, tile_map: TileMap) -> None:
        self._stamps = {path: stamp_of(path) for path in files_of(tile_map)}

    def have_changed(self) -> bool:
        """Return whether a file was written or removed since the last call."""
        now = {path: stamp_of(path) for path in self._stamps}
        changed = now != self._stamps
        self._stamps = now
        return changed


def files_of(tile_map: TileMap) -> set[Path]:
    """Return the paths of all files that the map was read from."""
    found = {tile_map.path}
    for tileset in tile_map.tilesets:
        found.add(tileset.path or tile_map.path)
        if tileset.picture is not None:
            found.add(tileset.picture.path or tile_map.path)
        for tile in tileset.tiles.values():
            if tile.picture is not None and tile.picture.path:
                found.add(tile.picture.path)
    for layer in tile_map.layers:
        if isinstance(layer, ImageLayer) and layer.picture is not None and layer.picture.path:
            found.add(layer.picture.path)
        if isinstance(layer, ObjectLayer):
            folder = tile_map.path.parent
            found |= {folder / item.template for item in layer.objects if item.template}
    return found


def stamp_of(path: Path) -> Stamp:
    """Return when a file was written, and its size."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size
