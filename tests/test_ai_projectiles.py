"""Shots in flight, beside a twin that tests each shot against each unit with fractions."""

from __future__ import annotations

import copy
import pickle
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf, nan, sqrt
from random import Random

import numpy as np
import pytest

from tests.share import share
from tests.test_nav_sight import touch
from tilequad import DynamicQuadtree, StaticQuadtree
from tilequad.ai import Damage, Impacts, Projectiles, pack, unpack
from tilequad.nav import Grid, LineOfSight, Walls

SQUARE = (0, 0, 400, 400)
KINDS = ("PIERCED", "STOPPED", "WALL", "SPENT", "SPLASH")


def disc_time(px, py, dx, dy, radius):
    """When a point on its way touches a disc around the origin; None if it does not."""
    px, py, dx, dy, radius = map(Fraction, (px, py, dx, dy, radius))
    a, b, c = dx * dx + dy * dy, px * dx + py * dy, px * px + py * py - radius * radius
    if c <= 0:
        return 0.0
    root = b * b - a * c
    if b >= 0 or root < 0 or (-b - a > 0 and root < (-b - a) ** 2):
        return None
    return float(c) / (float(-b) + sqrt(root))


@dataclass
class Shot:
    """One shot of the twin."""

    number: int
    x: float
    y: float
    ux: float
    uy: float
    speed: float
    life: float
    radius: float
    pierce: int
    splash: float
    delay: float
    target: int | None
    homing: bool
    groups: int
    without: int
    hit: set = field(default_factory=set)


class Twin:
    """What `Projectiles` must do, one shot and one unit after the other."""

    def __init__(self, units, boxes):
        self.units, self.boxes, self.shots = units, boxes, []

    def bodies(self, shot):
        """The units that a shot may hit, in the order of adding: serial, slot, place, radius."""
        units = self.units
        for name in units:
            slot, serial, groups = units.slot(name), units.serial(name), units.groups(name)
            if groups & shot.groups and not groups & shot.without and serial not in shot.hit:
                yield serial, slot, *units.position(name), name[1]

    def step(self, time):
        rows = [row for place, shot in enumerate(self.shots) for row in self.fly(place, shot, time)]
        return [row[3:] for row in sorted(rows, key=lambda row: row[:3])]

    def fly(self, place, shot, time):
        """Move one shot; tell what it hits: the time, the place in the order, and the row."""
        alive = {self.units.serial(name): name for name in self.units}
        if shot.homing and shot.target in alive:
            x, y = self.units.position(alive[shot.target])
            length = sqrt((x - shot.x) * (x - shot.x) + (y - shot.y) * (y - shot.y))
            if length > 0:
                shot.ux, shot.uy = (x - shot.x) / length, (y - shot.y) / length
        until = min(time, shot.life)
        over, low = min(shot.delay, until), shot.delay < until or shot.delay == 0
        x0, y0 = shot.x + shot.ux * (shot.speed * over), shot.y + shot.uy * (shot.speed * over)
        shot.x += shot.ux * (shot.speed * until)
        shot.y += shot.uy * (shot.speed * until)
        shot.life -= time
        shot.delay = max(shot.delay - time, 0.0)
        dx, dy = shot.x - x0, shot.y - y0
        walls = [touch(box, x0, y0, shot.x, shot.y) for box in self.boxes if low]
        wall = min((float(found) for found in walls if found is not None), default=inf)
        touched = []
        for order, (serial, slot, x, y, radius) in enumerate(self.bodies(shot) if low else ()):
            found = disc_time(x0 - x, y0 - y, dx, dy, radius + shot.radius)
            if found is not None and found <= wall:
                touched.append((found, order, serial, slot))
        touched = sorted(touched)[: shot.pierce + 1]
        end = wall if wall <= 1 else 1.0 if shot.life <= 0 else None
        how = "WALL" if wall <= 1 else "SPENT"
        if len(touched) > shot.pierce:
            end, how = touched[-1][0], "STOPPED"
        shot.pierce -= len(touched)
        told = []

        def tell(at, step, slot, kind):
            row = over + (until - over) * at, (x0 + dx * at, y0 + dy * at), shot.number, slot, kind
            told.append((row[0], place, step, *row))

        for number, (at, _, serial, slot) in enumerate(touched):
            stops = how == "STOPPED" and number == len(touched) - 1
            tell(at, number, slot, "STOPPED" if stops else "PIERCED")
            shot.hit.add(serial)
        if end is None:
            return told
        if how != "STOPPED":
            tell(end, 10**6, -1, how)
        x, y = x0 + dx * end, y0 + dy * end
        for order, (_, slot, ux, uy, _) in enumerate(self.bodies(shot) if shot.splash else ()):
            if (ux - x) ** 2 + (uy - y) ** 2 <= shot.splash**2:
                tell(end, 10**6 + 1 + order, slot, "SPLASH")
        self.shots = [one for one in self.shots if one is not shot]
        return told


