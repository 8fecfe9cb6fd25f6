"""Scouts walk to a town and light the land, in a window. Needs `tilequad[arcade]`.

python examples/fog_window.py --seconds 4 --output fog_window.png
"""

import argparse
from pathlib import Path

import arcade
import numpy as np

from tilequad import DynamicQuadtree, load_map
from tilequad.draw.arcade import FieldOverlay, FogOverlay, MapView, SpriteBatch, visible_bounds
from tilequad.nav import BLOCKED, Field, Fog, Grid, Rule

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--seconds", type=int, default=0, help="how long they have walked at first")
parser.add_argument("--output", type=Path, help="where to write a picture, without a window")
given = parser.parse_args()

window = arcade.Window(960, 600, "Fog", visible=not given.output)
tile_map = load_map(Path(__file__).resolve().parent.parent / "maps" / "frontier.tmx")
water = Rule("ground", BLOCKED, {"solid": True}, opaque=False)  # stops a step, but not a view
grid = Grid.of(tile_map, water, Rule("trees", BLOCKED), Rule("roads", 0.6))
field = Field(grid, [(3664, 4102)])
units: DynamicQuadtree[int] = DynamicQuadtree(tile_map.bounds)
places = np.random.default_rng(3).uniform((2900, 3500), (4700, 4900), (60, 2))
slots = units.add_many(range(60), places)
fog = Fog(grid, units=units)
for scout in range(60):
    fog.follow(scout, radius_in_cells=5)
camera = arcade.Camera2D(position=(3800, 4200), zoom=0.5)
map_view = MapView(tile_map)
batch = SpriteBatch([arcade.make_circle_texture(40, arcade.color.YELLOW)])
ground, dark = FieldOverlay(field, max_distance=2500), FogOverlay(fog)


def update(delta_time: float) -> None:
    """All walk on, and the fog follows them."""
    units.move_many(slots, field.advance_many(units.position_many(slots), 60 * delta_time))
    fog.update()


def draw() -> None:
    """The map, the field, the units, the fog."""
    window.clear()
    with camera.activate():
        map_view.draw(visible_bounds(camera))
        ground.draw()
        batch.draw(units.position_many(slots), np.zeros(60, int))
        dark.draw()


for _ in range(60 * given.seconds):
    update(1 / 60)
if given.output:
    draw()
    arcade.get_image(0, 0, *window.size).convert("RGB").save(given.output)
else:
    window.push_handlers(on_update=update, on_draw=draw)
    window.run()
