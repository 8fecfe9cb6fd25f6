"""The twin of `separate`: every pair of units and every wall is looked at, in plain Python.

It follows the same rules with the same arithmetic in the same order, so its places are the same to
the last bit. It knows nothing of trees: units are in the order of the cells of a grid.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from math import cos, floor, inf, pi, sin, sqrt

EIGHTHS = {(0, 0, 0): 0, (0, 0, 1): 1, (1, 0, 1): 2, (1, 0, 0): 3,
           (1, 1, 0): 4, (1, 1, 1): 5, (0, 1, 1): 6, (0, 1, 0): 7}  # fmt: skip
GOLDEN_ANGLE = 2.399963229728653
WAYS = [(cos(k * GOLDEN_ANGLE), sin(k * GOLDEN_ANGLE)) for k in range(64)]
Box = tuple[float, float, float, float]
Way = tuple[float, float]


@dataclass(eq=False)
class Body:
    """A unit: a circle, or a box if `half` is given."""

    slot: int
    x: float
    y: float
    radius: float = 0.0
    half: tuple[float, float] | None = None
    groups: int = 1
    start: tuple[float, float] = (0.0, 0.0)
    weight: float = 0.0
    number: int = 0
    seen: set[int] = field(default_factory=set)
    near: list[Body] = field(default_factory=list)
    before: list[Body] = field(default_factory=list)
    rank: int = -1
    slack: float = 0.0

    @property
    def extent(self) -> float:
        return max(self.half) if self.half else self.radius

    @property
    def area(self) -> float:
        if self.half:
            return 4.0 * self.half[0] * self.half[1]
        return pi * self.radius * self.radius


@dataclass
class BruteCrowd:
    """One call of `separate`."""

    bodies: list[Body]
    pushed: int = 2**32 - 1
    others: int = 2**32 - 1
    mass: list[float] | None = None
    walls: list[Box] = field(default_factory=list)
    shut: list[set[Way]] = field(default_factory=list)  # of each wall: the ways that are none
    bounds: Box = (-inf, -inf, inf, inf)
    max_push: float = inf
    iterations: int = 4
    slots: list[int] | None = None  # whom to push

    def separate(self) -> dict[int, tuple[float, float]]:
        """Where the units are afterwards, by slot."""
        members = [body for body in self.bodies if body.groups & (self.pushed | self.others)]
        if self.slots is not None:
            members = self.around([body for body in members if self.is_pushed(body)], members)
        members.sort(key=lambda body: body.slot)
        self.measure(members)
        self.sort_by_cell(members)
        for number, body in enumerate(members):
            body.number = number
        for body in members:
            if self.is_pushed(body):
                mass = body.area if self.mass is None else self.mass[body.slot]
                body.weight = 1.0 / max(mass, 1e-150)
                if body.weight and self.held(body.x, body.y):
                    body.x, body.y = self.way_out(body)
            body.start = body.x, body.y
        self.sort_by_cell(members)
        movable = [b for b in members if b.weight and b.groups & self.others and b.extent]
        spread_heaps(movable, self.small, self.side_of(members))
        self.find_near(members)
        self.rank(members)
        members.sort(key=lambda body: (-body.rank, body.number))
        for number, body in enumerate(members):
            body.before = [other for other in members[:number] if other in body.near]
            body.slack = 1e-9 * body.extent + 1e-14 * (abs(body.x) + abs(body.y))
        inner = 0.5
        for _ in range(self.iterations if any(body.near for body in members) else 0):
            if not self.sweep(members, inner):
                break
            inner = max(0.5 * inner, 0.125)
        if self.shorten(members):
            for _ in range(16):
                if not self.sweep_inward(members):
                    break
        for body in members:
            if body.weight:
                self.cap(body)
                self.hold(body)
        return {body.slot: (body.x, body.y) for body in self.bodies}

    def is_pushed(self, body: Body) -> bool:
        return bool(body.groups & self.pushed and (self.slots is None or body.slot in self.slots))

    def around(self, chosen: list[Body], members: list[Body]) -> list[Body]:
        """The chosen units, and those near the box around them."""
        if not chosen:
            return []
        reach = max((1.0 + 2.0 * 0.2) * body.extent for body in chosen)
        xs, ys = [body.x for body in chosen], [body.y for body in chosen]
        return [
            body
            for body in members
            if min(xs) - (body.extent + reach) <= body.x <= max(xs) + (body.extent + reach)
            and min(ys) - (body.extent + reach) <= body.y <= max(ys) + (body.extent + reach)
        ]

    def measure(self, members: list[Body]) -> None:
        """Find out up to which extent a unit fits a cell."""
        total = largest = 0.0
        for body in members:
            total, largest = total + body.extent, max(largest, body.extent)
        self.small = min(largest, 2.0 * total / max(len(members), 1))

    def side_of(self, members: list[Body]) -> float:
        """The side of the cells for units where they are now."""
        farthest = max([max(abs(body.x), abs(body.y)) for body in members], default=0.0)
        return max(2.0 * (1.0 + 0.2) * self.small * (1.0 + 1e-6), farthest / 2**28, 1e-300)

    def sort_by_cell(self, members: list[Body]) -> None:
        """Sort units by the buckets of their cells; those of a bucket keep their order."""
        side = self.side_of(members)
        size = next(2**bits for bits in range(6, 32) if 2**bits >= 2 * len(members))
        stride = (size * 40503 >> 16) | 1

        def bucket(body: Body) -> int:
            column, row = cell_of(body, side)
            return (column + row * stride) % size

        members.sort(key=bucket)

    def find_near(self, members: list[Body]) -> None:
        for number, one in enumerate(members):
            for other in members[number + 1 :]:
                pushes = self.is_pushed(one) and other.groups & self.others
                if (pushes or (one.groups & self.others and self.is_pushed(other))) and are_near(
                    one, other
                ):
                    one.near.append(other)
                    other.near.append(one)

    def sweep(self, members: list[Body], inner: float) -> bool:
        unsettled = False
        for rank in sorted({body.rank for body in members}, reverse=True):
            for body, other in pairs_of([one for one in members if one.rank == rank]):
                unsettled |= self.push_pair(body, other, inner)
            for body in members:
                if body.rank == rank and body.weight:
                    self.hold(body)
        return unsettled

    # -- ranks --

    def rank(self, members: list[Body]) -> None:
        for body in members:
            for other in body.near:
                dx, dy = other.x - body.x, other.y - body.y
                if other.half:
                    dx, dy = to_interval(dx, other.half[0]), to_interval(dy, other.half[1])
                    body.seen |= three(dx, dy)
                elif other.radius > 1.5 * body.extent:
                    body.seen |= three(dx, dy)
                else:
                    body.seen.add(eighth(dx, dy))
            if body.weight:
                body.seen |= self.walls_around(body)
        rim = [body for body in members if body.weight and self.at_rim(body)]
        for body in rim:
            body.rank = 0
        rank = 0
        while rim:
            rank += 1
            found = []
            for body in rim:
                for other in body.near:
                    if other.rank < 0 and other.weight:
                        other.rank = rank
                        found.append(other)
            rim = found
        for body in members:
            if body.rank < 0:
                body.rank = 0 if body.weight else len(members)

    def walls_around(self, body: Body) -> set[int]:
        near = 1.5 * body.extent
        seen: set[int] = set()
        for edge, way in (
            (body.x - near <= self.bounds[0], (-1, 0)),
            (body.y - near <= self.bounds[1], (0, -1)),
            (body.x + near >= self.bounds[2], (1, 0)),
            (body.y + near >= self.bounds[3], (0, 1)),
        ):
            if edge:
                middle = {(1, 0): 0, (0, 1): 2, (-1, 0): 4, (0, -1): 6}[way]
                seen |= {(middle + turn) % 8 for turn in (-1, 0, 1)}
        for box, _ in self.near_walls(body):
            dx = max(box[0] - body.x, min(0.0, box[2] - body.x))
            dy = max(box[1] - body.y, min(0.0, box[3] - body.y))
            if dx * dx + dy * dy <= near * near:
                seen |= three(dx, dy)
        return seen

    @staticmethod
    def at_rim(body: Body) -> bool:
        if not is_open(body.seen):
            return False
        beyond = {
            eighth(third.x - body.x, third.y - body.y)
            for other in body.near
            if other.extent <= 1.5 * body.extent
            for third in other.near
            if third is not body
        }
        return is_open(body.seen | beyond)

    # -- pushes --

    def push_pair(self, u: Body, v: Body, inner: float) -> bool:
        way_x, way_y, depth, reach = overlap_of(u, v)
        if depth <= u.slack + v.slack:
            return False
        mine = u.weight if v.groups & self.others else 0.0
        other = v.weight if u.groups & self.others else 0.0
        if v.rank > u.rank:
            other *= inner
        if mine + other <= 0.0:
            return False
        mine /= mine + other
        u.x, u.y = u.x + way_x * mine, u.y + way_y * mine
        v.x, v.y = v.x - way_x * (1.0 - mine), v.y - way_y * (1.0 - mine)
        return depth > 0.01 * reach

    def cap(self, body: Body) -> None:
        dx, dy = body.x - body.start[0], body.y - body.start[1]
        away = dx * dx + dy * dy
        most = min(self.max_push, 1e150)
        if away > most * most:
            part = most / sqrt(away)
            body.x, body.y = body.start[0] + dx * part, body.start[1] + dy * part

    def shorten(self, members: list[Body]) -> bool:
        """Shorten what is a unit's own in a push that is too long; whether there is any."""
        found = False
        most = min(self.max_push, 1e150)
        for body in members:
            dx, dy = body.x - body.start[0], body.y - body.start[1]
            if dx * dx + dy * dy <= most * most:
                continue
            found = True
            mean_x, mean_y = dx, dy
            for other in body.before:
                mean_x += other.x - other.start[0]
                mean_y += other.y - other.start[1]
            part = 1.0 / (1.0 + len(body.before))
            mean_x, mean_y = mean_x * part, mean_y * part
            dx, dy = dx - mean_x, dy - mean_y
            length, along = dx * dx + dy * dy, dx * mean_x + dy * mean_y
            over = mean_x * mean_x + mean_y * mean_y - most * most
            part = 0.0
            if over < 0.0 and length > 0.0:
                part = (sqrt(along * along - length * over) - along) / length
            body.x = body.start[0] + (mean_x + part * dx)
            body.y = body.start[1] + (mean_y + part * dy)
            self.cap(body)
        return found

    def sweep_inward(self, members: list[Body]) -> bool:
        """Push units apart once more, from the rim inwards."""
        unsettled = False
        for rank in sorted({body.rank for body in members}):
            for body, other in reversed(pairs_of([m for m in members if m.rank == rank])):
                if self.push_pair(body, other, 1.0):
                    unsettled = True
                    self.cap(body)
                    self.cap(other)
            for body in members:
                if body.rank == rank and body.weight:
                    self.hold(body)
        return unsettled

    def near_walls(self, body: Body) -> list[tuple[Box, set[Way]]]:
        """The walls within two extents of where it starts, and the ways that are none."""
        return [
            (box, self.shut[number] if self.shut else set())
            for number, box in enumerate(self.walls)
            if box[0] - body.start[0] <= 2.0 * body.extent
            and box[1] - body.start[1] <= 2.0 * body.extent
            and body.start[0] - box[2] <= 2.0 * body.extent
            and body.start[1] - box[3] <= 2.0 * body.extent
        ]

    def hold(self, body: Body) -> None:
        if near := self.near_walls(body):
            leave_walls(body, near)
        if (body.x, body.y) != body.start:
            body.x = min(max(body.x, self.bounds[0]), self.bounds[2])
            body.y = min(max(body.y, self.bounds[1]), self.bounds[3])
            self.stop_at_walls(body)

    def stop_at_walls(self, body: Body) -> None:
        (x0, y0), dx, dy = body.start, body.x - body.start[0], body.y - body.start[1]
        time = min([way_time(box, x0, y0, dx, dy) for box in self.walls], default=inf)
        if time > 1.0:
            return
        room = 2.0 * (clearance(x0) + clearance(y0))
        time = max(0.0, time - room / sqrt(dx * dx + dy * dy))
        body.x, body.y = x0 + time * dx, y0 + time * dy
        if self.held(body.x, body.y):
            body.x, body.y = body.start

    def held(self, x: float, y: float) -> bool:
        return any(in_box(box, x, y) for box in self.walls)

    def way_out(self, body: Body) -> tuple[float, float]:
        """The nearest free place straight left, right, below or above, in the bounds if any is.

        Or by two of these ways, the shorter one first.
        """
        found = []
        for ways in ((0,), (2,), (1,), (3,), (0, 1), (2, 1), (0, 3), (2, 3)):
            at = [body.x, body.y]
            while self.held(*at):
                holder = next(b for b in self.walls if in_box(b, *at))
                outs = [
                    holder[edge] + (1 if edge > 1 else -1) * clearance(holder[edge])
                    for edge in ways
                ]
                k = min(range(len(ways)), key=lambda k: abs(outs[k] - at[ways[k] % 2]))
                at[ways[k] % 2] = outs[k]
            low_x, low_y, high_x, high_y = self.bounds
            outside = not (low_x <= at[0] <= high_x and low_y <= at[1] <= high_y)
            found.append((outside, abs(at[0] - body.x) + abs(at[1] - body.y), len(found), *at))
        return min(found)[3:]