class Game:
    """A random game of shots, units that move, die and come again, and walls."""

    def __init__(self, seed):
        chance = self.chance = Random(seed)
        self.units = DynamicQuadtree(SQUARE, leaf_size=chance.choice((4, 48)))
        self.lives = 0
        for _ in range(40):
            self.add()
        boxes = [self.box() for _ in range(chance.choice((0, 6)))]
        self.walls = chance.choice((StaticQuadtree, walls_of))(boxes) if boxes else None
        self.twin = Twin(self.units, boxes)
        self.damage = Damage(self.units, lambda unit: 100)
        self.shots = Projectiles(self.units, self.damage, groups=7)
        self.sent = {}

    def box(self):
        x, y = self.chance.uniform(0, 380), self.chance.uniform(0, 380)
        return x, y, x + self.chance.uniform(1, 30), y + self.chance.uniform(1, 30)

    def add(self):
        chance, radius = self.chance, self.chance.choice((1.0, 3.0, 8.0, 25.0))
        place = chance.uniform(0, 400), chance.uniform(0, 400)
        self.units.add((self.lives, radius), *place, radius=radius, groups=chance.randrange(1, 8))
        self.lives += 1

    def fire(self):
        chance, names = self.chance, list(self.units)
        x, y = chance.uniform(0, 400), chance.uniform(0, 400)
        target = chance.choice((None, chance.choice(names)))
        aim = chance.choice(((chance.uniform(0, 400), chance.uniform(0, 400)), (x, y)))
        shooter = chance.choice((None, chance.choice(names)))
        options = {
            "speed": chance.choice((0.0, 5.0, 40.0, 3000.0)),
            "life": chance.choice((0.0, 1.0, 2.5, 9.0, inf)),
            "width": chance.choice((0.0, 4.0)),
            "pierce": chance.choice((0, 0, 1, 5, 1000)),
            "splash": chance.choice((0.0, 0.0, 40.0)),
            "delay": chance.choice((0.0, 0.0, 1.5, 9.0)),
            "homing": target is not None and chance.random() < 0.6,
            "groups": chance.choice((1, 2, 6, 7)),
            "without": chance.choice((0, 0, 4)),
        }
        number = self.shots.fire(x, y, aim, target=target, exclude=shooter, damage=2, **options)
        length = sqrt((aim[0] - x) * (aim[0] - x) + (aim[1] - y) * (aim[1] - y))
        way = ((aim[0] - x) / length, (aim[1] - y) / length) if length else (0.0, 0.0)
        serial = None if target is None else self.units.serial(target)
        radius = options.pop("width") / 2
        self.twin.shots.append(Shot(number, x, y, *way, radius=radius, target=serial, **options))
        if shooter is not None:
            self.twin.shots[-1].hit.add(self.units.serial(shooter))
        if target is not None:
            self.sent[number] = serial

    def change(self):
        chance, names = self.chance, list(self.units)
        for name in chance.sample(names, 8):
            self.units.move(name, chance.uniform(0, 400), chance.uniform(0, 400))
        for name in chance.sample(names, chance.randrange(3)):
            place, groups = self.units.position(name), self.units.groups(name)
            self.units.remove(name)
            if chance.random() < 0.5:  # another life of the same unit
                self.units.add(name, *place, radius=name[1], groups=groups)
        while len(self.units) < 40:
            self.add()
        for _ in range(chance.randrange(6)):
            self.fire()

    def told(self, time):
        """What a step tells, as the twin does; and the damage under way after it."""
        hits = self.shots.step(time, self.walls)
        kinds = [KINDS[kind] for kind in hits.kinds]
        columns = hits.times, hits.xy, hits.shots.tolist(), hits.slots.tolist(), kinds
        return [(float(t), tuple(xy), *row) for t, xy, *row in zip(*columns, strict=True)]


