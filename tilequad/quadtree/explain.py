"""The cost of a question, as counted by its own walk through the tree."""

from __future__ import annotations

from typing import Any, NamedTuple

from tilequad._core.shown import shown
from tilequad._core.tree.walk import Tally


class Explanation(NamedTuple):
    """How much of a tree a question visits, for `explain()`.

    For `pairs`, all counts are of pairs: pairs of leaves, pairs of units, and pairs of parts of the
    tree that cannot meet; only `without` prunes by groups.
    """

    nodes: int
    """Visits to nodes. A nearest search descends to the leaf of its point, then looks around it."""
    leaves: int
    """Leaves that were read; read again if a search that found too few starts over."""
    items_tested: int
    """Units or boxes in those leaves."""
    pruned_by_place: int
    """Parts of the tree pruned because they are too far away. Empty ones are not counted."""
    pruned_by_group: int
    """Parts near enough, but pruned because they hold no unit in a wanted group, or only units that
    share a group to leave out."""
    found: int
    """The number of answers."""


def explanation(
    tree: Any,
    counts: Tally,
    verbs: tuple[str, ...],
    verb: str,
    args: tuple[Any, ...],
    options: dict[str, Any],
) -> Explanation:
    """Ask a tree that counts its visits, and return the counts.

    Raises:
        ValueError: `verb` is not one of `verbs`, or the method raises it.
    """
    if verb not in verbs:
        raise ValueError(f"verb must be one of {', '.join(verbs)}, got {shown(verb)}")
    answer = getattr(tree, verb)(*args, **options)
    if verb == "nearest":
        found = int(answer is not None)
    else:
        found = int(answer) if isinstance(answer, int) else len(answer)
    return Explanation(
        counts.nodes,
        counts.leaves,
        counts.items_tested,
        counts.pruned_by_place,
        counts.pruned_by_group,
        found,
    )
