"""What refers to the units of a game is saved and restored with it.

That it ends with the life of a unit is what the battles of test_ai_targeting_many show.
"""

from operator import attrgetter

import pytest

from tests.trees import DynamicQuadtree
from tilequad.ai import Damage, Targeting, policies

TOWER, ENEMY = 1, 2
SQUARE = (0, 0, 1000, 1000)


@pytest.fixture
def units():
    tree = DynamicQuadtree(SQUARE)
    tree.add("tower", 500, 500, groups=TOWER)
    tree.add("orc", 550, 500, groups=ENEMY)
    return tree


def test_a_dropped_target_is_forgotten_until_the_next_beat(units):
    archers = Targeting(units, max_distance=100, groups=ENEMY, lock=True, retarget_every=10)
    archers.drop("tower")
    assert archers.target("tower", 0) == "orc"
    archers.drop("tower")
    with pytest.raises(KeyError, match="ghost"):
        archers.drop("ghost")

    assert [archers.target("tower", now) for now in (1, 9, 10)] == [None, None, "orc"]


# -- saving ---


class Soldier:
    """A unit whose attributes are keys of policies and health of damage."""

    def __init__(self, name, walked=0.0, health=10.0):
        self.name, self.walked, self.health = name, walked, health

    def __repr__(self):
        return self.name


def test_units_may_refer_to_the_parts_of_their_game(again):
    units = DynamicQuadtree(SQUARE)
    anna, orc, imp = Soldier("anna"), Soldier("orc", walked=9), Soldier("imp", health=3)
    for unit in (anna, orc, imp):
        units.add(unit, 500, 500)
    anna.shots = Damage(units, attrgetter("health"))
    first = policies.first(attrgetter("walked"))
    anna.aim = Targeting(units, first, max_distance=50, damage=anna.shots)
    assert anna.aim.target(anna, 0) is orc
    anna.shots.send(orc, 10)
    other = again(anna)

    assert repr(other.aim.target(other, 1)) == "imp"
    assert other.aim.target(other, 1) is not imp
    other.shots.send(other.aim.target(other, 1), 3)
    assert other.aim.target(other, 2) is None
    assert anna.aim.target(anna, 1) is imp
