"""Watches: who came, who left, told once, and equal to a recompute from scratch."""

from __future__ import annotations

import copy
import pickle
import random

import numpy as np
import pytest

from tilequad import DynamicQuadtree
from tilequad.ai import Watches

WORLD = (0, 0, 1000, 1000)


def tree(**places: tuple[float, float]) -> DynamicQuadtree:
    units: DynamicQuadtree = DynamicQuadtree(WORLD)
    for name, (x, y) in places.items():
        units.add(name, x, y)
    return units


def told(watches: Watches) -> list:
    return [(entered, left) for _, entered, left in watches.update()]


# -- what counts -----------------------------------------------------------------------------------


def test_the_distance_itself_is_inside():
    units = tree(on=(3, 4), out=(3.1, 4))
    watches = Watches(units)
    watches.add((0, 0), 5)

    assert told(watches) == [(["on"], [])]


def test_hysteresis_keeps_a_unit_between_the_two_distances():
    units = tree(orc=(95, 0))
    watches = Watches(units)
    watch = watches.add((0, 0), 90, leave=110)

    assert told(watches) == []
    units.move("orc", 90, 0)
    assert told(watches) == [(["orc"], [])]
    units.move("orc", 110, 0)
    assert told(watches) == []
    assert watches.inside(watch) == ["orc"]
    units.move("orc", 110.1, 0)
    assert told(watches) == [([], ["orc"])]
    units.move("orc", 100, 0)
    assert told(watches) == []


def test_a_unit_that_leaves_and_returns_in_between_is_not_told():
    units = tree(orc=(10, 0))
    watches = Watches(units)
    watches.add((0, 0), 50)
    watches.update()
    units.move("orc", 900, 900)
    units.move("orc", 20, 0)

    assert watches.update() == []


def test_a_watch_moves_along_with_its_unit_and_does_not_see_it():
    units = tree(scout=(500, 500), orc=(100, 100))
    watches = Watches(units)
    watch = watches.add("scout", 50)

    assert told(watches) == []
    units.move("scout", 120, 100)
    assert told(watches) == [(["orc"], [])]
    assert (watch.unit, watch.place) == ("scout", None)
    units.move("scout", 500, 500)
    assert told(watches) == [([], ["orc"])]


def test_events_come_in_the_order_of_watches_and_then_of_adding():
    units = tree(c=(1, 0), a=(2, 0), b=(3, 0))
    watches = Watches(units)
    first, second = watches.add((9, 0), 100), watches.add((0, 0), 100)

    found = watches.update()

    assert [(watch, entered) for watch, entered, _ in found] == [
        (first, ["c", "a", "b"]),
        (second, ["c", "a", "b"]),
    ]


# -- lives -----------------------------------------------------------------------------------------


def test_a_removed_unit_has_left_and_is_not_inside_any_more():
    units = tree(orc=(1, 1))
    watches = Watches(units)
    watch = watches.add((0, 0), 10)
    watches.update()
    units.remove("orc")

    assert watches.inside(watch) == []
    assert told(watches) == [([], ["orc"])]


def test_a_unit_that_is_removed_and_added_again_has_left_and_come():
    units = tree(orc=(1, 1))
    watches = Watches(units)
    watches.add((0, 0), 10)
    watches.update()
    units.remove("orc")
    units.add("orc", 1, 1)

    assert told(watches) == [(["orc"], ["orc"])]


def test_another_unit_in_the_slot_of_a_dead_one_is_another_unit():
    units = tree(orc=(1, 1))
    watches = Watches(units)
    watches.add((0, 0), 10)
    watches.update()
    units.remove("orc")
    units.add("elf", 2, 2)

    assert told(watches) == [(["elf"], ["orc"])]


def test_a_unit_that_changes_its_groups_is_tested_again():
    units = tree(orc=(1, 1))
    watches = Watches(units, groups=2)
    watches.add((0, 0), 10)

    assert told(watches) == []
    units.set_groups("orc", 2)
    assert told(watches) == [(["orc"], [])]
    units.set_groups("orc", 1)
    assert told(watches) == [([], ["orc"])]


