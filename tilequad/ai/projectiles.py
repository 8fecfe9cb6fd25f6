"""Projectiles: shots in flight, and whom they hit."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from functools import partial
from math import inf
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilequad._core.array_kinds import Floats, Numbers
from tilequad._core.arrays import (
    checked_amounts,
    checked_numbers,
    checked_points,
    lengths,
    mask_at,
    own_array,
)
from tilequad._core.checks import checked_at_least, checked_point, masks_of, slot_of, whole
from tilequad._core.layout import MAX_COORDINATE, NONE
from tilequad._core.shown import shown
from tilequad._core.tree.rows import PROJECTILES, RowReader, need, need_all, row_from
from tilequad._core.tree.units import call_all, slots_of
from tilequad._core.turns import Turns
from tilequad.ai._checks import tree_behind, unit_slots
from tilequad.ai._flight import (
    AMOUNT,
    DELAY,
    GROUPS,
    HOMING,
    INTS,
    LIFE,
    MOVING,
    NUMBER,
    PIERCE,
    PIERCED,
    RADIUS,
    SENT,
    SERIAL,
    SPEED,
    SPENT,
    SPLASH,
    SPLASHED,
    STOPPED,
    TARGET,
    TRAITS,
    UX,
    UY,
    WALL,
    WITHOUT,
    Flight,
    Room,
    State,
    X,
    Y,
    in_order,
)
from tilequad.ai.damage import MOST_SHOTS, Damage
from tilequad.ai.protocols import MergedWalls, SpatialIndex, WallHits
from tilequad.quadtree import DynamicQuadtree, StaticQuadtree
from tilequad.quadtree.dynamic import store_of

__all__ = ["Impacts", "Projectiles"]

MOST_PIERCED = 2**31 - 1


class _Columns(NamedTuple):
    """The columns of `Impacts`."""

    shots: Numbers
    slots: NDArray[np.int32]
    times: Floats
    xy: Floats
    damage: Floats
    kinds: NDArray[np.int8]


class Impacts(_Columns):
    """What shots have hit in a step, in order of time: one row for each unit, wall or end.

    Equal times come in the order of firing; of one shot, what it touches, then how it ends, then
    whom its splash catches, units in the order of adding.

    Attributes:
        shots: The numbers of the shots, (n,) int64.
        slots: The slots of the units that are hit, (n,) int32; -1 for a wall or a shot's end.
        times: When, from the start of the step, (n,).
        xy: Where the shot was then, (n, 2).
        damage: The damage of the shot, (n,).
        kinds: What happened, (n,) int8: one of the numbers below.
        PIERCED: The shot hit the unit, and flies on.
        STOPPED: The shot hit the unit, and ended there.
        WALL: The shot ended at a wall.
        SPENT: The life of the shot was over.
        SPLASH: The unit was near where the shot ended.
    """

    __slots__ = ()

    PIERCED: Final = PIERCED
    STOPPED: Final = STOPPED
    WALL: Final = WALL
    SPENT: Final = SPENT
    SPLASH: Final = SPLASHED

    @property
    def ended(self) -> Numbers:
        """The numbers of the shots that ended, each once."""
        over: NDArray[np.bool_] = (self.kinds != PIERCED) & (self.kinds != SPLASHED)
        return self.shots[over]


class Projectiles:
    """Shots in flight: each flies straight, and hits the units that it touches on its way.

    Fire them, and call `step` once a tick. Each is swept along its way of the step, so it skips
    nothing at any speed; units stand still meanwhile, where the tree has them. A shot hits each
    unit at most once, and ends at the first, unless it pierces; at a wall; or when its life is
    over. Where it ends, its splash hits all units whose positions are within its radius. Taking
    health and removing units is up to the game: within a step nobody dies.

    Each shot has a number, and no two shots have the same.

    A shot that is fired at a target counts as damage under way to it, with `damage`, until it hits
    it or ends. A homing shot turns to where its target is, at the start of each step; give it a
    width if its target has no size. When the target leaves the tree, the shot flies straight on,
    and does not turn to the target when that is added again.

    The state can be pickled and copied together with the tree.

    Cost: a tenth of a microsecond a shot and step, and a hundredth for each unit that touches its
    way; about a microsecond for a hit. Whom a splash hits is listed for each shot, 0.2 us and 50
    bytes for each: a thousand shots that burst among a thousand units are a million rows.

    Args:
        units: The tree with those who may be hit.
        damage: Counts the damage of shots that have a target; see `Damage`. None means that nobody
            counts it.
        groups: A mask: shots hit units in these groups, unless `fire` says otherwise. None for all.
        without: A mask: they fly through units in any of these groups. None for none.

    Raises:
        TypeError: `units` has no tree, `damage` is not a `Damage`, or a mask is not a whole number.
        ValueError: `damage` is about another tree, or a mask is out of range.

    Example:
        >>> from tilequad import DynamicQuadtree
        >>> from tilequad.ai import Impacts, Projectiles
        >>> units = DynamicQuadtree((0, 0, 200, 100))
        >>> for name, x in {"orc": 60, "rat": 90, "imp": 150}.items():
        ...     units.add(name, x, 50, radius=5, groups=2)
        >>> shots = Projectiles(units, groups=2)
        >>> arrow = shots.fire(0, 50, (200, 50), speed=100, life=2, pierce=1)
        >>> hits = shots.step()
        >>> units.items(hits.slots), hits.times.tolist(), (hits.kinds == Impacts.STOPPED).tolist()
        (['orc', 'rat'], [0.55, 0.85], [False, True])
        >>> hits.ended.tolist() == [arrow], len(shots)
        (True, 0)
    """

    def __init__(
        self,
        units: SpatialIndex,
        damage: Damage | None = None,
        *,
        groups: int | None = None,
        without: int | None = None,
    ) -> None:
        self._tree = tree_behind(units)
        if damage is not None and not isinstance(damage, Damage):
            raise TypeError(f"damage must be a Damage, got {shown(damage)}")
        if damage is not None and damage._tree is not self._tree:
            raise ValueError("damage must be about the same tree")
        masks_of(groups, without)
        self._units, self._damage = units, damage
        self._groups, self._without = groups, without
        # A change of shots is one of the damage under way, too.
        alone = Turns("fire or remove shots while they fly")
        self._turns = alone if damage is None else damage._turns
        self._state = State.empty()
        self._spare: Room | None = None

    def __repr__(self) -> str:
        return f"<Projectiles: {len(self)} shots in flight>"

    def __len__(self) -> int:
        """The number of shots in flight."""
        return self._state.n

    def __iter__(self) -> Iterator[int]:
        """The numbers of the shots in flight, in the order of firing."""
        return iter(self.numbers.tolist())

    def __contains__(self, shot: object) -> bool:
        """Whether a shot is in flight."""
        return isinstance(shot, int | np.integer) and bool((self.numbers == shot).any())

    @property
    def units(self) -> SpatialIndex:
        """The tree."""
        return self._units

    @property
    def damage(self) -> Damage | None:
        """The damage under way."""
        return self._damage

    @property
    def numbers(self) -> Numbers:
        """The numbers of the shots in flight, (n,) int64, in the order of firing."""
        return self._state.ints[:, NUMBER].copy()

    @property
    def xy(self) -> Floats:
        """Where the shots are, (n, 2)."""
        return self._state.moving[:, X : Y + 1].copy()

    @property
    def directions(self) -> Floats:
        """Where the shots fly to, (n, 2): unit vectors; (0, 0) for one that is where it aims."""
        return self._state.moving[:, UX : UY + 1].copy()

    @property
    def left(self) -> Floats:
        """How long the shots still live, (n,), in the unit of their speeds."""
        return self._state.moving[:, LIFE].copy()

    # -- firing ---

    def fire(
        self,
        x: float,
        y: float,
        aim: tuple[float, float],
        speed: float,
        *,
        life: float,
        width: float = 0.0,
        pierce: int = 0,
        splash: float = 0.0,
        delay: float = 0.0,
        damage: float = 0.0,
        target: Hashable | None = None,
        homing: bool = False,
        groups: int | None = None,
        without: int | None = None,
        exclude: Hashable | None = None,
    ) -> int:
        """Fire a shot, and return its number.

        Args:
            x: Where it starts, in world units.
            y: Where it starts.
            aim: The place that it flies to, and beyond; see `intercept`.
            speed: In world units per unit of time.
            life: How long it flies. `math.inf` for one that only units and walls end.
            width: How wide it is; walls meet its middle.
            pierce: How many units it flies through, before it ends at the next.
            splash: The radius of the circle in which it hits all units where it ends.
            delay: How long it flies over units and walls. With the `life` of the way to its aim, it
                is a mortar shell.
            damage: How much damage it does, at least 0.
            target: The unit that it is meant for, or None. It may hit others.
            homing: Whether it turns to its target.
            groups: A mask: it hits units in these groups. None means the `groups` of the
                `Projectiles`.
            without: A mask: it flies through units in any of these groups. None as for `groups`.
            exclude: A unit that it does not hit, such as the one that fires.

        Raises:
            KeyError: The target or the excluded unit is not in the tree.
            ValueError: A number is not finite or out of range, or a homing shot has no target.
        """
        place, goal = checked_point((x, y), "x and y"), checked_point(aim, "aim")
        at = NONE if target is None else slot_of(self._tree, target, "target")
        skip = NONE if exclude is None else slot_of(self._tree, exclude, "exclude")
        options = {"width": width, "splash": splash, "delay": delay, "damage": damage}
        options = {name: checked_at_least(0, value, name) for name, value in options.items()}
        found = self.fire_many(
            [place], [goal], speed, life=life, pierce=whole(pierce, "pierce"), targets=[at],
            homing=homing, groups=groups, without=without, exclude=[skip], **options,
        )  # fmt: skip
        return int(found[0])

    def fire_many(
        self,
        xy: ArrayLike,
        aim: ArrayLike,
        speed: ArrayLike,
        *,
        life: ArrayLike,
        width: ArrayLike = 0.0,
        pierce: ArrayLike = 0,
        splash: ArrayLike = 0.0,
        delay: ArrayLike = 0.0,
        damage: ArrayLike = 0.0,
        targets: ArrayLike | None = None,
        homing: ArrayLike = False,
        groups: ArrayLike | None = None,
        without: ArrayLike | None = None,
        exclude: ArrayLike | None = None,
    ) -> Numbers:
        """Fire many shots, as `fire` does.

        Args:
            xy: Where they start, (n, 2).
            aim: The places that they fly to, (n, 2).
            speed: One number for all, or (n,); so are all arguments below.
            life: How long they fly.
            width: How wide they are.
            pierce: How many units they fly through.
            splash: The radius in which they hit all units where they end.
            delay: How long they fly over units and walls.
            damage: How much damage they do.
            targets: The slots of the units that they are meant for, (n,); -1 for none.
            homing: Whether they turn to their targets.
            groups: Masks: they hit units in these groups.
            without: Masks: they fly through units in any of these groups.
            exclude: The slots of units that they do not hit, (n,); -1 for none.

        Returns:
            The numbers of the shots, (n,) int64.

        Raises:
            ValueError: As `fire`, shapes that do not fit, or a number is not the slot of a unit.
                Nothing is fired then.
        """
        starts = checked_points(xy)
        n = len(starts)
        way = checked_points(aim, n, "aim") - starts
        length = lengths(way)[:, None]
        moving, traits = np.empty((n, MOVING)), np.empty((n, TRAITS))
        moving[:, X : Y + 1] = starts
        moving[:, UX : UY + 1] = np.divide(way, length, np.zeros((n, 2)), where=length > 0)
        for part, column, name, values, most in (
            (moving, LIFE, "life", life, inf),
            (moving, DELAY, "delay", delay, inf),
            (traits, SPEED, "speed", speed, MAX_COORDINATE),
            (traits, RADIUS, "width", width, MAX_COORDINATE),
            (traits, SPLASH, "splash", splash, MAX_COORDINATE),
            (traits, AMOUNT, "damage", damage, MAX_COORDINATE),
        ):
            part[:, column] = checked_amounts(values, n, name, most)
        traits[:, RADIUS] /= 2.0
        ints = np.empty((n, INTS), np.int64)
        ints[:, PIERCE] = _each(pierce, n, "pierce", np.int64, MOST_PIERCED)
        ints[:, GROUPS] = mask_at(self._groups if groups is None else groups, n, "groups")
        ints[:, WITHOUT] = mask_at(self._without if without is None else without, n, "without")
        ints[:, TARGET], ints[:, SERIAL] = self._lives(targets, n, "targets")
        ints[:, HOMING] = _each(homing, n, "homing", np.bool_, 1)
        if (aimless := (ints[:, HOMING] != 0) & (ints[:, TARGET] == NONE)).any():
            raise ValueError(f"homing shots need targets, got none in row {int(aimless.argmax())}")
        spared = self._lives(exclude, n, "exclude")
        with self._turns:
            self._send(Room(moving, traits, ints), *spared)
        return ints[:, NUMBER].copy()

    def _send(self, new: Room, spared: Any, serials: Any) -> None:
        """Add shots, and the damage under way, in a turn."""
        state, ints = self._state, new.ints
        ints[:, NUMBER] = np.arange(state.next, state.next + len(ints))
        past = np.column_stack([ints[:, NUMBER], serials])[spared != NONE]
        ints[:, SENT] = NONE
        changes: list[Callable[[], Any]] = []
        rows = np.flatnonzero(ints[:, TARGET] != NONE)
        if self._damage is not None and len(rows):
            ints[rows, SENT] = np.arange(self._damage._next, self._damage._next + len(rows))
            amounts = new.traits[rows, AMOUNT].tolist()
            changes = self._damage._sending(ints[rows, TARGET].tolist(), amounts)
        call_all([*changes, partial(setattr, self, "_state", state.extended(new, past))])

    def _lives(self, slots: ArrayLike | None, n: int, name: str) -> tuple[Any, Any]:
        """Return n slots with the serials of their units, -1 and -1 for none."""
        if slots is None:
            return np.full(n, NONE), np.full(n, NONE)
        checked = unit_slots(self._tree, slots, name, or_none=True)
        if len(checked) != n:
            raise ValueError(f"{name} must be {n} slots, got {len(checked)}")
        return checked, self._tree.serial_many(checked)

    def remove(self, shot: int) -> None:
        """Remove a shot, which hits nothing and has no splash.

        Raises:
            ValueError: The shot is not in flight.
        """
        self.remove_many([whole(shot, "shot")])

    def remove_many(self, shots: ArrayLike) -> None:
        """Remove many shots, as `remove` does.

        Args:
            shots: Their numbers, (n,).

        Raises:
            ValueError: A shot is not in flight. Nothing is removed then.
        """
        given = checked_numbers(shots, "shots")
        with self._turns:
            state = self._state
            unknown = ~np.isin(given, state.ints[:, NUMBER])
            if unknown.any():
                raise ValueError(f"shots must be in flight, got {given[unknown][0]}")
            over = np.isin(state.ints[:, NUMBER], given)
            self._become(state.without(over), state.ints[over, SENT])

    # -- flying ---

    def step(
        self, time: float = 1.0, walls: StaticQuadtree | MergedWalls | WallHits | None = None
    ) -> Impacts:
        """Let all shots fly, and return what they hit, in order of time.

        Cost: 10,000 shots on ordinary ground take 1.5 to 4 ms. Where thousands of units stand in a
        heap, it takes 0.5 to 3 us a shot, most of it to find who of those near comes first; and
        once a step, 0.3 us a unit of the tree to sort them by place.

        Args:
            time: How long, in the unit of their speeds.
            walls: What stops shots: a `StaticQuadtree`, or `Walls` or a `LineOfSight` of
                `tilequad.nav`. A unit in front of a wall, or flush with it, is hit first. A shot
                that starts in a wall ends there; out of one that only stops looks it flies.

        Raises:
            RuntimeError: The tree is being changed, or `walls` fire or remove shots.
            TypeError: `walls` has none of these types.
            ValueError: `time` is negative or not finite. If a step raises anything, or Ctrl-C cuts
                it, no shot has moved.
        """
        with self._turns:
            state, room, self._spare = self._state, self._spare, None
            if room is None or len(room.ints) < state.n:
                room = Room.of(len(state.room.ints))
            flight = Flight(self._tree, state, checked_at_least(0, time, "time"), walls, room)
            hits = Impacts(*flight.impacts())
            if self._state is not state:
                raise RuntimeError("cannot unpack shots while they fly")
            self._become(flight.after(), state.ints[flight.landed, SENT], state.room)
        return hits

    def _become(self, news: State, ended: Numbers, spare: Room | None = None) -> None:
        """Take over other shots, and end some of the damage under way."""
        changes = [] if self._damage is None else self._damage._ending(ended.tolist())
        takes = [("_state", news), ("_spare", spare)]
        call_all([*(partial(setattr, self, *take) for take in takes), *changes])

    def __getstate__(self) -> dict[str, Any]:
        # A copy must not write to the same memory.
        state = self._state
        own = State(state.taken(slice(None)), *state[1:])
        return {**self.__dict__, "_state": own, "_spare": None}

    # -- for `pack` and `unpack` ---

    _kind = PROJECTILES

    def _packed(self, slots: int) -> dict[str, memoryview]:
        state = self._state
        ints = state.ints.copy()
        alive = self._tree.serial_many(ints[:, TARGET].astype(np.int32)) == ints[:, SERIAL]
        ints[~alive, TARGET] = ints[~alive, SERIAL] = NONE
        return {
            "listed": row_from("q", ints[:, NUMBER]),
            "next": row_from("q", [state.next]),
            "unused": row_from("q", state.past[:, 0]),
            "ints": row_from("q", ints[:, PIERCE:].ravel()),
            "moving": row_from("d", state.moving.ravel()),
            "traits": row_from("d", state.traits.ravel()),
            "past": row_from("q", state.past[:, 1]),
        }

    def _read(self, reader: RowReader, tree: DynamicQuadtree[Any]) -> Callable[[], None]:
        numbers = np.array(reader.take("listed", "q"), np.int64)
        n, next_number = len(numbers), reader.take("next", "q", 1)[0]
        shots = np.array(reader.take("unused", "q"), np.int64)
        rest = np.array(reader.take("ints", "q", (INTS - 1) * n), np.int64).reshape(n, INTS - 1)
        ints = np.column_stack([numbers, rest])
        moving = np.array(reader.take("moving", "d", MOVING * n)).reshape(n, MOVING)
        traits = np.array(reader.take("traits", "d", TRAITS * n)).reshape(n, TRAITS)
        past = np.array(reader.take("past", "q", len(shots)), np.int64)
        reader.end()
        need(0 <= next_number < MOST_SHOTS, "the number of shots")
        listed = np.concatenate(([NONE], numbers, [next_number]))
        need_all(listed[1:] > listed[:-1], "the order of shots")
        need(bool((shots[1:] >= shots[:-1]).all() and np.isin(shots, numbers).all()), "a hit")
        room = Room(moving, traits, ints)
        state = State(room, n, in_order(np.column_stack([shots, past])), next_number)
        _check(state, tree)
        return partial(setattr, self, "_state", state)


def _check(state: State, tree: DynamicQuadtree[Any]) -> None:
    """Refuse shots that cannot be, from bytes."""
    moving, traits, ints = state.room
    need_all(np.abs(moving[:, : Y + 1]) <= MAX_COORDINATE, "the place of a shot")
    need_all(np.abs(moving[:, UX : UY + 1]) <= 1.0, "the direction of a shot")
    need_all(moving[:, LIFE:] >= 0.0, "the life of a shot")
    need_all((traits >= 0.0) & (traits <= MAX_COORDINATE), "the flight of a shot")
    need_all((ints[:, PIERCE] >= 0) & (ints[:, PIERCE] <= MOST_PIERCED), "a shot")
    masks = ints[:, GROUPS : WITHOUT + 1]
    need_all((masks >= -(2**31)) & (masks < 2**31), "the groups of a shot")
    slots, most = ints[:, TARGET], slots_of(store_of(tree))
    need_all((slots >= NONE) & (slots < most), "the target of a shot")
    serials = tree.serial_many(slots.astype(np.int32))
    need_all(serials == ints[:, SERIAL], "the target of a shot")


def _each(values: ArrayLike, n: int, name: str, kind: Any, most: int) -> NDArray[Any]:
    """Return n whole numbers from 0 to `most`, or n of True and False, given as one or n."""
    given = own_array(values, name, None)
    if given.shape not in ((), (n,)):
        raise ValueError(f"{name} must be one number or {n}, got shape {given.shape}")
    if given.dtype.kind not in ("b" if kind is np.bool_ else "iu"):
        words = "True or False" if kind is np.bool_ else "whole numbers"
        raise TypeError(f"{name} must be {words}, got {shown(values)}")
    if given.size and not (given.min() >= 0 and given.max() <= most):
        wrong = given[~((given >= 0) & (given <= most))][0]
        raise ValueError(f"{name} must be from 0 to {most}, got {wrong}")
    return given