def in_box(box: Box, x: float, y: float) -> bool:
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]


def pairs_of(units: list[Body]) -> list[tuple[Body, Body]]:
    """All units with the first of those before them, then all with the second, and so on."""
    most = max(len(body.before) for body in units)
    return [
        (body, body.before[turn])
        for turn in range(most)
        for body in units
        if turn < len(body.before)
    ]


def cell_of(body: Body, side: float) -> tuple[int, int]:
    return floor(body.x / side), floor(body.y / side)


def spread_heaps(bodies: list[Body], small: float, side: float) -> None:
    """Put the units of heaps onto rings."""
    cells: dict[tuple[int, int], list[Body]] = defaultdict(list)
    for body in bodies:
        if body.extent <= small:
            cells[cell_of(body, side)].append(body)
    cover = {}
    for cell, inside in cells.items():
        area = 0.0
        for body in inside:
            area += 4.0 * body.extent * body.extent
        cover[cell] = area
    heaps, used = [], set()
    for cell in cells:
        reached = [cell] if cover[cell] > 4.5 * (side * side) and cell not in used else []
        used |= set(reached)
        heap = []
        while reached:
            column, row = reached.pop()
            heap += cells[column, row]
            around = {(column + dx, row + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)}
            found = [one for one in around - used if cover.get(one, 0.0) > 3.0 * (side * side)]
            used |= set(found)
            reached += found
        heaps += split([body for body in bodies if body in heap])
    taken = {body.slot for heap in heaps for body in heap}
    points: dict[tuple[float, float], list[Body]] = defaultdict(list)
    for body in bodies:
        if body.slot not in taken:
            points[body.x, body.y].append(body)
    for heap in heaps + [point for point in points.values() if len(point) >= 3]:
        put_on_rings(heap)


