"""Aiming ahead: a shot that flies to the place told is there when its target is."""

import copy
import pickle
from fractions import Fraction
from math import dist, hypot, inf, isnan, nan
from random import Random

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tilequad import DynamicQuadtree
from tilequad.ai import Lead, Route, Targeting, intercept, intercept_many, policies
from tilequad.nav import Field, Grid

TOWER, ENEMY = 1, 2
whole = st.integers(-60, 60)
pairs = st.tuples(whole, whole)


def straight(rng, n):
    """Shooters, speeds, targets and velocities, with all that is special among them."""
    xy, target = rng.uniform(-1000, 1000, (2, n, 2))
    velocity, speed, k = rng.normal(0, 3, (n, 2)), rng.uniform(0, 8, n), n // 8
    speed[:k] = np.hypot(*velocity[:k].T)  # as fast as the target
    target[k : 2 * k] = xy[k : 2 * k]
    velocity[2 * k : 3 * k] = 0.0
    way = target - xy
    velocity[3 * k : 5 * k] = way[3 * k : 5 * k] * rng.uniform(-0.01, 0.01, (2 * k, 1))
    speed[5 * k : 6 * k] = 0.0
    return xy, speed, target, velocity


def test_of_a_million_straight_targets_none_is_missed():
    xy, speed, target, velocity = straight(np.random.default_rng(1), 1_000_000)
    found = intercept_many(xy, speed, target, velocity)
    hit = ~np.isnan(found[:, 2])
    there, time = found[hit, :2], found[hit, 2]
    assert 0.5 < hit.mean() < 0.9
    assert (time >= 0).all()
    assert (np.abs(target[hit] + velocity[hit] * time[:, None] - there) <= 1e-9).all()
    way, flown = np.hypot(*(there - xy[hit]).T), speed[hit] * time
    assert (np.abs(way - flown) <= 1e-9 * np.maximum(1, way)).all()
    # No target that can be hit is given up: those that are not are out of reach for good.
    for row in np.flatnonzero(~hit)[::997].tolist():
        assert can_hit(xy[row], speed[row], target[row], velocity[row]) is not True


def can_hit(xy, speed, target, velocity):
    """Whether a target can be hit, by exact numbers; None where rounding decides."""
    dx, dy = (Fraction(b) - Fraction(a) for a, b in zip(xy, target, strict=True))
    vx, vy, s = Fraction(velocity[0]), Fraction(velocity[1]), Fraction(speed)
    if dx == dy == 0:
        return True
    a, b, c = vx * vx + vy * vy - s * s, dx * vx + dy * vy, dx * dx + dy * dy
    root = b * b - a * c
    size = vx * vx + vy * vy + s * s
    if 0 < abs(a) <= size / 10**12 or 0 < abs(root) <= size * c / 10**12:
        return None
    return root >= 0 and (a < 0 or b < 0)


@given(pairs, whole.map(abs), pairs, pairs)
def test_whole_numbers_are_hit_exactly_where_they_can_be(place, speed, target, velocity):
    said = can_hit(place, speed, target, velocity)
    assume(said is not None)
    found = intercept(*place, speed, target, velocity)
    assert (found is not None) == said
    if found is None:
        return
    x, y, time = found
    assert dist(place, (x, y)) == pytest.approx(speed * time, rel=1e-9, abs=1e-9)
    assert (x, y) == pytest.approx(
        (target[0] + velocity[0] * time, target[1] + velocity[1] * time), rel=1e-9, abs=1e-9
    )
    # None is earlier: until then the shot is too slow for the way.
    for share in (0.25, 0.5, 0.9):
        t = share * time
        there = target[0] + velocity[0] * t, target[1] + velocity[1] * t
        assert dist(place, there) >= speed * t - 1e-9


