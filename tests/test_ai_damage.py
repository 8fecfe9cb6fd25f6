"""Damage: what is under way to a unit, whatever becomes of the shots and of the unit."""

from fractions import Fraction
from math import inf, nan
from random import Random

import numpy as np
import pytest

from tests.by_slot import targets_of
from tests.trees import DynamicQuadtree
from tilequad.ai import Damage, Targeting

SQUARE = (0, 0, 100, 100)


@pytest.fixture
def units():
    tree = DynamicQuadtree(SQUARE)
    for number, name in enumerate(("tower", "orc", "rat")):
        tree.add(name, 10 * number, 50, groups=2 if number else 1)
    return tree


def doomed_in(units, shots):
    """The slots of the units that are doomed, by `doomed_many`."""
    slots = [units.slot(unit) for unit in units]
    return [slot for slot, doomed in zip(slots, shots.doomed_many(slots), strict=True) if doomed]


HEALTH = {"tower": 100, "orc": 25, "rat": 5}


def test_a_unit_that_was_added_with_others_is_shot_at_in_a_slot_used_before(units):
    units.remove("orc")
    units.remove("rat")
    units.add_many(["orc", "rat"], [(10, 50), (20, 50)], groups=2)
    shots = Damage(units, HEALTH.get)
    arrow = shots.send("rat", 5)

    assert shots.doomed("rat")
    assert shots.land(arrow) == "rat"


def test_health_may_be_an_array_by_slot(units):
    health = np.array([100, 25, 5])
    shots = Damage(units, health)
    shots.send("rat", 4)
    assert not shots.doomed("rat")
    health[units.slot("rat")] = 4
    assert shots.doomed("rat")


@pytest.mark.parametrize("damage", [-1, nan, inf])
def test_damage_must_be_a_number(units, damage):
    with pytest.raises(ValueError, match="damage"):
        Damage(units, HEALTH.get).send("orc", damage)


@pytest.mark.parametrize("health", [nan, None])
def test_health_must_be_a_number(units, health):
    shots = Damage(units, lambda unit: health)
    shots.send("orc", 1)
    for ask in (lambda: shots.doomed("orc"), lambda: doomed_in(units, shots)):
        with pytest.raises(ValueError, match="'orc'"):
            ask()


def test_unknown_units_and_wrong_health_are_refused(units):
    shots = Damage(units, np.array([1.0]))
    shots.send("orc", 1)
    for ask in (shots.doomed, shots.under_way, lambda unit: shots.send(unit, 1)):
        with pytest.raises(KeyError, match="ghost"):
            ask("ghost")
    for ask in (shots.doomed_many, shots.under_way_many):
        for slot in (-1, 99, 2**40):
            with pytest.raises(ValueError, match=f"must be slots of units, got {slot} in row"):
                ask(np.array([1, slot]))
            if slot < 2**31:
                with pytest.raises(ValueError, match=f"must be slots of units, got {slot} in row"):
                    ask(np.array([1, slot], np.int32))
    with pytest.raises(ValueError, match="slot 1"):
        shots.doomed("orc")
    with pytest.raises(TypeError, match="health"):
        Damage(units, 3)


def test_no_two_towers_kill_one_enemy(units):
    units.add("second", 0, 50)
    shots = Damage(units, HEALTH.get)
    archers = Targeting(units, max_distance=90, groups=2, damage=shots)
    fired = []
    for tower in ("tower", "second") * 3:
        fired.append(archers.target(tower, 0))
        if fired[-1] is not None:
            shots.send(fired[-1], 10)

    assert fired == ["orc", "orc", "orc", "rat", None, None]
    assert targets_of(archers, ["tower", "second"], 1) == [None, None]


@pytest.mark.parametrize("seed", range(4))
def test_random_shots_agree_with_exact_sums(seed):
    """Beside fractions, in a game where targets die, come back, and some shots go astray."""
    rng, units, lives = Random(seed), DynamicQuadtree(SQUARE), {}
    healths = [0.0, *[20.0] * 7]
    shots = Damage(units, healths.__getitem__)
    under_way = []  # (shot, the name and life of its target, its damage)

    def revive(name):
        lives[name] = rng.random()
        units.add(name, rng.random(), rng.random())

    for name in range(8):
        revive(name)
    for _ in range(2000):
        name, action = rng.randrange(8), rng.randrange(10)
        if action < 5 and name in units:
            damage = rng.choice((20, rng.random(), rng.random() * 10 ** rng.randrange(-3, 2)))
            under_way.append((shots.send(name, damage), (name, lives[name]), damage))
        elif action < 8 and under_way:
            shot, (target, life), _ = under_way.pop(rng.randrange(len(under_way)))
            hit = target if target in units and lives[target] == life else None
            assert shots.target(shot) == hit
            end = rng.randrange(4)
            if end == 0:
                shots.miss(shot)
            elif end == 1:
                assert shots.land(shot, on=name) == (name if name in units else None)
            else:
                assert shots.land(shot) == hit
            for again in (shots.land, shots.miss):
                with pytest.raises(ValueError, match="has already landed or missed"):
                    again(shot)
        elif name in units:
            units.remove(name)
            if rng.random() < 0.5:
                revive(name)
        else:
            revive(name)
        alive = [(damage, one) for _, (one, life), damage in under_way
                 if one in units and lives[one] == life]  # fmt: skip
        sums = {one: float(sum(Fraction(damage) for damage, at in alive if at == one))
                for one in units}  # fmt: skip
        assert {one: shots.under_way(one) for one in units} == sums
        slots = [units.slot(one) for one in units]
        under_way_to_all = shots.under_way_many(slots)
        assert under_way_to_all.dtype == np.float64
        assert under_way_to_all.tolist() == list(sums.values())
        doomed = [total > 0 and total >= healths[one] for one, total in sums.items()]
        assert [shots.doomed(one) for one in units] == doomed
        assert shots.doomed_many(slots).dtype == bool
        assert shots.doomed_many(slots).tolist() == doomed
        assert repr(shots) == f"<Damage: {len(alive)} shots under way>"
        assert len(shots._under_way) <= len(under_way)