def split(heap: list[Body]) -> list[list[Body]]:
    """Split a heap in the middle of its longer side as long as it is longer than a round one."""
    if not heap:
        return []
    total = 0.0
    for body in heap:
        total += body.extent**2
    xs, ys = [body.x for body in heap], [body.y for body in heap]
    wide, high = max(xs) - min(xs), max(ys) - min(ys)
    if max(wide, high) <= 2.0 * sqrt(4.0 / 3.0 * total):
        return [heap]
    at = ys if high > wide else xs
    middle = 0.5 * (min(at) + max(at))
    return [
        part
        for later in (False, True)
        for part in split([b for b, one in zip(heap, at, strict=True) if (one > middle) == later])
    ]


def put_on_rings(heap: list[Body]) -> None:
    """Put units onto rings around their middle, of 3, 9, 15, ... places, by distance."""
    x = y = width = 0.0
    for body in heap:
        x, y, width = x + body.x, y + body.y, width + body.extent
    x, y, width = x / len(heap), y / len(heap), width / len(heap)
    ways = [(body.x - x, body.y - y) for body in heap]
    nearest = sorted(
        range(len(heap)), key=lambda i: ways[i][0] * ways[i][0] + ways[i][1] * ways[i][1]
    )
    places = {}
    for ring in range(len(heap)):
        circle = sorted(nearest[3 * ring * ring : 3 * (ring + 1) * (ring + 1)])
        circle.sort(key=lambda i: turn_of(*ways[i]))
        angles = [2.0 * pi * (j + 0.5) / len(circle) - pi for j in range(len(circle))]
        along = across = 0.0
        for i, angle in zip(circle, angles, strict=True):
            dx, dy = ways[i]
            away = sqrt(dx * dx + dy * dy) or 1.0
            along += dx / away * cos(angle) + dy / away * sin(angle)
            across += dy / away * cos(angle) - dx / away * sin(angle)
        length = sqrt(along * along + across * across)
        along, across = (along / length, across / length) if length else (1.0, 0.0)
        for i, angle in zip(circle, angles, strict=True):
            radius = width * (2.0 * ring + 1.16)
            places[i] = (
                x + radius * (cos(angle) * along - sin(angle) * across),
                y + radius * (cos(angle) * across + sin(angle) * along),
            )
    for i, body in enumerate(heap):
        body.x, body.y = places[i]


