"""Walls: a moving box never enters one, slides along it, and gets out of it."""

from math import hypot, inf, nan
from random import Random

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from tests import tmx
from tilequad import Bounds, StaticQuadtree, load_map
from tilequad.nav import Slide, Walls

FLOOR = [(float(x), 0.0, x + 16.0, 16.0) for x in range(0, 1600, 16)]

# Whole numbers meet often, edges and corners too; the others round.
whole = st.integers(-6, 6).map(float)
# Not closer to 0 than rounding: overlaps of that size are none.
floats = st.floats(-6, 6).map(lambda n: n if abs(n) > 1e-6 else 0.0)
numbers = st.one_of(whole, floats, st.integers(-60, 60).map(lambda n: n * 0.1))
sizes = st.one_of(st.integers(0, 4).map(float), st.floats(0, 4), st.sampled_from((0.1, 0.3, 0.7)))


@st.composite
def boxes(draw):
    x, y, width, height = draw(numbers), draw(numbers), draw(sizes), draw(sizes)
    return x, y, x + width, y + height


@st.composite
def solid(draw):
    """Boxes anywhere, and boxes flush with others."""
    found = draw(st.lists(boxes(), min_size=1, max_size=8))
    for _ in range(draw(st.integers(0, 4))):
        x0, y0, x1, y1 = draw(st.sampled_from(found))
        width, height = draw(sizes), draw(sizes)
        found.append(
            draw(
                st.sampled_from(
                    (
                        (x1, y0, x1 + width, y1),
                        (x0, y1, x1, y1 + height),
                        (x1, y1, x1 + width, y1 + height),
                    )
                )
            )
        )
    return found


def walls_of(boxes):
    return Walls(StaticQuadtree(boxes))


def overlap(a, b):
    """Whether two boxes share more than edges."""
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def in_a_wall(box, walls):
    return any(overlap(box, wall) for wall in walls)


def move(walls, box, dx, dy):
    return walls_of(walls).move_and_slide(box, dx, dy)


def mirrored(box, flip_x, flip_y):
    x0, y0, x1, y1 = box
    x0, x1 = (-x1, -x0) if flip_x else (x0, x1)
    y0, y1 = (-y1, -y0) if flip_y else (y0, y1)
    return x0, y0, x1, y1


# -- against brute force --


@given(solid(), boxes(), numbers, numbers)
def test_a_box_never_ends_in_a_wall(walls, box, dx, dy):
    end, blocked_x, blocked_y = move(walls, box, dx, dy)

    assert not in_a_wall(end, walls)
    assert end.width == pytest.approx(box[2] - box[0], abs=1e-12)
    assert end.height == pytest.approx(box[3] - box[1], abs=1e-12)
    assert blocked_x in (0, (dx > 0) - (dx < 0))
    assert blocked_y in (0, (dy > 0) - (dy < 0))


@given(solid(), boxes(), numbers, numbers)
@example([(-2.9000000000000004, 0.0, -2.9000000000000004, 0.0)], (-3.0, 0.0, -2.9, 0.0), 0.0, 1.0)
def test_a_box_goes_all_the_way_where_nothing_blocks_it_and_else_ends_flush(walls, box, dx, dy):
    assume(not in_a_wall(box, walls))
    end, blocked_x, blocked_y = move(walls, box, dx, dy)

    for axis, blocked, distance in ((0, blocked_x, dx), (1, blocked_y, dy)):
        if blocked:
            side, facing = (axis + 2, axis) if distance > 0 else (axis, axis + 2)
            assert end[side] in {wall[facing] for wall in walls}
            assert abs(end[side] - box[side]) <= abs(distance)
        else:
            for side in (axis, axis + 2):
                goal = box[side] + distance
                eased = eased_ends(walls, side, box[side], distance, max(map(abs, (*box, *end))))
                assert end[side] in {goal, *eased}


