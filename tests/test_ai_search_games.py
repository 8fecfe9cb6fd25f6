"""Random games of searches: the tree, the loop and the batch against plain loops, tick by tick."""

from random import Random

import pytest

from tests.brute_goal_search import BruteClaims, BruteGoalSearch, Detour
from tests.brute_targeting import World
from tests.by_slot import finds_of
from tests.share import share
from tilequad import DynamicQuadtree
from tilequad.ai import Claims, Goal, GoalSearch

pytestmark = pytest.mark.slow
MAN, TREE, MINE, HOUSE, STUMP, TAKEN = 1, 2, 4, 8, 16, 1 << 31
MEN, ITEMS = 14, 26
SEATS = (1, 1, 2, 5, 0)


def seats(item):
    return SEATS[item % len(SEATS)]


def last_place(man):
    """Some have worked before, at a place of their own; others have not."""
    return None if man % 3 else (man * 7 % 100, man * 13 % 100)


def likes(man, item):
    return (man + item) % 3 > 0


def own_field(man):
    return None if man % 4 == 0 else FIELDS[man % 2]


FIELDS = Detour(10, 90), Detour(60, 10)
CHAINS = (
    (Goal(TREE, 25, claim=True, near=last_place, retry=3), Goal(TREE, 70, claim=True, retry=5)),
    (Goal(MINE | STUMP, 60, claim=True), Goal(HOUSE), Goal(None, 30)),
    (Goal(TREE | MINE, claim=True, where=likes, retry=2), Goal(HOUSE, where=likes)),
    (Goal(TREE, 80, claim=True, field=FIELDS[0]), Goal(TREE, claim=True, near=(50, 50))),
    (Goal(None, field=own_field, claim=True), Goal(MINE, field=FIELDS[1], where=likes)),
    (Goal(HOUSE),),
    (Goal(TREE, without=MINE, claim=True), Goal(None, 40, without=TAKEN), Goal(MINE, retry=2)),
    (Goal(None, without=MAN | TAKEN, field=FIELDS[1]), Goal(None, without=STUMP | HOUSE)),
    (Goal(TREE, 9, to_edge=True, claim=True), Goal(MINE, to_edge=True, claim=True, where=likes)),
    (Goal(MINE, 20, to_edge=True, field=FIELDS[0]), Goal(HOUSE, to_edge=True, near=(50, 50))),
)


class Village:
    """One game on the tree and on plain dicts; each tick checks that both say the same."""

    def __init__(self, seed):
        self.rng, self.now = Random(seed), 0
        self.world, self.units = World(), DynamicQuadtree((0, 0, 100, 100))
        self.claims = Claims(self.units, TAKEN, seats)
        self.twin_claims = BruteClaims(self.world, seats, TAKEN)
        self.goals = [GoalSearch(self.units, *chain, claims=self.claims) for chain in CHAINS]
        self.twins = [
            BruteGoalSearch(self.world, *chain, claims=self.twin_claims) for chain in CHAINS
        ]
        for number in range(MEN + ITEMS):
            self.add(number)

    def add(self, unit):
        rng = self.rng
        groups = MAN if unit < MEN else rng.choice((TREE, TREE, MINE, MINE | TREE, HOUSE))
        # Few places, so that many are equally near, and crowds that stand together.
        x, y = (rng.randrange(0, 100, 10), rng.randrange(0, 100, 10))
        footprint = {"radius": unit % 8} if unit % 3 else {"size": (unit, 14)}
        self.units.add(unit, x, y, groups=groups, **footprint)
        self.world.add(unit, x, y, groups, **footprint)

    def remove(self, unit):
        self.units.remove(unit)
        self.world.remove(unit)

    def change(self):
        """One thing happens that is not a search."""
        rng, bodies = self.rng, self.world.bodies
        unit = rng.randrange(MEN + ITEMS)
        action = rng.randrange(9)
        if unit not in bodies:
            self.add(unit)
        elif action < 4:
            x, y = rng.uniform(0, 100), rng.uniform(0, 100)
            self.units.move(unit, x, y)
            bodies[unit].x, bodies[unit].y = x, y
        elif action == 4:
            self.remove(unit)
            if rng.random() < 0.5:
                self.add(unit)
        elif action == 5 and unit >= MEN:
            bodies[unit].groups = rng.choice((TREE, STUMP, STUMP | TREE, MINE, HOUSE))
            kept = self.units.groups(unit) & TAKEN if rng.random() < 0.5 else 0
            self.units.set_groups(unit, bodies[unit].groups | kept)
        elif action == 6 and unit in bodies:
            self.claims.release(unit)
            self.twin_claims.release(unit)
        elif action == 7:
            self.claim(rng.randrange(MEN), unit)
        elif action == 8:
            self.now += rng.choice((-7, 0, 4))

    def claim(self, man, item):
        if man not in self.world.bodies:
            return
        assert self.claims.is_free(item, man) == self.twin_claims.is_free(item, man)
        if self.twin_claims.is_free(item, man):
            self.claims.claim(man, item)
            self.twin_claims.claim(man, item)
        else:
            with pytest.raises(ValueError, match="has no free seat"):
                self.claims.claim(man, item)

    def search(self):
        """Some search, one after the other or at once."""
        rng = self.rng
        men = [man for man in range(MEN) if man in self.world.bodies]
        men = rng.sample(men, rng.randrange(1, len(men) + 1)) if men else []
        number = rng.randrange(len(CHAINS))
        goals, twin = self.goals[number], self.twins[number]
        expected = [twin.search(man, self.now) for man in men]
        if rng.random() < 0.5:
            found = [goals.search(man, self.now) for man in men]
        else:
            found = finds_of(goals, men, self.now)
        assert found == expected
        if men:
            self.check_bits()
        return found

    def tick(self):
        for _ in range(self.rng.randrange(4)):
            self.change()
        found = self.search()
        held = [self.claims.held(unit) for unit in self.world.bodies]
        assert held == [self.twin_claims.held(unit) for unit in self.world.bodies]
        self.now += 1
        return found, held

    def check_bits(self):
        """After a search, the tree shows just what is full."""
        counts = self.twin_claims.counts()
        for unit, body in self.world.bodies.items():
            count = counts[unit]
            assert self.claims.count(unit) == count
            full = TAKEN if 0 < seats(unit) <= count else 0
            assert self.units.groups(unit) == body.groups | full

    def arrays(self):
        slots = [self.units.slot(man) for man in range(MEN) if man in self.units]
        return slots, self.claims.held_many(slots).tolist()


@pytest.mark.parametrize("seed", share(range(3), 3))
def test_searches_and_claims_are_those_of_plain_loops(seed):
    village = Village(seed)
    for _ in range(1500):
        village.tick()
    village.units.check()


@pytest.mark.parametrize("seed", share(range(20, 24), 2))
def test_a_saved_game_goes_on_to_the_last_bit(seed, again):
    village = Village(seed)
    for _ in range(Random(seed).randrange(200)):
        village.tick()
    village.change()  # so that a death or a new group may wait to be noticed
    other = again(village)

    for _ in range(300):
        assert village.tick() == other.tick()
        assert village.arrays() == other.arrays()
        assert village.units.digest() == other.units.digest()


def answers():
    """What is found, held and in the tree, over some games."""
    told = []
    for seed in range(40, 44):
        village = Village(seed)
        told += [[str(village.tick()), str(village.arrays()), village.units.digest().hex()]
                 for _ in range(120)]  # fmt: skip
    return told
