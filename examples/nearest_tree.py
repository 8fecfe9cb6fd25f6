"""The nearest tree on a Tiled map, and all trees in reach: the static tree in ten lines."""

from pathlib import Path

from tilequad import StaticQuadtree, load_map

world = load_map(Path(__file__).resolve().parent.parent / "maps" / "frontier.tmx")
woods = world.layer("trees")
ids = woods.ids()
trunks = StaticQuadtree(woods.boxes(ids))  # it calls a box by its row
x, y = world.bounds.center

nearest = trunks.nearest(x, y)
column, row = woods.cells([ids[nearest]])[0].tolist()
print(f"the tree nearest to ({x:g}, {y:g}) stands in column {column}, row {row}")
print(f"{len(trunks.within(x, y, 200))} of {len(woods):,} trees reach closer than 200 pixels")
