"""A game that goes on from bytes is the game that was packed, to the last bit."""

import random
import struct
import subprocess
import sys
import zlib
from math import inf

import numpy as np
import pytest

from tilequad import DynamicQuadtree
from tilequad._core.tree.rows import MARCHES, RowReader, row_from, write_rows
from tilequad.ai import (
    Claims,
    Damage,
    Goal,
    GoalSearch,
    March,
    RangeEvents,
    Stagger,
    Targeting,
    TickBudget,
    pack,
    policies,
    unpack,
)
from tilequad.nav import BLOCKED, Fog, Grid, LineOfSight, Rule, Walls
from tilequad.tiled import TileMap

pytestmark = pytest.mark.slow
TOWER, ENEMY, VILLAGER, TREE, TAKEN, HALL = 1, 2, 4, 8, 16, 32
SIZE = 400


class Game:
    """Towers that lock, villagers that claim, shots, viewers and zones; chance is given."""

    def __init__(self):
        self.units = DynamicQuadtree((0, 0, SIZE, SIZE), leaf_size=4)
        self.damage = Damage(self.units, lambda unit: 5 + unit % 7)
        self.aims = Targeting(
            self.units,
            policies.farthest,
            max_distance=90,
            lose_distance=110,
            groups=ENEMY,
            lock=True,
            retarget_every=6,
            at_once=2,
            damage=self.damage,
        )
        self.claims = Claims(self.units, TAKEN, seats=lambda tree: 1 + tree % 2)
        goals = Goal(TREE, max_distance=80, claim=True, retry=9), Goal(TREE, without=TAKEN, retry=4)
        self.goals = GoalSearch(self.units, *goals, claims=self.claims)
        self.grid = Grid(np.random.default_rng(4).random((20, 20)) < 0.8, cell_size=20)
        self.fog = Fog(self.grid, teams=2, units=self.units)
        self.events = RangeEvents(self.units, groups=ENEMY)
        self.stagger = Stagger(5, units=self.units)
        self.budget = TickBudget(3, units=self.units)
        self.free = Stagger(3)
        self.march = March(self.units, self.grid)
        self.parts = [
            self.units,
            self.grid,
            self.damage,
            self.aims,
            self.claims,
            self.goals,
            self.fog,
            self.events,
            self.stagger,
            self.budget,
            self.free,
            self.march,
        ]
        self.tick = 0
        self.named = 0
        self.doors = set()

    def add(self, chance, groups):
        self.named += 1
        self.units.add(self.named, chance.random() * SIZE, chance.random() * SIZE, groups=groups)
        return self.named

    def start(self, chance):
        for groups, count in (TOWER, 12), (ENEMY, 30), (VILLAGER, 15), (TREE, 10):
            for _ in range(count):
                unit = self.add(chance, groups)
                if groups == TOWER and unit % 3 == 0:
                    self.fog.follow(unit, 50, team=unit % 2, over_walls=unit % 4 == 0)
                    self.events.follow(unit, 60, leave_radius=70)
        self.events.add(200, 200, 80)
        self.fog.add(100, 300, radius_in_cells=3.5)
        return self

    def slots_of(self, groups):
        return self.units.query_many([(0, 0, SIZE, SIZE)], groups=groups)[1]

    def step(self, chance):
        """Play a tick; return all that was answered."""
        units, said = self.units, []
        self.tick += 1
        now = self.tick
        slots = units.slots(list(units))
        walks = chance.choices(slots.tolist(), k=12)
        at = units.position_many(sorted(set(walks)))
        steps = [(chance.uniform(-9, 9), chance.uniform(-9, 9)) for _ in at]
        units.move_many(sorted(set(walks)), np.clip(at + steps, 0, SIZE))
        towers, villagers = self.slots_of(TOWER), self.slots_of(VILLAGER)
        found = self.aims.target_many(towers, now)
        said.append(found.tolist())
        for slot in found[found >= 0][:2].tolist():
            self.damage.send(units.item(slot), chance.randrange(4))
        shots = list(self.damage)
        if len(shots) > 4:
            said.append(self.damage.land(shots[chance.randrange(len(shots))]))
        ready = villagers[self.budget.take_many(villagers, now)]
        said.append(self.goals.search_many(ready, now).tolist())
        said.append(self.claims.held_many(villagers).tolist())
        said.append(self.stagger.due_many(slots, now).tolist())
        said.append([self.free.due(number, now) for number in range(now % 11)])
        said.append(self.built(chance))
        said.append([told.tolist() for told in self.marched(chance)])
        self.fog.update()
        said.append([self.fog.states(team).tobytes() for team in (0, 1)])
        said.append([(zone.number, came, gone) for zone, came, gone in self.events.update()])
        self.change(chance)
        said.append([units.digest(), self.damage.under_way_many(units.slots(list(units))).tolist()])
        return said

    def built(self, chance):
        """Put up a building, take one away, close a door, pave a road, now and then."""
        kind, grid = chance.randrange(12), self.grid
        if kind == 0:
            box = grid.free_near(chance.uniform(0, SIZE), chance.uniform(0, SIZE), (40, 20))
            if box is not None and grid.blocker(box, self.units) is None:
                self.named += 1
                grid.build(self.units, self.named, box, groups=HALL, opaque=self.named % 2 == 0)
        elif kind == 1:
            halls = self.units.items(self.slots_of(HALL))
            if halls and chance.random() < 0.5:
                self.units.remove(halls[0])
                self.add(chance, VILLAGER)
        elif kind == 2:
            cell = chance.randrange(400)
            (grid.unblock if cell in self.doors else grid.block)([cell])
            self.doors ^= {cell}
        elif kind == 3:
            grid.set_costs([chance.randrange(400)], chance.choice([1, 2, 2.5, np.inf]))
        return [grid.costs.tobytes(), grid.opaque.tobytes()]

    def marched(self, chance):
        """Give an order now and then, and let all with orders march."""
        march, slots = self.march, self.slots_of(chance.choice([TOWER, ENEMY, VILLAGER]))
        goals = [(chance.uniform(0, SIZE), chance.uniform(0, SIZE)) for _ in range(3)]
        if self.tick % 7 == 0:
            kind = chance.randrange(5)
            if kind == 0:
                march.send(slots, goals[0], formation=chance.choice([None, "wedge"]))
            elif kind == 1:
                march.patrol(slots[:9], goals, formation=[(0, i) for i in range(9)], spacing=4)
            elif kind == 2:
                march.follow(slots[1:4], self.units.item(slots[0]))
            elif kind == 3:
                march.chase(slots[1:9], self.units.item(slots[0]))
            else:
                march.send_many(slots[:3], goals)
        return march.step(chance.choice([2.0, 3.0]))

    def change(self, chance):
        """Kill, bear, and change zones and viewers, at times between two updates."""
        for _ in range(chance.randrange(4)):
            unit = chance.choice(list(self.units))
            groups = self.units.groups(unit) & ~TAKEN
            self.units.remove(unit)
            unit = self.add(chance, groups)
            if groups == TOWER:
                self.fog.follow(unit, 40, team=unit % 2)
                self.events.follow(unit, 50)
        if chance.random() < 0.2 and len(self.events) > 2:
            self.events.remove(chance.choice(list(self.events)))
            self.events.enable(chance.choice(list(self.events)), chance.random() < 0.5)
            self.fog.remove(chance.choice(list(self.fog)))


