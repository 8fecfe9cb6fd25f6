"""Aiming ahead: where a shot meets a target that moves."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from math import inf, nan
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilequad._core.army.intercepts import fill_meetings, fill_meetings_on
from tilequad._core.array_kinds import Floats
from tilequad._core.arrays import at_slots, checked_amounts, finite_array, finite_points, lengths
from tilequad._core.checks import checked_point, distance_of, number_of, slot_of
from tilequad._core.layout import MAX_COORDINATE
from tilequad._core.shown import shown
from tilequad.ai._checks import Distances, tree_behind, unit_slots
from tilequad.ai.protocols import Course, SpatialIndex
from tilequad.ai.routes import Route

__all__ = ["Lead", "intercept", "intercept_many"]

Meeting: TypeAlias = "tuple[float, float, float]"
Speeds: TypeAlias = "float | Callable[[Any], float] | NDArray[Any]"
Velocities: TypeAlias = "Callable[[Any], Any] | NDArray[Any]"

MOST_LOOKS = 64  # at where a target will be; few need more than ten
NEAR = 1e-9  # of the way of the shot: it meets its target


def intercept(
    x: float,
    y: float,
    speed: float,
    target: tuple[float, float],
    velocity: tuple[float, float] | float,
    *,
    path: Route | Course | None = None,
) -> Meeting | None:
    """Return where to shoot at a target that moves, and when the shot meets it there.

    The shot flies straight, at one speed. Of several such places it is the first in time, but on a
    field perhaps a later one if the target is faster than the shot.

    Args:
        x: The shooter, in world units.
        y: The shooter.
        speed: Of the shot, in world units per unit of time: per tick or per second.
        target: Where the target is now, (x, y).
        velocity: How it moves, (x, y) in world units per unit of time. With `path` a number: how
            fast it follows the path.
        path: The `Route` or the `Field` that the target follows, to its end. It keeps its distance
            to the side of a route; it is where the route is nearest to it. None means that it goes
            straight on.

    Returns:
        The place and the time from now, (x, y, time); None where the shot cannot hit.

    Raises:
        ValueError: A number is not finite, or a speed is negative.

    Example:
        >>> from tilequad.ai import Route, intercept
        >>> intercept(0, 0, 5, target=(0, 40), velocity=(3, 0))
        (30.0, 40.0, 10.0)
        >>> intercept(0, 0, 5, target=(0, 40), velocity=(0, 9)) is None
        True
        >>> route = Route([(0, 0), (6, 0), (6, 8)])
        >>> intercept(6, -6, 2, target=(0, 0), velocity=2, path=route)  # where the road turns
        (6.0, 0.0, 3.0)
    """
    place = checked_point((x, y), "x and y")
    where = checked_point(target, "target")
    given = velocity if path is not None else [checked_point(velocity, "velocity")]
    found = intercept_many(place, number_of(speed, "speed"), [where], given, path=path)
    return None if np.isnan(found[0, 2]) else tuple(found[0].tolist())


def intercept_many(
    xy: ArrayLike,
    speed: ArrayLike,
    target: ArrayLike,
    velocity: ArrayLike,
    *,
    path: Route | Course | None = None,
) -> Floats:
    """Return where to shoot at many targets that move, and when, as `intercept` does for one.

    Cost: less than 30 nanoseconds a target; on a route, a few for each segment on its way as well;
    on a field, four to ten calls of `advance_many`, and up to 64 with a few targets that are nearly
    as fast as their shots.

    Args:
        xy: The shooters, (n, 2), or one for all, (2,).
        speed: Of the shots: one number, or (n,).
        target: Where the targets are now, (n, 2).
        velocity: How they move, (n, 2), or one for all, (2,). With `path`: how fast, one number or
            (n,).
        path: What all of the targets follow; see `intercept`.

    Returns:
        Rows (x, y, time), (n, 3); NaN where a shot cannot hit.

    Raises:
        ValueError: As `intercept`, or shapes that do not fit.

    Example:
        >>> from tilequad.ai import intercept_many
        >>> intercept_many((0, 0), 5, [(0, 40), (0, 40)], [(3, 0), (0, 9)]).tolist()
        [[30.0, 40.0, 10.0], [nan, nan, nan]]
    """
    _check_path(path)
    targets = finite_points(target, "target", MAX_COORDINATE)
    if targets.ndim != 2:
        raise ValueError(f"target must have shape (n, 2), got {targets.shape}")
    n = len(targets)
    shooters, speeds = _points(xy, n, "xy"), _speeds(speed, n, "speed")
    found = np.empty((n, 3))
    if path is None:
        fill_meetings(shooters, speeds, targets, _points(velocity, n, "velocity"), found)
        return found
    paces = _speeds(velocity, n, "velocity")
    if isinstance(path, Route):
        along = path.progress_many(targets)
        offset, ahead = targets - path.at_many(along), path.heading_many(along)
        aside = ahead[:, 0] * offset[:, 1] - ahead[:, 1] * offset[:, 0]
        fill_meetings_on(path._line, shooters, speeds, along, aside, paces, found)
        return found
    return _meetings_on(path, shooters, speeds, targets, paces, found)


class Lead:
    """How the units of a tree move, and how fast their shots fly: so one can aim ahead.

    Give it to a `Targeting`, and no seeker chooses a target that will be out of its range when the
    shot arrives. Ask it where to shoot. It knows nothing but its arguments, which are attributes.

    Args:
        units: The tree with those who shoot and their targets.
        speed: Of the shots, in world units per unit of time: a number, a function of the unit that
            shoots, or an array by its slot.
        velocity: How a target moves, (x, y) in world units per unit of time: a function of the
            target, or an array by its slot, (m, 2). With `path` a number: (m,).
        path: What all targets follow, as for `intercept`.

    Example:
        >>> from tilequad import DynamicQuadtree
        >>> from tilequad.ai import Lead, Targeting
        >>> units = DynamicQuadtree((0, 0, 200, 200))
        >>> for name, x in {"tower": 100, "rider": 140, "rat": 60}.items():
        ...     units.add(name, x, 100, groups=1 if name == "tower" else 2)
        >>> velocity = {"rider": (4.0, 0.0), "rat": (0.0, 1.0)}
        >>> lead = Lead(units, speed=5, velocity=velocity.get)
        >>> archers = Targeting(units, max_distance=60, groups=2, lead=lead)
        >>> archers.target("tower", now=0)  # the rider is gone before an arrow comes
        'rat'
        >>> lead.aim("tower", "rider")
        (300.0, 100.0, 40.0)
    """

    def __init__(
        self,
        units: SpatialIndex,
        speed: Speeds,
        velocity: Velocities,
        path: Route | Course | None = None,
    ) -> None:
        self._tree = tree_behind(units)
        self._units = units
        self.speed, self.velocity, self.path = speed, velocity, path

    def __repr__(self) -> str:
        return f"<Lead of shots at {shown(self.speed)}>"

    @property
    def units(self) -> SpatialIndex:
        """The tree. Read-only."""
        return self._units

    @property
    def speed(self) -> Speeds:
        """How fast shots fly: a number, a function of the unit that shoots, or an array by slot."""
        return self._speed

    @speed.setter
    def speed(self, value: Speeds) -> None:
        if not _is_by_unit(value):
            value = distance_of(value, "speed")
        self._speed = value

    @property
    def velocity(self) -> Velocities:
        """How targets move: a function of the target, or an array by slot."""
        return self._velocity

    @velocity.setter
    def velocity(self, value: Velocities) -> None:
        if not _is_by_unit(value):
            raise TypeError(f"velocity must be a function or an array, got {shown(value)}")
        self._velocity = value

    @property
    def path(self) -> Route | Course | None:
        """What all targets follow; None if they go straight on."""
        return self._path

    @path.setter
    def path(self, value: Route | Course | None) -> None:
        _check_path(value)
        self._path = value

    def aim(self, seeker: Hashable, target: Hashable) -> Meeting | None:
        """Return where a unit must shoot to hit another, as `intercept` does.

        Raises:
            KeyError: One of them is not in the tree.
            ValueError: As `intercept`, or there is no speed or velocity for a unit.
        """
        slots = slot_of(self._tree, seeker, "seeker"), slot_of(self._tree, target, "target")
        found = self.aim_many([slots[0]], [slots[1]])[0]
        return None if np.isnan(found[2]) else tuple(found.tolist())

    def aim_many(self, slots: ArrayLike, targets: ArrayLike) -> Floats:
        """Return where many units must shoot to hit others, as `intercept_many` does.

        Args:
            slots: The slots of those who shoot, (n,).
            targets: The slots of their targets, (n,), as from `Targeting.target_many`.

        Returns:
            Rows (x, y, time), (n, 3); NaN where a shot cannot hit, and where the target is -1.

        Raises:
            ValueError: A number is not the slot of a unit, or as `aim`.
        """
        tree = self._tree
        seekers = unit_slots(tree, slots)
        aimed = unit_slots(tree, targets, "targets", or_none=True)
        if aimed.shape != seekers.shape:
            raise ValueError(f"targets must be {len(seekers)} slots, got {len(aimed)}")
        found = np.full((len(seekers), 3), np.nan)
        rows = np.flatnonzero(aimed >= 0)
        if len(rows):
            ours, theirs = seekers[rows], aimed[rows]
            xy, at = tree.position_many(ours), tree.position_many(theirs)
            # All is read before a function of the game runs: it may change the tree.
            speed, velocity = self._of("speed", ours), self._of("velocity", theirs)
            found[rows] = intercept_many(xy, speed(), at, velocity(), path=self.path)
        return found

    def _of(self, name: str, slots: NDArray[np.int32]) -> Callable[[], Any]:
        """Return what gives the speeds or the velocities of the units in some slots."""
        values = getattr(self, name)
        if isinstance(values, float):
            return lambda: values
        if callable(values):
            units = self._tree.items(slots)
            return lambda: list(map(values, units))
        if len(values) <= slots.max():
            raise ValueError(f"{name} has no row for slot {slots.max()}")
        return lambda: at_slots(values, slots)

    def _reaches(
        self,
        seekers: NDArray[np.int32],
        targets: NDArray[np.int32],
        low: Distances,
        high: Distances,
    ) -> NDArray[np.bool_]:
        """Whether each shot meets its target between two distances from the seeker."""
        xy = self._tree.position_many(seekers)
        far = lengths(self.aim_many(seekers, targets)[:, :2] - xy)
        return (far >= low) & (far <= high)


def _is_by_unit(value: Any) -> bool:
    """Whether this says something of each unit: a function, or an array by slot."""
    return callable(value) or (isinstance(value, np.ndarray) and value.ndim > 0)


def _check_path(path: Any) -> None:
    """Raise TypeError unless a target can follow this."""
    if not (path is None or isinstance(path, Route) or callable(getattr(path, "advance_many", 0))):
        raise TypeError(f"path must be a Route or a Field, got {shown(path)}")


def _points(values: ArrayLike, n: int, name: str) -> Floats:
    """Return n points; one stands for all."""
    given = finite_array(values, name, MAX_COORDINATE)
    if given.size == 0:
        given = given.reshape(0, 2)
    if given.shape not in ((2,), (n, 2)):
        raise ValueError(f"{name} must have shape ({n}, 2) or (2,), got {given.shape}")
    return np.broadcast_to(given, (n, 2))


def _speeds(values: ArrayLike, n: int, name: str) -> Floats:
    """Return n numbers of at least 0; one stands for all."""
    return np.broadcast_to(checked_amounts(values, n, name), (n,))


def _meetings_on(
    path: Course, shooters: Floats, speeds: Floats, targets: Floats, paces: Floats, found: Floats
) -> Floats:
    """Fill in where shots meet targets on a path that only tells where a step leads.

    The shot is late until it could have flown as far as its target is away. Secants look for a time
    when it is not; then the Illinois method closes in from both sides.
    """
    found[:] = np.nan
    n = len(targets)
    late, early = np.zeros(n), np.full(n, inf)  # the last time when it is late, the first when not
    gap, lead = lengths(targets - shooters), np.full(n, -inf)  # how far it is from the target then
    side, slope = np.zeros(n), -(speeds + paces)
    rows, xy = np.arange(n), targets
    for _ in range(MOST_LOOKS):
        with np.errstate(all="ignore"):
            between = late + gap / (gap - lead) * (early - late)
            time = np.where(early < inf, between, late - gap / slope)
        ok = np.isfinite(time) & (time * np.maximum(paces, speeds)[rows] <= MAX_COORDINATE)
        known: Any = rows, xy, time, late, early, gap, lead, side, slope
        rows, xy, time, late, early, gap, lead, side, slope = (part[ok] for part in known)
        if not len(rows):
            break
        ahead = np.asarray(path.advance_many(xy, paces[rows] * (time - late)))
        flown = speeds[rows] * time
        now = lengths(ahead - shooters[rows]) - flown
        met = np.abs(now) <= NEAR * flown
        found[rows[met], :2], found[rows[met], 2] = ahead[met], time[met]
        is_late = now > 0
        with np.errstate(all="ignore"):
            slope = np.where(is_late & (now < gap), (now - gap) / (time - late), slope)
        # Illinois: an end that stays twice counts half.
        lead = np.where(is_late, np.where(side > 0, lead / 2, lead), now)
        gap = np.where(is_late, now, np.where(side < 0, gap / 2, gap))
        late, early = np.where(is_late, time, late), np.where(is_late, early, time)
        xy, side = np.where(is_late[:, None], ahead, xy), np.where(is_late, 1.0, -1.0)
        slope = np.where(met, nan, slope)  # done: drops out of the next look
        early = np.where(met, inf, early)
    return found
