"""Range events: who came, who left, told once, and equal to a recompute from scratch."""

from __future__ import annotations

import random

import pytest

from tilequad import DynamicQuadtree
from tilequad.ai import RangeEvents, Zone

WORLD = (0, 0, 1000, 1000)


def tree(**places: tuple[float, float]) -> DynamicQuadtree:
    units: DynamicQuadtree = DynamicQuadtree(WORLD)
    for name, (x, y) in places.items():
        units.add(name, x, y)
    return units


def told(events: RangeEvents) -> list:
    return [(entered, left) for _, entered, left in events.update()]


# -- lives; the random games below have the rules of distances, groups and order -------------------


def test_an_orc_that_comes_and_goes_is_told_once_between_two_distances():
    units = tree(scout=(500, 500), orc=(595, 500))
    events = RangeEvents(units)
    zone = events.follow("scout", 90, leave_radius=110)

    seen = []
    for x in (595, 590, 610, 610.1, 600):
        units.move("orc", x, 500)
        seen.append((told(events), events.inside(zone)))
    assert seen == [
        ([], []),
        ([(["orc"], [])], ["orc"]),
        ([], ["orc"]),
        ([([], ["orc"])], []),
        ([], []),
    ]
    assert (zone.item, zone.position) == ("scout", None)


def test_a_removed_unit_has_left_and_is_not_inside_any_more():
    units = tree(orc=(1, 1))
    events = RangeEvents(units)
    zone = events.add(0, 0, 10)
    events.update()
    units.remove("orc")

    assert events.inside(zone) == []
    assert told(events) == [([], ["orc"])]


def test_a_zone_that_has_ended_or_was_removed_is_unknown():
    units = tree(scout=(0, 0), orc=(1, 1))
    events = RangeEvents(units)
    followed, removed = events.follow("scout", 10), events.add(0, 0, 10)
    events.update()
    events.remove(removed)
    units.remove("scout")

    assert [(zone is followed, left) for zone, _, left in events.update()] == [(True, ["orc"])]
    for zone in (followed, removed):
        assert zone not in events
        for ask in (events.inside, events.remove):
            with pytest.raises(KeyError):
                ask(zone)


# -- arguments -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "options", "said"),
    [
        (("nobody", 0, 10), {}, "x and y must be two numbers"),
        ((0, float("nan"), 10), {}, "x and y must be finite"),
        ((0, 0, -1), {}, "radius must be finite and at least 0"),
        ((0, 0, float("inf")), {}, "radius must be finite and at least 0"),
        ((0, 0, 10), {"leave_radius": 9}, "leave_radius must be at least radius"),
        ((0, 0, 10), {"groups": 0}, "groups must be in 1"),
        ((0, 0, 10), {"without": -1}, "without must be in"),
        ((0, 0, 10), {"without": 1 << 32}, "without must be in"),
    ],
)
def test_wrong_arguments_are_refused_and_nothing_is_added(arguments, options, said):
    events = RangeEvents(tree())
    with pytest.raises(ValueError, match=said):
        events.add(*arguments, **options)
    assert len(events) == 0


def test_what_events_cannot_be_about_is_refused():
    with pytest.raises(TypeError, match="groups must be a whole number"):
        RangeEvents(tree(), groups=2.9)
    for wrong in (-1, 1 << 32):
        with pytest.raises(ValueError, match="without must be in"):
            RangeEvents(tree(), without=wrong)
    events = RangeEvents(tree())
    with pytest.raises(KeyError, match="nobody"):
        events.follow("nobody", 10)
    assert len(events) == 0


def test_a_zone_tells_what_it_was_made_of_and_only_events_make_one():
    zone = RangeEvents(tree()).add(1, 2, 3, leave_radius=4, groups=5, without=6)

    assert (zone.position, zone.radius, zone.leave_radius) == ((1, 2), 3, 4)
    assert (zone.groups, zone.without, zone.number) == (5, 6, 0)
    with pytest.raises(TypeError, match="made by"):
        Zone()


# -- sight -----------------------------------------------------------------------------------------


class Curtain:
    """Blocks what crosses x = 0 while it is drawn."""

    drawn = True
    fails = False

    def clear_many(self, xy0, xy1):
        if self.fails:
            raise RuntimeError("no view")
        return ~((xy0[:, 0] < 0) & (xy1[:, 0] > 0)) | (not self.drawn)


def test_a_unit_behind_a_wall_is_outside():
    units = tree(orc=(5, 0))
    curtain = Curtain()
    events = RangeEvents(units, sight=curtain)
    events.add(-5, 0, 50)

    assert told(events) == []
    curtain.drawn = False
    assert told(events) == [(["orc"], [])]
    curtain.drawn = True
    assert told(events) == [([], ["orc"])]


def test_an_update_whose_sight_fails_has_not_been_made():
    units = tree(orc=(5, 0), elf=(-6, 0))
    curtain = Curtain()
    curtain.drawn = False
    events = RangeEvents(units, sight=curtain)
    events.add(-5, 0, 50)
    events.update()
    units.remove("elf")
    units.move("orc", 500, 0)
    curtain.fails = True
    with pytest.raises(RuntimeError, match="no view"):
        events.update()
    units.add("elf", -7, 0)
    curtain.fails = False

    assert told(events) == [(["elf"], ["orc", "elf"])]