def played(chance, ticks):
    """A game after so many ticks."""
    game = Game().start(chance)
    for _ in range(ticks):
        game.step(chance)
    return game


def joined_of(game):
    """Another game that has taken over a game from its bytes."""
    joined = Game()
    unpack(pack(*game.parts), list(game.units), *joined.parts)
    joined.tick, joined.named, joined.doors = game.tick, game.named, set(game.doors)
    return joined


def of_living(said, units):
    """Answers without the units that are gone, whom a game from bytes does not know."""
    *before, events, last = said
    known = set(units)
    shown = [
        (number, came, [unit for unit in gone if unit in known]) for number, came, gone in events
    ]
    return [*before, shown, last]


@pytest.mark.parametrize("seed", range(3))
def test_a_game_goes_on_from_bytes(seed):
    chance = random.Random(seed)
    game = played(chance, chance.randrange(5, 60))
    joined, other = joined_of(game), random.Random()
    assert pack(*joined.parts) == pack(*game.parts)
    other.setstate(chance.getstate())
    known = list(game.units)
    first = of_living(game.step(chance), known), of_living(joined.step(other), known)
    assert first[0] == first[1]
    for _ in range(199):
        assert game.step(chance) == joined.step(other)
    assert pack(*joined.parts) == pack(*game.parts)


