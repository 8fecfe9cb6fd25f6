"""What the tests of both hosts share: the same class has the same face, and minimaps their fog."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
from numpy.typing import NDArray

BLACK_SHARE = 1 - np.array([255, 150, 0]) / 255  # of light that unseen, seen before, seen now keep


def expected_fog(fog: Any, team: int, minimap: Any, y_up: bool) -> NDArray[np.float64]:
    """How much light each pixel of a minimap keeps, cell by cell, (height, width)."""
    frame, states = fog.grid.frame, fog.states(team)
    places = {}
    for row in range(frame.rows):
        for column in range(frame.columns):
            places[row, column] = np.add(
                frame.origin, np.multiply(frame.across, column) + np.multiply(frame.down, row)
            )
    side = abs(frame.across[0]) / 2, abs(frame.down[1]) / 2
    light = np.zeros((minimap.height, minimap.width))
    for y in range(minimap.height):
        for x in range(minimap.width):
            point = minimap.world_at(x + 0.5, (minimap.height - y - 0.5) if y_up else y + 0.5)
            assert point is not None
            for cell, place in places.items():
                if (np.abs(np.subtract(point, place)) < side).all():
                    light[y, x] = BLACK_SHARE[states[cell]]
    return light


def face(owner: type) -> dict[str, Any]:
    """The public names of a class, and the arguments of each method but what hosts differ in."""
    hosts = ("self", "target", "bottom", "top", "pixelated", "filter")
    found: dict[str, Any] = {"()": arguments(owner.__init__, hosts)}
    for name in dir(owner):
        if not name.startswith("_"):
            value = getattr(owner, name)
            found[name] = arguments(value, hosts) if callable(value) else "property"
    return found


def arguments(function: Any, without: tuple[str, ...]) -> list[tuple[str, Any]]:
    """Names and defaults of the arguments of a function."""
    parameters = inspect.signature(function).parameters.values()
    return [(one.name, one.default) for one in parameters if one.name not in without]
