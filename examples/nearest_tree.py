"""Find the nearest tree on a Tiled map, and all trees in range, with a static quadtree."""

from pathlib import Path

from tilequad import StaticQuadtree, load_map

tile_map = load_map(Path(__file__).resolve().parent.parent / "maps" / "frontier.tmx")
woods = tile_map.layer("trees")
ids = woods.ids()
trees = StaticQuadtree(woods.boxes(ids))  # box i belongs to tile ids[i]
x, y = tile_map.bounds.center

nearest = ids[trees.k_nearest(x, y, 1)]
[[column, row]] = woods.cells(nearest).tolist()
print(f"the tree nearest to ({x:g}, {y:g}) stands in column {column}, row {row}")
print(f"{len(trees.within(x, y, 200))} of {len(woods):,} trees are within 200 pixels")