def test_special_cases():
    assert intercept(0, 0, 5, (30, 40), (0, 0)) == (30.0, 40.0, 10.0)
    assert intercept(3, 4, 5, (3, 4), (9, 9)) == (3.0, 4.0, 0.0)  # on the shooter
    assert intercept(3, 4, 0, (3, 4), (0, 0)) == (3.0, 4.0, 0.0)
    assert intercept(0, 0, 0, (9, 0), (-3, 0)) == (0.0, 0.0, 3.0)  # it comes by itself
    assert intercept(0, 0, 0, (9, 0), (0, 0)) is None
    assert intercept(0, 0, 5, (9, 0), (5, 0)) is None  # as fast, and away
    assert intercept(0, 0, 5, (9, 0), (-5, 0)) == (4.5, 0.0, 0.9)
    assert intercept(0, 0, 0.5, (9, 9), (0.3, 0.4)) is None
    assert intercept(0, 0, 5, (10, 10), (-5, 0)) == (0.0, 10.0, 2.0)
    assert intercept(0, 0, 5, (10, 0), (0, 5)) is None
    assert intercept(0, 0, 1, (1e150, 0), (1e150, 0)) is None


@given(
    st.lists(pairs, min_size=2, max_size=6, unique=True),
    pairs,
    st.integers(1, 40),
    st.integers(0, 40),
    st.floats(0, 1),
    st.integers(-5, 5),
)
def test_on_a_route_the_shot_and_the_target_meet(corners, place, speed, pace, share, lane):
    road = Route(corners)
    assume(road.length > 1)
    walked = share * road.length
    target = road.at(walked, lane)
    walked = road.progress(*target)
    offset = np.subtract(target, road.at(walked))
    aside = float(np.cross([*road.heading(walked), 0], [*offset, 0])[2])

    def gap(time):
        return dist(place, road.at(walked + pace * time, aside)) - speed * time

    found = intercept(*place, speed, target, pace, path=road)
    times = np.linspace(0, 200, 2001)
    if found is None:
        assert min(map(gap, times)) > 0
        return
    x, y, time = found
    late = np.array([gap(t) for t in times[times < time]])
    assert (late >= -1e-6).all()  # none is earlier
    # It meets the target, or is there sooner: one in a lane jumps where the road bends.
    assert dist(place, (x, y)) <= speed * time + 1e-6
    if aside == 0:
        assert gap(time) == pytest.approx(0, abs=1e-6)
        assert (x, y) == pytest.approx(road.at(walked + pace * time), abs=1e-6)
    rows = intercept_many([place] * 2, [speed] * 2, [target] * 2, pace, path=road)
    assert rows.tolist() == [list(found)] * 2


def test_a_target_that_has_reached_the_end_of_its_route_stands():
    road = Route([(0, 0), (10, 0)])
    assert intercept(10, 100, 10, (8, 0), 4, path=road) == (10.0, 0.0, 10.0)
    assert intercept(10, 100, 10, (0, 0), 0, path=road)[:2] == (0.0, 0.0)
    assert intercept(10, 100, 0, (0, 0), 3, path=road) is None


def test_on_a_field_the_shot_and_the_target_meet():
    rng = np.random.default_rng(3)
    cells = np.where(rng.random((40, 40)) < 0.2, inf, 1.0)
    field = Field(Grid(cells, 16), [(8, 8)])
    xy = rng.uniform(0, 640, (500, 2))
    paces, speeds = rng.uniform(0, 3, 500), rng.uniform(3, 9, 500)
    found = intercept_many((320, 320), speeds, xy, paces, path=field)
    assert not np.isnan(found).any()
    way = np.hypot(*(found[:, :2] - 320).T)
    assert (np.abs(way - speeds * found[:, 2]) <= 1e-5).all()
    # Walkers go tick by tick, so they round corners a little differently.
    walkers, ticks = xy.copy(), np.floor(found[:, 2])
    for tick in range(int(ticks.max())):
        going = ticks > tick
        walkers[going] = field.advance_many(walkers[going], paces[going])
    walkers = field.advance_many(walkers, paces * (found[:, 2] - ticks))
    missed = np.hypot(*(walkers - found[:, :2]).T)
    assert np.median(missed) < 0.1
    assert (missed <= 16).all()