def turn_of(dx: float, dy: float) -> float:
    """How far a direction is turned, from -2 to 2."""
    turn = dy / ((abs(dx) + abs(dy)) or 1.0)
    return turn if dx >= 0.0 else 2.0 - turn if dy >= 0.0 else -2.0 - turn


def leave_walls(body: Body, walls: list[tuple[Box, set[Way]]]) -> None:
    """Push a unit out of walls, the deepest first."""
    last = 0.0, 0.0
    for _ in range(4):
        deepest = 1e-9 * body.extent + 1e-14 * (abs(body.x) + abs(body.y))
        best = None
        for box, shut in walls:
            depth, way = penetration(body, box, shut)
            if depth > deepest:
                deepest, best = depth, way
        if best is None:
            return
        opposed = best[0] * last[0] + best[1] * last[1] < 0.0
        share = 0.5 * deepest if opposed else deepest
        body.x, body.y = body.x + share * best[0], body.y + share * best[1]
        if opposed:
            return
        last = best


def penetration(body: Body, box: Box, shut: set[Way]) -> tuple[float, Way]:
    """How deep a unit is in a wall, and the way out."""
    x, y, half_w, half_h, radius = body.x, body.y, *(body.half or (0.0, 0.0)), body.radius
    if not body.half and (x < box[0] or x > box[2] or y < box[1] or y > box[3]):
        dx = max(box[0] - x, x - box[2], 0.0)
        dy = max(box[1] - y, y - box[3], 0.0)
        if dx * dx + dy * dy >= radius * radius:
            return 0.0, (0.0, 0.0)
        away = sqrt(dx * dx + dy * dy)
        return radius - away, ((dx if x > box[2] else -dx) / away, (dy if y > box[3] else -dy) / away)  # fmt: skip # noqa: E501
    ways = [
        (box[2] + half_w - x, (1.0, 0.0)),
        (x - (box[0] - half_w), (-1.0, 0.0)),
        (box[3] + half_h - y, (0.0, 1.0)),
        (y - (box[1] - half_h), (0.0, -1.0)),
    ]
    ways = [one for one in ways if one[1] not in shut]
    if not ways:
        return 0.0, (0.0, 0.0)
    depth, way = min(ways, key=lambda one: one[0])
    return max(depth + radius, 0.0), way


