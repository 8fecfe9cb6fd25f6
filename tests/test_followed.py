"""Objects of a game that a tree follows."""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from random import Random

import numpy as np
import pytest

from tilequad import DynamicQuadtree
from tilequad.ai import separate
from tilequad.quadtree import Followed

WORLD = (0, 0, 100, 100)


@dataclass(eq=False)
class Orc:
    x: float
    y: float
    radius: float = 2.0


def orcs_of(rng: Random, count: int) -> list[Orc]:
    return [Orc(rng.uniform(0, 100), rng.uniform(0, 100), rng.uniform(0, 4)) for _ in range(count)]


@pytest.mark.parametrize(
    ("footprint", "size_of"),
    [
        ({}, lambda orc: (0.0, 0.0)),
        ({"radius": 3}, lambda orc: (6.0, 6.0)),
        ({"radius": attrgetter("radius")}, lambda orc: (2 * orc.radius,) * 2),
        ({"size": (4, 6)}, lambda orc: (4.0, 6.0)),
        ({"size": lambda orc: (orc.radius, 1)}, lambda orc: (orc.radius, 1.0)),
    ],
)
def test_a_tree_follows_objects_through_their_lives(footprint, size_of):
    rng = Random(3)
    units: DynamicQuadtree = DynamicQuadtree(WORLD)
    units.add("tower", 50, 50)
    followed = Followed(units, attrgetter("x", "y"), **footprint)
    pool, orcs = orcs_of(rng, 40), []
    for tick in range(60):
        for orc in orcs:
            if rng.random() < 0.5:
                orc.x, orc.y = orc.x + rng.uniform(-1, 1), orc.y + rng.uniform(-1, 1)
        if tick % 3 == 0:
            orcs = rng.sample(pool, rng.randint(0, 40))
        if tick % 7 == 0 and orcs and orcs[0] in units:
            units.remove(orcs[0])  # the game does so itself; it joins again
        serials = {unit: units.serial(unit) for unit in units}
        followed.sync(orcs, groups=2)
        assert set(units) == {*orcs, "tower"}
        for orc in orcs:
            assert units.position(orc) == (orc.x, orc.y)
            width, height = size_of(orc)
            assert orc in units.query((orc.x + width / 2 - 1e-9, orc.y, orc.x + width, orc.y))
            assert orc not in units.query((orc.x + width / 2 + 1e-9, orc.y, 1e9, orc.y))
            assert orc not in units.query((orc.x, orc.y + height / 2 + 1e-9, orc.x, 1e9))
            assert units.groups(orc) == 2
            assert units.serial(orc) == serials.get(orc, units.serial(orc))
    units.check()


def test_objects_are_told_where_their_units_were_pushed():
    rng = Random(5)
    orcs = orcs_of(rng, 50)
    units: DynamicQuadtree = DynamicQuadtree(WORLD)
    followed = Followed(units, attrgetter("x", "y"), radius=6)
    followed.sync(orcs)
    before = [(orc.x, orc.y) for orc in orcs]
    separate(units)
    pulled = followed.pull()
    assert len(pulled) > 0
    assert [orc for orc, _ in pulled] == [
        orc for orc, was in zip(orcs, before, strict=True) if units.position(orc) != was
    ]
    for orc, (orc.x, orc.y) in pulled:
        assert units.position(orc) == (orc.x, orc.y)
    assert followed.pull() == []
    followed.sync(orcs)
    assert [units.position(orc) for orc in orcs] == [(orc.x, orc.y) for orc in orcs]


def test_units_return_to_objects_that_stand_still():
    orcs = orcs_of(Random(6), 50)
    units: DynamicQuadtree = DynamicQuadtree(WORLD)
    followed = Followed(units, attrgetter("x", "y"), radius=6)
    followed.sync(orcs)
    separate(units)
    followed.sync(orcs)  # without `pull`
    assert [units.position(orc) for orc in orcs] == [(orc.x, orc.y) for orc in orcs]


def test_a_game_goes_on_after_it_was_saved(again):
    rng = Random(7)
    game = {"orcs": orcs_of(rng, 30), "units": DynamicQuadtree(WORLD)}
    game["followed"] = Followed(game["units"], attrgetter("x", "y"), radius=attrgetter("radius"))
    game["followed"].sync(game["orcs"])
    copy = again(game)
    for one in (game, copy):
        for number, orc in enumerate(one["orcs"]):
            orc.x += number
        one["orcs"] = one["orcs"][5:]
        one["followed"].sync(one["orcs"])
    assert game["units"].digest() == copy["units"].digest()


