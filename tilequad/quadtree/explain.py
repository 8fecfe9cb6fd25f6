"""What a question costs: the walk of a search once more, step by step and counted.

The searches themselves count nothing, so that they stay fast, and where they are compiled nobody
can watch them. So the walk is told here again in plain Python, over the arrays that the tree holds:
the same order and the same tests as in `nodes_cy`, `search_cy`, `pairs_cy` and `static_cy`, which
explain what the arrays mean.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import combinations_with_replacement
from math import inf, pi
from typing import Any, NamedTuple

ROUNDING = 1.0 + 1e-9  # these two as in nodes_cy and search_cy
NEAR = 64  # how many nearest ones a walk finds at most
FEW, MANY = 4, 16  # so many nearest ones are first looked for in a circle


class Explanation(NamedTuple):
    """How much of a tree a question looks at, for `explain()`.

    Where all pairs are asked for, these are pairs too: a node, a leaf, or a part of the tree with
    itself or with another. Units are tested two by two, and groups leave out no part.
    """

    nodes: int
    """Visits of nodes. A nearest search goes to the leaf of its point, then beside that way."""
    leaves: int
    """Leaves that were read."""
    items_tested: int
    """Units or boxes in them, each of which was tested."""
    pruned_by_place: int
    """Parts of the tree left out because they are too far away. Empty ones do not count."""
    pruned_by_group: int
    """Parts near enough that were left out because none of the groups is there."""
    found: int
    """How many the answer has."""


def explain_dynamic(tree: Any, verb: str, *args: Any, **options: Any) -> Explanation:
    """Explain a question to a dynamic quadtree."""
    return Units(tree).explain(verb, args, options)


def explain_static(tree: Any, verb: str, *args: Any, **options: Any) -> Explanation:
    """Explain a question to a static quadtree."""
    return Boxes(tree).explain(verb, args, options)


class Walk:
    """A walk through the nodes of a tree, and the counts of it.

    A verb of a subclass takes the arguments of the tree's own verb, walks, and returns how many
    that one finds.
    """

    verbs: tuple[str, ...] = ()

    def __init__(self, tree: Any) -> None:
        self.tree = tree
        self.arrays: dict[str, memoryview] = tree._arrays()
        self.box = self.arrays["box"]
        self.links = self.arrays["links"]
        self.reach = self.arrays["reach"]
        self.seen: set[int] = set()
        self.nodes = self.leaves = self.items = self.by_place = self.by_group = 0

    def explain(self, verb: str, args: tuple[Any, ...], options: dict[str, Any]) -> Explanation:
        """Walk as a verb does."""
        if verb not in self.verbs:
            raise ValueError(f"verb must be one of {', '.join(self.verbs)}, got {verb!r}")
        found = getattr(self, verb)(*args, **options)
        counts = self.nodes, self.leaves, self.items, self.by_place, self.by_group
        return Explanation(*counts, found)

    # -- without an order --------------------------------------------------------------------------

    def descend(self, groups: int | None, is_near: Callable[[int, int], bool]) -> list[int]:
        """From the root to every leaf that is near, by `is_near(node, quadrant)`; their entries."""
        stack = [0]
        entries: list[int] = []
        while stack:
            node = stack.pop()
            self.nodes += 1
            for k in range(4):
                link = self.links[16 * node + k]
                if not self.is_kept(node, k, groups, is_near(node, k)):
                    continue
                if link >= 0:
                    stack.append(link)
                else:
                    entries += self.read(~link)
        return entries

    def is_kept(self, node: int, k: int, groups: int | None, is_near: bool) -> bool:
        """Whether the walk goes into a quadrant; counts what it leaves out."""
        there = self.links[16 * node + k + 4]
        if not there:
            return False
        if not is_near:
            self.by_place += 1
            return False
        if groups is not None and not there & groups:
            self.by_group += 1
            return False
        return True

    def read(self, leaf: int) -> range:
        """Read a leaf: its entries."""
        entries = self.entries(leaf)
        if leaf not in self.seen:  # a second walk may read it again
            self.seen.add(leaf)
            self.leaves += 1
            self.items += len(entries)
        return entries

    def entries(self, leaf: int) -> range:
        """The entries of a leaf."""
        at = (leaf >> 2) * 16 + (leaf & 3)
        return range(self.links[at + 8], self.links[at + 8] + self.links[at + 12])

    def in_box(self, groups: int | None, bounds: Sequence[float]) -> None:
        """As `leaves_in_box`."""

        def is_near(node: int, k: int) -> bool:
            dx, dy = self.gaps(node, k, *bounds)
            return dx <= self.reach[4 * node + k] and dy <= self.reach[4 * node + k]

        self.descend(groups, is_near)

    def on_segment(
        self, groups: int | None, x0: float, y0: float, x1: float, y1: float, reach: float
    ) -> None:
        """As `leaves_on_segment`."""
        dx, dy = x1 - x0, y1 - y0
        spread = abs(dx) + abs(dy)
        loss = 1e-15 * (max(abs(x0), abs(x1)) + max(abs(y0), abs(y1)))
        around = min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)

        def is_near(node: int, k: int) -> bool:
            gap_x, gap_y = self.gaps(node, k, *around)
            limit = (reach + self.reach[4 * node + k]) * ROUNDING + loss
            if gap_x > limit or gap_y > limit:
                return False
            return self.beside(16 * node + k, x0, y0, dx, dy) <= limit * spread

        self.descend(groups, is_near)

    def gaps(
        self, node: int, k: int, min_x: float, min_y: float, max_x: float, max_y: float
    ) -> tuple[float, float]:
        """How far a box is from a quadrant, along x and along y."""
        at = 16 * node + k
        dx = max(self.box[at] - max_x, min_x - self.box[at + 8], 0.0)
        dy = max(self.box[at + 4] - max_y, min_y - self.box[at + 12], 0.0)
        return dx, dy

    def beside(self, at: int, x: float, y: float, dx: float, dy: float) -> float:
        """How far a quadrant is beside a line, times the length of (dx, dy)."""
        low_x, low_y = self.box[at] - x, self.box[at + 4] - y
        high_x, high_y = self.box[at + 8] - x, self.box[at + 12] - y
        across = 0.5 * (dx * (low_y + high_y) - dy * (low_x + high_x))
        half = 0.5 * (abs(dx) * (high_y - low_y) + abs(dy) * (high_x - low_x))
        slack = 1e-9 * (
            abs(dx) * max(abs(low_y), abs(high_y)) + abs(dy) * max(abs(low_x), abs(high_x))
        )
        return abs(across) - half - slack

    # -- nearest first -----------------------------------------------------------------------------

    def push_near(
        self,
        stack: list[tuple[float, int]],
        node: int,
        done: bool,
        x: float,
        y: float,
        limit2: float,
        groups: int | None,
    ) -> None:
        """Put the near quadrants of a node on the stack; that of (x, y) last, or not if done."""
        split = self.arrays["split"]
        home = (x >= split[2 * node]) + 2 * (y >= split[2 * node + 1])
        self.nodes += 1
        for j in range(3, done - 1, -1):
            k = home ^ j
            dx, dy = self.gaps(node, k, x, y, x, y)
            distance2 = dx * dx + dy * dy
            if self.is_kept(node, k, groups, distance2 <= limit2):
                stack.append((distance2, self.links[16 * node + k]))

    def next_nearest(
        self,
        stack: list[tuple[float, int]],
        x: float,
        y: float,
        limit2: float,
        groups: int | None,
    ) -> int:
        """The next leaf, near ones first; -1 at the end."""
        while stack:
            distance2, link = stack.pop()
            if distance2 > limit2:
                self.by_place += 1
            elif link < 0:
                return ~link
            else:
                self.push_near(stack, link, False, x, y, limit2, groups)
        return -1


class Units(Walk):
    """The walks of a dynamic quadtree."""

    verbs = ("query", "within", "count_within", "nearest", "k_nearest", "segment", "sweep", "pairs")

    def query(self, bounds: Sequence[float], groups: int | None = None) -> int:
        """Walk as `find_in_box` does."""
        found = self.tree.query(bounds, groups)
        self.in_box(groups, bounds)
        return len(found)

    def within(
        self,
        x: float,
        y: float,
        radius: float,
        groups: int | None = None,
        min_radius: float = 0.0,
        exclude: Hashable = None,
        to_edge: bool = False,
    ) -> int:
        """Walk as `find_within` or, to edges, `find_in_reach` does."""
        found = self.tree.within(x, y, radius, groups, min_radius, exclude, to_edge)
        if to_edge:
            self.descend(groups, self.edges_near(x, y, radius))
        else:
            self.descend(groups, self.lines(x, y, radius * radius))
        return len(found)

    def count_within(self, x: float, y: float, radius: float, groups: int | None = None) -> int:
        """Walk as `find_within` does."""
        return self.within(x, y, radius, groups)

    def edges_near(self, x: float, y: float, radius: float) -> Callable[[int, int], bool]:
        """As `leaves_in_reach`."""

        def is_near(node: int, k: int) -> bool:
            dx, dy = self.gaps(node, k, x, y, x, y)
            far = self.reach[4 * node + k] * ROUNDING
            dx, dy = max(dx - far, 0.0), max(dy - far, 0.0)
            return dx * dx + dy * dy <= (radius * ROUNDING) * (radius * ROUNDING)

        return is_near

    def lines(self, x: float, y: float, radius2: float) -> Callable[[int, int], bool]:
        """As `leaves_near`: across a line if that is near, opposite if the crossing is."""
        split = self.arrays["split"]

        def is_near(node: int, k: int) -> bool:
            dx, dy = x - split[2 * node], y - split[2 * node + 1]
            across = k ^ ((dx >= 0.0) + 2 * (dy >= 0.0))
            dx, dy = dx * dx, dy * dy
            return (True, dx <= radius2, dy <= radius2, dx + dy <= radius2)[across]

        return is_near

    def segment(
        self,
        x0: float,
        y0: float,
        x1: float,
        y1: float,
        width: float = 0.0,
        groups: int | None = None,
        exclude: Hashable = None,
    ) -> int:
        """Walk as `find_on_segment` does."""
        found = self.tree.segment(x0, y0, x1, y1, width, groups, exclude)
        self.on_segment(groups, x0, y0, x1, y1, width / 2)
        return len(found)

    def sweep(self, item: Hashable, x: float, y: float, groups: int | None = None) -> int:
        """Walk as `find_on_segment` does."""
        found = self.tree.sweep(item, x, y, groups)
        slot = self.tree.slot(item)
        half_w, half_h = self.arrays["half_w"][slot], self.arrays["half_h"][slot]
        x0, y0 = self.tree.position(item)
        self.on_segment(groups, x0, y0, x, y, max(half_w, half_h))
        return len(found)

    def pairs(self, groups: int | None = None, against: int | None = None) -> int:
        """Walk as `find_pairs` does, which asks for groups only where two units touch."""
        found = self.tree.pairs_many(groups, against)
        stack = [(0, 0)]
        while stack:
            p, q = stack.pop()
            if p < 0 and q < 0:
                self.compare(~p, ~q)
                continue
            for a, b in self.meetings(p, q):
                if a == b or self.can_meet(a, b):
                    stack.append((self.link(a), self.link(b)))
                else:
                    self.by_place += 1
        return len(found)

    def meetings(self, p: int, q: int) -> Iterable[tuple[int, int]]:
        """Open a node: its quadrants with each other, or each of them with the other link."""
        self.nodes += 1
        opened = q if p < 0 else p
        held = [4 * opened + k for k in range(4) if self.links[16 * opened + k + 4]]
        if p == q:
            return combinations_with_replacement(held, 2)
        other = p if p < 0 else q
        quadrant = ~other if other < 0 else self.arrays["parent"][other]
        return [(quadrant, k) for k in held]

    def link(self, quadrant: int) -> int:
        """The node of a quadrant, or ~quadrant where it is a leaf."""
        return self.links[(quadrant >> 2) * 16 + (quadrant & 3)]

    def can_meet(self, p: int, q: int) -> bool:
        """As `near`: whether a footprint below one quadrant can meet one below another."""
        at = (q >> 2) * 16 + (q & 3)
        corners = self.box[at], self.box[at + 4], self.box[at + 8], self.box[at + 12]
        return max(self.gaps(p >> 2, p & 3, *corners)) <= self.reach[p] + self.reach[q]

    def compare(self, p: int, q: int) -> None:
        """As `pairs_in_leaf` and `pairs_of_leaves`: a unit far from the other leaf is left out."""
        self.leaves += 1
        mine, others = self.entries(p), self.entries(q)
        if p == q:
            self.items += len(mine) * (len(mine) - 1) // 2
            return
        reach = self.reach[p] + self.reach[q]
        for i in mine:
            x, y = self.arrays["px"][i], self.arrays["py"][i]
            if max(self.gaps(q >> 2, q & 3, x, y, x, y)) <= reach:
                self.items += len(others)

    def nearest(self, x: float, y: float, *args: Any, **options: Any) -> int:
        """Walk as for one of the nearest."""
        return self.k_nearest(x, y, 1, *args, **options)

    def k_nearest(
        self,
        x: float,
        y: float,
        k: int,
        groups: int | None = None,
        min_distance: float = 0.0,
        max_distance: float = inf,
        exclude: Hashable = None,
        where: Callable[[Any], bool] | None = None,
    ) -> int:
        """Walk as `find_nearest` does, as often as it takes."""
        self.tree.k_nearest(x, y, k, groups, min_distance, max_distance, exclude)  # or it raises
        skip = self.tree.slot(exclude) if exclude in self.tree else -1
        limit2 = max_distance * max_distance
        last = min_distance * min_distance, -1
        wanted = min(k, NEAR) if where is None else min(k + 3, NEAR)
        found = 0
        while True:
            hits = self.from_leaf(x, y, wanted, last, limit2, groups, skip)
            for item in self.tree.items([slot for _, _, slot in hits]):
                found += where is None or bool(where(item))
                if found == k:
                    return found
            if len(hits) < wanted:
                return found
            last = hits[-1][:2]
            wanted = min(k - found, NEAR) if where is None else NEAR

    def from_leaf(
        self,
        x: float,
        y: float,
        wanted: int,
        last: tuple[float, int],
        limit2: float,
        groups: int | None,
        skip: int,
    ) -> list[tuple[float, int, int]]:
        """As `find_nearest`: the leaf at (x, y), what is beside. Distances, numbers, slots."""
        path, edges = self.way_to(x, y)
        leaf, top = ~path[-1], len(path) - 1
        if FEW <= wanted <= MANY:
            for count in (1.25 * wanted + 2.0, 2.5 * wanted + 4.0):
                ranked = self.ranked(leaf, count, x, y, wanted, last, limit2, groups, skip)
                if ranked is not None:
                    return ranked
        stack: list[tuple[float, int]] = []
        hits: list[tuple[float, int, int]] = []
        while leaf >= 0:
            for i in self.read(leaf):
                hit = self.hit(i, x, y, groups)
                if hit is not None and hit[2] != skip and hit[0] <= limit2 and hit[:2] > last:
                    insort(hits, hit)
                    del hits[wanted:]
                    limit2 = hits[-1][0] if len(hits) == wanted else limit2
            while top > 0 and edges[top] <= limit2:
                top -= 1
            for node in path[top:-1]:
                self.push_near(stack, node, True, x, y, limit2, groups)
            path, top = [], 0
            leaf = self.next_nearest(stack, x, y, limit2, groups)
        return hits

    def ranked(
        self,
        q: int,
        count: float,
        x: float,
        y: float,
        wanted: int,
        last: tuple[float, int],
        limit2: float,
        groups: int | None,
        skip: int,
    ) -> list[tuple[float, int, int]] | None:
        """As `find_ranked`: all in a circle that should hold so many; None if it does not."""
        circle2 = self.circle_of(q, count, groups)
        if circle2 <= 0.0:
            return None
        radius2 = min(circle2, limit2)
        entries = self.descend(groups, self.lines(x, y, radius2))
        hits = sorted(hit for i in entries if (hit := self.hit(i, x, y, groups)))
        kept = [hit for hit in hits if last < hit[:2] and hit[0] <= radius2 and hit[2] != skip]
        if len(kept) > NEAR or (len(kept) < wanted and circle2 < limit2):
            return None
        return kept[:wanted]

    def circle_of(self, q: int, count: float, groups: int | None) -> float:
        """As `circle_of` of the search: the squared radius of a circle that crowded, or 0."""
        at = (q >> 2) * 16 + (q & 3)
        n = self.links[at + 12]
        width, height = self.box[at + 8] - self.box[at], self.box[at + 12] - self.box[at + 4]
        if n < 4 or (groups is not None and self.links[at + 4] & ~groups):
            return 0.0
        return count * (width * (n + 1.0)) * (height * (n + 1.0)) / (pi * n * (n - 1.0) * (n - 1.0))

    def hit(self, i: int, x: float, y: float, groups: int | None) -> tuple[float, int, int] | None:
        """How far entry i is, its number in the order of adding, its slot; None if of no group."""
        if groups is not None and not self.arrays["masks"][i] & groups:
            return None
        dx, dy, slot = self.arrays["px"][i] - x, self.arrays["py"][i] - y, self.arrays["who"][i]
        return dx * dx + dy * dy, self.arrays["record"][3 * slot + 2], slot

    def way_to(self, x: float, y: float) -> tuple[list[int], list[float]]:
        """As `descend` of the search: the links to the leaf at (x, y), and the edges beside it."""
        split, path, edges = self.arrays["split"], [0], [inf]
        while (node := path[-1]) >= 0:
            self.nodes += 1
            dx, dy = x - split[2 * node], y - split[2 * node + 1]
            path.append(self.links[16 * node + (dx >= 0.0) + 2 * (dy >= 0.0)])
            edges.append(min(edges[-1], dx * dx, dy * dy))
        return path, edges


class Boxes(Walk):
    """The walks of a static quadtree, all of whose boxes are in one group."""

    verbs = ("query", "within", "nearest", "k_nearest", "segment")

    def query(self, bounds: Sequence[float]) -> int:
        """Walk as `find_in_box` does."""
        found = self.tree.query(bounds)
        self.in_box(None, bounds)
        return len(found)

    def within(self, x: float, y: float, radius: float) -> int:
        """Walk as `leaves_in_circle` does."""
        found = self.tree.within(x, y, radius)

        def is_near(node: int, k: int) -> bool:
            dx, dy = self.gaps(node, k, x, y, x, y)
            return dx * dx + dy * dy <= radius * radius

        self.descend(None, is_near)
        return len(found)

    def segment(self, x0: float, y0: float, x1: float, y1: float, width: float = 0.0) -> int:
        """Walk as `leaves_on_segment` does."""
        found = self.tree.segment(x0, y0, x1, y1, width)
        self.on_segment(None, x0, y0, x1, y1, width / 2)
        return len(found)

    def nearest(self, x: float, y: float, max_distance: float = inf) -> int:
        """Walk as for one of the nearest."""
        return self.k_nearest(x, y, 1, max_distance)

    def k_nearest(self, x: float, y: float, k: int, max_distance: float = inf) -> int:
        """Walk as `find_nearest` does, as often as it takes."""
        self.tree.k_nearest(x, y, k, max_distance)  # or it raises
        boxes = self.tree.boxes().tolist()
        last, found = (0.0, -1), 0
        while True:
            wanted = min(k - found, NEAR)
            hits = self.descend_nearest(boxes, x, y, wanted, last, max_distance * max_distance)
            found += len(hits)
            if len(hits) < wanted or found == k:
                return found
            last = hits[-1]

    def descend_nearest(
        self,
        boxes: list[list[float]],
        x: float,
        y: float,
        wanted: int,
        last: tuple[float, int],
        limit2: float,
    ) -> list[tuple[float, int]]:
        """As `find_nearest`: from the root. Distances and ids."""
        stack = [(0.0, 0)]
        hits: list[tuple[float, int]] = []
        while (leaf := self.next_nearest(stack, x, y, limit2, None)) >= 0:
            for i in self.read(leaf):
                number = self.arrays["ids"][i]
                min_x, min_y, max_x, max_y = boxes[number]
                dx, dy = max(min_x - x, x - max_x, 0.0), max(min_y - y, y - max_y, 0.0)
                hit = dx * dx + dy * dy, number
                if hit[0] <= limit2 and hit > last:
                    insort(hits, hit)
                    del hits[wanted:]
                    limit2 = hits[-1][0] if len(hits) == wanted else limit2
        return hits