def walls_of(boxes):
    return Walls(StaticQuadtree(boxes))


@pytest.mark.slow
@pytest.mark.parametrize("seed", share(range(25)))
def test_shots_hit_whom_the_twin_says_in_the_same_order(seed):
    game = Game(seed)
    for _ in range(40):
        game.change()
        time = game.chance.choice((1.0, 1.0, 0.25, 0.0))
        before = {name: game.units.serial(name) for name in game.units}
        expected, told = game.twin.step(time), game.told(time)
        assert [row[2:] for row in told] == [row[2:] for row in expected]
        for (t, xy, *_), (at, place, *_) in zip(told, expected, strict=True):
            assert t == pytest.approx(at, abs=1e-9)
            assert xy == pytest.approx(place, rel=1e-9, abs=1e-6)
        flying = [shot.number for shot in game.twin.shots]
        assert list(game.shots) == flying
        assert game.shots.xy.tolist() == [[shot.x, shot.y] for shot in game.twin.shots]
        assert game.shots.left.tolist() == [shot.life for shot in game.twin.shots]
        # Under way is what is in flight and has not hit its target.
        serials = {
            slot: game.units.serial(game.units.item(slot)) for *_, slot, _ in told if slot >= 0
        }
        for _, _, number, slot, _ in told:
            if slot >= 0 and game.sent.get(number) == serials[slot]:
                del game.sent[number]
        game.sent = {number: serial for number, serial in game.sent.items() if number in flying}
        counts = [2.0 * list(game.sent.values()).count(serial) for serial in before.values()]
        assert game.damage.under_way_many(game.units.slots(before)).tolist() == counts
        assert len(game.damage._shots) == len(game.sent)
    game.units.check()


def world(**orcs):
    units = DynamicQuadtree((0, 0, 1000, 100))
    for name, x in orcs.items():
        units.add(name, x, 50, radius=5, groups=2)
    return units, Projectiles(units)


def kinds_of(hits):
    return [KINDS[kind] for kind in hits.kinds]


def test_nothing_is_skipped_at_any_speed():
    names = {f"orc{i}": 20.0 + i for i in range(900)}
    units, shots = world(**names)
    shots.fire(0, 50, (1, 50), 1e9, life=1, pierce=10**6)
    hits = shots.step(1)
    assert units.items(hits.slots[:-1]) == list(names)
    assert kinds_of(hits)[-2:] == ["PIERCED", "SPENT"]
    assert (np.diff(hits.times) >= 0).all()


def test_a_shot_hits_a_unit_once_however_long_it_is_inside():
    units, shots = world(hall=50)
    units.resize("hall", radius=40)
    shots.fire(0, 50, (1, 50), 10, life=20, pierce=3, splash=500)
    told = [shots.step() for _ in range(20)]
    assert sum(list(hits.slots).count(units.slot("hall")) for hits in told) == 1
    assert kinds_of(told[-1]) == ["SPENT"]


def test_a_mortar_shell_flies_over_all_and_hits_whom_its_splash_catches():
    units, shots = world(near=30, far=62, farther=80)
    walls = StaticQuadtree([(40, 0, 45, 100)])
    shots.fire(0, 50, (60, 50), 20, life=3, delay=3, splash=20)
    assert [len(shots.step(1, walls).slots) for _ in range(2)] == [0, 0]
    hits = shots.step(1, walls)
    assert kinds_of(hits) == ["SPENT", "SPLASH", "SPLASH"]
    assert units.items(hits.slots) == [None, "far", "farther"]
    assert hits.xy.tolist() == [[60.0, 50.0]] * 3
    assert hits.ended.tolist() == [0]