def test_what_was_known_before_is_replaced():
    chance = random.Random(5)
    game, joined = Game().start(chance), Game().start(chance)
    for _ in range(20):
        game.step(chance)
        joined.step(chance)
    old = next(iter(joined.fog))
    unpack(pack(*game.parts), list(game.units), *joined.parts)
    assert pack(*joined.parts) == pack(*game.parts)
    assert old not in joined.fog


PROGRAM = """
import random, sys, zlib
from pathlib import Path
from tests.test_ai_packing import Game, unpack
folder = Path(sys.argv[1])
joined = Game()
items = list(map(int, (folder / "items").read_text().split()))
unpack((folder / "data").read_bytes(), items, *joined.parts)
joined.tick, joined.named = map(int, sys.argv[2:])
chance = random.Random(9)
for _ in range(200):
    said = joined.step(chance)
print(zlib.crc32(repr(said).encode()))
"""


def test_another_process_goes_on(tmp_path):
    game = played(random.Random(8), 40)
    (tmp_path / "data").write_bytes(pack(*game.parts))
    (tmp_path / "items").write_text(" ".join(map(str, game.units)))
    arguments = [str(tmp_path), str(game.tick), str(game.named)]
    program = [sys.executable, "-c", PROGRAM, *arguments]
    ended = subprocess.run(program, capture_output=True, text=True, check=True)
    chance = random.Random(9)
    for _ in range(200):
        said = game.step(chance)
    assert int(ended.stdout) == zlib.crc32(repr(said).encode())


# -- what is refused ---


@pytest.fixture(scope="module")
def packed():
    game = played(random.Random(3), 30)
    return game, pack(*game.parts)


def test_each_damaged_byte_is_refused(packed):
    game, data = packed
    joined = Game()
    for at in random.Random(1).sample(range(len(data)), 200):
        broken = bytearray(data)
        broken[at] ^= 1 << at % 8
        with pytest.raises(ValueError, match=r"^[^\n]{1,300}$"):
            unpack(broken, list(game.units), *joined.parts)
        assert not len(joined.units)
    assert pack(*joined.parts) == pack(*Game().parts)


def test_cut_bytes_are_refused(packed):
    game, data = packed
    joined = Game()
    for end in [*random.Random(1).sample(range(len(data)), 100), 0]:
        with pytest.raises(ValueError, match=r"^data "):
            unpack(data[:end], list(game.units), *joined.parts)
    with pytest.raises(ValueError, match=r"^data "):
        unpack(data + data[:40], list(game.units), *joined.parts)


