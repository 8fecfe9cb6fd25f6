"""Items and arguments whose own code makes the tree anew or changes it, for a process of its own.

Prints a line for each verb: what it raised, or "passed".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tilequad import DynamicQuadtree
from tilequad.ai import Claims, Damage, Goal, GoalSearch, RangeEvents, Stagger, Targeting

BOX = (0, 0, 9, 9)
ROUNDS = 100
Verb = Callable[[DynamicQuadtree[Any], Any], Any]

VERBS: dict[str, Verb] = {
    "slot": lambda tree, item: tree.slot(item),
    "slots": lambda tree, item: tree.slots([item]),
    "serial": lambda tree, item: tree.serial(item),
    "position": lambda tree, item: tree.position(item),
    "groups": lambda tree, item: tree.groups(item),
    "in": lambda tree, item: item in tree,
    "add": lambda tree, item: tree.add(item, 1, 1),
    "add_many": lambda tree, item: tree.add_many([item], [(1, 1)]),
    "move": lambda tree, item: tree.move(item, 2, 2),
    "remove": lambda tree, item: tree.remove(item),
    "resize": lambda tree, item: tree.resize(item, radius=1),
    "set_groups": lambda tree, item: tree.set_groups(item, 2),
    "within": lambda tree, item: tree.within(5, 5, 9, exclude=item),
    "any_within": lambda tree, item: tree.any_within(5, 5, 9, exclude=item),
    "count_within": lambda tree, item: tree.count_within(5, 5, 9, exclude=item),
    "sum_within": lambda tree, item: tree.sum_within(5, 5, 9, [1.0] * 99, exclude=item),
    "nearest": lambda tree, item: tree.nearest(5, 5, exclude=item),
    "nearest_where": lambda tree, item: tree.nearest(5, 5, exclude=item, where=bool),
    "k_nearest": lambda tree, item: tree.k_nearest(5, 5, 9, exclude=item),
    "segment": lambda tree, item: tree.segment(0, 0, 9, 9, exclude=item),
    "segment_hits": lambda tree, item: tree.segment_hits(0, 0, 9, 9, exclude=item),
    "sweep": lambda tree, item: tree.sweep(item, 9, 9),
    "sweep_hits": lambda tree, item: tree.sweep_hits(item, 9, 9),
    "overlaps": lambda tree, item: tree.overlaps(item),
    "meet": lambda tree, item: tree.meet(item, 9, 9, item, 1, 1),
    "explain": lambda tree, item: tree.explain("within", 5, 5, 9, exclude=item),
    "claim": lambda tree, item: Claims(tree, 4).claim(item, item),
    "is_free": lambda tree, item: Claims(tree, 4).is_free(item, item),
    "held": lambda tree, item: Claims(tree, 4).held(item),
    "search": lambda tree, item: GoalSearch(tree, Goal()).search(item, 0),
    "follow": lambda tree, item: RangeEvents(tree).follow(item, 5),
    "target": lambda tree, item: Targeting(tree, max_distance=5).target(item, 0),
    "send": lambda tree, item: Damage(tree, lambda unit: 1).send(item, 5),
    "due": lambda tree, item: Stagger(5, units=tree).due(item, 0),
}


def filled() -> DynamicQuadtree[Any]:
    tree: DynamicQuadtree[Any] = DynamicQuadtree(BOX)
    tree.add_many([Same() for _ in range(5)] + list(range(94)), [(1, 1)] * 99)
    return tree


class Same:
    """An item with the hash of those that meddle, so that they are compared."""

    def __hash__(self) -> int:
        return 1


class Meddler:
    """An item whose hash or comparison makes its tree anew."""

    def __init__(self, tree: DynamicQuadtree[Any], when: str, anew: str) -> None:
        self.tree, self.when, self.anew = tree, when, anew
        self.state = tree.__getstate__()

    def meddle(self, when: str) -> None:
        if when != self.when:
            return
        if self.anew == "__init__":
            self.tree.__init__(BOX)  # type: ignore[misc]
        else:
            self.tree.__setstate__(self.state)

    def __hash__(self) -> int:
        self.meddle("hash")
        return 1

    def __eq__(self, other: object) -> bool:
        self.meddle("eq")
        return self is other


def outcome(verb: Verb, when: str, anew: str) -> str:
    """What a verb raised, time after time."""
    said = set()
    for _ in range(ROUNDS):
        tree = filled()
        item = Meddler(tree, when, anew)
        try:
            verb(tree, item)
        except Exception as error:
            said.add(type(error).__name__)
        else:
            said.add("passed")
        tree.check()
    return "/".join(sorted(said))


class Filler:
    """A mask that fills the tree while it is read."""

    def __init__(self, tree: DynamicQuadtree[Any]) -> None:
        self.tree = tree

    def __index__(self) -> int:
        self.tree.add_many(range(500), [(1, 1)] * 500)
        return 1


def explained() -> str:
    """What `explain` raises for an argument that fills an empty tree."""
    tree: DynamicQuadtree[Any] = DynamicQuadtree(BOX)
    try:
        tree.explain("within", 5, 5, 9, groups=Filler(tree))
    except RuntimeError as error:
        return type(error).__name__
    return "passed"


class Late:
    """An item that fills the empty tree, itself included, when it is hashed first."""

    def __init__(self, tree: DynamicQuadtree[Any]) -> None:
        self.tree, self.fills = tree, True

    def __hash__(self) -> int:
        if self.fills:
            self.fills = False
            self.tree.add_many([self, *range(500)], [(1, 1)] * 501)
        return 1


def found_late() -> str:
    """Whether a search sees the units that its seeker's hash has added."""
    tree: DynamicQuadtree[Any] = DynamicQuadtree(BOX)
    goal = Goal(where=lambda seeker, unit: unit == 499)
    try:
        found = GoalSearch(tree, goal).search(Late(tree), 0)
    except RuntimeError as error:
        return type(error).__name__
    return "passed" if found == 499 else f"found {found!r}"


if __name__ == "__main__":
    for name, verb in VERBS.items():
        for when in ("hash", "eq"):
            for anew in ("__init__", "__setstate__"):
                print(name, when, anew, outcome(verb, when, anew))
    print("explain", explained())
    print("search", found_late())