def eased_ends(walls, side, start, distance, most):
    """Where an edge ends if rounding has put it into a wall, before its way or after it."""
    facing = [wall[(side + 2) % 4] for wall in walls]
    slack = 2.0**-49 * most
    before = [place + distance for place in facing if abs(place - start) <= slack]
    return before + [place for place in facing if abs(place - start - distance) <= slack]


@given(solid(), st.floats(0, 3), st.floats(0.01, 3), st.booleans())
def test_a_box_pressed_against_a_wall_stays_where_it_is(walls, gap, push, along_y):
    x0, y0, x1, y1 = walls[0]
    left = x0 - gap - 1, y0 - 0.5, x0 - gap, y1 + 0.5
    below = x0 - 0.5, y0 - gap - 1, x1 + 0.5, y0 - gap
    box, step = (below, (0, gap + push)) if along_y else (left, (gap + push, 0))
    assume(not in_a_wall(box, walls))
    end, *blocked = move(walls, box, *step)
    assert any(blocked)
    assert move(walls, end, *step) == (end, *blocked)


@given(solid(), boxes(), numbers, numbers)
def test_a_straight_way_does_not_tunnel(walls, box, dx, dy):
    """A move is blocked exactly if the box meets a wall on the straight way, but for rounding."""
    assume(not in_a_wall(box, walls))
    assume(box[2] - box[0] > 0.01 and box[3] - box[1] > 0.01)
    _, *blocked = move(walls, box, dx, dy)
    if any(blocked):
        assert meets(grown(box, 1e-6), walls, dx, dy)
    else:
        assert not meets(grown(box, -1e-6), walls, dx, dy)


def grown(box, by):
    return box[0] - by, box[1] - by, box[2] + by, box[3] + by


def meets(box, walls, dx, dy):
    """Whether a box that moves, and does not slide, overlaps a wall at any time from 0 to 1."""
    for wall in walls:
        enters, leaves = 0.0, 1.0
        for axis, step in ((0, dx), (1, dy)):
            gaps = wall[axis] - box[axis + 2], wall[axis + 2] - box[axis]
            if step:
                times = sorted(gap / step for gap in gaps)
            else:
                times = (0.0, 1.0) if gaps[0] < 0 < gaps[1] else (1.0, 0.0)
            enters, leaves = max(enters, times[0]), min(leaves, times[1])
        if enters < leaves:
            return True
    return False


@given(solid(), boxes(), numbers, numbers, st.booleans(), st.booleans())
def test_a_mirrored_world_gives_mirrored_moves(walls, box, dx, dy, flip_x, flip_y):
    assume(not in_a_wall(box, walls))
    plain = move(walls, box, dx, dy)
    turned = move(
        [mirrored(wall, flip_x, flip_y) for wall in walls],
        mirrored(box, flip_x, flip_y),
        -dx if flip_x else dx,
        -dy if flip_y else dy,
    )

    assert turned.bounds == mirrored(plain.bounds, flip_x, flip_y)
    assert turned.blocked_x == (-plain.blocked_x if flip_x else plain.blocked_x)
    assert turned.blocked_y == (-plain.blocked_y if flip_y else plain.blocked_y)


@given(solid(), boxes())
def test_no_motion_changes_nothing_outside_of_walls(walls, box):
    assume(not in_a_wall(box, walls))

    assert move(walls, box, 0, 0) == Slide(Bounds(*box), 0, 0)


@given(solid(), boxes(), st.booleans())
def test_a_box_that_begins_inside_takes_the_shortest_way_out(walls, box, on_a_wall):
    if on_a_wall:  # more often inside than by chance
        x, y = walls[-1][:2]
        box = x - 0.5, y - 0.5, x + 0.5 + abs(box[0]) / 3, y + 0.5 + abs(box[1]) / 3
    end = move(walls, box, 0, 0).bounds
    way = hypot(end.min_x - box[0], end.min_y - box[1])

    assert not in_a_wall(end, walls)
    # No shorter way out: along x, along y, and to every place where two edges are flush.
    width, height = box[2] - box[0], box[3] - box[1]
    xs = [box[0], *(w[2] for w in walls), *(w[0] - width for w in walls)]
    ys = [box[1], *(w[3] for w in walls), *(w[1] - height for w in walls)]
    nudges = (-1e-9, 0, 1e-9)
    for x in (x + nudge for x in xs for nudge in nudges):
        for y in (y + nudge for y in ys for nudge in nudges):
            if not in_a_wall((x, y, x + width, y + height), walls):
                assert hypot(x - box[0], y - box[1]) >= way - 1e-8


