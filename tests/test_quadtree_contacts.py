"""Contacts: pairs that began or ended agree with all pairs before and after."""

from random import Random

import pytest

from tests.oracle import BruteDynamic
from tests.questions import add_unit
from tilequad.quadtree import Contacts, DynamicQuadtree


def test_update_returns_the_difference_of_all_pairs(world):
    """Two Contacts watch one tree: one updates at every step, one at every third."""
    rng = Random(world.name)
    tree, twin = DynamicQuadtree(world.bounds), BruteDynamic(world.bounds)
    followers = [(1, Contacts(tree), set()), (3, Contacts(tree), set())]
    added = 0
    for step in range(24):
        for _ in range(rng.choice((0, 3, 30))):
            change(rng, world, tree, twin, added)
            added += 1
        if step == 12:
            slots = [tree.slot(item) for item in tree]
            places = [world.place(rng) for _ in slots]
            tree.move_many(slots, places)
            twin.move_many([twin.slot(item) for item in twin], places)
        now = twin.pairs()
        for rhythm, contacts, before in followers:
            if step % rhythm == 0:
                began, ended = contacts.update()
                assert began == [pair for pair in now if pair not in before]
                assert ended == sorted(before - set(now))
                assert len(contacts) == len(now)
                before.clear()
                before.update(now)
        tree.check()


def change(rng, world, tree, twin, number):
    """Add a unit, or move or remove one."""
    units = list(twin)
    kind = rng.randrange(3) if len(units) > 20 else 0
    if kind == 0:
        add_unit(rng, world, number, 100, (1,), tree, twin)
    elif kind == 1:
        item, place = rng.choice(units), world.place(rng)
        for each in (tree, twin):
            each.move(item, *place)
    else:
        item = rng.choice(units)
        for each in (tree, twin):
            each.remove(item)


def touching():
    tree = DynamicQuadtree((0, 0, 100, 100))
    tree.add("a", 10, 10, radius=5)
    tree.add("b", 15, 10, radius=5)
    tree.add("c", 80, 10, radius=5)
    return tree


def test_an_empty_tree_has_no_contacts():
    tree = DynamicQuadtree((0, 0, 10, 10))
    contacts = Contacts(tree)
    assert contacts.update() == ([], [])
    tree.add_many("ab", [(1, 1), (1, 1)])
    assert contacts.update() == ([("a", "b")], [])
    tree.remove("a")
    tree.remove("b")
    assert contacts.update() == ([], [("a", "b")])
    assert contacts.update() == ([], [])
    assert len(contacts) == 0


def test_late_contacts_begin_with_all_touching_pairs():
    tree = touching()
    early = Contacts(tree)
    early.update()
    tree.move("c", 15, 15)
    late = Contacts(tree)
    tree.move("a", 80, 80)

    assert late.update() == ([("b", "c")], [])
    assert early.update() == ([("b", "c")], [("a", "b")])
    latest = Contacts(tree)
    tree.remove("b")  # before the first update: nothing is known of it
    assert latest.update() == ([], [])


def test_a_touch_is_exact():
    tree = DynamicQuadtree((0, 0, 100, 100))
    tree.add("ball", 0, 0, radius=5)
    tree.add("box", 6, 8, size=(6, 8))  # its corner at (3, 4)
    contacts = Contacts(tree)

    assert contacts.update() == ([("ball", "box")], [])
    tree.move("box", 6, 8.000001)
    assert contacts.update() == ([], [("ball", "box")])


def test_a_rebuilt_tree_keeps_its_contacts():
    """A few hundred units are added in one batch, some of them into slots of removed units."""
    tree, twin = DynamicQuadtree((0, 0, 300, 300)), BruteDynamic((0, 0, 300, 300))
    rng = Random(5)
    contacts, before = Contacts(tree), set()
    for start in range(0, 900, 300):
        places = [(rng.randrange(300), rng.randrange(300)) for _ in range(300)]
        for each in (tree, twin):
            each.add_many(range(start, start + 300), places, radius=4)
        now = twin.pairs()
        began, ended = contacts.update()
        assert began == [pair for pair in now if pair not in before]
        assert ended == sorted(before - set(now))
        for item in rng.sample(range(start, start + 300), 100):
            tree.remove(item)
            twin.remove(item)
        before = set(now)


