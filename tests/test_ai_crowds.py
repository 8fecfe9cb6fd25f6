"""separate: units are pushed apart and out of walls, the same way every time."""

from __future__ import annotations

from itertools import product
from math import dist, inf, nan, sqrt
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.brute_crowds import Body, BruteCrowd
from tests.share import share
from tilequad import COMPILED, DynamicQuadtree, StaticQuadtree, load_map
from tilequad.ai import separate
from tilequad.nav import Grid, Walls

SQUARE = (0, 0, 1000, 1000)
WALKER, BUILDING, BIRD = 1, 2, 4
ALL = 2**32 - 1
coordinates = st.floats(400, 600, width=32)
sizes = st.one_of(st.floats(0, 30, width=32), st.tuples(st.floats(0, 60), st.floats(0, 60)))


def field(footprints, places):
    """A tree with units at places; a footprint is a radius or a size."""
    units = DynamicQuadtree(SQUARE)
    for name, (x, y) in places.items():
        size = footprints[name]
        shape = {"size": size} if isinstance(size, tuple) else {"radius": size}
        units.add(name, x, y, groups=WALKER, **shape)
    return units


def crowd(count, spread, seed=1):
    rng = Random(seed)
    xy = [(rng.gauss(500, spread), rng.gauss(500, spread)) for _ in range(count)]
    units = DynamicQuadtree(SQUARE)
    units.add_many(range(count), xy, radius=6)
    return units


def places(units):
    return {unit: units.position(unit) for unit in units}


def moved(units, *args, **options):
    """Separate; the new places by unit."""
    slots = separate(units, *args, **options)
    rows = units.position_many(slots).tolist()
    return dict(zip(units.items(slots), map(tuple, rows), strict=True))


def deepest(units, radius):
    """Depth of the deepest overlap of two circles; 0 if none overlap."""
    gaps = [dist(units.position(a), units.position(b)) for a, b in units.pairs()]
    return max([2 * radius - gap for gap in gaps], default=0.0)


def overlap(a, b):
    """Penetration depth of two footprints, each (x, y, radius or size)."""
    (ax, ay, a_size), (bx, by, b_size) = a, b
    a_half = (a_size[0] / 2, a_size[1] / 2) if isinstance(a_size, tuple) else (0, 0)
    b_half = (b_size[0] / 2, b_size[1] / 2) if isinstance(b_size, tuple) else (0, 0)
    rounding = sum(size for size in (a_size, b_size) if not isinstance(size, tuple))
    gap_x = abs(ax - bx) - a_half[0] - b_half[0]
    gap_y = abs(ay - by) - a_half[1] - b_half[1]
    if gap_x > 0 or gap_y > 0:
        return rounding - sqrt(max(gap_x, 0) ** 2 + max(gap_y, 0) ** 2)
    return rounding - max(gap_x, gap_y)


# -- one pair --


def test_two_equal_circles_share_the_push_and_then_touch():
    units = field({"a": 6, "b": 6}, {"a": (44, 50), "b": (48, 50)})

    assert moved(units) == {"a": (40, 50), "b": (52, 50)}
    assert places(units) == {"a": (40, 50), "b": (52, 50)}
    assert separate(units).tolist() == []


def test_a_unit_weighs_as_much_as_its_footprint_is_large():
    units = field({"ogre": 12, "man": 6}, {"ogre": (50, 50), "man": (50, 63)})

    assert moved(units) == {"ogre": (50, 49), "man": (50, 67)}


def test_the_heavier_unit_moves_less():
    units = field({"tank": 10, "man": 10}, {"tank": (50, 50), "man": (50, 58)})

    assert moved(units, mass=[3, 1]) == {"tank": (50, 47), "man": (50, 67)}


def test_one_mass_serves_all():
    units = field({"ogre": 12, "man": 6}, {"ogre": (50, 50), "man": (50, 64)})

    assert moved(units, mass=7) == {"ogre": (50, 48), "man": (50, 66)}


def test_an_immovable_unit_stays_and_the_other_moves_all_the_way():
    units = field({"rock": 10, "man": 5}, {"rock": (50, 50), "man": (59, 50)})

    assert moved(units, mass=[inf, 1]) == {"man": (65, 50)}


def test_two_immovable_units_stay():
    units = field({"a": 10, "b": 10}, {"a": (50, 50), "b": (55, 50)})

    assert separate(units, mass=inf).tolist() == []
    assert units.position("a") == (50, 50)


@pytest.mark.parametrize(
    ("house", "man", "expected"),
    [
        ((40.0, 40.0), (68, 50), (75, 50)),  # center outside, next to an edge
        ((40.0, 40.0), (55, 50), (75, 50)),  # center inside: through the nearest edge
        ((40.0, 40.0), (50, 57), (50, 75)),
        ((46.0, 40.0), (73, 74), (73, 75)),  # the nearest point is on the edge, not at the corner
        ((40.0, 40.0), (73, 73), (70 + 5 / sqrt(2), 70 + 5 / sqrt(2))),  # along the diagonal
    ],
)
def test_a_circle_leaves_a_box_by_the_shortest_way(house, man, expected):
    units = field({"house": house, "man": 5}, {"house": (50, 50), "man": man})

    separate(units, mass=[inf, 1])

    assert units.position("man") == pytest.approx(expected)


