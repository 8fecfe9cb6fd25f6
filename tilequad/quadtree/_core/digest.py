"""The digest of a tree: a few bytes that tell whether two trees are the same."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np

from tilequad.quadtree._core.unit_store import UnitStore


def digest_of(units: UnitStore, slots: np.ndarray) -> bytes:
    """16 bytes that depend on all that a store tells of its units; `slots` by the order of adding.

    The shape of the tree is left out, and so is all that depends on the machine.
    """
    by_slot = np.argsort(slots)  # also the rank of each in the order of adding
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