def test_a_wall_stops_a_shot_behind_whom_it_hits_first():
    units, shots = world(before=30, flush=55, behind=80)
    for walls in (StaticQuadtree([(60, 0, 70, 100)]), Walls(wall_grid()), LineOfSight(wall_grid())):
        shots.fire(0, 50, (100, 50), 200, life=1, pierce=9)
        hits = shots.step(1, walls)
        assert units.items(hits.slots) == ["before", "flush", None]
        assert hits.xy[-1].tolist() == pytest.approx([60, 50])
        assert kinds_of(hits) == ["PIERCED", "PIERCED", "WALL"]
    with pytest.raises(TypeError, match="walls"):
        shots.step(1, walls=7)


@pytest.mark.parametrize("seed", range(20))
def test_what_stops_looks_stops_shots_of_any_speed_where_walls_do(seed):
    chance, generator = Random(seed), np.random.default_rng(seed)
    grid = Grid(np.where(generator.random((12, 12)) < 0.15, inf, 1.0), 10)
    boxes = StaticQuadtree(grid.boxes(np.flatnonzero(grid.blocked)))
    units = DynamicQuadtree(grid.bounds)
    flights = [Projectiles(units) for _ in range(3)]
    for _ in range(40):
        cell = chance.choice(np.flatnonzero(~grid.blocked).tolist())
        aim = chance.uniform(0, 120), chance.uniform(0, 120)
        for shots in flights:
            shots.fire(*grid.center(cell), aim, chance_speed(cell), life=8)
    ends = []
    for shots, walls in zip(flights, (boxes, LineOfSight(boxes), LineOfSight(grid)), strict=True):
        told = [shots.step(1, walls) for _ in range(8)]
        assert len(shots) == 0
        found = [row for hits in told for row in zip(hits.shots, hits.kinds, hits.xy, strict=True)]
        ends.append(sorted((int(shot), int(kind), xy.tolist()) for shot, kind, xy in found))
    walled, *others = ends
    assert {KINDS[kind] for _, kind, _ in walled} == {"WALL", "SPENT"}
    for other in others:
        assert [row[:2] for row in other] == [row[:2] for row in walled]
        np.testing.assert_allclose([row[2] for row in other], [row[2] for row in walled], atol=1e-9)


def chance_speed(cell):
    """From less than a cell to the whole grid in a step."""
    return (3.0, 9.0, 27.0, 150.0)[cell % 4]


def test_a_shot_from_a_thicket_flies_out_of_it():
    grid = wall_grid()
    shots = Projectiles(DynamicQuadtree(grid.bounds))
    for speed in (2, 100):
        shots.fire(63, 50, (100, 50), speed, life=20 / speed)
        kinds = []
        while len(shots):
            kinds += kinds_of(shots.step(1, LineOfSight(grid)))
        assert kinds == ["SPENT"]


def test_shots_fly_over_land_where_nobody_ever_was():
    shots = Projectiles(DynamicQuadtree(SQUARE))
    shots.fire(0, 50, (100, 50), 10, life=1)
    assert kinds_of(shots.step(1)) == ["SPENT"]


def wall_grid():
    cells = np.ones((10, 100))
    cells[:, 6] = inf
    return Grid(cells, 10)


def test_a_homing_shot_follows_flies_straight_on_and_follows_no_second_life():
    units, shots = world(orc=50)
    shots.fire(0, 50, (0, 90), 5, life=inf, target="orc", homing=True)
    shots.step()
    assert shots.directions.tolist() == [[1.0, 0.0]]
    units.move("orc", 5, 90)
    shots.step()
    assert shots.directions.tolist() == [[0.0, 1.0]]
    units.remove("orc")
    units.add("orc", 500, 0, groups=2)
    for _ in range(3):
        shots.step()
        assert shots.directions.tolist() == [[0.0, 1.0]]
    assert shots.xy.tolist() == [[5.0, 70.0]]


