"""The traits of a cell: all of it in one number, for who changes a grid, saves or compares it.

The lowest byte is the code of its cost. Then come OPAQUE_TRAIT if it stops looks, and the kinds of
the shapes in it that stop walkers, and looks: see `Pieces`.

Never compiled: numpy does the work.
"""

from __future__ import annotations

from typing import Any

import numpy as np

OPAQUE_TRAIT = 256  # more than any code
WALK_SHIFT, LOOK_SHIFT = 16, 40  # the bits where kinds begin
KIND_MASK = (1 << 24) - 1
LOOK_BITS = OPAQUE_TRAIT | KIND_MASK << LOOK_SHIFT


def traits_from(codes: np.ndarray, clear: np.ndarray, *kinds: np.ndarray) -> np.ndarray:
    """The traits of cells, by what a ground knows of them; without kinds, no cell holds shapes."""
    traits = codes + np.uint64(OPAQUE_TRAIT) * (clear == 0)
    for own, shift in zip(kinds, (WALK_SHIFT, LOOK_SHIFT), strict=False):
        traits += own.clip(0).astype(np.uint64) << np.uint64(shift)
    return traits


def kinds_from(traits: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What stops walkers, and looks: 0 for a whole cell, the kind of its shapes, or -1."""
    solid = (traits & np.uint64(OPAQUE_TRAIT - 1)) == 0, (traits & np.uint64(OPAQUE_TRAIT)) != 0
    walk, look = (
        np.where(stops | (kind > 0), kind, -1)
        for stops, kind in zip(solid, kind_numbers(traits), strict=True)
    )
    return walk, look


def kind_numbers(traits: np.ndarray) -> list[np.ndarray]:
    """The kinds of the shapes that stop walkers, and looks; 0 for none."""
    shifts = np.uint64(WALK_SHIFT), np.uint64(LOOK_SHIFT)
    return [(traits >> shift & np.uint64(KIND_MASK)).astype(np.int32) for shift in shifts]


def with_kinds(traits: np.ndarray, kinds: np.ndarray) -> np.ndarray:
    """Traits with other kinds, by the kinds that they have."""
    walk, look = (kinds.astype(np.uint64)[own] for own in kind_numbers(traits))
    others = np.bitwise_and(traits, np.uint64((1 << WALK_SHIFT) - 1))
    return others | walk << np.uint64(WALK_SHIFT) | look << np.uint64(LOOK_SHIFT)


def look_traits(traits: Any) -> Any:
    """Of traits, what they say of looks: of a closed cell, or beside other codes."""
    return np.bitwise_and(traits, np.uint64(LOOK_BITS))


def other_traits(traits: Any) -> Any:
    """Of traits, all but the codes."""
    return np.bitwise_and(traits, ~np.uint64(OPAQUE_TRAIT - 1))