def test_faster_targets_on_a_field_are_hit_where_they_come_or_stop():
    field = Field(Grid(np.ones((40, 40)), 16), [(8, 8)])
    toward, away = (600, 620), (30, 30)
    x, y, time = intercept(100, 120, 2, toward, 5, path=field)
    assert hypot(x - 100, y - 120) == pytest.approx(2 * time, abs=1e-6)
    x, y, time = intercept(600, 600, 2, away, 5, path=field)  # waits at the goal
    assert hypot(x - 600, y - 600) == pytest.approx(2 * time, abs=1e-6)
    assert field.distance(x, y) == 0
    assert intercept(600, 600, 0, away, 5, path=field) is None


def test_empty_and_shared_rows():
    assert intercept_many((0, 0), 5, np.empty((0, 2)), (1, 1)).shape == (0, 3)
    for path in (Route([(0, 0), (9, 9)]), Field(Grid(np.ones((4, 4)), 8), [(1, 1)])):
        assert intercept_many((0, 0), 5, np.empty((0, 2)), 1, path=path).shape == (0, 3)
    shared = intercept_many((1, 2), 5, [(9, 9), (8, 1)], (1, -1))
    rows = intercept_many([(1, 2)] * 2, [5, 5], [(9, 9), (8, 1)], [(1, -1)] * 2)
    assert shared.tolist() == rows.tolist()


@pytest.mark.parametrize("wrong", [nan, inf, -1])
def test_wrong_numbers_are_refused(wrong):
    with pytest.raises(ValueError, match="speed"):
        intercept(0, 0, wrong, (1, 1), (1, 1))
    with pytest.raises(ValueError, match="velocity"):
        intercept(0, 0, 1, (1, 1), wrong, path=Route([(0, 0), (1, 1)]))
    if wrong != -1:
        with pytest.raises(ValueError, match="target"):
            intercept_many((0, 0), 1, [(1, wrong)], (1, 1))
    with pytest.raises(ValueError, match="velocity must have shape"):
        intercept_many((0, 0), 1, [(1, 1)] * 3, [(1, 1)] * 2)
    with pytest.raises(TypeError, match="path"):
        intercept(0, 0, 1, (1, 1), 1, path=7)


# -- leads -----------------------------------------------------------------------------------------


def field_of(seed, n=60):
    """Towers and enemies, and how they move, by slot."""
    rng = np.random.default_rng(seed)
    units = DynamicQuadtree((0, 0, 1000, 1000))
    towers = units.add_many(
        [f"t{i}" for i in range(8)], rng.uniform(300, 700, (8, 2)), groups=TOWER
    )
    units.add_many(range(n), rng.uniform(200, 800, (n, 2)), groups=ENEMY)
    return units, towers, rng.uniform(-8, 8, (8 + n, 2)), rng.uniform(0, 40, 8 + n)


@pytest.mark.parametrize("seed", range(12))
def test_a_lead_chooses_as_a_filter_by_the_same_rule_does(seed):
    chance = Random(seed)
    units, towers, velocity, speed = field_of(seed)
    lead = Lead(units, speed, velocity)

    def stays(tower, enemy):
        found = lead.aim(tower, enemy)
        return found is not None and 20 <= dist(units.position(tower), found[:2]) <= 250

    key = np.array([chance.randrange(5) for _ in range(len(velocity))], float)
    policy = chance.choice((policies.closest, policies.farthest, policies.strongest(key)))
    options = {
        "policy": policy,
        "max_distance": 250,
        "min_distance": 20,
        "groups": ENEMY,
        "lock": chance.random() < 0.5,
        "switch_margin": chance.choice((0, 1)),
    }
    ours, batch = (Targeting(units, lead=lead, **options) for _ in range(2))
    twin = Targeting(units, where=stays, **options)
    some = 0
    for now in range(12):
        expected = twin.target_many(towers, now).tolist()
        assert batch.target_many(towers, now).tolist() == expected
        found = [ours.target(units.item(slot), now) for slot in towers.tolist()]
        assert found == units.items(expected)
        some += sum(slot >= 0 for slot in expected)
        slots = units.slots(range(60))
        units.move_many(slots, units.position_many(slots) + velocity[slots])
        velocity[slots] += [(chance.uniform(-2, 2), chance.uniform(-2, 2)) for _ in slots]
    assert some > 20