def test_damage_ends_by_itself():
    units, _ = world(orc=30, rat=60)
    damage = Damage(units, lambda unit: 5)
    shots = Projectiles(units, damage)
    first = shots.fire(0, 50, (100, 50), 10, life=20, damage=3, target="rat")
    shots.fire(0, 50, (0, 0), 10, life=20, damage=3, target="rat")
    assert damage.under_way("rat") == 6
    assert damage.doomed("rat")
    for _ in range(3):  # the orc is in the way
        shots.step()
    assert damage.under_way("rat") == 3
    assert list(shots) == [first + 1]
    shots.remove(first + 1)
    assert damage.under_way("rat") == 0
    passing = shots.fire(0, 50, (100, 50), 100, life=inf, damage=3, target="orc", pierce=5)
    shots.step(0.5)
    assert damage.under_way("orc") == 0
    assert passing in shots
    assert passing + 1 not in shots
    assert "arrow" not in shots
    shots.fire(0, 50, (100, 50), 1, life=inf, damage=3, target="orc")
    units.remove("orc")
    units.add("orc", 30, 50, groups=2)
    assert damage.under_way("orc") == 0
    for number in damage._all_known(sorted(damage._shots)):
        damage.miss(number)  # ended by hand: the shot flies on
    shots.step(1)
    assert len(shots) == 2


def test_equal_times_come_in_the_order_of_firing_and_adding():
    units = DynamicQuadtree((0, 0, 100, 100))
    units.add("b", 50, 60, radius=2)
    units.add("a", 50, 40, radius=2)
    shots = Projectiles(units)
    for _ in range(2):
        shots.fire(0, 50, (90, 50), 100, life=1, width=30, pierce=5, splash=99)
    hits = shots.step()
    assert units.items(hits.slots) == ["b", "a", "b", "a", None, None]
    assert hits.shots.tolist() == [0, 0, 1, 1, 0, 1]
    assert (hits.kinds[-1], hits.kinds[0]) == (Impacts.SPENT, Impacts.PIERCED)


@pytest.mark.parametrize("seed", range(6))
def test_copies_and_bytes_in_mid_flight_go_on_as_the_game_does(seed):
    game = Game(seed)
    for _ in range(12):
        game.change()
        game.told(1.0)
    parts = game.units, game.damage, game.shots
    units = DynamicQuadtree(SQUARE, leaf_size=game.units.leaf_size)
    damage = Damage(units, game.damage.health)
    joined = units, damage, Projectiles(units, damage, groups=7)
    unpack(pack(*parts), list(game.units), *joined)
    assert pack(*joined) == pack(*parts)
    game.damage.health = units_health
    twins = [joined, copy.deepcopy(parts), pickle.loads(pickle.dumps(parts))]
    for _ in range(8):
        hits = [part.tolist() for part in game.shots.step(1.0, game.walls)]
        number = game.shots.fire(9, 9, (300, 300), 30, life=5, target=next(iter(game.units)))
        for others in twins:
            assert [part.tolist() for part in others[2].step(1.0, game.walls)] == hits
            assert (
                others[2].fire(9, 9, (300, 300), 30, life=5, target=next(iter(others[0]))) == number
            )
            assert pack(*others) == pack(*parts)


def units_health(unit):
    return 100


def test_damaged_bytes_are_refused():
    game = Game(3)
    for _ in range(5):
        game.change()
        game.told(1.0)
    parts, items = (game.units, game.damage, game.shots), list(game.units)
    data, chance = pack(*parts), Random(1)
    for _ in range(300):
        at = chance.randrange(len(data))
        wrong = data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :]
        with pytest.raises(ValueError):  # noqa: PT011 -- any part may say it
            unpack(wrong, items, *parts)
    assert pack(*parts) == data


