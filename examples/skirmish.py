"""Two armies, in a window; you are blue. Needs `tilequad[arcade]`.

Left: box soldiers. Right: send them. Middle: build a tower, on ground that you see.
1 to 5: block, line, wedge, column, circle. Left and right arrow: look around.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import arcade
import numpy as np
from numpy.typing import NDArray

from tilequad import DynamicQuadtree, load_map
from tilequad.ai import Damage, March, Projectiles, Targeting, formation_places
from tilequad.draw.arcade import FogOverlay, MapView, SpriteBatch, pan, visible_bounds
from tilequad.nav import BLOCKED, Fog, Grid, Rule

BLUE, RED, HOUSE = 1, 2, 4  # groups; the first two are teams
HOMES = {BLUE: (3440.0, 4430.0), RED: (4560.0, 4430.0)}
COLORS = {BLUE: (70, 120, 255, 255), RED: (235, 60, 50, 255)}
WHITE, YELLOW, BLACK = arcade.color.WHITE, arcade.color.YELLOW, arcade.color.BLACK
FORMATIONS = "block", "line", "wedge", "column", "circle"
COUNT, SPEED, PLAN = 80, 1.4, 400  # soldiers, px a tick, ticks from one plan of red to the next
ARROW, FLIGHT, HARM = 14.0, 40, 10  # px a tick, ticks that an arrow flies at most, its damage
HALL, TOWER = (900, 96, 200, 10), (200, 32, 200, 20)  # health, size, reach, and so on
Box: TypeAlias = tuple[float, ...]


@dataclass(eq=False)
class Unit:
    """A soldier, or a house of some size, which shoots as well."""

    team: int
    health: float = 30
    size: float = 14
    reach: float = 110
    every: int = 25  # ticks from shot to shot
    ready: int = 0  # the tick of the next


class Skirmish:
    """The game, without a window."""

    def __init__(self) -> None:
        self.map = load_map(Path(__file__).resolve().parent.parent / "maps" / "frontier.tmx")
        water = Rule("ground", BLOCKED, {"solid": True}, opaque=False)
        woods, houses = Rule("trees", 2.0, opaque=True), Rule("places", BLOCKED, covered=0.5)
        self.grid = Grid.of(self.map, water, woods, houses)
        self.units: DynamicQuadtree[Unit] = DynamicQuadtree(self.map.bounds)
        self.fog = Fog(self.grid, teams=3, units=self.units)
        self.march = March(self.units, self.grid)
        self.damage = Damage(self.units, lambda unit: unit.health)
        self.aims = {
            team: Targeting(self.units, max_distance=0, to_edge=True, groups=3 - team,
                            sight=self.fog.sight(team), damage=self.damage, retarget_every=6)
            for team in HOMES
        }  # fmt: skip
        self.arrows = Projectiles(self.units, self.damage)
        self.tick, self.halls = 0, [Unit(team, *HALL) for team in HOMES]
        for hall, front in zip(self.halls, (1, -1), strict=True):
            self.build(hall, home := HOMES[hall.team])
            camp = home[0] + 200 * front, home[1]
            for x, y in formation_places("block", COUNT, 20, (front, 0)) + camp:
                soldier = Unit(hall.team)
                self.units.add(soldier, x, y, radius=7, groups=hall.team)
                self.fog.follow(soldier, 260, hall.team)

    def build(self, house: Unit, at: tuple[float, float]) -> None:
        """Build a house near a place that its team sees, if there is room; soldiers make way."""
        team, size = house.team, (house.size, house.size)
        if house not in self.halls and self.fog.state_at(*at, team) < 2:
            return
        place = self.grid.free_near(*at, size, self.units, without=team)
        if place is not None:
            self.grid.build(self.units, house, place, groups=HOUSE | team, push=team)
            self.fog.follow(house, 320, team, over_walls=True)

    def slots(self, groups: int, without: int = 0, box: Box = ()) -> NDArray[np.int32]:
        """The slots of the units in some groups, everywhere or in a box."""
        return self.units.query_many([box or self.map.bounds], groups, without)[1]

    def send(self, slots: NDArray[np.int32], goal: tuple[float, float], formation: str) -> None:
        """Send soldiers."""
        if len(slots) and self.grid.cell_at(*goal) is not None:
            self.march.send(slots, goal, formation=formation, spacing=20)

    def update(self) -> None:
        """One tick."""
        self.fog.update()
        speeds = np.full(self.slots(BLUE | RED).max(initial=0) + 1, SPEED)
        for team in HOMES:
            self.shoot(team, speeds)
        self.march.step(speeds)
        hits = self.arrows.step()
        for unit, harm in zip(self.units.items(hits.slots), hits.damage.tolist(), strict=True):
            if unit in self.units:  # who falls is hit no more
                unit.health -= harm
                if unit.health <= 0:
                    self.units.remove(unit)  # a house leaves the grid as well
        self.tick += 1
        if self.tick % PLAN == 0:
            self.plan()

    def shoot(self, team: int, speeds: NDArray[np.float64]) -> None:
        """Who has a target stands, and shoots when it is ready."""
        slots = self.slots(team)
        reach = [unit.reach for unit in self.units.items(slots)]
        found = self.aims[team].target_many(slots, now=self.tick, max_distance=reach)
        speeds[slots[found >= 0]] = 0.0
        for unit, target in zip(self.units.items(slots), self.units.items(found), strict=True):
            if target and unit.ready <= self.tick and not self.damage.doomed(target):
                unit.ready = self.tick + unit.every
                at, aim = self.units.position(unit), self.units.position(target)
                self.arrows.fire(*at, aim, ARROW, life=FLIGHT, width=4, damage=HARM,
                                 target=target, homing=True, groups=3 - team)  # fmt: skip

    def plan(self) -> None:
        """Red goes for the nearest that it sees, else for the hall; and builds where it stands."""
        slots = self.slots(RED, HOUSE)
        if len(slots):
            seen = self.fog.seen_units(RED, groups=BLUE).nonzero()[0]
            middle = self.units.position_many(slots).mean(axis=0)
            goals = np.vstack([self.units.position_many(seen), HOMES[BLUE]])
            x, y = goals[np.hypot(*(goals - middle).T).argmin()].tolist()
            self.send(slots, (x, y), FORMATIONS[self.tick // PLAN % 5])
            self.build(Unit(RED, *TOWER), (middle[0], middle[1]))


class Window(arcade.Window):
    """The game, and the player."""

    def __init__(self) -> None:
        super().__init__(1100, 700, "Skirmish")
        self.game = Skirmish()
        self.camera = arcade.Camera2D(position=(3900, 4400), zoom=0.85)
        self.map_view, self.dark = MapView(self.game.map), FogOverlay(self.game.fog, BLUE)
        square = arcade.make_soft_square_texture(64, WHITE, 255, 255)
        self.batch = SpriteBatch([arcade.make_circle_texture(64, WHITE), square])
        self.chosen: list[Unit] = []
        self.formation = FORMATIONS[0]
        self.box: Box = ()  # from where the mouse was pressed

    def on_update(self, delta_time: float) -> None:
        """Play on, while both halls stand."""
        if all(hall in self.game.units for hall in self.game.halls):
            self.game.update()
        self.chosen = [unit for unit in self.chosen if unit in self.game.units]

    def on_draw(self) -> None:
        """The map, the units that blue sees, their arrows, the fog, the box."""
        self.clear()
        with self.camera.activate():
            self.map_view.draw(view := visible_bounds(self.camera))
            self.draw_units(view)
            ends = np.hstack([at := self.game.arrows.xy, at - 12 * self.game.arrows.directions])
            for x, y, tail_x, tail_y in ends.tolist():
                if self.game.fog.state_at(x, y, BLUE) == 2:
                    arcade.draw_line(x, y, tail_x, tail_y, WHITE, 1.5)
            self.dark.draw()
            if self.box:
                rect = arcade.LRBT(*sorted(self.box[::2]), *sorted(self.box[1::2]))
                arcade.draw_rect_outline(rect, WHITE, 2)

    def draw_units(self, view: Box) -> None:
        """Those that blue sees, each with a rim; the chosen ones with a yellow one."""
        units, seen = self.game.units, self.game.fog.seen_units(BLUE)
        shown = [unit for unit in units.query(view) if seen[units.slot(unit)]]
        if shown:
            at, chosen = units.position_many(units.slots(shown)), set(self.chosen)
            sizes = np.array([(unit.size, unit.size) for unit in shown])
            houses = [int(unit.size > 14) for unit in shown]
            rims = [YELLOW if unit in chosen else BLACK for unit in shown]
            self.batch.draw(at, houses, sizes=sizes + 4, colors=rims)
            self.batch.draw(at, houses, sizes=sizes, colors=[COLORS[one.team] for one in shown])

    def on_mouse_drag(self, x: float, y: float, *moved: float) -> None:
        """Draw the box."""
        if self.box:
            self.box = *self.box[:2], *self.camera.unproject((x, y))[:2]

    def on_mouse_press(self, x: float, y: float, button: int, modifiers: int) -> None:
        """Begin a box, send soldiers, or build."""
        x, y = self.camera.unproject((x, y))[:2]
        if button == arcade.MOUSE_BUTTON_LEFT:
            self.box = x, y, x, y
        elif button == arcade.MOUSE_BUTTON_RIGHT:
            self.game.send(self.game.units.slots(self.chosen), (x, y), self.formation)
        elif button == arcade.MOUSE_BUTTON_MIDDLE:
            self.game.build(Unit(BLUE, *TOWER), (x, y))

    def on_mouse_release(self, *released: float) -> None:
        """Choose the soldiers in the box."""
        if self.box:
            (left, right), (low, high) = sorted(self.box[::2]), sorted(self.box[1::2])
            chosen = self.game.slots(BLUE, HOUSE, (left, low, right, high))
            self.chosen, self.box = self.game.units.items(chosen), ()

    def on_key_press(self, symbol: int, modifiers: int) -> None:
        """Look elsewhere, or choose a formation."""
        pan(self.camera, {arcade.key.LEFT: 80, arcade.key.RIGHT: -80}.get(symbol, 0), 0)
        if 0 <= symbol - arcade.key.KEY_1 < len(FORMATIONS):
            self.formation = FORMATIONS[symbol - arcade.key.KEY_1]


if __name__ == "__main__":
    Window().run()