# -- floors and seams --


@given(
    st.floats(16, 800),
    st.floats(0.5, 40),
    st.floats(0.5, 40),
    st.lists(st.tuples(st.floats(-60, 60), st.floats(0, 30)), min_size=1, max_size=30),
)
@example(143.9999999999999, 1.0, 1.0, [(0.0, 1.0)])  # a side next to a seam but for rounding
def test_a_seam_between_flush_tiles_never_catches(x, width, height, steps):
    walls = walls_of(FLOOR)
    box = Bounds(x, 16.0, x + width, 16.0 + height)
    for dx, down in steps:
        if not 0 < box.min_x + dx < 1500:
            continue
        free = box.min_x + dx, box.max_x + dx
        box, blocked_x, blocked_y = walls.move_and_slide(box, dx, -down)
        assert (box.min_x, box.max_x) == free  # as if there were no floor
        assert box.min_y == 16.0
        assert (blocked_x, blocked_y) == (0, -1 if down else 0)


@given(st.floats(-40, 40), st.floats(-200, -0.001), st.floats(16.0, 80))
def test_a_fall_on_a_floor_of_tiles_is_not_blocked_along_it(dx, dy, y):
    box = (801.3, y, 811.7, y + 20.1)
    end, blocked_x, blocked_y = move(FLOOR, box, dx, dy)

    assert blocked_x == 0
    assert (end.min_x, end.max_x) == (box[0] + dx, box[2] + dx)
    assert end.min_y == max(16.0, y + dy)
    assert blocked_y == (-1 if y + dy < 16 else 0)


def test_a_box_slides_along_a_wall_of_tiles():
    column = [(100.0, float(y), 116.0, y + 16.0) for y in range(-800, 800, 16)]
    box = Bounds(90, 0, 100, 20)
    for _ in range(20):
        end, blocked_x, blocked_y = move(column, box, 7, 11.5)
        assert (end.max_x, end.min_y, blocked_x, blocked_y) == (100, box.min_y + 11.5, 1, 0)
        box = end


def test_a_box_neither_creeps_nor_sinks_where_it_is_pressed_into_a_corner():
    walls = walls_of([*FLOOR, (96.1, 16.0, 112.0, 160.0)])
    box = Bounds(50.3, 40.7, 61.1, 61.2)
    for _ in range(1000):
        box, blocked_x, blocked_y = walls.move_and_slide(box, 0.7, -9.81)
    assert (box.max_x, box.min_y, blocked_x, blocked_y) == (96.1, 16.0, 1, -1)
    still = box
    for _ in range(1000):
        box = walls.move_and_slide(box, 0.7, -9.81).bounds
    assert box == still


def test_a_box_fits_exactly_into_a_shaft():
    shaft = [(0.0, 0.0, 10.1, 100.0), (20.4, 0.0, 30.0, 100.0)]
    box = Bounds(10.1, 120.0, 20.4, 130.0)
    end = move(shaft, box, 0, -60)

    assert end == (box.shifted(0, -60), 0, 0)
    assert move(shaft, end.bounds, 3, -5) == (end.bounds.shifted(0, -5), 1, 0)
    assert move(shaft, end.bounds, -3, -5) == (end.bounds.shifted(0, -5), -1, 0)