def test_many_are_fired_as_one_after_the_other():
    units, one = world(orc=300, rat=600)
    many = Projectiles(units)
    chance = np.random.default_rng(2)
    xy, aim = chance.uniform(0, 100, (2, 50, 2))
    speed, life, pierce = (
        chance.uniform(1, 9, 50),
        chance.uniform(1, 9, 50),
        chance.integers(0, 3, 50),
    )
    targets = units.slots(["orc", "rat"])[np.arange(50) % 2]
    numbers = many.fire_many(
        xy, aim, speed, life=life, pierce=pierce, targets=targets, groups=[2] * 50
    )
    for row in range(50):
        number = one.fire(*xy[row], tuple(aim[row]), speed[row], life=life[row],
                          pierce=pierce[row], groups=2,
                          target=units.item(targets[row]))  # fmt: skip
        assert number == numbers[row]
    assert pack(units, one) == pack(units, many)
    many.remove_many(numbers[::2])
    assert list(many) == numbers[1::2].tolist()
    assert many.fire_many(np.empty((0, 2)), np.empty((0, 2)), 1, life=1).tolist() == []


def test_wrong_arguments_are_refused_and_change_nothing():
    units, shots = world(orc=300)
    shots.fire(0, 0, (1, 1), 1, life=5)
    right = {"xy": [(0, 0)] * 3, "aim": [(1, 1)] * 3, "speed": 1.0, "life": 1.0}
    before = pack(units, shots)
    for name, wrong, error in (
        *((name, nan, ValueError) for name in ("speed", "life", "width", "splash", "delay")),
        *((name, [1, -1, 1], ValueError) for name in ("speed", "life", "pierce", "width")),
        *((name, [1, 1], ValueError) for name in ("speed", "life", "pierce", "targets", "exclude")),
        ("speed", inf, ValueError), ("pierce", 1.5, TypeError), ("homing", True, ValueError),
        ("homing", 3, TypeError), ("aim", [(1, nan)] * 3, ValueError),
        ("aim", [(1, 1)], ValueError), ("damage", nan, ValueError),
        ("targets", [0, 7, 0], ValueError), ("groups", 0, ValueError), ("without", -1, ValueError),
    ):  # fmt: skip
        with pytest.raises(error, match=name):
            shots.fire_many(**{**right, name: wrong})
    for name, wrong in (("time", -1), ("time", inf), ("time", nan)):
        with pytest.raises(ValueError, match=name):
            shots.step(**{name: wrong})
    with pytest.raises(KeyError, match="ghost"):
        shots.fire(0, 0, (1, 1), 1, life=1, target="ghost")
    for numbers in ([5], [-1], [0.5]):
        with pytest.raises(ValueError, match="shots must be"):
            shots.remove_many(numbers)
    assert pack(units, shots) == before
    with pytest.raises(ValueError, match="same tree"):
        Projectiles(units, Damage(DynamicQuadtree(SQUARE), len))
    with pytest.raises(TypeError, match="damage must be a Damage"):
        Projectiles(units, 7)
    fast = Projectiles(units)
    fast.fire(0, 0, (1, 1), 1e140, life=inf)
    with pytest.raises(ValueError, match="time must not lead shots"):
        fast.step(1e20)
    assert fast.xy.tolist() == [[0, 0]]


def test_shots_that_change_while_they_fly_are_an_error():
    _, shots = world(orc=300)
    shots.fire(0, 50, (1, 50), 1, life=9)

    class Wall:
        def __init__(self, many, change=lambda: None):
            self.many, self.change = many, change

        def hit_many(self, xy0, xy1):
            self.change()
            return (np.full(self.many, inf),)

    for change in (lambda: shots.fire(0, 50, (1, 50), 1, life=9), lambda: shots.remove(0)):
        with pytest.raises(RuntimeError, match="while they fly"):
            shots.step(1, Wall(1, change))
        assert shots.xy.tolist() == [[0, 50]]
    with pytest.raises(ValueError, match="walls must tell of 1 ways"):
        shots.step(1, Wall(3))
    shots.step(1, Wall(1))
    assert shots.xy.tolist() == [[1, 50]]


def test_a_shallow_copy_flies_by_itself():
    _, shots = world(orc=300)
    shots.fire(0, 50, (1, 50), 1, life=99)
    twin = copy.copy(shots)
    for _ in range(3):
        shots.step()
        shots.fire(9, 50, (9, 90), 1, life=99)
    assert twin.xy.tolist() == [[0, 50]]
    twin.step()
    assert (twin.xy.tolist(), shots.xy[0].tolist()) == ([[1, 50]], [3, 50])