def test_a_watch_ends_with_its_unit_also_if_that_is_added_again():
    units = tree(scout=(0, 0), orc=(1, 1))
    watches = Watches(units)
    watch = watches.add("scout", 10)
    watches.update()
    units.remove("scout")
    units.add("scout", 0, 0)

    assert [(ended is watch, left) for ended, _, left in watches.update()] == [(True, ["orc"])]
    assert watch not in watches
    assert watches.update() == []
    with pytest.raises(KeyError):
        watches.inside(watch)


def test_a_watch_that_is_switched_off_has_nobody_inside():
    units = tree(orc=(1, 1))
    watches = Watches(units)
    watch = watches.add((0, 0), 10)
    watches.update()
    watches.enable(watch, False)

    assert told(watches) == [([], ["orc"])]
    units.move("orc", 2, 2)
    assert told(watches) == []
    watches.enable(watch)
    assert told(watches) == [(["orc"], [])]


def test_a_removed_watch_says_nothing_more():
    units = tree(orc=(1, 1))
    watches = Watches(units)
    watch = watches.add((0, 0), 10)
    watches.update()
    watches.remove(watch)

    assert watches.update() == []
    with pytest.raises(KeyError):
        watches.remove(watch)


# -- arguments -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "options", "said"),
    [
        (("nobody", 10), {}, "where must be a unit or two numbers"),
        (((0, float("nan")), 10), {}, "where must be finite"),
        (((0, 0), -1), {}, "radius must be from 0"),
        (((0, 0), float("inf")), {}, "radius must be from 0"),
        (((0, 0), 10), {"leave": 9}, "leave must be at least radius"),
        (((0, 0), 10), {"groups": 0}, "groups must be in 1"),
    ],
)
def test_wrong_arguments_are_refused_and_nothing_is_added(arguments, options, said):
    watches = Watches(tree())
    with pytest.raises(ValueError, match=said):
        watches.add(*arguments, **options)
    assert len(watches) == 0


def test_a_mask_that_is_no_whole_number_is_refused():
    with pytest.raises(TypeError, match="groups must be a whole number"):
        Watches(tree(), groups=2.9)


def test_a_place_may_be_an_array():
    watches = Watches(tree(orc=(1, 1)))
    assert watches.add(np.array([0.0, 0.0]), 10).place == (0.0, 0.0)


# -- sight -----------------------------------------------------------------------------------------


class Curtain:
    """Blocks what crosses x = 0 while it is drawn."""

    drawn = True
    fails = False

    def clear_many(self, a, b):
        if self.fails:
            raise RuntimeError("no view")
        return ~((a[:, 0] < 0) & (b[:, 0] > 0)) | (not self.drawn)


def test_a_unit_behind_a_wall_is_outside():
    units = tree(orc=(5, 0))
    curtain = Curtain()
    watches = Watches(units, sight=curtain)
    watches.add((-5, 0), 50)

    assert told(watches) == []
    curtain.drawn = False
    assert told(watches) == [(["orc"], [])]
    curtain.drawn = True
    assert told(watches) == [([], ["orc"])]


def test_an_update_whose_sight_fails_has_not_been_made():
    units = tree(orc=(5, 0), elf=(-6, 0))
    curtain = Curtain()
    curtain.drawn = False
    watches = Watches(units, sight=curtain)
    watches.add((-5, 0), 50)
    watches.update()
    units.remove("elf")
    units.move("orc", 500, 0)
    curtain.fails = True
    with pytest.raises(RuntimeError, match="no view"):
        watches.update()
    units.add("elf", -7, 0)
    curtain.fails = False

    assert told(watches) == [(["elf"], ["orc", "elf"])]


# -- random games ----------------------------------------------------------------------------------