@pytest.mark.parametrize("half", [2.1, 5.05])  # the larger one just fits between two tiles
def test_a_box_kept_by_its_center_walks_as_one_kept_by_its_edges(half):
    random, side = Random(7), 10.1
    tiles = [(x, y) for x in range(24) for y in range(24) if random.random() < 0.35]
    walls = walls_of([(x * side, y * side, (x + 1) * side, (y + 1) * side) for x, y in tiles])
    differing = 0
    for _ in range(100):
        x, y = random.uniform(0, 24 * side), random.uniform(0, 24 * side)
        box = walls.move_and_slide((x - half, y - half, x + half, y + half), 0, 0).bounds
        x, y = box.center
        for _ in range(60):
            step = random.choice((-1, 1)) * random.uniform(0, 12)
            motion = random.choice(((step, 0.0), (0.0, step)))
            box = walls.move_and_slide(box, *motion).bounds
            kept = walls.move_and_slide((x - half, y - half, x + half, y + half), *motion).bounds
            differing += kept != box
            x, y = kept.center
            assert kept == pytest.approx(box, abs=1e-9)
    assert differing > 1000


def test_rounding_alone_does_not_bar_a_way():
    beside = move([(32, 0, 64, 32)], (0, 32 - 1e-14, 16, 48), 40, 0)
    assert beside == Slide(Bounds(40, 32, 56, 48), 0, 0)

    shaft = [(-32, 0, 0, 32), (16, 0, 48, 32)]
    assert move(shaft, (-1e-15, 8, 16 + 2e-15, 24), 0, 5).bounds == (0, 13, 16, 29)
    assert move([(32, 0, 64, 32)], (0, 32 - 1e-9, 16, 48), 40, 0).blocked_x == 1


def test_a_box_does_not_enter_a_gap_narrower_than_itself():
    gap = [(0.0, 0.0, 10.0, 10.0), (20.0 - 1e-9, 0.0, 30.0, 10.0)]

    assert move(gap, (10, 15, 20, 25), 0, -20) == ((10, 10, 20, 20), 0, -1)
    assert move(gap, (10, 10, 20, 20), 5, -20) == ((15, 10, 25, 20), 0, -1)


def test_a_corner_met_exactly_lets_the_longer_motion_go_on():
    block = [(10.0, 10.0, 20.0, 20.0)]

    assert move(block, (0, 2, 6, 7), 8, 6) == ((8, 5, 14, 10), 0, 1)
    assert move(block, (2, 0, 7, 6), 6, 8) == ((5, 8, 10, 14), 1, 0)
    assert move(block, (0, 0, 5, 5), 8, 8) == ((8, 5, 13, 10), 0, 1)  # along x, if they are equal


def test_a_push_too_small_to_move_a_box_is_stopped_too():
    box = (40, 16, 50, 30)
    for dx in (0, 3):
        assert move(FLOOR, box, dx, -5e-324) == (Bounds(*box).shifted(dx, 0), 0, -1)
        assert move(FLOOR, box, dx, 5e-324) == (Bounds(*box).shifted(dx, 0), 0, 0)


def test_a_fast_box_stops_at_a_thin_wall():
    line = [(50.0, 0.0, 50.0, 100.0)]

    assert move(line, (0, 10, 5, 15), 1e6, 0) == ((45, 10, 50, 15), 1, 0)
    assert move(line, (45, 10, 50, 15), 1, 0).bounds.max_x == 50
    assert move(line, (50, 10, 55, 15), -1, 0).bounds.min_x == 50


def test_a_point_moves_as_a_box_does():
    assert move(FLOOR, (40, 20, 40, 20), 3, -10) == ((43, 16, 43, 16), 0, -1)
    assert move(FLOOR, (40, 14, 40, 14), 0, 0) == ((40, 16, 40, 16), 0, 0)


def test_deep_inside_of_many_tiles_the_way_out_is_still_the_shortest():
    block = [(x, y, x + 16.0, y + 16.0) for x in range(0, 640, 16) for y in range(0, 640, 16)]

    assert move(block, (200, 300, 210, 310), 0, 0) == ((-10, 300, 0, 310), 0, 0)
    assert move(block, (300, 400, 310, 410), 0, 0) == ((300, 640, 310, 650), 0, 0)


def test_inside_it_gets_out_and_then_moves():
    assert move(FLOOR, (100, 12, 110, 30), 5, -5) == ((105, 16, 115, 34), 0, -1)