# -- random games ----------------------------------------------------------------------------------


class Twin:
    """The same by asking about everything."""

    def __init__(self) -> None:
        self.zones: dict = {}  # [place or unit, its life, radius, leave, groups, on, without]
        self.before: dict = {}  # the items inside each zone, by life

    def update(self, game: Game) -> list:
        told = []
        for zone, (where, life, radius, leave, groups, on, without) in list(self.zones.items()):
            before = self.before.setdefault(zone, {})
            now = {}
            ended = life is not None and game.lives.get(where) != life
            if on and not ended:
                x, y = where if life is None else game.units.position(where)
                for item, born in game.lives.items():
                    if not (game.groups[item] & groups) or game.groups[item] & without:
                        continue
                    if born == life:
                        continue
                    ux, uy = game.units.position(item)
                    dx, dy = ux - x, uy - y
                    limit = leave if born in before else radius
                    if dx * dx + dy * dy <= limit * limit:
                        now[born] = item
            entered = [now[born] for born in sorted(now) if born not in before]
            left = [before[born] for born in sorted(before) if born not in now]
            if entered or left:
                told.append((zone.number, entered, left))
            self.before[zone] = now
            if ended:
                del self.zones[zone], self.before[zone]
        return told


class Game:
    """A random game: units that are born, move, die and change sides; events that come and go."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.units: DynamicQuadtree = DynamicQuadtree(WORLD)
        self.events = RangeEvents(self.units, groups=3)
        self.twin = Twin()
        self.lives: dict = {}
        self.groups: dict = {}
        self.born = 0

    def place(self) -> tuple[float, float]:
        return self.random.randrange(0, 200), self.random.randrange(0, 200)

    def tick(self) -> None:
        chance = self.random
        for _ in range(chance.randrange(0, 12)):
            items = list(self.lives)
            act = chance.random()
            if act < 0.3 or not items:
                name = chance.randrange(60)
                if name not in self.lives:
                    self.units.add(name, *self.place(), groups=1)
                    self.lives[name], self.groups[name] = self.born, 1
                    self.born += 1
            elif act < 0.7:
                self.units.move(chance.choice(items), *self.place())
            elif act < 0.85:
                name = chance.choice(items)
                self.units.remove(name)
                del self.lives[name], self.groups[name]
            else:
                name = chance.choice(items)
                self.groups[name] = chance.choice((1, 2, 4, 6, 1 << 31))
                self.units.set_groups(name, self.groups[name])
        act = chance.random()
        if act < 0.15:
            self.zone()
        elif act < 0.2 and self.twin.zones:
            zone = chance.choice(list(self.twin.zones))
            self.events.remove(zone)
            del self.twin.zones[zone]
            self.twin.before.pop(zone, None)
        elif act < 0.3 and self.twin.zones:
            zone = chance.choice(list(self.twin.zones))
            if zone in self.events:
                self.twin.zones[zone][5] = on = chance.random() < 0.5
                self.events.enable(zone, on)

    def zone(self) -> None:
        chance = self.random
        radius = chance.choice((0, 10, 50, 500))
        leave = radius + chance.choice((0, 20))
        groups = chance.choice((None, 2, 1 << 31, 0xFFFFFFFF))
        without = chance.choice((None, None, 0, 2, 4, 1 << 31))
        options = {"leave_radius": leave, "groups": groups, "without": without}
        where, life = self.place(), None
        if self.lives and chance.random() < 0.5:
            where = chance.choice(list(self.lives))
            life = self.lives[where]
            zone = self.events.follow(where, radius, **options)
        else:
            zone = self.events.add(*where, radius, **options)
        self.twin.zones[zone] = [where, life, radius, leave, groups or 3, True, without or 0]

    def told(self) -> list:
        return [(zone.number, entered, left) for zone, entered, left in self.events.update()]

    def step(self) -> None:
        """Play a tick; after most of them, compare what is told and who is inside."""
        self.tick()
        if self.random.random() < 0.8:
            assert self.told() == self.twin.update(self)
            for zone, inside in self.twin.before.items():
                found = self.events.inside(zone)
                assert found == [inside[born] for born in sorted(inside)]
                assert self.events.count(zone) == len(found)


@pytest.mark.parametrize("seed", range(20))
def test_random_games_equal_a_recompute_from_scratch(seed):
    game = Game(seed)
    for _ in range(300):
        game.step()


@pytest.mark.parametrize("seed", range(6))
def test_a_game_that_is_saved_and_restored_goes_on_equal(again, seed):
    game = Game(seed)
    for _ in range(game.random.randrange(5, 120)):
        game.tick()
        if game.random.random() < 0.7:
            game.told(), game.twin.update(game)
    other = again(game)
    for _ in range(100):
        game.tick(), other.tick()
        assert game.told() == other.told() == other.twin.update(other) == game.twin.update(game)


def test_arrays_tell_the_same():
    games = Game(3), Game(3)
    for _ in range(200):
        for game in games:
            game.tick()
        pairs, came = games[0].events.update_many()
        told = games[1].told()
        assert sum(came) == sum(len(entered) for _, entered, _ in told)
        assert sum(~came) == sum(len(left) for _, _, left in told)
        assert list(dict.fromkeys(pairs[:, 0].tolist())) == [number for number, _, _ in told]
        assert games[0].twin.update(games[0]) == games[1].twin.update(games[1]) == told
