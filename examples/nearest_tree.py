"""Find the nearest tree on a Tiled map, and all trees in range, by what Tiled says of tiles."""

from pathlib import Path

from tilequad import load_map

tile_map = load_map(Path(__file__).resolve().parent.parent / "maps" / "frontier.tmx")
woods = tile_map.layer("trees")
trees = woods.select({"resource": "wood"})  # all but stumps
x, y = tile_map.bounds.center

nearest = trees.nearest(x, y)
assert nearest is not None, "the map has trees"
[[column, row]] = woods.cells([nearest]).tolist()
print(f"the tree nearest to ({x:g}, {y:g}) stands in column {column}, row {row}")
print(f"{len(trees.within(x, y, 200))} of {len(woods):,} trees are within 200 pixels")