def test_two_boxes_separate_along_the_axis_of_least_overlap():
    units = field(dict.fromkeys("ab", (20.0, 20.0)), {"a": (50, 50), "b": (66, 54)})

    assert moved(units) == {"a": (48, 50), "b": (68, 54)}


@given(
    first=st.tuples(coordinates, coordinates, sizes),
    second=st.tuples(coordinates, coordinates, sizes),
    masses=st.tuples(st.sampled_from([1, 2, 5, inf]), st.sampled_from([0.5, 1, 7])),
)
def test_one_call_separates_any_pair_and_moves_it_no_further_than_needed(first, second, masses):
    footprints = {"a": first[2], "b": second[2]}
    units = field(footprints, {"a": first[:2], "b": second[:2]})
    depth = overlap(first, second)

    changed = moved(units, mass=masses)

    after = [(*units.position(name), footprints[name]) for name in "ab"]
    assert overlap(*after) <= 1e-4
    if depth < 0:
        assert changed == {}
    elif first[:2] != second[:2]:
        moved_by = sum(
            dist(units.position(n), old[:2]) for n, old in zip("ab", (first, second), strict=True)
        )
        assert moved_by == pytest.approx(max(depth, 0), abs=1e-4)
    assert moved(units, mass=masses) == {}
    if masses[0] == inf:
        assert "a" not in changed


# -- who is pushed, and how far --


def test_only_units_in_the_groups_are_pushed():
    units = DynamicQuadtree(SQUARE)
    units.add("man", 500, 500, radius=6, groups=WALKER)
    units.add("bird", 503, 500, radius=6, groups=BIRD)

    assert moved(units, WALKER) == {}
    assert set(moved(units)) == {"man", "bird"}


def test_what_pushes_and_is_not_in_the_groups_stays():
    units = DynamicQuadtree(SQUARE)
    units.add("house", 500, 500, size=(40, 40), groups=BUILDING)
    units.add("man", 522, 500, radius=5, groups=WALKER)
    units.add("maid", 531, 500, radius=5, groups=WALKER)
    units.add("bird", 524, 501, radius=5, groups=BIRD)

    # From the house alone: the man is pushed onto the maid.
    assert moved(units, WALKER, against=BUILDING) == {"man": (525, 500)}
    # Also from one another: the man cannot give way, so the maid does.
    separate(units, WALKER, against=WALKER | BUILDING, iterations=50)
    assert units.position("man")[0] == pytest.approx(525, abs=0.2)
    assert units.position("maid")[0] == pytest.approx(535, abs=0.2)
    assert units.position("bird") == (524, 501)


def test_only_the_chosen_slots_are_pushed():
    where = {"a": (500, 500), "b": (508, 500), "c": (516, 500), "d": (900, 500)}
    units = field(dict.fromkeys(where, 6), where)
    assert moved(units, slots=units.slots("a")) == {"a": (496, 500)}
    assert moved(units, slots=units.slots("ad")) == {}
    assert moved(units, slots=[]) == {}
    assert moved(units, 2, slots=units.slots("b")) == {}


@pytest.mark.parametrize("strips", [2, 5])
def test_strips_in_turn_keep_a_crowd_apart(strips):
    units = crowd(300, 40)
    every = units.slots(range(300))
    for tick in range(40 * strips):
        xs = units.position_many(every)[:, 0]
        cuts = np.quantile(xs, np.linspace(0, 1, strips + 1))
        turn = tick % strips
        separate(units, slots=every[(xs >= cuts[turn]) & (xs <= cuts[turn + 1])])
    assert deepest(units, 6) < 0.5


def test_one_of_a_pair_may_push_without_being_pushed_back():
    units = DynamicQuadtree(SQUARE)
    units.add("ship", 500, 500, radius=6, groups=WALKER | BUILDING)
    units.add("boat", 508, 500, radius=6, groups=WALKER)

    assert moved(units, WALKER, against=BUILDING) == {"boat": (512, 500)}


def test_a_push_is_capped():
    units = field({"a": 6, "b": 6}, {"a": (44, 50), "b": (48, 50)})

    assert moved(units, max_push=1) == {"a": (43, 50), "b": (49, 50)}
    assert moved(units, max_push=0) == {}
    crowded = crowd(60, 4)
    before = places(crowded)
    after = moved(crowded, max_push=2.5)
    assert max(dist(before[unit], after[unit]) for unit in after) == pytest.approx(2.5)


