"""Brute force twins of the two trees: every answer by looking at everything.

`BruteDynamic` and `BruteStatic` have the public verbs of `DynamicQuadtree` and `StaticQuadtree` and
are written to be obviously right. They are slow on purpose: no index, no cleverness, one plain
definition for each question. Of arguments only slots are checked. The definitions at the end of the
file use the same arithmetic in the same order as the core, so answers agree to the last bit even on
an edge.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import inf, sqrt

import numpy as np

from tilequad.bounds import Bounds

ALL_GROUPS = 2**32 - 1
Box = tuple[float, float, float, float]


@dataclass
class Unit:
    """One unit: where it stands, and a circle (`half` is None) or a box around that point."""

    item: Hashable
    x: float
    y: float
    radius: float
    half: tuple[float, float] | None
    groups: int
    slot: int

    @property
    def box(self) -> Box:
        half_width, half_height = self.half or (0.0, 0.0)
        return (
            self.x - half_width,
            self.y - half_height,
            self.x + half_width,
            self.y + half_height,
        )


class BruteDynamic:
    """The twin of `DynamicQuadtree`: a dict of units in the order of adding."""

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds = Bounds.of(bounds)
        self._units: dict[Hashable, Unit] = {}
        self._next_slot = 0

    # Changing.

    def add(self, item, x, y, radius=0, size=None, groups=1) -> None:
        half = half_of(size)
        slot = self._next_slot
        self._units[item] = Unit(item, float(x), float(y), float(radius), half, groups, slot)
        self._next_slot += 1

    def move(self, item, x, y) -> None:
        unit = self._units[item]
        unit.x, unit.y = float(x), float(y)

    def remove(self, item) -> None:
        del self._units[item]

    def set_groups(self, item, groups) -> None:
        self._units[item].groups = groups

    def resize(self, item, radius=0, size=None) -> None:
        unit = self._units[item]
        unit.radius, unit.half = float(radius), half_of(size)

    def __contains__(self, item) -> bool:
        return item in self._units

    def __len__(self) -> int:
        return len(self._units)

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self._units)

    def position(self, item) -> tuple[float, float]:
        return self._units[item].x, self._units[item].y

    def groups(self, item) -> int:
        return self._units[item].groups

    # Asking.

    def query(self, bounds, groups=None, without=None, exclude=None) -> list:
        box = Bounds.of(bounds)
        units = self._matching(groups, exclude, without)
        return [unit.item for unit in units if overlaps_box(unit, box)]

    def within(
        self,
        x,
        y,
        radius,
        groups=None,
        without=None,
        min_radius=0,
        exclude=None,
        to_edge=False,
    ) -> list:
        in_ring = edge_in_ring if to_edge else center_in_ring
        return [
            unit.item
            for unit in self._matching(groups, exclude, without)
            if in_ring(unit, x, y, min_radius, radius)
        ]

    def any_within(self, *args, **options) -> bool:
        return bool(self.within(*args, **options))

    def count_within(self, *args, **options) -> int:
        return len(self.within(*args, **options))

    def sum_within(self, x, y, radius, values, *args, **options) -> float:
        total = 0.0
        for slot in sorted(map(self.slot, self.within(x, y, radius, *args, **options))):
            total += float(values[slot])
        return total

    def nearest(self, x, y, *args, **options):
        found = self.k_nearest(x, y, 1, *args, **options)
        return found[0] if found else None

    def k_nearest(
        self,
        x,
        y,
        k,
        groups=None,
        without=None,
        min_distance=0,
        max_distance=inf,
        exclude=None,
        to_edge=False,
        where=None,
    ) -> list:
        in_ring, key = (edge_in_ring, gap2) if to_edge else (center_in_ring, distance2)
        candidates = [
            unit
            for unit in self._matching(groups, exclude, without)
            if in_ring(unit, x, y, min_distance, max_distance)
        ]
        candidates.sort(key=lambda unit: key(unit, x, y))  # stable: ties stay as added
        return first(k, [unit.item for unit in candidates], where)

    def segment(self, x0, y0, x1, y1, width=0, groups=None, without=None, exclude=None) -> list:
        touched = []
        for unit in self._matching(groups, exclude, without):
            reach = width / 2 + unit.radius
            t = touch(x0 - unit.x, y0 - unit.y, x1 - x0, y1 - y0, unit.half, reach)
            if t is not None:
                touched.append((t, unit.item))
        touched.sort(key=lambda entry: entry[0])
        return [item for _, item in touched]

    def sweep(self, item, x, y, groups=None, without=None) -> list:
        mover = self._units[item]
        touched = []
        for unit in self._matching(groups, item, without):
            t = touch_unit(mover, unit, x - mover.x, y - mover.y)
            if t is not None:
                touched.append((t, unit.item))
        touched.sort(key=lambda entry: entry[0])
        return [item for _, item in touched]

    def meet(self, item, x, y, other, other_x, other_y) -> float | None:
        a, b = self._units[item], self._units[other]
        return touch_unit(a, b, (x - a.x) - (other_x - b.x), (y - a.y) - (other_y - b.y))

    def pairs(self, groups=None, without=None, against=None) -> list:
        items = self.items(self.pairs_many(groups, without, against).ravel())
        return list(zip(items[::2], items[1::2], strict=True))

    # Whole armies. A slot is a number that no other unit ever had.

    def add_many(self, items, xy, radius=0, size=None, groups=1) -> np.ndarray:
        xy = positions(xy)
        first = self._next_slot
        items = list(range(first, first + len(xy)) if items is None else items)
        masks = one_each(groups, len(items))
        for item, (x, y), footprint, mask in zip(
            items, xy, footprints(len(items), radius, size), masks, strict=True
        ):
            self.add(item, x, y, *footprint, groups=mask)
        return ids([self.slot(item) for item in items])

    def move_many(self, slots, xy) -> None:
        for item, (x, y) in zip(self._items_of(slots), positions(xy), strict=True):
            self.move(item, x, y)

    def set_groups_many(self, slots, groups) -> None:
        items = self._items_of(slots)
        for item, mask in zip(items, one_each(groups, len(items)), strict=True):
            self.set_groups(item, mask)

    def resize_many(self, slots, radius=0, size=None) -> None:
        items = self._items_of(slots)
        for item, footprint in zip(items, footprints(len(items), radius, size), strict=True):
            self.resize(item, *footprint)

    def groups_many(self, slots) -> np.ndarray:
        return np.array([self.groups(item) for item in self._items_of(slots)], np.uint32)

    def position_many(self, slots) -> np.ndarray:
        return np.array([self.position(item) for item in self._items_of(slots)]).reshape(-1, 2)

    def remove_many(self, slots) -> None:
        items = self._items_of(slots)
        if len(set(items)) < len(items):
            raise ValueError("slots must differ")
        for item in items:
            self.remove(item)

    def slot(self, item) -> int:
        return self._units[item].slot

    def slots(self, items) -> np.ndarray:
        return ids([self.slot(item) for item in items])

    def item(self, slot):
        return self.items([slot])[0]

    def items(self, slots) -> list:
        return self._looked_up({-1: None}, slots, "slots of units, or -1 for none")

    def _items_of(self, slots) -> list:
        return self._looked_up({}, slots, "slots of units")

    def _looked_up(self, by_slot, slots, wanted: str) -> list:
        by_slot = by_slot | {unit.slot: unit.item for unit in self._units.values()}
        for row, slot in enumerate(slots):
            if int(slot) not in by_slot:
                raise ValueError(f"slots must be {wanted}, got {slot} in row {row}")
        return [by_slot[int(slot)] for slot in slots]

    def serial(self, item) -> int:
        """The number of a unit's stay: its slot, which is not given again."""
        return self._units[item].slot

    def serial_many(self, slots) -> np.ndarray:
        """The number of each unit's stay, -1 for a slot without a unit."""
        used = {unit.slot for unit in self._units.values()}
        return np.array([slot if slot in used else -1 for slot in map(int, slots)], np.int64)

    def query_many(
        self, bounds, groups=None, workers=1, **options
    ) -> tuple[np.ndarray, np.ndarray]:
        boxes = [Bounds.of(box, "bounds") for box in bounds]
        rows = self._rows(len(boxes), {"groups": groups, **options})
        found = [self.query(box, **row) for box, row in zip(boxes, rows, strict=True)]
        return self._gathered(found)

    def within_many(
        self, xy, radius, groups=None, workers=1, **options
    ) -> tuple[np.ndarray, np.ndarray]:
        return self._gathered(self._within_each(xy, radius, groups, options))

    def count_within_many(self, xy, radius, groups=None, workers=1, **options) -> np.ndarray:
        found = self._within_each(xy, radius, groups, options)
        return np.array([len(row) for row in found], np.int64)

    def sum_within_many(self, xy, radius, values, groups=None, workers=1, **options) -> np.ndarray:
        values = np.asarray(values, float)
        sums = []
        for found in self._within_each(xy, radius, groups, options):
            total = np.zeros(values.shape[1:])
            for slot in sorted(map(self.slot, found)):
                total = total + values[slot]
            sums.append(total)
        return np.array(sums).reshape(len(sums), *values.shape[1:])

    def _within_each(self, xy, radius, groups, options) -> list[list]:
        xy = positions(xy)
        rows = self._rows(len(xy), {"radius": radius, "groups": groups, **options})
        return [self.within(x, y, **row) for (x, y), row in zip(xy, rows, strict=True)]

    def segment_many(self, xy0, xy1, workers=1, **options) -> tuple[np.ndarray, np.ndarray]:
        ways = [(*start, *end) for start, end in zip(positions(xy0), positions(xy1), strict=True)]
        rows = self._rows(len(ways), options)
        found = [self.segment(*way, **row) for way, row in zip(ways, rows, strict=True)]
        return self._gathered(found)

    def sweep_many(self, slots, xy, workers=1, **options) -> tuple[np.ndarray, np.ndarray]:
        movers, xy = self._items_of(slots), positions(xy)
        rows = self._rows(len(movers), options)
        found = [
            self.sweep(item, x, y, **row)
            for item, (x, y), row in zip(movers, xy, rows, strict=True)
        ]
        return self._gathered(found)

    def _rows(self, count, options) -> list[dict]:
        """What each question of a batch asks for: the same for all, or one value each."""
        options = dict(options)
        slots = options.pop("exclude", None)
        rows = [{} for _ in range(count)]
        for name, value in options.items():
            values = [value] * count
            if value is not None and not isinstance(value, bool):
                values = one_each(value, count)
            for row, value in zip(rows, values, strict=True):
                row[name] = value
        items = {unit.slot: unit.item for unit in self._units.values()}
        for row, slot in zip(rows, [] if slots is None else slots, strict=slots is not None):
            row["exclude"] = items.get(int(slot))
        return rows

    def _gathered(self, hits: list[list]) -> tuple[np.ndarray, np.ndarray]:
        offsets = np.cumsum([0, *map(len, hits)])
        return offsets, ids([self.slot(item) for found in hits for item in found])

    def nearest_many(self, xy, groups=None, workers=1, **options) -> tuple[np.ndarray, np.ndarray]:
        slots, distances = self.k_nearest_many(xy, 1, groups, **options)
        return slots[:, 0], distances[:, 0]

    def k_nearest_many(
        self, xy, k, groups=None, workers=1, **options
    ) -> tuple[np.ndarray, np.ndarray]:
        xy = positions(xy)
        slots = np.full((len(xy), k), -1, np.int32)
        distances = np.full((len(xy), k), inf)
        rows = self._rows(len(xy), {"groups": groups, **options})
        for i, ((x, y), row) in enumerate(zip(xy, rows, strict=True)):
            for j, item in enumerate(self.k_nearest(x, y, k, **row)):
                slots[i, j] = self.slot(item)
                distances[i, j] = self.distances([item], x, y, row.get("to_edge"))[0]
        return slots, distances

    def distances(self, items, x, y, to_edge) -> list[float]:
        """How far units are from a point, for the tests."""
        far2 = gap2 if to_edge else distance2
        return [sqrt(far2(self._units[item], x, y)) for item in items]

    def pairs_many(self, groups=None, without=None, against=None) -> np.ndarray:
        one = ALL_GROUPS if groups is None else groups
        other = one if against is None else against
        pairs = [
            (a.slot, b.slot)
            for a, b in combinations(self._matching(None, None, without), 2)
            if (a.groups & one and b.groups & other) or (a.groups & other and b.groups & one)
            if footprints_overlap(a, b)
        ]
        return np.array(pairs, dtype=np.int32).reshape(-1, 2)

    # Inspecting.

    def nodes(self) -> np.ndarray:
        return one_node([unit.box for unit in self._units.values()])

    def check(self) -> None:
        """There is no structure that could be wrong."""

    def _matching(self, groups, exclude=None, without=None) -> list[Unit]:
        wanted, unwanted = ALL_GROUPS if groups is None else groups, without or 0
        if exclude is not None:
            exclude = self._units[exclude].item
        return [
            unit
            for unit in self._units.values()
            if unit.groups & wanted
            and not unit.groups & unwanted
            and (exclude is None or unit.item != exclude)
        ]