@pytest.mark.parametrize("seed", range(4))
def test_many_shots_are_sent_and_end_as_one_after_the_other(seed):
    rng, units = Random(seed), DynamicQuadtree(SQUARE)
    units.add_many(range(12), [(i, i) for i in range(12)])
    one, many = (Damage(units, lambda unit: 20) for _ in range(2))
    flying = []
    for _ in range(60):
        names = [rng.choice(list(units)) for _ in range(rng.randrange(6))]
        amounts = [rng.random() * 9 for _ in names]
        sent = many.send_many(units.slots(names), amounts).tolist()
        assert sent == [one.send(*shot) for shot in zip(names, amounts, strict=True)]
        flying += sent
        name = rng.choice(list(units))
        units.remove(name)
        if rng.random() < 0.5:
            units.add(name, 5, 5)
        else:
            units.add(100 + rng.random(), 5, 5)
        rng.shuffle(flying)
        over, flying = flying[:3], flying[3:]
        assert units.items(many.target_many(over)) == [one.target(shot) for shot in over]
        assert [many.amount(shot) for shot in over] == [one.amount(shot) for shot in over]
        if rng.random() < 0.5:
            assert units.items(many.land_many(over)) == [one.land(shot) for shot in over]
        else:
            many.miss_many(over)
            for shot in over:
                one.miss(shot)
        assert list(many) == list(one)
        assert [shot in many for shot in range(flying[-1] + 1 if flying else 0)] == [
            shot in flying for shot in range(flying[-1] + 1 if flying else 0)
        ]
        slots = units.slots(list(units))
        assert many.under_way_many(slots).tolist() == one.under_way_many(slots).tolist()
    before = list(many)
    for wrong in ([flying[0], flying[0]], [flying[0], 10**6], [over[0]], [-1]):
        with pytest.raises(ValueError, match="shots must be"):
            many.land_many(wrong)
    with pytest.raises(ValueError, match="damage"):
        many.send_many(units.slots(list(units)), -1)
    with pytest.raises(ValueError, match="damage must be one number or 2"):
        many.send_many(units.slots(list(units)[:2]), [1, 2, 3])
    assert list(many) == before


def test_many_towers_at_one_target_ask_for_its_health_once():
    asked, tree = [], DynamicQuadtree(SQUARE)
    tree.add("boss", 50, 50, groups=2)
    towers = tree.add_many(range(40), [(i, i) for i in range(40)], groups=1)
    shots = Damage(tree, lambda unit: asked.append(unit) or 30)
    aim = Targeting(tree, max_distance=90, groups=2, damage=shots, lock=True, at_once=None)
    assert aim.target_many(towers, now=0).tolist() == [0] * 40
    shots.send_many([0] * 29, 1)
    asked.clear()
    assert aim.target_many(towers, now=1).tolist() == [0] * 40
    assert len(asked) == 1
    shots.send("boss", 1)
    assert aim.target_many(towers, now=2).tolist() == [-1] * 40


def test_a_shot_at_a_unit_copies_no_earlier_ones(units):
    shots = Damage(units, HEALTH.get)
    shots.send("orc", 1)
    under_way = shots._under_way[1]
    shots.send_many([1, 2, 1], 2)
    assert shots._under_way[1] is under_way
    assert list(shots) == [0, 1, 3, 2]
    units.remove("orc")
    units.add("orc", 10, 50)
    shots.send("orc", 4)
    assert shots.under_way("orc") == 4
    assert under_way == [0, 1, 3]


def test_shots_are_listed_by_the_slots_of_their_targets_then_as_they_were_sent(units):
    damage = Damage(units, HEALTH.get)
    shots = [damage.send(name, 1) for name in ("rat", "orc", "rat")]
    assert list(damage) == [shots[1], shots[0], shots[2]]
    units.remove("rat")
    assert list(damage) == [shots[1]]


def test_what_is_no_number_is_no_shot(units):
    shots = Damage(units, HEALTH.get)
    arrow = shots.send("rat", 1)
    assert arrow in shots
    assert np.int64(arrow) in shots
    assert not any(wrong in shots for wrong in ("a", float(arrow), None, ([],), [arrow]))
