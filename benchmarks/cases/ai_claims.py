"""Claims: villagers pick their first trees, one after the other; against numpy and cKDTree by hand.

They stand on one spot, before one town hall, or all over the world. Each takes the nearest tree
that those before it have left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.race import Race, WrongAnswerError
from benchmarks.timing import Runner
from tilequad import DynamicQuadtree
from tilequad.ai import Claims, Goal, GoalSearch

VILLAGER, TREE, TAKEN = 1, 2, 4
SIDE, VILLAGERS = 4_096.0, 1_000
SLOTS, OBJECTS, LOOP = "tilequad, by slot", "tilequad, objects", "tilequad, one by one"
NUMPY, KDTREE = "numpy by hand", "scipy cKDTree by hand"
# The crowd: how far from the town hall the villagers stand (None: anywhere), and how many trees.
CROWDS: dict[str, tuple[float | None, int]] = {
    "one spot": (0.0, 10_000),
    "town hall": (40.0, 10_000),
    "everywhere": (None, 10_000),
    "town hall, trees scarce": (40.0, 1_100),
    "town hall, trees for all but a few": (40.0, 990),
}


def races(missing: set[str]) -> Iterator[Race]:
    """One race for each crowd."""
    for name, (spread, trees) in CROWDS.items():
        rng = np.random.default_rng(4)
        xy = rng.uniform(0, SIDE, (trees, 2))
        men = rng.uniform(0, SIDE, (VILLAGERS, 2))
        if spread is not None:
            men = SIDE / 2 + rng.normal(0, 1, (VILLAGERS, 2)) * spread
        yield crowd(name, xy, men, missing)


def crowd(name: str, xy: np.ndarray, men: np.ndarray, missing: set[str]) -> Race:
    units: DynamicQuadtree = DynamicQuadtree((0, 0, SIDE, SIDE))
    trees = units.add_many([("tree", number) for number in range(len(xy))], xy, groups=TREE)
    villagers = [("villager", number) for number in range(len(men))]
    slots = units.add_many(villagers, men, groups=VILLAGER)
    claims = Claims(units, TAKEN)
    work = GoalSearch(units, Goal(TREE, claim=True), claims=claims)

    def released(search: Callable[[], object]) -> Callable[[], object]:
        def run() -> object:
            claims.release_many(slots)
            return search()

        return run

    runners: dict[str, Callable[[], object]] = {
        SLOTS: released(lambda: work.search_many(slots, 0)),
        OBJECTS: released(lambda: found_by(work, villagers)),
        LOOP: released(lambda: [work.search(man, 0) for man in villagers]),
        NUMPY: lambda: by_numpy(xy, men),
    }
    if "scipy cKDTree" not in missing:
        runners[KDTREE] = lambda: by_kdtree(xy, men)
    row_of = {None: -1} | {("tree", number): number for number in range(len(xy))}
    row_of |= {slot: number for number, slot in enumerate(trees.tolist())} | {-1: -1}
    expected = by_numpy(xy, men)
    for runner, run in runners.items():
        answer = run()
        found = answer.tolist() if isinstance(answer, np.ndarray) else answer
        if runner not in (NUMPY, KDTREE):
            found = [row_of[tree] for tree in found]  # type: ignore[attr-defined]
        if found != expected:
            raise WrongAnswerError(f"{runner} picks other trees than numpy: {name}")
    timed = {runner: Runner(lambda _, run=run: run()) for runner, run in runners.items()}
    return Race("claims", name, VILLAGERS, "crowd", timed)


def found_by(work: GoalSearch, villagers: list[tuple[str, int]]) -> list[tuple[str, int] | None]:
    """The trees of the villagers, from items to items."""
    units = work.units
    return units.items(work.search_many(units.slots(villagers), 0))


def by_numpy(xy: np.ndarray, men: np.ndarray) -> list[int]:
    """The row of each villager's tree, by brute force; a taken tree is moved out of reach."""
    x, y = xy.T.copy()
    found = []
    for man_x, man_y in men.tolist():
        dx, dy = x - man_x, y - man_y
        row = int((dx * dx + dy * dy).argmin())
        found.append(row if x[row] < np.inf else -1)
        x[row] = np.inf
    return found


def by_kdtree(xy: np.ndarray, men: np.ndarray) -> list[int]:
    """The same with a k-d tree: ever more of the nearest trees, until one is free."""
    from scipy.spatial import cKDTree

    tree, taken = cKDTree(xy), np.zeros(len(xy), bool)
    found = []
    for man in men:
        k, row = 8, -1
        while row < 0 and k // 4 < len(xy):
            near = tree.query(man, min(k, len(xy)))[1]
            free = near[~taken[near]]
            row, k = int(free[0]) if len(free) else -1, 4 * k
        found.append(row)
        taken[row] |= row >= 0
    return found