def way_time(box: Box, x: float, y: float, dx: float, dy: float) -> float:
    """When a moving point enters a closed box, 0 to 1; inf if never."""
    enter, leave = 0.0, 1.0
    for start, step, low, high in ((x, dx, box[0], box[2]), (y, dy, box[1], box[3])):
        if step == 0.0:
            if start < low or start > high:
                return inf
            continue
        times = (0.0 - (start - low)) / step, (0.0 - (start - high)) / step
        enter, leave = max(enter, min(times)), min(leave, max(times))
    return enter if enter <= leave else inf


def overlap_of(u: Body, v: Body) -> tuple[float, float, float, float]:
    """The way that parts u from v, how deep they overlap, and the sum of their extents."""
    dx, dy = u.x - v.x, u.y - v.y
    reach = u.extent + v.extent
    if not u.half and not v.half:
        away = dx * dx + dy * dy
        if away >= reach * reach:
            return 0.0, 0.0, 0.0, reach
        away = sqrt(away)
        depth = reach - away
        if away > 1e-150 * reach:
            return dx * (depth / away), dy * (depth / away), depth, reach
        way = WAYS[(7 * u.slot + v.slot) & 63]
        return way[0] * depth, way[1] * depth, depth, reach
    rounding = (0.0 if u.half else u.radius) + (0.0 if v.half else v.radius)
    zero = (0.0, 0.0)
    gap_x = abs(dx) - ((u.half or zero)[0] + (v.half or zero)[0])
    gap_y = abs(dy) - ((u.half or zero)[1] + (v.half or zero)[1])
    if gap_x >= rounding or gap_y >= rounding:
        return 0.0, 0.0, 0.0, reach
    if gap_x > 0.0 and gap_y > 0.0:
        away = sqrt(gap_x * gap_x + gap_y * gap_y)
        nx, ny, depth = gap_x / away, gap_y / away, rounding - away
    elif gap_x >= gap_y:
        nx, ny, depth = 1.0, 0.0, rounding - gap_x
    else:
        nx, ny, depth = 0.0, 1.0, rounding - gap_y
    return (nx if dx >= 0 else -nx) * depth, (ny if dy >= 0 else -ny) * depth, depth, reach