def test_a_target_is_kept_until_its_meeting_is_beyond_the_losing_distance():
    units = DynamicQuadtree((0, 0, 100, 100))
    units.add("tower", 0, 0, groups=TOWER)
    units.add("orc", 10, 0, groups=ENEMY)
    velocity = {"orc": (0.0, 0.0)}
    lead = Lead(units, 10, velocity.get)
    for ask in ("target", "target_many"):
        aims = Targeting(units, max_distance=20, lose_distance=30, groups=ENEMY, lead=lead)
        for now, (speed, kept) in enumerate(((0, True), (6, True), (7, False), (6, False))):
            velocity["orc"] = (float(speed), 0.0)  # met at 10, 25, 33 and 25
            if ask == "target":
                found = aims.target("tower", now)
            else:
                (found,) = units.items(aims.target_many(units.slots(["tower"]), now))
            assert (found == "orc") == kept, now


def test_a_lead_tells_where_to_shoot():
    units, towers, velocity, speed = field_of(1)
    enemies = units.slots(range(8))
    enemies[3] = -1
    lead = Lead(units, speed, velocity)
    found = lead.aim_many(towers, enemies)
    assert np.isnan(found[3]).all()
    by_item = Lead(
        units, lambda unit: speed[units.slot(unit)], lambda unit: velocity[units.slot(unit)]
    )
    for row, (tower, enemy) in enumerate(zip(towers.tolist(), enemies.tolist(), strict=True)):
        if enemy < 0:
            continue
        one = lead.aim(units.item(tower), units.item(enemy))
        assert (isnan(found[row, 2]) and one is None) or one == tuple(found[row])
        assert by_item.aim(units.item(tower), units.item(enemy)) == one
    road = Route([(0, 0), (1000, 1000)])
    along = Lead(units, 20.0, np.full(len(speed), 3.0), path=road).aim_many(towers, enemies)
    known = intercept_many(
        units.position_many(towers[:1]), 20, units.position_many(enemies[:1]), 3, path=road
    )
    assert along[0].tolist() == known[0].tolist()


def test_leads_are_copied_with_their_tree_and_check_what_they_get():
    units, towers, velocity, speed = field_of(2)
    aims = Targeting(units, max_distance=200, groups=ENEMY, lead=Lead(units, speed, velocity))
    for again in (pickle.loads(pickle.dumps(aims)), copy.deepcopy(aims)):
        assert again.lead.units is again.units
        assert (
            again.target_many(towers, 0).tolist()
            == copy.deepcopy(aims).target_many(towers, 0).tolist()
        )
    lead = aims.lead
    for name, wrong in (("speed", "fast"), ("velocity", 3), ("path", 3)):
        with pytest.raises(TypeError, match=name):
            setattr(lead, name, wrong)
    with pytest.raises(ValueError, match="speed"):
        lead.speed = -1
    with pytest.raises(ValueError, match="lead must be about the same tree"):
        Targeting(field_of(3)[0], max_distance=3, lead=lead)
    with pytest.raises(TypeError, match="lead must be a Lead"):
        aims.lead = 3
    lead.velocity = velocity[:4]
    with pytest.raises(ValueError, match="velocity has no row for slot"):
        aims.target_many(towers, 1)
    lead.velocity = lambda unit: (unit in units and units.remove(unit)) or (0, 0)
    with pytest.raises(RuntimeError):
        aims.target_many(towers, 1)


def answers():
    """For `tests.test_modes`."""
    found = intercept_many(*straight(np.random.default_rng(4), 400))
    rng = np.random.default_rng(5)
    road = Route(rng.uniform(0, 500, (12, 2)))
    xy, pace = rng.uniform(0, 500, (60, 2)), rng.uniform(0, 9, 60)
    field = Field(Grid(np.ones((20, 20)), 25), [(9, 9)])
    units, towers, velocity, speed = field_of(6)
    lead = Lead(units, speed, velocity)
    aims = Targeting(units, max_distance=200, groups=ENEMY, lead=lead)
    return [
        found.tolist(),
        intercept_many((250, 250), 6, xy, pace, path=road).tolist(),
        intercept_many((250, 250), 6, xy, pace, path=field).tolist(),
        aims.target_many(towers, 0).tolist(),
    ]
