"""The digest of a tree: a few bytes that tell whether two trees are the same."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import numpy as np

from tilequad._core.tree.units import UnitStore


def digest_of(units: UnitStore, slots_by_item: dict[Any, int]) -> bytes:
    """Return 16 bytes that depend on all units of a store; the dict is in the order of adding.

    They do not depend on the shape of the tree, nor on the machine.
    """
    slots = np.array(list(slots_by_item.values()), np.int32)
    by_slot = np.argsort(slots)  # this is also each unit's rank in the order of adding
    ascending = slots.take(by_slot)
    digest = blake2b(digest_size=16)
    for row, kind in (
        (by_slot, "<i8"),
        (units.serials(ascending.data), "<i8"),
        (units.positions(ascending), "<f8"),
        (units.sizes(ascending), "<f8"),
        (units.groups(ascending), "<i4"),
    ):
        digest.update(row.astype(kind).tobytes())
    return digest.digest()