def test_bounds_keep_pushed_units_inside_and_leave_others_alone():
    units = field(
        dict.fromkeys("abrf", 6), {"a": (2, 500), "b": (4, 500), "r": (-3, 500), "f": (-50, -50)}
    )

    for _ in range(20):
        after = moved(units, mass=[1, 1, inf, 1], bounds=SQUARE)
        assert all(0 <= x <= 1000 and 0 <= y <= 1000 for x, y in after.values())

    assert units.position("r") == (-3, 500)
    assert units.position("f") == (-50, -50)


# -- crowds --


@pytest.mark.parametrize("count", [2, 3, 10, 100])
def test_units_on_one_point_spread_to_different_places(count):
    units = DynamicQuadtree(SQUARE)
    units.add_many(range(count), [(500, 500)] * count, radius=6)

    separate(units)
    assert len(set(places(units).values())) == count
    for _ in range(100):
        separate(units)

    assert deepest(units, 6) < 0.7
    radius = 6 * 3 * sqrt(count)  # the crowd spreads but does not burst
    assert all(dist(place, (500, 500)) < radius for place in places(units).values())


def test_boxes_on_one_point_separate():
    units = field(dict.fromkeys("abc", (20.0, 10.0)), dict.fromkeys("abc", (500, 500)))

    for _ in range(20):
        separate(units)

    ends = [(*place, (20.0, 10.0)) for place in places(units).values()]
    assert len(set(ends)) == 3
    assert max(overlap(a, b) for a, b in [ends[:2], ends[1:], ends[::2]]) < 0.01


@pytest.mark.parametrize("seed", range(3))
def test_a_crowd_spreads(seed):
    units = crowd(200, 60, seed)
    before = deepest(units, 6)
    assert before > 6

    for _ in range(60):
        separate(units)

    assert deepest(units, 6) < 0.12  # no more than what is left alone as invisible
    units.check()


def test_units_that_only_touch_stay():
    units = DynamicQuadtree(SQUARE)
    units.add_many(range(20), [(100 + 12 * k, 100) for k in range(20)], radius=6)
    assert len(units.pairs()) == 19

    assert separate(units).tolist() == []


def test_the_places_do_not_depend_on_the_shape_of_the_tree():
    """One tree is built at once, one unit by unit, the third has a long life behind it."""
    trees = crowd(150, 30), DynamicQuadtree(SQUARE), DynamicQuadtree((0, 0, 9, 9))
    for unit, place in places(trees[0]).items():
        trees[1].add(unit, *place, radius=6)
        trees[2].add(unit, unit, 9 - unit % 10, radius=6)
    for step in (200, 100, 0):
        for unit, (x, y) in places(trees[0]).items():
            trees[2].move(unit, x + step * unit, y + step)

    for _ in range(5):
        assert moved(trees[0]) == moved(trees[1]) == moved(trees[2])


def test_an_empty_tree_moves_nothing():
    assert separate(DynamicQuadtree(SQUARE)).tolist() == []
    assert separate(DynamicQuadtree(SQUARE), walls=StaticQuadtree([(0, 0, 1, 1)])).tolist() == []
    units = field({"a": 6}, {"a": (5, 5)})
    assert separate(units, BIRD, walls=StaticQuadtree([(0, 0, 9, 9)])).tolist() == []


# -- walls --


def in_walls(units, walls):
    return [unit for unit in units if len(walls.query(units.position(unit) * 2))]


def test_a_unit_is_pushed_out_of_a_wall_as_far_as_its_footprint_reaches():
    walls = StaticQuadtree([(100, 0, 120, 100)])
    units = field(
        {"a": 6, "b": 6, "box": (10.0, 4.0)}, {"a": (97, 50), "b": (124, 9), "box": (98, 20)}
    )

    assert moved(units, walls=walls) == {"a": (94, 50), "b": (126, 9), "box": (95, 20)}
    assert moved(units, walls=walls) == {}


def test_a_unit_in_a_wall_leaves_all_of_the_walls_that_touch():
    walls = StaticQuadtree([(x, y, x + 16, y + 16) for x in (0, 16, 32) for y in (0, 16, 32)])
    units = field({"a": 4, "b": 0}, {"a": (30, 24), "b": (24, 48)})

    out = moved(units, walls=walls)

    assert out["a"] == pytest.approx((52, 24))
    assert out["b"] == pytest.approx((24, 48), abs=1e-8)  # a point was on the edge
    assert in_walls(units, walls) == []


@pytest.mark.parametrize("x", [99, 201])
@pytest.mark.parametrize("y", [99.5, 200.5])
@pytest.mark.parametrize("cells", [False, True])
def test_a_unit_that_steps_into_a_corner_of_walls_stays_in_the_room(x, y, cells):
    free = np.zeros((30, 30), bool)
    free[10:20, 10:20] = True
    walls = Walls(Grid(free, 10))
    if not cells:
        sides = [(0, 0, 100, 300), (200, 0, 300, 300), (100, 0, 200, 100), (100, 200, 200, 300)]
        walls = StaticQuadtree(sides)
    for radius in (0, 4):
        units = field({"a": radius}, {"a": (x, y)})
        inside = [100 + radius if at < 100 else 200 - radius for at in (x, y)]
        assert moved(units, walls=walls) == {"a": pytest.approx(inside)}