class BruteStatic:
    """The twin of `StaticQuadtree`: a list of boxes, the id of a box is its place in the list."""

    def __init__(self, boxes) -> None:
        self._boxes = [tuple(box) for box in np.reshape(boxes, (-1, 4)).astype(float).tolist()]

    def __len__(self) -> int:
        return len(self._boxes)

    def query(self, bounds) -> np.ndarray:
        view = Bounds.of(bounds)
        return ids([i for i, box in enumerate(self._boxes) if view.overlaps(box)])

    def within(self, x, y, radius) -> np.ndarray:
        return ids(
            [
                i
                for i, box in enumerate(self._boxes)
                if distance2_to_box(box, x, y) <= radius * radius
            ]
        )

    def nearest(self, x, y, max_distance=inf) -> int | None:
        found = self.k_nearest(x, y, 1, max_distance)
        return int(found[0]) if len(found) else None

    def k_nearest(self, x, y, k, max_distance=inf) -> np.ndarray:
        ranked = sorted((distance2_to_box(box, x, y), i) for i, box in enumerate(self._boxes))
        return ids([i for d2, i in ranked if d2 <= max_distance * max_distance][:k])

    def segment(self, x0, y0, x1, y1, width=0) -> np.ndarray:
        touches = [
            (touch_box((x0 - a, y0 - b), (x0 - c, y0 - d), x1 - x0, y1 - y0, width / 2), i)
            for i, (a, b, c, d) in enumerate(self._boxes)
        ]
        return ids([i for _, i in sorted(touch for touch in touches if touch[0] is not None)])

    def nodes(self) -> np.ndarray:
        return one_node(self._boxes)

    def check(self) -> None:
        """There is no structure that could be wrong."""


