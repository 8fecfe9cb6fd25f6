"""A long run of random operations against the twin, until one answer differs.

    python -m tests.long_run --operations 1000000 --seed 7

Each world of `tests.worlds` gets its turn of 10,000 operations on a fresh tree: adding, moving,
removing, one by one and many at once, and every question, while the number of units swings between
none and some hundreds.
Every hundred operations the tree must prove its invariants. Ends with code 1 and the operation
that failed; the same seed repeats it.
"""

from __future__ import annotations

import argparse
import sys
from random import Random

import numpy as np
from tqdm import tqdm

from tests.oracle_arrays import ArrayDynamic, ArrayStatic
from tests.questions import STATIC_VERBS, Asker, add_unit, compare_dynamic, compare_static
from tests.trees import DynamicQuadtree, StaticQuadtree
from tests.worlds import WORLDS, World, boxes

TURN = 10_000  # operations on one tree
MOST = 400  # units in it; pairs, which are many in a crowd, are asked below a quarter of that
MASKS = (1, 1, 2, 4, 6, 2**31)


class Walk:
    """One tree and its twin, led through random operations."""

    def __init__(self, world: World, rng: Random) -> None:
        self.world = world
        self.rng = rng
        self.tree = DynamicQuadtree(world.bounds)
        self.twin = ArrayDynamic(world.bounds)
        self.places = {}
        self.asker = Asker(rng, world, self.places)
        self.goal = MOST
        self.added = 0

    def step(self, number: int) -> None:
        """One operation: about a third move, a third ask, the rest lead to the goal in number."""
        if number % 500 == 0:
            self.goal = self.rng.choice((0, 5, 40, MOST // 5, MOST))
        if number % 100 == 0:
            self.tree.check()
            assert list(self.tree) == list(self.twin)
        kind = self.rng.random()
        if kind < 0.01:
            self.rng.choice((self.add_many, self.move_many, self.remove_many, self.ask_many))()
        elif kind < 0.02 and self.places:
            self.set_groups()
        elif kind < 0.35 and self.places:
            self.move()
        elif kind < 0.65:
            self.ask()
        elif len(self.places) < self.goal:
            self.add()
        elif self.places:
            self.remove()

    def add(self) -> None:
        item, self.added = self.added, self.added + 1
        trees = self.tree, self.twin
        self.places[item] = add_unit(self.rng, self.world, item, MOST, MASKS, *trees)

    def move(self) -> None:
        """Elsewhere, onto another unit, or by a small step as units mostly do."""
        item = self.rng.choice(list(self.places))
        kind = self.rng.randrange(4)
        if kind == 0:
            x, y = self.world.place(self.rng)
        elif kind == 1:
            x, y = self.rng.choice(list(self.places.values()))
        else:
            step = self.world.bounds.width / 200
            x, y = self.places[item]
            x, y = x + self.rng.uniform(-step, step), y + self.rng.uniform(-step, step)
        self.places[item] = x, y
        for each in (self.tree, self.twin):
            each.move(item, x, y)

    def set_groups(self) -> None:
        item, groups = self.rng.choice(list(self.places)), self.rng.choice(MASKS)
        for each in (self.tree, self.twin):
            each.set_groups(item, groups)

    def remove(self) -> None:
        item = self.rng.choice(list(self.places))
        del self.places[item]
        for each in (self.tree, self.twin):
            each.remove(item)

    def add_many(self) -> None:
        count = self.rng.randrange(max(1, self.goal - len(self.places)))
        items = range(self.added, self.added + count)
        xy = [self.world.place(self.rng) for _ in items]
        radii = [self.world.bounds.width / 100 * self.rng.randrange(4) for _ in items]
        masks = np.array([self.rng.choice(MASKS) for _ in items], dtype=np.uint32)
        self.tree.add_many(items, np.array(xy).reshape(-1, 2), radius=radii, groups=masks)
        for item, (x, y), radius, groups in zip(items, xy, radii, masks.tolist(), strict=True):
            self.twin.add(item, x, y, radius=radius, groups=groups)
        self.places.update(zip(items, xy, strict=True))
        self.added += count

    def move_many(self) -> None:
        items = self.some()
        xy = [self.world.place(self.rng) for _ in items]
        self.tree.move_many(self.tree.slots(items), np.array(xy).reshape(-1, 2))
        for item, (x, y) in zip(items, xy, strict=True):
            self.twin.move(item, x, y)
        self.places.update(zip(items, xy, strict=True))

    def remove_many(self) -> None:
        items = self.some()
        self.tree.remove_many(self.tree.slots(items))
        for item in items:
            self.twin.remove(item)
            del self.places[item]

    def some(self) -> list[int]:
        return self.rng.sample(list(self.places), self.rng.randrange(len(self.places) + 1))

    def ask_many(self) -> None:
        """Everybody's range and nearest, of some group or of all."""
        xy = np.array([self.world.place(self.rng) for _ in range(20)])
        radius, groups = self.world.bounds.width / 10, self.rng.choice((None, 2, 6))
        offsets, slots = self.tree.within_many(xy, radius, groups=groups)
        nearest, _ = self.tree.nearest_many(xy, groups=groups)
        for i, (x, y) in enumerate(xy.tolist()):
            found = self.tree.items(slots[offsets[i] : offsets[i + 1]])
            assert sorted(found) == self.twin.within(x, y, radius, groups=groups)
            found = self.tree.items(nearest[i : i + 1]) if nearest[i] >= 0 else [None]
            assert found == [self.twin.nearest(x, y, groups=groups)]

    def ask(self) -> None:
        verb = self.rng.choices(
            ("query", "within", "nearest", "k_nearest", "segment", "pairs"), (5, 5, 5, 5, 5, 1)
        )[0]
        if verb == "pairs" and len(self.places) > MOST // 4:
            verb = "query"
        compare_dynamic(self.tree, self.twin, self.asker.dynamic(verb))


def ask_static(world: World, rng: Random) -> None:
    """Build one static tree of the world and ask it every verb, a hundred times."""
    rows = boxes(rng, world, rng.choice((1, 10, 100, 1_000, 3_000)))
    tree, twin = StaticQuadtree(rows), ArrayStatic(rows)
    tree.check()
    asker = Asker(rng, world, {i: row[:2] for i, row in enumerate(rows)})
    for _ in range(100):
        compare_static(tree, twin, asker.static(rng.choice(STATIC_VERBS)))


def run(operations: int, seed: int) -> None:
    """Raises AssertionError at the first difference, with the seed and operation as a note."""
    rng = Random(seed)
    walk = Walk(WORLDS[0], rng)
    for number in tqdm(range(operations), unit=" operations", mininterval=1.0):
        turn, step = divmod(number, TURN)
        try:
            if step == 0:
                walk = Walk(WORLDS[turn % len(WORLDS)], rng)
                ask_static(walk.world, rng)
            walk.step(step)
        except Exception:
            print(f"seed {seed}, world {walk.world.name!r}, operation {number}", file=sys.stderr)
            raise
    walk.tree.check()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--operations", type=int, default=1_000_000, help="how many (1000000)")
    parser.add_argument("--seed", type=int, default=0, help="which random numbers (0)")
    wanted = parser.parse_args()
    run(wanted.operations, wanted.seed)
    print(f"{wanted.operations:,} operations, seed {wanted.seed}: no difference")
    return 0


if __name__ == "__main__":
    sys.exit(main())
