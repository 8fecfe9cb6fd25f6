"""Two armies meet in a gate: see tests/gate.py for 5,000 units."""

import numpy as np
import pytest

from tests.gate import SPEED, TICKS, Gate


@pytest.mark.parametrize("seed", [1, 2])
def test_two_armies_pass_through_one_gate(seed):
    gate = Gate(400, seed)
    while gate.count and gate.tick_number < 90 * TICKS:
        gate.tick()
        gate.check()

    assert gate.count == 0
    assert gate.longest <= 5 * TICKS


def test_the_referee_sees_who_stands_and_who_is_in_a_wall():
    gate = Gate(40)
    for _ in range(3):
        gate.tick_number += 10
        gate.check()
    assert gate.longest == 30
    slots = gate.slots[0]
    gate.units.move_many(slots, gate.units.position_many(slots) + np.array((40 * SPEED, 0)))
    gate.check()
    walls = np.flatnonzero(gate.grid.blocked.ravel())
    gate.units.move_many(slots[:1], gate.grid.center_many(walls[:1]))
    with pytest.raises(AssertionError, match="1 units in a wall"):
        gate.check()