# What the words mean: near, in the box, touched on the way, overlapping.


def distance2(unit: Unit, x: float, y: float) -> float:
    dx = unit.x - x
    dy = unit.y - y
    return dx * dx + dy * dy


def gap2(unit: Unit, x: float, y: float) -> float:
    """The square of the distance to the footprint, 0 inside it."""
    if unit.half is None:
        gap = max(sqrt(distance2(unit, x, y)) - unit.radius, 0.0)
    else:
        dx = max(abs(unit.x - x) - unit.half[0], 0.0)
        dy = max(abs(unit.y - y) - unit.half[1], 0.0)
        gap = sqrt(dx * dx + dy * dy)
    return gap * gap


def center_in_ring(unit: Unit, x: float, y: float, low: float, high: float) -> bool:
    return low * low <= distance2(unit, x, y) <= high * high


def edge_in_ring(unit: Unit, x: float, y: float, low: float, high: float) -> bool:
    """Whether the distance to the footprint, 0 inside it, is in low .. high."""
    if unit.half is not None:
        dx = max(abs(unit.x - x) - unit.half[0], 0.0)
        dy = max(abs(unit.y - y) - unit.half[1], 0.0)
        return low * low <= dx * dx + dy * dy <= high * high
    near, far = low + unit.radius, high + unit.radius
    d2 = distance2(unit, x, y)
    return d2 <= far * far and (low == 0 or near * near <= d2)


