"""Names for the places in the trees' arrays, the sizes of buffers, and the state of a search.

Never compiled: the build writes its numbers, structs and inline functions for C, above what stands
in layout.pxd, which C does in another way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

if TYPE_CHECKING:
    from tilequad._core import _cython as cython

INF = float("inf")
MAX_COORDINATE = 1e150  # squared distances beyond it overflow
# Widens a limit where pruning and the exact test round differently. It is much larger than their
# difference, and much too small to cost a visit.
PRUNE_MARGIN = 1.0 + 1e-9

REACH_MARGIN = 1.0 + 2.0**-22  # covers the rounding errors of float32 and of edges
TINY_REACH = 1e-37  # the margin near zero, where a relative margin vanishes

# The fields of quadrant q in `Nodes.box`, at place_of(q) + ...
MIN_X, MIN_Y, MAX_X, MAX_Y = 0, 4, 8, 12
# ... and in `Nodes.links`: the child node or ~q for a leaf, the groups below, the first entry of a
# leaf and the number of its entries.
CHILD, GROUPS, FIRST, COUNT = 0, 4, 8, 12

# The fields of a slot in `UnitStore.record`, at RECORD * slot + ...: its leaf, its entry there, and
# its number in the order of adding.
LEAF, ENTRY, ORDER, RECORD = 0, 1, 2, 3

# The greatest limit of a tree's depth, and the default: a level halves the extent, so 40 levels
# separate positions a 10^12th of the world apart.
MAX_DEPTH = 40
MAX_LEAF_SIZE = 65_536  # the greatest leaf_size
PATH = 42  # nodes on the way to a leaf, and its link
STACK = 128  # quadrants on the stack of a walk: at most three a level, 3 * MAX_DEPTH + 5
LEAVES = 64  # leaves that a walk finds ahead
HITS = 256  # slots in a buffer of hits
MAX_K = 64  # neighbors that one nearest search ranks
CANDIDATES = 512  # entries that a group of neighboring questions shares
PAIR_STACK = 1280  # links on the stack of the pair search: two for each pair of quadrants

ALL_GROUPS = -1  # a mask with all 32 bits, as a C int
NONE = -1  # no slot, serial, row or whatever else has a number
MAX_SLOT = 0x7FFFFFFF
LOST = -2  # `busy` holds this once a change has left the tree half-written

# What a walk tests quadrants against; walk.py explains each.
OVERLAPPING_BOX, NEAR_POINT, NEAR_POINT_BOXED, REACHING_POINT, POSITION_IN_BOX, ON_SEGMENT = range(
    6
)


class Busy:
    """Tracks who uses a tree: any number of questions, or one change."""

    def __init__(self) -> None:
        self.change = 0  # 1 during a change, or LOST
        self.torn = False  # whether a change has written half of what it will write
        self.questions: list[None] = []  # one element per question: threads append and pop safely


def begin_question(busy: Busy) -> None:
    """Begin a question; the tree cannot change until it ends."""
    if busy.change:
        raise RuntimeError(
            "the tree is lost, because a change stopped half-way"
            if busy.change == LOST
            else "cannot query the tree while it is being modified"
        )
    busy.questions.append(None)


def end_question(busy: Busy) -> None:
    """End what `begin_question` began."""
    busy.questions.pop()


def begin_change(busy: Busy) -> None:
    """Begin a change; no question or other change can begin until it ends."""
    if busy.change or busy.questions:
        raise RuntimeError(
            "the tree is lost, because a change stopped half-way"
            if busy.change == LOST
            else "cannot modify the tree while it is being queried or modified"
        )
    busy.change = 1


def end_change(busy: Busy) -> None:
    """End what `begin_change` began; a tree that it has left half-written stays closed."""
    busy.change = LOST if busy.torn else 0


class Walk:
    """The state of a walk through the nodes: its question, its position and its cost so far."""

    __slots__ = {
        "test": "int",
        "groups": "int",  # entries in one of these groups count,
        "without": "int",  # but entries in one of these groups do not
        "x0": "double",  # the box, the point or the segment
        "y0": "double",
        "x1": "double",
        "y1": "double",
        "limit": "double",  # a squared radius, a radius or a reach, depending on the test
        "top": "int",  # links on the stack
        "leaf_count": "int",  # leaves found and not yet read
        "leaf": "int",  # the leaf that is being read,
        "entry": "int",  # and its entries that are still to be tested
        "end": "int",
        "counting": "bint",  # for explain(): whether to keep the counts below
        "nodes": "long long",
        "leaves_read": "long long",
        "entries_tested": "long long",
        "pruned_by_place": "long long",
        "pruned_by_group": "long long",
        "stack": "int[STACK]",
        "distances": "double[STACK]",  # nearest search: squared, by link on the stack
        "leaves": "int[LEAVES]",
    }

    def __init__(self) -> None:
        self.test = self.groups = self.without = 0
        self.x0 = self.y0 = self.x1 = self.y1 = self.limit = 0.0
        self.top = self.leaf_count = self.leaf = self.entry = self.end = 0
        self.counting = False
        self.nodes = self.leaves_read = self.entries_tested = 0
        self.pruned_by_place = self.pruned_by_group = 0
        self.stack = [0] * STACK
        self.distances = [0.0] * STACK
        self.leaves = [0] * LEAVES


def start_counts(
    walk: cython.pointer[Walk], counting: cython.bint
) -> Annotated[None, "inline noexcept nogil"]:
    """Set all counts to zero, and turn counting on or off; a question may walk several times."""
    walk.counting = counting
    if counting:
        walk.nodes = walk.leaves_read = walk.entries_tested = 0
        walk.pruned_by_place = walk.pruned_by_group = 0


class Ranking:
    """The best hits of a nearest search, sorted by squared distance and then the order of adding.

    Hits at exactly `min_distance2` count only if they come after number `after` in that order, so a
    search can continue after the last hit of the previous one.
    """

    __slots__ = {
        "k": "int",  # the number of hits wanted, at most MAX_K
        "min_distance": "double",
        "max_distance": "double",
        "min_distance2": "double",
        "max_distance2": "double",
        "after": "int",
        "exclude": "int",
        "to_edge": "bint",  # whether distances are to footprints; searches of boxes ignore it
        "count": "int",  # hits found
        "hits": "int[MAX_K]",
        "distances2": "double[MAX_K]",
        "orders": "int[MAX_K]",
    }

    def __init__(self) -> None:
        self.k = self.count = 0
        self.min_distance = self.max_distance = self.min_distance2 = self.max_distance2 = 0.0
        self.after = -1
        self.exclude = NONE
        self.to_edge = False
        self.hits = [0] * MAX_K
        self.distances2 = [0.0] * MAX_K
        self.orders = [0] * MAX_K


def place_of(q: cython.Py_ssize_t) -> Annotated[cython.Py_ssize_t, "inline noexcept nogil"]:
    """Return where the fields of quadrant q begin in `Nodes.box` and `Nodes.links`."""
    return (q >> 2) * 16 + (q & 3)


def reach_of(
    half_w: cython.double, half_h: cython.double
) -> Annotated[cython.float, "inline noexcept nogil"]:
    """Return how far a footprint extends from its position along x or y, rounded up."""
    return REACH_MARGIN * max(half_w, half_h) + TINY_REACH


def drop_slot(
    hits: cython.p_int, n: cython.int, slot: cython.int
) -> Annotated[cython.int, "inline noexcept nogil"]:
    """Drop a slot from n hits and close the gap; return their number."""
    if slot < 0:
        return n
    kept: cython.int = 0
    for i in range(n):
        hits[kept] = hits[i]
        kept += hits[i] != slot
    return kept


def items_at(items: list[Any], hits: list[int], n: int) -> list[Any]:
    """Return the items at the first n indices of a C array of ints; they are not checked."""
    return [items[hits[i]] for i in range(n)]