# -- many at once --


class Asked:
    """Walls that only answer questions, as objects of a game may."""

    def __init__(self, boxes):
        self.all = np.array(boxes, float)

    def query(self, bounds):
        low_x, low_y, high_x, high_y = bounds
        near = (self.all[:, 0] <= high_x) & (self.all[:, 2] >= low_x)
        return np.flatnonzero(near & (self.all[:, 1] <= high_y) & (self.all[:, 3] >= low_y))

    def boxes(self, ids):
        return self.all[ids]


@given(solid(), st.lists(st.tuples(boxes(), numbers, numbers), max_size=9))
def test_many_boxes_move_as_each_of_them(walls, moves):
    bounds, dxy = [box for box, *_ in moves], [motion for _, *motion in moves]
    found = [
        one.move_and_slide_many(np.reshape(bounds, (-1, 4)), np.reshape(dxy, (-1, 2)))
        for one in (walls_of(walls), Walls(Asked(walls)))
    ]
    singles = [move(walls, *one) for one in moves]
    for ends, blocked in found:
        assert ends.tolist() == [list(one.bounds) for one in singles]
        assert blocked.tolist() == [list(one[1:]) for one in singles]
        assert blocked.dtype == np.int8


def test_a_motion_for_all_and_boxes_that_are_kept():
    walls, bounds = walls_of(FLOOR), np.array([(0, 20, 4, 24), (10, 17, 14, 21)], float)
    before = bounds.copy()
    ends, blocked = walls.move_and_slide_many(bounds, (1, -3))
    assert ends.tolist() == [[1, 17, 5, 21], [11, 16, 15, 20]]
    assert blocked.tolist() == [[0, 0], [0, -1]]
    assert (bounds == before).all()


def answers():
    """Where boxes end among crooked walls."""
    random = Random(3)

    def number():
        return random.choice((random.randint(-6, 6), random.uniform(-6, 6)))

    def box():
        x, y = number(), number()
        return x, y, x + random.uniform(0, 3), y + random.choice((1, 2))

    walls = [box() for _ in range(9)]
    bounds, dxy = [box() for _ in range(60)], [(number(), number()) for _ in range(60)]
    return [
        [part.tolist() for part in one.move_and_slide_many(bounds, dxy)]
        for one in (walls_of(walls), Walls(Asked(walls)))
    ]


@pytest.mark.parametrize(
    ("bounds", "dxy", "words"),
    [
        ([(0, 0, 1)], (1, 1), "bounds must have shape"),
        ([(0, 0, 1, 1), (1, 0, 0, 1)], (1, 1), "bounds must have min <= max.* in row 1"),
        ([(0, 0, 1, nan)], (1, 1), "bounds must be finite"),
        ([(0, 0, 1, 1)], [(1, 1), (2, 2)], r"dxy must have shape \(1, 2\) or \(2,\)"),
        ([(0, 0, 1, 1)], (1, inf), "dxy must be finite"),
    ],
)
def test_bad_arguments_of_many_are_named(bounds, dxy, words):
    with pytest.raises(ValueError, match=words):
        walls_of(FLOOR).move_and_slide_many(bounds, dxy)


# -- what may be solid --


WALL = (
    '<tileset firstgid="1" name="tiles" tilewidth="16" tileheight="16" tilecount="4" columns="2">'
    '<image source="tiles.png" width="32" height="32"/>'
    '<tile id="1"><properties><property name="solid" type="bool" value="true"/></properties></tile>'
    "</tileset>"
)
ROOM = [[1, 1, 1, 1], [1, 1, 1, 2], [2, 2, 2, 2]]  # a floor, and a block on its right end


