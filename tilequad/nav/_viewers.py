"""The viewers of a fog: their numbers, their teams, and the units that some of them follow."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilequad._core.checks import distance_of
from tilequad._core.shown import shown

__all__ = ["Reach", "Viewer", "Viewers", "checked_reach"]

#: How far a viewer sees: in world units, or in cells.
Reach: TypeAlias = tuple[float | None, float | None]

MOST_VIEWERS = 65_534  # of one team: a cell counts in 16 bits, and a moving viewer counts twice


class Viewer:
    """Sees for a team, from a unit or a place. Made by `Fog.add` and `Fog.follow`.

    Its attributes are read-only; `Fog` changes them.
    """

    __slots__ = ("_item", "_number", "_over_walls", "_position", "_reach", "_team")

    _item: Any | None
    _position: tuple[float, float] | None
    _team: int
    _reach: Reach
    _over_walls: bool
    _number: int

    def __init__(self) -> None:
        raise TypeError("viewers are made by Fog.add and Fog.follow")

    @property
    def item(self) -> Any | None:
        """The unit that the viewer follows, or None."""
        return self._item

    @property
    def position(self) -> tuple[float, float] | None:
        """The place (x, y), or None if the viewer follows a unit."""
        return self._position

    @property
    def team(self) -> int:
        """The team that it sees for."""
        return self._team

    @property
    def radius(self) -> float | None:
        """How far it sees, in world units; None if that is given in cells."""
        return self._reach[0]

    @property
    def radius_in_cells(self) -> float | None:
        """How far it sees, in cells; None if that is given in world units."""
        return self._reach[1]

    @property
    def over_walls(self) -> bool:
        """Whether it sees over opaque cells."""
        return self._over_walls

    def __repr__(self) -> str:
        where = self._position if self._item is None else self._item
        radius, in_cells = self._reach
        far = f"{in_cells:g} cells" if radius is None else f"{radius:g}"
        return f"<Viewer {self._number} at {where!r}: team {self._team}, sees {far}>"


class Viewers:
    """The viewers of a fog.

    Args:
        teams: The number of teams.

    Attributes:
        all: The viewers, in the order they were added.
        members: The number of viewers of each team.
    """

    def __init__(self, teams: int) -> None:
        self.all: dict[Viewer, None] = {}
        self.members = [0] * teams
        self._free: list[int] = []  # free numbers, left by removed viewers
        self._by_number: list[Viewer | None] = []
        self._slots = np.empty(0, np.int32)  # by number: the slot of the unit, or -1
        self._serials = np.empty(0, np.int64)

    def made(
        self,
        item: Any | None,
        position: tuple[float, float] | None,
        team: int,
        reach: Reach,
        over_walls: bool,
    ) -> tuple[Viewer, int]:
        """Return a new viewer and its number, for `keep`."""
        self.check_room(team)
        viewer = object.__new__(Viewer)
        viewer._item, viewer._position = item, position
        viewer._team, viewer._reach, viewer._over_walls = team, reach, over_walls
        viewer._number = self._free[-1] if self._free else len(self._by_number)
        if viewer._number >= len(self._serials):
            more = viewer._number + 8
            self._slots = np.append(self._slots, np.full(more, -1, np.int32))
            self._serials = np.append(self._serials, np.full(more, -1, np.int64))
        return viewer, viewer._number

    def keep(self, viewer: Viewer, slot: int, serial: int) -> None:
        """Add a viewer of `made`, with the slot and serial of the unit that it follows, or -1."""
        number = viewer._number
        if self._free:
            self._free.pop()
            self._by_number[number] = viewer
        else:
            self._by_number.append(viewer)
        self._slots[number], self._serials[number] = slot, serial
        self.members[viewer._team] += 1
        self.all[viewer] = None

    @classmethod
    def again(cls, teams: int, rows: Iterable[tuple[Any, ...]], unused: list[int]) -> Viewers:
        """Return viewers with the numbers that they had.

        A row is a number, a slot and a serial as for `keep`, and the arguments of `made`.
        """
        rows = list(rows)
        viewers = cls(teams)
        viewers._by_number = [None] * (len(rows) + len(unused))
        for number, slot, serial, *args in rows:
            viewers._free = [number]
            viewers.keep(viewers.made(*args)[0], slot, serial)
        viewers._free = unused
        return viewers

    def lives(self, numbers: NDArray[np.intp]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The slots and the serials of the units that viewers follow, or -1."""
        return self._slots[numbers], self._serials[numbers]

    def unused(self) -> list[int]:
        """The numbers that removed viewers have left, the next one last."""
        return self._free

    def drop(self, numbers: list[int]) -> None:
        """Remove viewers, all or none of them; their numbers are free again."""
        gone: list[Any] = [self._by_number[number] for number in numbers]
        left = self.all.copy() if len(gone) > 1 else self.all
        for viewer in gone:
            del left[viewer]
        self.all = left
        for viewer in gone:
            self.members[viewer._team] -= 1
            self._by_number[viewer._number] = None
            self._slots[viewer._number] = self._serials[viewer._number] = -1
        self._free += numbers

    def restored(self) -> list[tuple[Viewer, int]]:
        """Derive all else from `all`, after an interrupt; return the viewers and their numbers.

        A viewer is here from the moment it is in `all`, and gone from the moment it is not.
        """
        numbers = {viewer._number: viewer for viewer in self.all}
        self._by_number = [numbers.get(n) for n in range(max(numbers, default=-1) + 1)]
        self._free = [n for n, one in enumerate(self._by_number) if one is None]
        self.members = [0] * len(self.members)
        for viewer in self.all:
            self.members[viewer._team] += 1
        unused = np.ones(len(self._slots), bool)
        unused[list(numbers)] = False
        self._slots[unused] = -1
        return [(viewer, number) for number, viewer in numbers.items()]

    def number(self, viewer: Viewer) -> int:
        """The number of a viewer; raise KeyError if it is not here."""
        if viewer not in self.all:
            raise _gone(viewer)
        return viewer._number

    def standing(self, viewer: Viewer) -> int:
        """The number of a viewer; raise ValueError if it follows a unit, KeyError as `number`."""
        if viewer not in self.all:
            raise _gone(viewer)
        if viewer._position is None:
            raise ValueError(f"viewer must stand at a place, but it follows {shown(viewer._item)}")
        return viewer._number

    def reach(self, viewer: Viewer) -> Reach:
        """How far a viewer sees."""
        return viewer._reach

    def rows(self) -> list[tuple[int, int, Reach, bool]]:
        """Number, team, reach and whether it sees over walls, of each viewer."""
        return [(one._number, one._team, one._reach, one._over_walls) for one in self.all]

    def check_room(self, team: int) -> None:
        """Raise ValueError if a team has no room for one viewer more."""
        if self.members[team] >= MOST_VIEWERS:
            raise ValueError(f"team {team} must have at most {MOST_VIEWERS:,} viewers")

    def move(self, viewer: Viewer, position: tuple[float, float]) -> None:
        """Change the place of a viewer."""
        viewer._position = position

    def change(self, viewer: Viewer, team: int | None, reach: Reach | None) -> None:
        """Change for whom a viewer sees, and how far; None for as it is."""
        if reach is not None:
            viewer._reach = reach
        if team is not None:
            self.members[viewer._team] -= 1
            self.members[team] += 1
            viewer._team = team

    def followers(self) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
        """The viewers that follow units: their numbers, and the units' slots and serials."""
        numbers = np.flatnonzero(self._slots >= 0).astype(np.int32)
        return numbers, self._slots.take(numbers), self._serials.take(numbers)


def _gone(viewer: Any) -> KeyError:
    """The error for a viewer that is not here."""
    return KeyError(f"viewer must be of this fog and not have ended, got {shown(viewer)}")


def checked_reach(radius: Any, in_cells: Any) -> Reach:
    """How far a viewer sees, in world units or in cells."""
    if (radius is None) == (in_cells is None):
        raise TypeError(
            "either radius or radius_in_cells must be given, "
            f"got {shown(radius)} and {shown(in_cells)}"
        )
    if in_cells is None:
        return distance_of(radius, "radius"), None
    return None, distance_of(in_cells, "radius_in_cells")