def are_near(u: Body, v: Body) -> bool:
    """Whether the gap between two footprints is a fifth of the smaller one's width at most."""
    gap = 2.0 * 0.2 * min(u.extent, v.extent)
    if u.extent + v.extent == 0.0:  # points never overlap
        return False
    dx, dy = abs(u.x - v.x), abs(u.y - v.y)
    if not u.half and not v.half:
        gap += u.radius + v.radius
        return dx * dx + dy * dy <= gap * gap
    if u.half and v.half:
        return dx <= u.half[0] + v.half[0] + gap and dy <= u.half[1] + v.half[1] + gap
    (half_w, half_h), radius = u.half or v.half, v.radius if u.half else u.radius  # type: ignore[misc]
    dx, dy = max(dx - half_w, 0.0), max(dy - half_h, 0.0)
    gap += radius
    return dx * dx + dy * dy <= gap * gap


def clearance(at: float) -> float:
    return 1e-9 + 1e-14 * abs(at)


def to_interval(offset: float, half: float) -> float:
    """From 0 to the nearest of offset - half .. offset + half."""
    return max(offset - half, min(0.0, offset + half))


def eighth(dx: float, dy: float) -> int:
    return EIGHTHS[int(dx < 0), int(dy < 0), int(abs(dy) > abs(dx))]


def three(dx: float, dy: float) -> set[int]:
    return {(eighth(dx, dy) + turn) % 8 for turn in (-1, 0, 1)}


def is_open(seen: set[int]) -> bool:
    return any(not {k, (k + 1) % 8, (k + 2) % 8} & seen for k in range(8))