def test_between_two_walls_that_leave_no_room_a_unit_stands_in_the_middle():
    walls = StaticQuadtree([(0, 0, 10, 100), (15, 0, 25, 100)])
    units = field({"a": 6}, {"a": (11, 50)})

    assert moved(units, walls=walls) == {"a": pytest.approx((12.5, 50))}
    assert separate(units, walls=walls).tolist() in ([], [0])
    assert units.position("a") == pytest.approx((12.5, 50))


def test_walls_win_over_the_cap_and_over_others():
    walls = StaticQuadtree([(100, 0, 120, 100)])
    units = field(dict.fromkeys("ab", 6), {"a": (103, 50), "b": (93, 50)})

    for _ in range(3):
        separate(units, walls=walls, max_push=1)
        assert in_walls(units, walls) == []
    for _ in range(12):
        separate(units, walls=walls, max_push=1)
    assert units.position("a")[0] == pytest.approx(94, abs=0.1)
    assert deepest(units, 6) < 0.2


def test_a_push_does_not_go_through_a_wall():
    """A hundred units on one point beside a wall as thin as a line."""
    walls = StaticQuadtree([(504, -1000, 504.01, 2000)])
    units = DynamicQuadtree(SQUARE)
    units.add_many(range(100), [(500, 500)] * 100, radius=6)

    for _ in range(60):
        separate(units, walls=walls)
        assert max(x for x, _ in places(units).values()) < 504

    assert deepest(units, 6) < 1


def test_walls_of_a_map_follow_its_tiles():
    tile_map = load_map("maps/frontier.tmx")
    trees = tile_map.layer("trees")
    wood = trees.select({"resource": "wood"})
    tree = wood.nearest(4000, 4000)
    box = wood.boxes(np.array([tree], np.int32))[0]
    walls = Walls(wood)
    x, y = float(box[0] + box[2]) / 2, float(box[1] + box[3]) / 2
    units = DynamicQuadtree(tile_map.bounds)
    units.add("man", x, y, radius=6)

    separate(units, walls=walls)
    assert units.position("man") != (x, y)
    units.move("man", x, y)
    column, row = trees.cells([tree])[0].tolist()
    trees.clear_tile(column, row)

    around = [
        one
        for one in walls.merged().boxes().tolist()
        if one[0] <= x <= one[2] and one[1] <= y <= one[3]
    ]
    assert around == []
    separate(units, walls=walls)
    assert units.position("man") == (x, y)


def test_merged_walls_cover_the_same_ground():
    rng = Random(3)
    cells = sorted({(rng.randrange(12), rng.randrange(12)) for _ in range(90)})
    boxes = [(16 * c, 16 * r, 16 * c + 16, 16 * r + 16) for c, r in cells]
    tree = StaticQuadtree(boxes)
    merged = Walls(tree).merged()

    assert len(merged.boxes()) < 0.6 * len(boxes)
    for _ in range(500):
        x, y = rng.uniform(-5, 200), rng.uniform(-5, 200)
        assert (len(tree.query((x, y, x, y))) > 0) == (len(merged.query((x, y, x, y))) > 0)


# -- pressed --

UNITS, TICKS = (3000, 600) if COMPILED else (60, 40)


def deep_share(units, radius):
    """The share of neighbors, which touch, that overlap by a quarter of their width or more."""
    a, b = units.pairs_many().T
    gaps = np.hypot(*(units.position_many(a) - units.position_many(b)).T)
    return (2 * radius - gaps >= 0.25 * 2 * radius).mean()


def walk_to(units, slots, goal, step):
    """Move each unit a step towards a goal, or onto it."""
    xy = units.position_many(slots)
    far = np.maximum(np.hypot(*(goal - xy).T), step)
    units.move_many(slots, xy + (goal - xy) * (step / far)[:, None])


@pytest.mark.slow
@pytest.mark.parametrize("speed", [1.0, 1.5])
def test_a_crowd_pressed_into_a_dead_end_keeps_its_distances(speed):
    rows = 12 if COMPILED else 2
    end = 16.0 * 200
    cells = [(c, r) for c in range(201) for r in (0, rows + 1)]
    cells += [(200, r) for r in range(1, rows + 1)]
    tiles = StaticQuadtree([(16 * c, 16 * r, 16 * c + 16, 16 * r + 16) for c, r in cells])
    walls = Walls(tiles)
    rng = np.random.default_rng(1)
    length = UNITS * 5.0 / rows
    xy = np.column_stack(
        [end - rng.uniform(10, length, UNITS), rng.uniform(20, 16 * rows + 12, UNITS)]
    )
    units = DynamicQuadtree((0, 0, end + 16, 16 * rows + 32))
    slots = units.add_many(range(UNITS), xy, radius=4)
    for tick in range(TICKS):
        units.move_many(slots, units.position_many(slots) + np.array((speed, 0.0)))
        separate(units, walls=walls)
        if tick % 20 == 0 or tick == TICKS - 1:
            assert in_walls(units, tiles) == []

    assert deep_share(units, 4) < 0.05
    assert units.position_many(slots)[:, 0].max() > end - 5


