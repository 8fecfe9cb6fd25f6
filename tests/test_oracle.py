"""The oracles themselves: plain examples worked by hand, and the two twins against each other."""

from random import Random

from tests.oracle import BruteDynamic, BruteStatic
from tests.oracle_arrays import ArrayDynamic, ArrayStatic
from tests.questions import (
    DYNAMIC_VERBS,
    STATIC_VERBS,
    Asker,
    add_unit,
    compare_dynamic,
    compare_static,
)
from tests.worlds import boxes


def test_by_hand():
    brute = BruteDynamic((0, 0, 10, 10))
    brute.add("point", 1, 1)
    brute.add("circle", 5, 1, radius=2)
    brute.add("box", 5, 5, size=(2, 4))

    assert brute.pairs() == [("circle", "box")]
    assert brute.query((0, 0, 3, 3)) == ["point", "circle"]
    assert brute.within(1, 1, 2) == ["point"]
    assert brute.within(1, 1, 2, to_edge=True) == ["point", "circle"]
    assert brute.within(1, 1, 5, min_radius=4) == ["circle"]
    assert brute.k_nearest(6, 5, 2) == ["box", "circle"]
    assert brute.segment(0, 1, 10, 1) == ["point", "circle"]
    assert brute.segment(0, 1, 10, 1, width=4) == ["point", "circle", "box"]


def test_static_by_hand():
    brute = BruteStatic([(0, 0, 1, 1), (2, 0, 3, 1), (6, 4, 7, 7)])

    assert brute.query((1, 1, 2, 2)).tolist() == [0, 1]
    assert brute.within(3, 0, 5).tolist() == [0, 1, 2]
    assert brute.within(3, 0, 4.99).tolist() == [0, 1]
    assert brute.k_nearest(1.5, 0.5, 3).tolist() == [0, 1, 2]
    assert brute.segment(5, 0.5, -5, 0.5).tolist() == [1, 0]
    assert brute.segment(0, 8, 8, 8, width=2).tolist() == [2]


def test_the_dynamic_twins_agree(world):
    rng = Random(world.name)
    brute, arrays, places = BruteDynamic(world.bounds), ArrayDynamic(world.bounds), {}
    for item in range(120):
        places[item] = add_unit(rng, world, item, 120, (1, 2, 3, 2**31), brute, arrays)
        if item % 5 == 4:
            gone = rng.choice(list(brute))
            brute.remove(gone)
            arrays.remove(gone)
            del places[gone]
        for verb in DYNAMIC_VERBS:
            compare_dynamic(arrays, brute, Asker(rng, world, places).dynamic(verb))
    assert list(arrays) == list(brute)


def test_the_static_twins_agree(world):
    rng = Random(world.name)
    for count in (1, 2, 30, 200):
        rows = boxes(rng, world, count)
        brute, arrays = BruteStatic(rows), ArrayStatic(rows)
        asker = Asker(rng, world, {i: row[:2] for i, row in enumerate(rows)})
        for verb in STATIC_VERBS * 10:
            compare_static(arrays, brute, asker.static(verb))
