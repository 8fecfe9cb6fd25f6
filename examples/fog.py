"""Two teams in fog: a scout explores, trees hide much, a tower aims at what its team sees.

python examples/fog.py --output fog.png
"""

import argparse
from pathlib import Path

from PIL import Image

from tilequad import DynamicQuadtree, load_map
from tilequad.ai import RangeEvents, Targeting, policies
from tilequad.draw.pillow import draw_fog, render
from tilequad.nav import BLOCKED, Fog, Grid, Rule

OURS, THEIRS = 0, 1
ENEMY = 2
PART, SCALE = (2200, 6400, 3480, 7000), 0.38

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--output", type=Path, help="where to write the picture")
output = parser.parse_args().output

tile_map = load_map(Path(__file__).resolve().parent.parent / "maps" / "frontier.tmx")
water = Rule("ground", BLOCKED, {"solid": True}, opaque=False)  # stops a step, but not a view
grid = Grid.of(tile_map, water, Rule("trees", 3.0, opaque=True))  # and a wood the other way round
units: DynamicQuadtree[str] = DynamicQuadtree(tile_map.bounds)
fog = Fog(grid, teams=2, units=units)
x, y = 2576, 6672  # in a wood
units.add("tower", x, y)
units.add("scout", x, y)
units.add("balloon", x + 400, y)
units.add("wolf", x + 400, y + 60, groups=ENEMY)
units.add("bear", x - 40, y + 200, groups=ENEMY)
fog.follow("tower", radius_in_cells=10, team=OURS)
fog.follow("scout", radius_in_cells=7, team=OURS)
fog.follow("balloon", radius_in_cells=9, team=THEIRS, over_walls=True)  # it flies above the trees
ours = fog.sight(OURS)  # what any of our viewers sees, all of us know
tower = Targeting(units, policies.closest, max_distance=450, groups=ENEMY, sight=ours)
alarm = RangeEvents(units, sight=ours)
alarm.follow("tower", 450, groups=ENEMY)

for minute in range(4):
    for _, entered, left in alarm.update():
        print(f"minute {minute}: alarm: {entered} came into view, {left} left it")
    print(
        f"minute {minute}: we see {fog.visible(OURS).sum()} cells of "
        f"{fog.explored(OURS).sum()} explored; the tower aims at {tower.target('tower', minute)}"
    )
    units.move("scout", x + 150 * (minute + 1), y)
    fog.update()

if output:
    ground = render(tile_map, PART, scale=SCALE)
    picture = Image.new("RGB", (2 * ground.width + 8, ground.height))
    for team in (OURS, THEIRS):
        picture.paste(draw_fog(ground, fog, PART, team), (team * (ground.width + 8), 0))
    picture.save(output)