def test_a_crowd_called_to_a_point_beside_a_wall_keeps_its_distances():
    count, ticks = (1000, 600) if COMPILED else (50, 40)
    walls = StaticQuadtree([(320, y, 336, y + 16) for y in range(0, 960, 16)])
    rng = np.random.default_rng(2)
    spread = 300 if COMPILED else 60
    units = DynamicQuadtree((0, 0, 960, 960))
    point = np.array((317.0, 480.0))
    slots = units.add_many(
        range(count),
        point - (0, spread / 2) + rng.uniform((-spread, 0), (0, spread), (count, 2)),
        radius=4,
    )
    for tick in range(ticks):
        walk_to(units, slots, point, 1.0)
        separate(units, walls=walls)
        if tick % 20 == 0 or tick == ticks - 1:
            assert in_walls(units, walls) == []

    assert deep_share(units, 4) < 0.05
    assert (units.position_many(slots)[:, 0] < 320).all()  # and no one got through


# -- the twin --


class Game:
    """Units that walk about at random among walls, in a tree and in the twin's list."""

    def __init__(self, seed):
        self.rng = rng = Random(seed)
        self.units = DynamicQuadtree((0, 0, 80, 80))
        self.boxes = [self._wall() for _ in range(rng.choice((0, 3, 9)))]
        self.walls = StaticQuadtree(self.boxes) if self.boxes else None
        self.shut = []  # by wall: where no way leads out, as between cells of a grid
        self.added = 0
        self.shapes = {}  # radius, and half the size of a box
        self.moves = rng.uniform(0, 3)
        for _ in range(rng.choice((3, 12, 24))):
            self.add()

    def _wall(self):
        rng = self.rng
        x, y = 8 * rng.randrange(10), 8 * rng.randrange(10)
        return x, y, x + rng.choice((0, 1, 8, 24)), y + rng.choice((0, 1, 8, 24))

    def add(self):
        rng = self.rng
        place = rng.choice(((40.0, 40.0), (rng.uniform(0, 80), rng.uniform(0, 80))))
        radius, half = rng.choice((0.0, 2.0, 3.5, 6.0)), None
        if rng.random() < 0.3:
            radius, half = 0.0, (rng.choice((2.0, 4.5)), 2.5)
        size = None if half is None else (2 * half[0], 2 * half[1])
        groups = rng.choice((1, 2, 3, 4))
        self.units.add(self.added, *place, radius=radius, size=size, groups=groups)
        self.shapes[self.added] = radius, half
        self.added += 1

    def options(self):
        rng = self.rng
        many = int(max((self.units.slot(unit) for unit in self.units), default=0)) + 1
        return {
            "groups": rng.choice((None, 1, 3)),
            "against": rng.choice((None, 2, 7)),
            "mass": rng.choice((None, [rng.choice((1.0, 2.5, 40.0, inf)) for _ in range(many)])),
            "bounds": rng.choice((None, (0.0, 0.0, 80.0, 80.0))),
            "max_push": rng.choice((inf, 0.5, 3.0)),
            "iterations": rng.choice((1, 3, 5)),
            "slots": rng.choice((None, self.some_slots())),
        }

    def some_slots(self):
        """Some in the west, or a few anywhere, in any order."""
        slots = [self.units.slot(unit) for unit in self.units]
        if self.rng.random() < 0.5:
            slots = [slot for slot in slots if self.units.position_many([slot])[0, 0] < 40.0]
        return self.rng.sample(slots, len(slots) * 2 // 3)

    def walk(self):
        rng = self.rng
        if rng.random() < 0.1:
            self.add()
        if rng.random() < 0.1 and len(self.units) > 2:
            self.units.remove(rng.choice(list(self.units)))
        for unit in list(self.units):
            x, y = self.units.position(unit)
            goal = rng.choice(((40.0, 40.0), (rng.uniform(0, 80), rng.uniform(0, 80))))
            far = dist((x, y), goal)
            if far:
                step = min(far, self.moves) / far
                x, y = x + (goal[0] - x) * step, y + (goal[1] - y) * step
            self.units.move(unit, x, y)

    def bodies(self):
        """The units as the twin takes them."""
        found = []
        for unit in self.units:
            slot, groups = self.units.slot(unit), self.units.groups(unit)
            found.append(Body(slot, *self.units.position(unit), *self.shapes[unit], groups))
        return sorted(found, key=lambda body: body.slot)

    def twin(self, options):
        """Where the twin puts the units, by slot."""
        pushed = options["groups"] or ALL
        return BruteCrowd(
            self.bodies(),
            pushed,
            options["against"] or pushed,
            options["mass"],
            self.boxes,
            self.shut,
            options["bounds"] or (-inf, -inf, inf, inf),
            options["max_push"],
            options["iterations"],
            options["slots"],
        ).separate()

    def tick(self):
        """Walk and separate. Compare with the twin; return the places."""
        self.walk()
        options = self.options()
        expected = self.twin(options)
        before = {self.units.slot(unit): place for unit, place in places(self.units).items()}
        slots = separate(self.units, walls=self.walls, **options)
        after = {self.units.slot(unit): place for unit, place in places(self.units).items()}
        assert after == expected, options
        assert slots.dtype == np.int32
        assert slots.tolist() == sorted(slot for slot in after if after[slot] != before[slot])
        self.check_walls(options)
        return sorted(after.items())

    def check_walls(self, options):
        if self.walls is None:
            return
        for unit in in_walls(self.units, self.walls):
            mass, pushed = options["mass"], options["groups"] or ALL
            slot, slots = self.units.slot(unit), options["slots"]
            free = (mass is None or mass[slot] < inf) and (slots is None or slot in slots)
            assert not (free and self.units.groups(unit) & pushed), unit


@pytest.mark.parametrize("seed", share(range(30)))
def test_random_games_are_the_twins_to_the_last_bit(seed):
    game = Game(seed)
    for _ in range(40):
        game.tick()
    game.units.check()


def heap(kind, count, rng):
    """Positions on a point, on a line, in a blot, or in several of them."""
    if kind == "point":
        return np.full((count, 2), 40.0)
    if kind == "line":
        return np.linspace((30.0, 30.0), (34.0, 31.0), count)
    if kind == "long line":
        return np.linspace((-0.5 * count, 7.0), (0.5 * count, 7.0), count)
    if kind == "blot":
        return rng.uniform(-4, 4, (count, 2))
    return np.vstack((heap("blot", count // 2, rng), heap("point", count - count // 2, rng)))


HEAPS = "point", "line", "long line", "blot", "blot and point"


def spread_beside_twin(kind, seed, count=70):
    """Separate a heap a few times, and compare with the twin; return the places."""
    rng = np.random.default_rng(seed)
    xy = heap(kind, count, rng)
    radii = np.full(count, 4.0) if seed % 2 else rng.choice((2.0, 4.0, 5.0, 25.0), count)
    units = DynamicQuadtree((0, 0, 100, 100))
    slots = units.add_many(range(count), xy, radius=radii, groups=rng.choice((1, 1, 1, 3), count))
    mass = rng.choice((1.0, 1.0, 9.0, inf), count)
    boxes = [] if seed % 3 else [(44.0, 0.0, 46.0, 90.0)]
    options = {"groups": 1, "mass": mass, "max_push": rng.choice((3.0, inf)), "bounds": None}
    walls = StaticQuadtree(boxes) if boxes else None
    for _ in range(3):
        xy, groups = units.position_many(slots).tolist(), units.groups_many(slots).tolist()
        bodies = [Body(k, *xy[k], float(radii[k]), None, groups[k]) for k in range(count)]
        limits = {"max_push": options["max_push"], "iterations": 4, "walls": boxes}
        expected = BruteCrowd(bodies, 1, 1, mass.tolist(), **limits).separate()
        separate(units, walls=walls, **options)
        after = units.position_many(slots).tolist()
        assert after == [list(expected[k]) for k in range(count)]
    return after


@pytest.mark.parametrize(("kind", "seed"), share(list(product(HEAPS, range(6)))))
def test_heaps_are_spread_as_the_twin_does_to_the_last_bit(kind, seed):
    spread_beside_twin(kind, seed)


@pytest.mark.parametrize("few", [{"slots": [3, 40, 41]}, {"groups": 2}, {"against": 2}])
@pytest.mark.parametrize("kind", HEAPS)
def test_few_in_a_heap_push_or_are_pushed_as_by_the_twin(kind, few):
    count, rng = 70, np.random.default_rng(9)
    xy, radii = heap(kind, count, rng), rng.choice((3.0, 4.0, 4.0, 25.0), count)
    groups = rng.choice((1, 3), count, p=(0.95, 0.05)).tolist()
    units = DynamicQuadtree((0, 0, 100, 100))
    slots = units.add_many(range(count), xy, radius=radii, groups=groups)
    options = {"groups": 1, "against": 1, "slots": None} | few
    for _ in range(3):
        where = units.position_many(slots).tolist()
        bodies = [Body(k, *where[k], float(radii[k]), None, groups[k]) for k in range(count)]
        twin = BruteCrowd(bodies, options["groups"], options["against"], slots=options["slots"])
        expected = twin.separate()
        separate(units, **options)
        assert units.position_many(slots).tolist() == [list(expected[k]) for k in range(count)]


@pytest.mark.parametrize("kind", HEAPS)
def test_a_heap_is_a_round_crowd_after_a_few_calls(kind):
    count = 400 if COMPILED else 40
    units = DynamicQuadtree((0, 0, 100, 100))
    slots = units.add_many(range(count), heap(kind, count, np.random.default_rng(1)), radius=4)
    several = kind in ("blot and point", "long line")  # crowds that make way for one another
    for _ in range(20 if several else 4):
        separate(units)
    assert deepest(units, 4) < 1.0
    xy = units.position_many(slots)
    length = count if kind == "long line" else 60
    assert np.ptp(xy, axis=0).max() < length + 3 * 4 * sqrt(count)
    wide = np.ptp(xy, axis=0).min()
    assert wide > (30 if kind == "long line" else 4 * sqrt(count))  # no line of pearls


def test_points_on_one_point_stay():
    units = DynamicQuadtree(SQUARE)
    units.add_many(range(50), [(500.1, 500)] * 50, radius=0)
    assert separate(units).tolist() == []


def test_units_that_do_not_push_one_another_may_stand_in_a_heap():
    units = DynamicQuadtree(SQUARE)
    units.add_many(range(50), [(500, 500)] * 50, radius=6, groups=WALKER)
    assert separate(units, WALKER, against=BUILDING).tolist() == []


@pytest.mark.parametrize("max_push", [2.5, 4.0])
def test_a_crowd_called_to_a_point_comes_to_rest(max_push):
    """Its units walk half a radius a tick."""
    count, ticks = (1000, 400) if COMPILED else (30, 40)
    point = np.array((500.0, 500.0))
    units = DynamicQuadtree(SQUARE)
    xy = point + np.random.default_rng(2).uniform(-300, 300, (count, 2)) * (1 if COMPILED else 0.2)
    slots = units.add_many(range(count), xy, radius=4)
    for _ in range(ticks):
        before = units.position_many(slots)
        walk_to(units, slots, point, 2.0)
        separate(units, max_push=max_push)
    steps = np.hypot(*(units.position_many(slots) - before).T)
    assert np.median(steps) < 0.2
    assert np.percentile(steps, 99) < 1.5
    assert deep_share(units, 4) < 0.01


# Walls, and the point that a crowd of circles of radius 4 walks to, beyond or before them.
PLACES = {
    "beside a wall": ([(510, 0, 530, 1000)], (520, 500)),
    "away from a wall": ([(510, 0, 530, 1000)], (500, 500)),
    "in a corner": ([(510, 0, 530, 1000), (0, 510, 1000, 530)], (520, 520)),
    "in the open": ([], (500, 500)),
}
TIGHT = [(place, push) for push in (4.0, 3.0, 2.5) for place in PLACES]


@pytest.mark.parametrize(("place", "max_push"), share(TIGHT[:-1], 3))
def test_a_crowd_does_not_sink_into_itself_where_a_push_is_hardly_longer_than_a_step(
    place, max_push
):
    """A crowd that comes from one side."""
    boxes, goal = PLACES[place]
    count, ticks, wide = (1000, 200, 300) if COMPILED else (40, 50, 60)
    units = DynamicQuadtree(SQUARE)
    xy = 480 - abs(np.random.default_rng(2).uniform(-wide, wide, (count, 2)))
    xy[::2, 1] = 960 - xy[::2, 1] if len(boxes) < 2 else xy[::2, 1] - wide
    slots = units.add_many(range(count), xy, radius=4)
    walls = StaticQuadtree(boxes)
    for _ in range(ticks):
        walk_to(units, slots, goal, 2.0)
        xy = units.position_many(slots)
        separate(units, walls=walls, max_push=max_push)
        pushes = np.hypot(*(units.position_many(slots) - xy).T)
        assert boxes or pushes.max() < max_push + 1e-9
    assert deep_share(units, 4) < 0.01


def answers():
    """The places of a few games, in each of which tree and twin agree."""
    games = [Game(seed) for seed in range(100, 103)]
    spread = [spread_beside_twin(kind, 0, 40) for kind in HEAPS]
    return [*spread, *([str(game.tick()) for _ in range(25)] for game in games)]


def test_a_saved_game_goes_on_to_the_last_bit(again):
    for seed in range(6):
        game = Game(seed)
        for _ in range(seed * 5):
            game.tick()
        twin = again(game)
        for _ in range(15):
            assert game.tick() == twin.tick()
        assert game.units.digest() == twin.units.digest()


# -- arguments --


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ({"groups": 0}, ValueError, "groups"),
        ({"groups": 2.5}, TypeError, "groups must be a whole number, got 2.5"),
        ({"against": -1}, ValueError, "against must be in"),
        ({"without": 0.5}, TypeError, "without must be a whole number"),
        ({"without": -1}, ValueError, "without must be in"),
        ({"slots": [0, 7]}, ValueError, "slots must be slots of units, got 7 in row 1"),
        ({"slots": [0.5]}, ValueError, "slots must be integers"),
        ({"mass": 0}, ValueError, "mass must be above 0, got 0"),
        ({"mass": nan}, ValueError, "mass must be above 0, got nan"),
        ({"mass": [1, -2]}, ValueError, "mass must be above 0, got -2"),
        ({"mass": [1]}, ValueError, "mass must have a row for each slot, but has none for 1"),
        ({"mass": [[1, 1]]}, ValueError, "mass must be one number or have shape"),
        ({"mass": "heavy"}, ValueError, "heavy"),
        ({"walls": [(0, 0, 1, 1)]}, TypeError, r"walls must be Walls.*; Walls\("),
        ({"bounds": (0, 0, -1, 1)}, ValueError, "bounds"),
        ({"max_push": -1}, ValueError, "max_push must be at least 0, got -1"),
        ({"max_push": nan}, ValueError, "max_push must be at least 0, got nan"),
        ({"max_push": "5"}, TypeError, "max_push must be a number, got '5'"),
        ({"iterations": 0}, ValueError, "iterations must be at least 1, got 0"),
        ({"iterations": 1.5}, TypeError, "iterations must be a whole number, got 1.5"),
    ],
)
def test_invalid_arguments_are_rejected_by_name_and_move_nothing(wrong, error, message):
    units = field({"a": 6, "b": 6}, {"a": (500, 500), "b": (503, 500)})
    with pytest.raises(error, match=message):
        separate(units, **wrong)

    assert places(units) == {"a": (500, 500), "b": (503, 500)}
    separate(units)  # the tree is free again


def test_what_is_no_tree_is_refused():
    with pytest.raises(TypeError, match="units must be a DynamicQuadtree"):
        separate(StaticQuadtree([(0, 0, 1, 1)]))


def test_a_tree_that_is_asked_is_not_changed():
    units = field({"a": 6, "b": 6}, {"a": (500, 500), "b": (503, 500)})

    def spoil(unit):
        separate(units)
        return True

    with pytest.raises(RuntimeError, match="cannot modify"):
        units.nearest(500, 500, where=spoil)
    assert places(units) == {"a": (500, 500), "b": (503, 500)}


@pytest.mark.parametrize("scale", [1e-6, 1e9, 1e60])
def test_worlds_of_any_scale(scale):
    units = DynamicQuadtree((0, 0, scale, scale))
    rng = Random(4)
    xy = [(rng.uniform(0, scale), rng.uniform(0, scale)) for _ in range(60)]
    units.add_many(range(60), xy, radius=scale / 20)
    walls = StaticQuadtree([(scale * 0.5, 0, scale * 0.6, scale)])

    for _ in range(30):
        separate(units, walls=walls)
        assert in_walls(units, walls) == []
    units.check()


# -- who is left out, and walls by protocol --------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_units_left_out_neither_push_nor_are_pushed(seed):
    """Beside a tree that does not have them, with the same slots."""
    rng = np.random.default_rng(seed)
    xy, groups = rng.uniform(0, 60, (80, 2)), rng.choice((1, 2, 4), 80)
    trees: list[DynamicQuadtree] = [DynamicQuadtree((0, 0, 60, 60)) for _ in range(2)]
    for units in trees:
        units.add_many(range(80), xy, radius=3.0, groups=groups)
    slots = np.arange(80, dtype=np.int32)
    for i in np.flatnonzero(groups == 4).tolist():
        trees[1].remove(i)

    moved = separate(trees[0], without=4)

    assert moved.tolist() == separate(trees[1]).tolist()
    kept = slots[groups != 4]
    assert trees[0].position_many(kept).tolist() == trees[1].position_many(kept).tolist()
    assert trees[0].position_many(slots[groups == 4]).tolist() == xy[groups == 4].tolist()


def test_walls_are_anything_that_merges_its_boxes():
    class Fence:
        def merged(self) -> StaticQuadtree:
            return StaticQuadtree([(50, 0, 60, 60)])

    units: DynamicQuadtree = DynamicQuadtree((0, 0, 60, 60))
    units.add("anna", 49, 30, radius=4)
    separate(units, walls=Fence())

    assert units.position("anna") == (46, 30)


@pytest.mark.parametrize(("left", "low"), [(0, 0), (-200, 0), (300, 0), (0, -200), (0, 300)])
def test_a_way_out_of_a_wall_ends_in_the_bounds(left, low):
    bounds = (left, low, left + 48, low + 48)
    units = DynamicQuadtree(bounds)
    units.add("orc", left + 3, low + 24, radius=2)
    separate(units, walls=StaticQuadtree([(left, low + 16, left + 16, low + 32)]), bounds=bounds)
    x, y = units.position("orc")
    assert 0 <= x - left <= 48
    assert 0 <= y - low < 16 or 32 < y - low <= 48