def overlaps_box(unit: Unit, box: Bounds) -> bool:
    dx = max(unit.x - box.max_x, box.min_x - unit.x, 0.0)
    dy = max(unit.y - box.max_y, box.min_y - unit.y, 0.0)
    if unit.half is not None:
        return dx <= unit.half[0] and dy <= unit.half[1]
    return max(dx, dy) <= unit.radius and dx * dx + dy * dy <= unit.radius * unit.radius


def footprints_overlap(a: Unit, b: Unit) -> bool:
    dx = abs(a.x - b.x)
    dy = abs(a.y - b.y)
    if a.half is not None and b.half is not None:
        return dx <= a.half[0] + b.half[0] and dy <= a.half[1] + b.half[1]
    half_width, half_height = a.half or b.half or (0.0, 0.0)
    radius = a.radius + b.radius  # a box has none
    dx = max(dx - half_width, 0.0)
    dy = max(dy - half_height, 0.0)
    return max(dx, dy) <= radius and dx * dx + dy * dy <= radius * radius


def distance2_to_box(box: Box, x: float, y: float) -> float:
    min_x, min_y, max_x, max_y = box
    dx = max(min_x - x, 0.0, x - max_x)
    dy = max(min_y - y, 0.0, y - max_y)
    return dx * dx + dy * dy