@pytest.mark.parametrize("y_up", [True, False])
def test_the_solid_tiles_of_a_layer_follow_its_changes(tmp_path, y_up):
    path = tmx.write_map(tmp_path, WALL, tmx.csv_layer("land", ROOM))
    layer = load_map(path, y_up=y_up).layer("land")
    walls = Walls(layer.select({"solid": True}))
    box, down = ((0, 16, 8, 24), -5) if y_up else ((0, 24, 8, 32), 5)

    end = walls.move_and_slide(box, 100, down)
    assert (end.bounds.min_x, end.bounds.max_x, end.bounds.min_y) == (40, 48, box[1])
    assert (end.blocked_x, end.blocked_y) == (1, -1 if y_up else 1)

    layer.clear_tile(3, 1)
    assert walls.move_and_slide(box, 50, down).bounds.min_x == 50
    layer.clear_tile(0, 2)
    assert walls.move_and_slide(box, 0, down).blocked_y == 0
    layer.set_tile(1, 1, 2)
    assert walls.move_and_slide(box, 100, 0).bounds.max_x == 16


def test_a_copy_of_walls_follows_the_copy_of_its_layer(tmp_path, again):
    path = tmx.write_map(tmp_path, WALL, tmx.csv_layer("land", ROOM))
    layer = load_map(path).layer("land")
    layer.clear_tile(0, 2)
    walls = Walls(layer.select({"solid": True}))
    rectangles = len(walls.merged())
    other, land = again((walls, layer))
    assert len(other.merged()) == rectangles

    land.clear_tile(3, 1)
    box = (16, 16, 24, 24)
    assert other.move_and_slide(box, 50, 0) == ((66, 16, 74, 24), 0, 0)
    assert walls.move_and_slide(box, 50, 0) == ((40, 16, 48, 24), 1, 0)
    assert len(other.merged()) == rectangles - 1
    assert len(walls.merged()) == rectangles


def test_a_whole_layer_and_its_objects_may_be_solid(tmp_path):
    crate = '<object id="1" class="crate" x="24" y="20" width="8" height="12"/>'
    crates = f'<objectgroup name="crates">{crate}</objectgroup>'
    path = tmx.write_map(tmp_path, WALL, tmx.csv_layer("land", [[0] * 4, [0] * 4, [2] * 4]), crates)
    tile_map = load_map(path)
    box = (0, 16, 8, 24)

    assert Walls(tile_map.layer("land")).move_and_slide(box, 9, -3) == ((9, 16, 17, 24), 0, -1)
    crates = tile_map.layer("crates")
    for solid in (crates, crates.select(class_name="crate")):
        assert Walls(solid).move_and_slide(box, 50, 0) == ((16, 16, 24, 24), 1, 0)


def test_the_boxes_of_a_selection_are_those_that_it_answers_about(tmp_path):
    path = tmx.write_map(tmp_path, WALL, tmx.csv_layer("land", ROOM))
    layer = load_map(path).layer("land")
    walls = layer.select({"solid": True})

    assert walls.boxes(walls.query((50, 10, 60, 20))).tolist() == [
        [48, 16, 64, 32],
        [48, 0, 64, 16],
    ]
    assert walls.boxes(walls.ids[:0]).shape == (0, 4)
    with pytest.raises(KeyError):
        walls.boxes(np.array([0], np.int32))  # a tile, but not a wall


def test_walls_can_be_copied(again):
    assert again(walls_of(FLOOR)).move_and_slide((40, 20, 50, 30), 3, -10).bounds.min_y == 16


@pytest.mark.parametrize(
    ("box", "dx", "dy", "words"),
    [
        ((0, 0, 1), 1, 1, "bounds must be four numbers"),
        ((1, 0, 0, 1), 1, 1, "min <= max"),
        ((0, 0, nan, 1), 1, 1, "finite"),
        ((0, 0, 1, 1), nan, 1, "dx and dy must be finite, got nan and 1"),
        ((0, 0, 1, 1), 1, inf, "dx and dy must be finite, got 1 and inf"),
        ((0, 0, 1, 1), 1, nan, "dx and dy must be finite, got 1 and nan"),
    ],
)
def test_bad_arguments_are_named(box, dx, dy, words):
    with pytest.raises(ValueError, match=words):
        move(FLOOR, box, dx, dy)