def forged(data, at, value):
    """Bytes with another number in a row, and checksums that are right again."""
    from tilequad._core.tree import rows

    parts = [bytearray(part) for part in rows.parts_of(data)]
    for part in parts:
        if at < len(part) - 24:
            struct.pack_into("<i", part, 24 + at // 4 * 4, value)
            break
        at -= len(part) - 24
    checksum = zlib.crc32(part[24:])
    struct.pack_into("<I", part, 12, checksum)
    return b"".join(parts)


def test_forged_numbers_end_nothing(packed):
    """Right checksums over wrong numbers: refused, or a game that goes on without a crash."""
    game, data = packed
    items, chance, went_on = list(game.units), random.Random(2), 0
    for _ in range(150):
        joined = Game()
        value = chance.choice([-2, -1, 0, 1, 7, 1000, 2**31 - 1, -(2**31), 0x7FF00000])
        try:
            unpack(forged(data, chance.randrange(len(data)), value), items, *joined.parts)
        except ValueError:
            continue
        joined.tick, joined.named = game.tick, game.named
        went_on += 1
        other = random.Random(0)
        try:
            for _ in range(3):
                joined.step(other)
        except (ValueError, KeyError, RuntimeError):
            pass
    assert went_on > 5


def test_parts_that_do_not_fit_are_refused(packed):
    game, data = packed
    items, joined = list(game.units), Game()
    units, grid, damage, aims, claims, *others = joined.parts
    with pytest.raises(ValueError, match="data holds a Damage, not a Targeting"):
        unpack(data, items, units, grid, aims, damage, claims, *others)
    with pytest.raises(ValueError, match="data holds 11 parts, but 10 are given"):
        unpack(data, items, *joined.parts[:-1])
    with pytest.raises(ValueError, match=f"one for each unit, got {len(items) - 1}"):
        unpack(data, items[1:], *joined.parts)
    with pytest.raises(ValueError, match="parts must be about the same tree"):
        pack(units, Claims(game.units, TAKEN))
    with pytest.raises(ValueError, match="parts must have the claims of <GoalSearch"):
        pack(units, joined.goals)
    with pytest.raises(ValueError, match="parts must have the damage of <Targeting"):
        pack(units, joined.aims)
    for wrong in (3, type("Followed", (), {"_kind": list})()):  # as FollowedSprites has one
        with pytest.raises(TypeError, match="parts must be Targeting, Claims and the like, got"):
            pack(units, wrong)
    assert not len(units)


@pytest.mark.parametrize(
    ("data", "said"),
    [(b"nonsense" * 9, "holds no tree"), (b"", "holds no tree"), (None, "holds no parts, but 1")],
)
def test_what_is_no_packed_game_is_called_so(data, said):
    units = DynamicQuadtree((0, 0, 9, 9))
    with pytest.raises(ValueError, match=said):
        unpack(units.to_bytes() if data is None else data, [], units, Claims(units, TAKEN))


@pytest.mark.parametrize("spacing", [inf, 0.0, -1.0])
def test_a_forged_spacing_is_refused(spacing):
    units = DynamicQuadtree((0, 0, 90, 90))
    march = March(units, Grid(np.ones((9, 9)), 10))
    march.send(units.add_many("ab", [(5, 5), (25, 5)]), (45, 45), formation="line", spacing=7.0625)
    data = pack(units, march)
    at = data.index(struct.pack("<d", 7.0625))
    broken = bytearray(data)
    struct.pack_into("<d", broken, at, spacing)
    begin = len(units.to_bytes())
    struct.pack_into("<I", broken, begin + 12, zlib.crc32(broken[begin + 24 :]))
    with pytest.raises(ValueError, match="the spacing of an order"):
        unpack(broken, "ab", units, march)


def test_a_march_without_its_first_orders_goes_on_from_bytes():
    grid = Grid(np.ones((9, 9)), 10)
    units, other = DynamicQuadtree(grid.bounds), DynamicQuadtree(grid.bounds)
    men = units.add_many("abc", [(15, 15), (45, 45), (75, 75)], radius=2)
    march, restored = March(units, grid), March(other, grid)
    march.send_many(men, [(75, 15), (15, 75), (15, 45)])
    march.stop(men[:2])
    unpack(pack(units, march), "abc", other, restored)
    for step in range(40):
        if step == 5:
            march.send(men[:1], (75, 15))
            restored.send(men[:1], (75, 15))
        assert march.step(2).arrived.tolist() == restored.step(2).arrived.tolist()
    assert units.digest() == other.digest()


def test_a_forged_number_of_an_order_takes_no_memory():
    units, grid = DynamicQuadtree((0, 0, 90, 90)), Grid(np.ones((9, 9)), 10)
    march = March(units, grid)
    march.send(units.add_many("ab", [(5, 5), (25, 5)]), (45, 45))
    rows = march._packed(2)
    rows["listed"] = row_from("i", [2**31 - 1])
    with pytest.raises(ValueError, match="the orders"):
        march._read(RowReader(write_rows(MARCHES, rows), MARCHES), units)


def test_settings_that_do_not_fit_are_refused():
    units, other = DynamicQuadtree((0, 0, 9, 9)), DynamicQuadtree((0, 0, 9, 9))
    data = pack(units, Claims(units, 4))
    with pytest.raises(ValueError, match="taken must be 4, as it was, got 8"):
        unpack(data, [], other, Claims(other, 8))
    data = pack(units, GoalSearch(units, Goal(1), Goal(2)))
    with pytest.raises(ValueError, match="goals must be 2, as they were, got 1"):
        unpack(data, [], other, GoalSearch(other, Goal(1)))
    data = pack(units, Fog(Grid([[True, False]]), units=units))
    with pytest.raises(ValueError, match="same opaque cells"):
        unpack(data, [], other, Fog(Grid([[True, True]]), units=other))
    data = pack(units, March(units, Grid([[True, False]])))
    with pytest.raises(ValueError, match="same cells and costs"):
        unpack(data, [], other, March(other, Grid([[True, True]])))
    data = pack(units, Grid([[True, False]]))
    with pytest.raises(ValueError, match="grid must have 1 rows and 2 columns, got <Grid"):
        unpack(data, [], other, Grid([[True]]))
    with pytest.raises(ValueError, match=r"grid must have the costs that it had, got 2\.0"):
        unpack(data, [], other, Grid([[2.0, 2.0]]))
    grid, units_too = Grid([[True, True]]), DynamicQuadtree((0, 0, 9, 9))
    grid.build(units_too, "hall", (0, 0, 1, 1))
    with pytest.raises(ValueError, match="parts must be about the same tree"):
        pack(units, grid)
    data = pack(units, Fog(Grid([[True, False]]), units=units))
    with pytest.raises(ValueError, match=r"fog must have \(1, 2\) teams and cells, got \(2, 2\)"):
        unpack(data, [], other, Fog(Grid([[True, False]]), teams=2, units=other))


def test_a_unit_removed_before_the_bytes_is_none_in_its_report():
    units, other = DynamicQuadtree((0, 0, 9, 9)), DynamicQuadtree((0, 0, 9, 9))
    events, again = RangeEvents(units), RangeEvents(other)
    events.add(5, 5, 3)
    units.add("orc", 5, 5)
    events.update()
    units.remove("orc")
    unpack(pack(units, events), [], other, again)
    assert [gone for _, _, gone in again.update()] == [[None]]


def answers():
    """What a game says, and its bytes: the same in both modes."""
    chance = random.Random(7)
    game = Game().start(chance)
    said = [repr(game.step(chance)) for _ in range(30)]
    return [said, zlib.crc32(pack(*game.parts)), [repr(joined_of(game).step(chance))]]


class Doors:
    """A map with rocks, a fence and a door that moves; and what asks its grid."""

    def __init__(self, orientation="orthogonal"):
        self.map = TileMap.new(20, 20, (32, 32), orientation=orientation, hex_side_length=12)
        things = self.map.add_object_layer("things")
        self.door = things.add_object("rectangle", 300, 300, (70, 9), rotation=10)
        things.add_object("ellipse", 200, 350, (75, 50))
        things.add_object("polyline", points=[(100, 100), (160, 260), (400, 280)])
        things.add_object("polygon", points=[(400, 100), (420, 190), (500, 140), (430, 160)])
        self.grid = Grid.of(self.map, Rule("things", BLOCKED))
        self.units = DynamicQuadtree(self.grid.bounds)
        self.sight, self.walls = LineOfSight(self.grid), Walls(self.grid)

    def move_door(self, *places):
        for k in places:
            self.map.layer("things").edit_object(self.door, x=280 + 3.7 * k, rotation=7 * k)

    def facts(self):
        xy = np.random.default_rng(3).uniform(0, 640, (500, 2))
        boxes = [(x, y, x + 9, y + 7) for x, y in xy[:99].tolist()]
        hits = self.sight.hit_many(xy, xy[::-1])
        bumps = [tuple(self.walls.move_and_slide(box, 50, -40).bounds) for box in boxes]
        return [part.tolist() for part in hits], bumps, self.grid.blocked.tolist()


@pytest.mark.parametrize("orientation", ["orthogonal", "isometric", "hexagonal"])
def test_a_grid_brings_the_shapes_in_its_cells(orientation):
    game, joined = Doors(orientation), Doors(orientation)
    game.move_door(*range(30))
    assert game.facts() != joined.facts()
    data = pack(game.units, game.grid)
    unpack(data, [], joined.units, joined.grid)
    assert game.facts() == joined.facts()
    assert pack(joined.units, joined.grid) == data  # whatever numbers the shapes have
    joined = Doors(orientation)
    joined.move_door(29)
    unpack(data, [], joined.units, joined.grid)
    for one in (game, joined):
        one.move_door(30, 31)
    assert game.facts() == joined.facts()
    bare = Grid.of(joined.map)
    with pytest.raises(ValueError, match="grid must have rules as it had, with shapes in cells"):
        unpack(data, [], joined.units, bare)


def test_forged_shapes_end_nothing():
    game, chance, went_on = Doors(), random.Random(2), 0
    data = pack(game.units, game.grid)
    for _ in range(400):
        joined = Doors()
        value = chance.choice([-1, 0, 1, 7, 1000, 2**31 - 1, 0x7FF00000, 0x40000000, 0x00100000])
        try:
            unpack(forged(data, chance.randrange(len(data)), value), [], joined.units, joined.grid)
        except ValueError:
            continue
        went_on += 1
        joined.facts()
    assert went_on > 20
