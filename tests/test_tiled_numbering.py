"""Ids that shift over slots that stay, against a list that does the same."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tilequad.tiled.index.numbering import Numbering


@pytest.mark.parametrize("start", [0, 1, 2, 5, 40])
@pytest.mark.parametrize("coming", [0.3, 0.5, 0.7])
def test_slots_and_ids_are_those_of_a_list(start: int, coming: float) -> None:
    rng = random.Random(f"{start} {coming}")
    numbering, slots = Numbering(start), list(range(start))
    for _ in range(300):
        if slots and rng.random() >= coming:
            number = rng.randrange(len(slots))
            numbering.remove(number)
            del slots[number]
        else:
            number = rng.choice((0, len(slots), rng.randint(0, len(slots))))
            slot = numbering.insert(number)
            assert slot not in slots
            slots.insert(number, slot)
        assert len(numbering) == len(slots)
        assert numbering.slots(np.arange(len(slots))).tolist() == slots
        assert numbering.ids(slots).tolist() == list(range(len(slots)))


def test_a_door_that_opens_and_closes_takes_no_new_slots() -> None:
    numbering = Numbering(10)
    for _ in range(1000):
        numbering.remove(4)
        numbering.insert(4)
    assert numbering.size == 10
    assert numbering.slots([3, 4, 5]).tolist() == [3, 4, 5]


def test_all_may_go_and_come_back() -> None:
    numbering = Numbering(3)
    for _ in range(3):
        numbering.remove(0)
    assert len(numbering) == 0
    assert numbering.slots([]).tolist() == []
    assert sorted(numbering.insert(0) for _ in range(4)) == [0, 1, 2, 3]
    assert sorted(numbering.slots([0, 1, 2, 3]).tolist()) == [0, 1, 2, 3]