class Twin:
    """The same by asking about everything."""

    def __init__(self) -> None:
        self.watches: dict = {}  # [place or unit, life of the unit, radius, leave, groups, on]
        self.before: dict = {}  # the items inside each watch, by life

    def update(self, game: Game) -> list:
        events = []
        for watch, (where, life, radius, leave, groups, on) in list(self.watches.items()):
            before = self.before.setdefault(watch, {})
            now = {}
            ended = life is not None and game.lives.get(where) != life
            if on and not ended:
                x, y = where if life is None else game.units.position(where)
                for item, born in game.lives.items():
                    if not (game.groups[item] & groups) or born == life:
                        continue
                    ux, uy = game.units.position(item)
                    dx, dy = ux - x, uy - y
                    limit = leave if born in before else radius
                    if dx * dx + dy * dy <= limit * limit:
                        now[born] = item
            entered = [now[born] for born in sorted(now) if born not in before]
            left = [before[born] for born in sorted(before) if born not in now]
            if entered or left:
                events.append((watch.number, entered, left))
            self.before[watch] = now
            if ended:
                del self.watches[watch], self.before[watch]
        return events


class Game:
    """A random game: units that are born, move, die and change sides; watches that come and go."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.units: DynamicQuadtree = DynamicQuadtree(WORLD)
        self.watches = Watches(self.units, groups=3)
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
            self.watch()
        elif act < 0.2 and self.twin.watches:
            watch = chance.choice(list(self.twin.watches))
            self.watches.remove(watch)
            del self.twin.watches[watch]
            self.twin.before.pop(watch, None)
        elif act < 0.3 and self.twin.watches:
            watch = chance.choice(list(self.twin.watches))
            if watch in self.watches:
                self.twin.watches[watch][5] = on = chance.random() < 0.5
                self.watches.enable(watch, on)

    def watch(self) -> None:
        chance = self.random
        radius = chance.choice((0, 10, 50, 500))
        leave = radius + chance.choice((0, 20))
        groups = chance.choice((None, 2, 1 << 31, 0xFFFFFFFF))
        where, life = self.place(), None
        if self.lives and chance.random() < 0.5:
            where = chance.choice(list(self.lives))
            life = self.lives[where]
        watch = self.watches.add(where, radius, leave=leave, groups=groups)
        self.twin.watches[watch] = [where, life, radius, leave, groups or 3, True]

    def told(self) -> list:
        return [(watch.number, entered, left) for watch, entered, left in self.watches.update()]


@pytest.mark.parametrize("seed", range(20))
def test_random_games_equal_a_recompute_from_scratch(seed):
    game = Game(seed)
    for _ in range(300):
        game.tick()
        if game.random.random() < 0.8:
            assert game.told() == game.twin.update(game)
            for watch, inside in game.twin.before.items():
                found = game.watches.inside(watch)
                assert found == [inside[born] for born in sorted(inside)]
                assert game.watches.count(watch) == len(found)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda game: pickle.loads(pickle.dumps(game))])
@pytest.mark.parametrize("seed", range(6))
def test_a_game_that_is_saved_and_restored_goes_on_equal(copied, seed):
    game = Game(seed)
    for _ in range(game.random.randrange(5, 120)):
        game.tick()
        if game.random.random() < 0.7:
            game.told(), game.twin.update(game)
    other = copied(game)
    for _ in range(100):
        game.tick(), other.tick()
        assert game.told() == other.told() == other.twin.update(other) == game.twin.update(game)


def test_arrays_tell_the_same():
    games = Game(3), Game(3)
    for _ in range(200):
        for game in games:
            game.tick()
        pairs, came = games[0].watches.update_many()
        told = games[1].told()
        assert sum(came) == sum(len(entered) for _, entered, _ in told)
        assert sum(~came) == sum(len(left) for _, _, left in told)
        assert list(dict.fromkeys(pairs[:, 0].tolist())) == [number for number, _, _ in told]
        assert games[0].twin.update(games[0]) == games[1].twin.update(games[1]) == told
