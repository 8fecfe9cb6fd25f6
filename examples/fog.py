"""Two teams on a Tiled map: a scout explores, trees hide what is behind them and are felled."""

from pathlib import Path

from tilequad import DynamicQuadtree, load_map
from tilequad.nav import BLOCKED, Fog, Grid, Rule

OURS, THEIRS = 0, 1
ENEMY = 2

tile_map = load_map(Path(__file__).resolve().parent.parent / "maps" / "frontier.tmx")
sight = Grid.of(tile_map, Rule("trees", BLOCKED))  # water stops a step, but not a view
units: DynamicQuadtree[str] = DynamicQuadtree(tile_map.bounds)
fog = Fog(sight, teams=2, units=units)

x, y = 2576, 6672  # in a wood
units.add("tower", x, y)
units.add("scout", x, y)
units.add("balloon", x + 400, y)
units.add("wolf", x + 400, y + 60, groups=ENEMY)
units.add("bear", x - 40, y + 200, groups=ENEMY)

fog.add("tower", cells=10, team=OURS)
fog.add("scout", cells=7, team=OURS)
fog.add("balloon", cells=9, team=THEIRS, over_walls=True)  # it flies above the trees
slots = {name: units.slot(name) for name in ("wolf", "bear")}

for minute in range(4):
    seen = fog.seen_units(OURS, groups=ENEMY)
    names = [name for name, slot in slots.items() if seen[slot]]
    print(
        f"minute {minute}: we see {fog.visible(OURS).sum()} cells of "
        f"{fog.explored(OURS).sum()} explored, and of the beasts {names or 'none'}"
    )
    units.move("scout", x + 150 * (minute + 1), y)
    fog.update()

scout = fog.field_of_view(*units.position("scout"), cells=7)
trees = tile_map.layer("trees")
for cell in scout.tolist():
    trees.clear_tile(cell % sight.columns, cell // sight.columns)  # the fog follows
felled = len(fog.field_of_view(*units.position("scout"), cells=7)) - len(scout)
print(f"the trees around the scout are felled: {felled} cells more in view")