def test_batch_changes_are_noticed():
    tree = touching()
    contacts = Contacts(tree)
    contacts.update()
    slots = tree.add_many(["x", "y"], [(80, 12), (50, 50)], radius=3)
    assert contacts.update() == ([("c", "x")], [])
    tree.move_many(slots, [(50, 51), (50, 52)])
    assert contacts.update() == ([("x", "y")], [("c", "x")])
    tree.remove_many(slots)
    assert contacts.update() == ([], [("x", "y")])


# -- a matrix of groups --

BULLET, ENEMY, WALL, GHOST = 1, 2, 4, 1 << 31
MATRICES = [
    {BULLET: ENEMY | WALL},
    {BULLET: ENEMY | WALL, ENEMY: ENEMY},
    {ENEMY: ENEMY, WALL: GHOST, GHOST: BULLET | GHOST},
    {2**32 - 1: 2**32 - 1},
]


class Battle:
    """A tree in which all things change, and what touches by brute force."""

    def __init__(self, seed, matrix):
        self.rng = Random(seed)
        self.matrix = matrix
        self.tree = DynamicQuadtree((0, 0, 100, 100))
        self.contacts = Contacts(self.tree, matrix)
        self.before = {}
        self.added = 0

    def change(self):
        rng, tree = self.rng, self.tree
        units = list(tree)
        kind = rng.randrange(6) if len(units) > 12 else 0
        if kind == 0:
            self.added += 1
            item = self.added % 40  # often one that was in the tree before
            if item in tree:
                item = -self.added
            groups = rng.choice((BULLET, ENEMY, WALL, GHOST, BULLET | ENEMY))
            place = rng.uniform(0, 100), rng.uniform(0, 100)
            tree.add(item, *place, radius=rng.uniform(0, 9), groups=groups)
        elif kind == 1:
            tree.remove(rng.choice(units))
        elif kind == 2:
            tree.set_groups(rng.choice(units), rng.choice((BULLET, ENEMY, WALL, GHOST)))
        elif kind == 3:
            tree.resize(rng.choice(units), radius=rng.uniform(0, 12))
        else:
            tree.move(rng.choice(units), rng.uniform(0, 100), rng.uniform(0, 100))

    def fits(self, a, b):
        """Whether a row of the matrix has one unit, and its column the other."""
        one, other = self.tree.groups(a), self.tree.groups(b)
        return any(one & row and other & column for row, column in self.matrix.items())

    def touching(self):
        """The pairs that count, by the serials of both, in the order of adding."""
        found = {}
        for a, b in self.tree.pairs():
            if self.fits(a, b) or self.fits(b, a):
                slots = [self.tree.slot(a), self.tree.slot(b)]
                key = tuple(self.tree.serial_many(slots).tolist())
                found[key] = self.before.get(key, (a, b) if self.fits(a, b) else (b, a))
        return found

    def tick(self, changes):
        """Change things and compare; return the events."""
        for _ in range(changes):
            self.change()
        now = self.touching()
        came, gone = self.contacts.update()
        stayed = self.contacts.stayed()
        assert came == [pair for key, pair in now.items() if key not in self.before]
        assert gone == [pair for key, pair in self.before.items() if key not in now]
        assert stayed == [pair for key, pair in now.items() if key in self.before]
        assert len(self.contacts) == len(now)
        self.before = now
        return came, stayed, gone


@pytest.mark.parametrize("matrix", MATRICES, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_a_matrix_tells_what_a_recompute_tells(seed, matrix):
    battle = Battle(seed, matrix)
    told = [battle.tick(battle.rng.choice((0, 1, 2, 40))) for _ in range(150)]
    assert sum(len(came) for came, _, _ in told) > 30


def test_a_saved_matrix_goes_on(again):
    battle = Battle(7, MATRICES[1])
    for _ in range(40):
        battle.tick(5)
    twin = again(battle)
    for _ in range(40):
        assert battle.tick(5) == twin.tick(5)


@pytest.mark.parametrize(
    ("matrix", "error", "message"),
    [
        ({}, ValueError, "matrix must have a row"),
        ({0: 1}, ValueError, "in 1 .. 2"),
        ({1: 2**32}, ValueError, "in 1 .. 2"),
        ({1.5: 1}, TypeError, "must be a whole number, got 1.5"),
        ({1: None}, TypeError, "matrix must have masks"),
        ([(1, 2)], TypeError, "matrix must be a mapping"),
    ],
)
def test_a_wrong_matrix_is_refused(matrix, error, message):
    with pytest.raises(error, match=message):
        Contacts(DynamicQuadtree((0, 0, 1, 1)), matrix)