def test_numbers_of_entities_are_objects_too():
    places = {7: (1.0, 2.0), 9: (3.0, 4.0)}  # as an ECS keeps its components
    followed = Followed(DynamicQuadtree(WORLD), places.get, radius=1)
    followed.sync(places)
    places[7] = (3.0, 3.5)
    followed.sync(places)
    assert followed.units.pairs() == [(7, 9)]


def test_wrong_objects_are_refused_and_nothing_changes():
    units: DynamicQuadtree = DynamicQuadtree(WORLD)
    orcs = orcs_of(Random(1), 3)
    followed = Followed(units, attrgetter("x", "y"))
    followed.sync(orcs)
    digest = units.digest()

    @dataclass
    class Comparable:
        x: float = 1.0
        y: float = 1.0

    nowhere, nameless = Orc(float("nan"), 1.0), Orc("x", 1.0)  # type: ignore[arg-type]
    for items, error, words in (
        (
            [*orcs, nowhere],
            ValueError,
            r"position\(item\) must be finite .* got \(nan, 1.0\) of Orc",
        ),
        ([*orcs[1:], Orc(1e200, 1.0)], ValueError, r"within 1e150 of 0, got \(1e\+200, 1.0\)"),
        ([*orcs, nameless], ValueError, r"position\(item\) must be two numbers, got \('x', 1.0\)"),
        ([*orcs, orcs[0]], ValueError, r"but Orc\(.* occurs twice"),
        ([*orcs, Comparable()], TypeError, "unhashable type: 'Comparable'"),
    ):
        with pytest.raises(error, match=words):
            followed.sync(items)  # type: ignore[arg-type]
        assert units.digest() == digest
    orcs[0].x, orcs[1].x = 5.0, 1e200
    with pytest.raises(ValueError, match="within 1e150"):
        followed.sync(orcs)
    assert units.digest() == digest
    orcs[1].x = 5.0
    with pytest.raises(ValueError, match="items must be new"):
        Followed(units, attrgetter("x", "y")).sync(orcs)
    with pytest.raises(TypeError, match="units must be a DynamicQuadtree, got 'units'"):
        Followed("units", attrgetter("x"))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"position must be a function of an item, got \(1, 2\)"):
        Followed(units, (1, 2))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"give radius or size, got 1 and \(1, 2\)"):
        Followed(units, attrgetter("x", "y"), radius=1, size=(1, 2))


@pytest.mark.parametrize("place", [(1, 2, 3), (1,), "12", 5, (None, 1), (10**400, 1)], ids=repr)
def test_a_position_or_a_size_is_two_numbers(place):
    units: DynamicQuadtree = DynamicQuadtree(WORLD)
    at = {"a": (4, 5), "b": place}
    with pytest.raises(ValueError, match=r"position\(item\) must be (two numbers|finite), got"):
        Followed(units, at.get).sync(at)
    with pytest.raises(ValueError, match=r"size\(item\) must be (two numbers|finite), got"):
        Followed(units, lambda item: (1, 1), size=at.get).sync(at)
    assert len(units) == 0


@pytest.mark.parametrize("kind", [list, np.array], ids=["list", "array"])
def test_places_that_change_in_place_are_followed(kind):
    places = {name: kind([float(name), 1.0]) for name in range(50)}
    followed = Followed(DynamicQuadtree(WORLD), places.get, radius=1)
    for _ in range(3):
        followed.sync(places)
        assert [followed.units.position(name) for name in places] == [*map(tuple, places.values())]
        places[7][0] += 2.5


def test_an_object_whose_hash_has_changed_leaves_nothing_half_done():
    class Fickle:
        hash = 1

        def __hash__(self) -> int:
            return self.hash

    units: DynamicQuadtree = DynamicQuadtree(WORLD)
    followed = Followed(units, lambda item: (1, 1))
    one, other, new = Fickle(), Fickle(), Fickle()
    followed.sync([one, other])
    other.hash = 5
    for _ in range(2):
        with pytest.raises(KeyError):
            followed.sync([one, new])
        assert [*units] == [one, other]
    other.hash = 1
    followed.sync([one, new])
    assert [*units] == [one, new]