def come_near(fx, fy, dx, dy, reach) -> float | None:
    """The first t in 0 .. 1 at which a point that moves by (dx, dy) is that near to the origin."""
    if fx * fx + fy * fy <= reach * reach:
        return 0.0
    a = dx * dx + dy * dy
    b = fx * dx + fy * dy
    if a == 0 or b >= 0:
        return None
    cross = fx * dy - fy * dx
    disc = a * reach * reach - cross * cross
    if disc < 0:
        return None
    t = (-b - sqrt(disc)) / a
    return t if t <= 1 else None


def touch_unit(mover: Unit, unit: Unit, dx: float, dy: float) -> float | None:
    """The first t in 0 .. 1 at which a unit that moves by (dx, dy) touches another."""
    half = None
    if mover.half or unit.half:  # of a box and a circle, either may move
        one, other = mover.half or (0.0, 0.0), unit.half or (0.0, 0.0)
        half = one[0] + other[0], one[1] + other[1]
    reach = mover.radius + unit.radius
    return touch(mover.x - unit.x, mover.y - unit.y, dx, dy, half, reach)


def touch(x, y, dx, dy, half, reach) -> float | None:
    """The first t at which a disc, here from the middle of a box or of a point, touches that."""
    if half is None:
        return come_near(x, y, dx, dy, reach)
    low, high = (x + half[0], y + half[1]), (x - half[0], y - half[1])
    return touch_box(low, high, dx, dy, reach)


def touch_box(low, high, dx, dy, reach) -> float | None:
    """The first t in 0 .. 1 at which a disc of radius `reach` that moves by (dx, dy) touches a box.

    The disc starts at `low` as seen from the box's low corner, at `high` from its high one. Where
    it touches, its center enters the box with rounded corners: the box widened along x, the box
    widened along y, and a circle at each corner.
    """
    touches = [enter_box(low, high, dx, dy, reach, 0.0), enter_box(low, high, dx, dy, 0.0, reach)]
    if reach > 0:
        corners = [(x, y) for x in (low[0], high[0]) for y in (low[1], high[1])]
        touches += [come_near(x, y, dx, dy, reach) for x, y in corners]
    return min((t for t in touches if t is not None), default=None)


def enter_box(low, high, dx, dy, wider, higher) -> float | None:
    """The first t in 0 .. 1 at which a moving point is in a closed box made wider and higher."""
    enter, leave = 0.0, 1.0
    for beyond_low, beyond_high, step, more in (
        (low[0], high[0], dx, wider),
        (low[1], high[1], dy, higher),
    ):
        if step == 0:
            if beyond_low < -more or beyond_high > more:
                return None
            continue
        near, far = (-more - beyond_low) / step, (more - beyond_high) / step
        if near > far:
            near, far = far, near
        enter, leave = max(enter, near), min(leave, far)
    return enter if enter <= leave else None


# Small helpers.


def positions(xy) -> list[list[float]]:
    return np.reshape(xy, (-1, 2)).astype(float).tolist()


def one_each(values, shape: int | tuple[int, int]) -> list:
    return np.broadcast_to(values, shape).tolist()


def footprints(count: int, radius, size) -> list[tuple]:
    """A radius and a size for each of many units."""
    sizes = [None] * count if size is None else one_each(size, (count, 2))
    return list(zip(one_each(radius, count), sizes, strict=True))


def half_of(size) -> tuple[float, float] | None:
    return None if size is None else (float(size[0]) / 2, float(size[1]) / 2)


def first(k: int, items: list, where: Callable[[Hashable], bool] | None) -> list:
    """The first k items that `where` accepts; it is asked no more often than that takes."""
    found = []
    for item in items:
        if len(found) == k:
            break
        if where is None or where(item):
            found.append(item)
    return found


def ids(numbers: list[int]) -> np.ndarray:
    return np.array(numbers, dtype=np.int32)


def one_node(boxes: list[Box]) -> np.ndarray:
    """The nodes of a tree that has but a root, which is a leaf: its bounds, depth and count."""
    kinds = [(name, np.float64) for name in Bounds._fields]
    kinds += [("depth", np.int32), ("count", np.int32), ("leaf", np.bool_)]
    node = np.zeros(1 if boxes else 0, dtype=kinds)
    if boxes:
        edges = np.array(boxes)
        node[0] = (*edges[:, :2].min(axis=0), *edges[:, 2:].max(axis=0), 0, len(boxes), True)
    return node