def heaped(seed):
    """A heap of units on a point or within a radius, and shots into it and within it."""
    rng, n = np.random.default_rng(seed), 300
    units = DynamicQuadtree(SQUARE, leaf_size=4)
    spread, boxes = ((0.0, False), (6.0, False), (30.0, True), (0.0, True))[seed % 4]
    for i in range(n):
        x, y = 200 + spread * rng.normal(0, 1, 2)
        size = rng.choice([4.0, 12.0, rng.uniform(4, 12)])
        shape = {"size": (size, 9.0)} if boxes and rng.random() < 0.5 else {"radius": size / 2}
        units.add(i, x, y, groups=int(rng.choice([1, 2, 3])), **shape)
    starts = rng.uniform(0, 400, (120, 2))
    starts[::3] = 200 + spread * rng.normal(0, 1, (40, 2))
    aims = 200 + (spread + 2) * rng.normal(0, 1, (120, 2))
    return units, {
        "xy": starts, "aim": aims, "speed": rng.choice([5.0, 40.0, 600.0], 120), "life": 9.0,
        "width": rng.choice([0.0, 4.0], 120), "pierce": rng.choice([0, 0, 2, 30, 1000], 120),
        "groups": rng.choice([1, 2, 3], 120), "without": rng.choice([0, 0, 1], 120),
        "exclude": rng.integers(-1, n, 120), "splash": rng.choice([0.0, 0.0, 5.0], 120),
    }  # fmt: skip


@pytest.mark.parametrize("seed", range(8))
def test_shots_into_a_heap_hit_whom_each_hits_alone(seed):
    units, options = heaped(seed)
    walls = StaticQuadtree([(195, 0, 205, 190), (203, 201, 203, 201)])
    shots = Projectiles(units)
    shots.fire_many(**options)
    alone = []
    for i in range(120):
        alone.append(Projectiles(units))
        alone[-1].fire_many(
            **{k: v if np.isscalar(v) else v[i : i + 1] for k, v in options.items()}
        )
    for _ in range(3):
        hits = shots.step(1.0, walls)
        for number, one in enumerate(alone):
            rows = hits.shots == number
            for part, told in zip(hits[1:], one.step(1.0, walls)[1:], strict=True):
                assert part[rows].tolist() == told.tolist()
        assert len(shots) == sum(map(len, alone))


@pytest.mark.parametrize("choices", [[0], [3], [0, 2000]])
def test_shots_through_a_crowd_hit_only_whom_they_touch(choices):
    rng = np.random.default_rng(0)
    pierce = rng.choice(choices, 1000)
    units = DynamicQuadtree((0, 0, 1000, 1000))
    units.add_many(range(1000), rng.uniform(470, 530, (1000, 2)), radius=3)
    shots = Projectiles(units)
    starts, aims = rng.uniform(0, 1000, (1000, 2)), rng.uniform(465, 535, (1000, 2))
    shots.fire_many(starts, aims, speed=800, life=1, pierce=pierce, splash=0.01)
    hits = shots.step()
    assert np.isfinite(hits.times).all()
    touched = hits.kinds <= Impacts.STOPPED
    away = units.position_many(hits.slots[touched]) - hits.xy[touched]
    assert (np.hypot(*away.T) <= 3.0 + 1e-9).all()
    ways = 800.0 * (aims - starts) / np.hypot(*(aims - starts).T)[:, None]
    offsets, _ = units.segment_many(starts, starts + ways)
    counts = np.minimum(np.diff(offsets), pierce + 1)
    assert np.bincount(hits.shots[touched], minlength=1000).tolist() == counts.tolist()


def answers():
    """For `tests.test_modes`."""
    told = []
    units, options = heaped(2)
    shots = Projectiles(units)
    shots.fire_many(**options)
    told.append([part.tolist() for part in shots.step()])
    for seed in (1, 2, 5):
        game = Game(seed)
        for _ in range(15):
            game.change()
            told.append(repr(game.told(1.0)))
        told.append(pack(game.units, game.damage, game.shots).hex())
    return told
