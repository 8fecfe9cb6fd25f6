"""Fogs, fields and influence maps as overlays: what those of all hosts take, follow and show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tilequad.draw.arguments import checked_field, checked_fog, checked_influence
from tilequad.draw.cells import checked_soft
from tilequad.draw.overlays import (
    DARKNESS,
    FAR,
    HIGH,
    LOW,
    NEAR,
    Color,
    FieldColors,
    FieldValues,
    Tints,
    checked_colors,
    checked_darkness,
    checked_tints,
)

if TYPE_CHECKING:
    from tilequad.nav import CellFrame, Field, Fog, InfluenceMap

__all__ = ["CellOverlay", "CellsOfField", "CellsOfFog", "CellsOfInfluence"]


class CellOverlay:
    """An overlay of the cells of a grid. The class of a host comes first among the bases."""

    def _begin(self, frame: CellFrame) -> None:
        """Make what the host needs to show cells that lie there."""
        raise NotImplementedError

    def _content(self) -> tuple[object, ...]:
        """Return what is shown, to compare it."""
        raise NotImplementedError


class CellsOfFog(CellOverlay):
    """What a team does not see."""

    def __init__(
        self,
        fog: Fog,
        team: int = 0,
        *,
        soft: float = 1.0,
        darkness: tuple[int, int] = DARKNESS,
    ) -> None:
        self._shades = checked_darkness(darkness)
        self.fog = checked_fog(fog)
        self.team = team
        self._soft = checked_soft(soft)
        self._begin(fog.grid.frame)

    def _content(self) -> tuple[object, ...]:
        return self.fog.revision, self.team

    def _dark(self) -> NDArray[np.float32]:
        """Return how dark each cell is, 0 to 255; raise ValueError if there is no such team."""
        return self._shades.take(self.fog.states(self.team))


class CellsOfField(CellOverlay):
    """How far it is to the goals of a field."""

    def __init__(
        self,
        field: Field,
        *,
        max_distance: float | None = None,
        band: float | None = None,
        near: Color = NEAR,
        far: Color = FAR,
    ) -> None:
        self._given = max_distance, band, near, far
        checked_colors(np.zeros((1, 1), np.float32), *self._given)
        self.field = checked_field(field)
        self._begin(field.grid.frame)

    def _content(self) -> tuple[object, ...]:
        return self.field, self.field.revision

    def _measured(self) -> tuple[FieldValues, FieldColors]:
        """Return the distances and their colors."""
        values = FieldValues.of(self.field.distances)
        return values, checked_colors(values.distances, *self._given)


class CellsOfInfluence(CellOverlay):
    """How great the influence of units is."""

    def __init__(
        self,
        influence: InfluenceMap,
        *,
        full: float | None = None,
        high: Color = HIGH,
        low: Color = LOW,
    ) -> None:
        self._given = full, high, low
        checked_tints(np.zeros((1, 1)), *self._given)
        self.influence = checked_influence(influence)
        self._begin(influence.grid.frame)

    def _content(self) -> tuple[object, ...]:
        return self.influence, self.influence.revision

    def _measured(self) -> tuple[NDArray[np.float64], Tints]:
        """Return the influence on each cell, and its colors."""
        totals = self.influence.totals
        return totals, checked_tints(totals, *self._given)
