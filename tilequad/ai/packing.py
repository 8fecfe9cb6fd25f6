"""Late join: the tree and the AI around it as bytes that a stranger may send."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from functools import partial
from typing import Any, Protocol

from tilequad._core.shown import shown
from tilequad._core.tree.rows import (
    CELLS,
    HEAD,
    KINDS,
    MARCHES,
    VIEWERS,
    RowReader,
    parts_of,
    write_rows,
)
from tilequad._core.tree.units import call_all, slots_of
from tilequad.ai._checks import tree_behind, tree_of
from tilequad.ai.protocols import SpatialIndex
from tilequad.nav import Grid
from tilequad.nav.saved_cells import Cells
from tilequad.quadtree import DynamicQuadtree
from tilequad.quadtree.dynamic import store_of

__all__ = ["pack", "unpack"]


class Part(Protocol):
    """Something about a tree that has a state of its own: `pack` writes it, `unpack` reads it."""

    _kind: int  # of its rows

    def _packed(self, slots: int) -> dict[str, memoryview]:
        """Return the state about a tree with this many slots, for `write_rows`."""

    def _read(self, reader: RowReader, tree: DynamicQuadtree[Any]) -> Callable[[], None]:
        """Check the rows, which are about a tree; return a function that takes them over.

        It raises nothing and runs no Python, so that no signal comes between two parts.
        """


def pack(units: SpatialIndex, *parts: Part | Grid) -> bytes:
    """Return a tree and the state of the AI around it as bytes, for a player who joins late.

    They hold what `to_bytes` of the tree holds, and what the parts have come to know: targets,
    locks, beats and queues of `Targeting`; who holds what in `Claims`, with the groups `taken`; who
    failed when in a `GoalSearch`; the shots of `Damage` and `Projectiles`; zones and who is inside
    in `RangeEvents`; viewers and explored cells of a `Fog`; where the units of an `InfluenceMap`
    were; the orders of a `March`; the members of a `Stagger` and a `TickBudget`.

    With a `Grid` among the parts, they hold which cells are closed, the shapes in cells, their
    costs, and the buildings that stand in the tree; not the map that it was made from, with what
    you have edited there. They do not hold what your own code makes again: the items, the settings
    (distances, policies, functions, goals, seats), lines of sight, fields and paths: with
    `landmarks=False` these find the same ways on both sides. See `unpack`. O(n), and with a grid
    O(cells).

    Args:
        units: The tree, or an object with one in its attribute `tree`.
        parts: What to pack, such as a `Targeting`. `unpack` needs its parts in the same order.

    Raises:
        TypeError: A part cannot be packed.
        ValueError: A part is about another tree, its claims or damage are not among the parts, or a
            grid has buildings in another tree.

    Example:
        >>> from tilequad import DynamicQuadtree
        >>> from tilequad.ai import Claims, Targeting, pack, unpack
        >>> class Game:
        ...     def __init__(self):
        ...         self.units = DynamicQuadtree((0, 0, 100, 100))
        ...         self.aims = Targeting(self.units, max_distance=50, groups=2, lock=True)
        ...         self.claims = Claims(self.units, 4)
        ...         self.parts = [self.units, self.aims, self.claims]
        >>> game, joined = Game(), Game()
        >>> for name, x in {"tower": 50, "orc": 90, "anna": 10, "oak": 12}.items():
        ...     game.units.add(name, x, 50, groups=2 if name == "orc" else 1)
        >>> game.aims.target("tower", now=0)
        'orc'
        >>> game.claims.claim("anna", "oak")
        >>> data, items = pack(*game.parts), list(game.units)
        >>> unpack(data, items, *joined.parts)
        >>> joined.claims.held("anna"), joined.units.digest() == game.units.digest()
        ('oak', True)
    """
    tree = tree_behind(units)
    about = _about(tree, parts)
    slots = slots_of(store_of(tree))
    data = [write_rows(part._kind, part._packed(slots)) for part in about]
    return b"".join((tree.to_bytes(), *data))


def unpack(data: Any, items: Iterable[Hashable], units: SpatialIndex, *parts: Part | Grid) -> None:
    """Let a tree and its parts take over the state that `pack` has written.

    Make the tree and the parts as the packed game did, with the same arguments and on a grid with
    the same cells, unless the grid is a part; what they knew before is replaced. Only a grid whose
    cells have had other costs must be made anew. From then on they do the same as those of the
    packed game, to the last bit, on any machine, compiled or not. Zones and viewers are new
    objects: `list(events)` and `list(fog)` have them in the same order as in the packed game. Shots
    keep their numbers. If a unit was removed after the last update of `RangeEvents`, the next
    update reports None in its place.

    Data from a stranger is safe to read: it is checked first, runs no code, and changes nothing
    unless all of it is right.

    Args:
        data: What `pack` returned, as bytes or anything with a buffer.
        items: The units in the order of `list(tree)`, as for `DynamicQuadtree.from_bytes`.
        units: The tree, or an object with one in its attribute `tree`.
        parts: As many as were packed, of the same classes, in the same order.

    Raises:
        RuntimeError: The tree is being asked, as in a filter.
        TypeError: A part cannot be packed.
        ValueError: The data is cut short, damaged, not from `pack`, or of a version that cannot be
            read; or the items, the parts or the grid do not fit.
    """
    tree = tree_behind(units)
    about = _about(tree, parts)
    blocks = parts_of(data)
    if len(blocks) > 1 and len(blocks) != len(parts) + 1:
        raise ValueError(f"data holds {len(blocks) - 1} parts, but {len(parts)} are given")
    try:
        named = list(items)
    except TypeError:
        raise TypeError(f"items must be the units, got {shown(items)}") from None
    read = DynamicQuadtree.from_bytes(blocks[0] if blocks else b"", named)
    if len(blocks) != len(parts) + 1:
        raise ValueError(f"data holds no parts, but {len(parts)} are given")
    grids = {id(part.grid): part for part in about if isinstance(part, Cells)}
    takers: dict[int, Callable[[], object]] = {}
    for number in sorted(range(len(about)), key=lambda number: about[number]._kind != CELLS):
        part, known = about[number], []
        if part._kind in (VIEWERS, MARCHES) and id(part.grid) in grids:
            known = [grids[id(part.grid)]]  # as it will be
        _check_kind(blocks[number + 1], part._kind, number)
        reader = RowReader(blocks[number + 1], part._kind)
        takers[number] = part._read(reader, read, *known)
    call_all([partial(tree.__setstate__, (named, blocks[0], [])), *takers.values()])


def _check_kind(block: Any, kind: int, number: int) -> None:
    """Refuse a part of another kind than the one that was packed."""
    found = HEAD.unpack_from(block)[2] if len(block) >= HEAD.size else kind  # the reader refuses it
    if found != kind and found in KINDS:
        raise ValueError(f"data holds a {KINDS[found]}, not a {KINDS[kind]} as parts[{number}]")


def _about(tree: DynamicQuadtree[Any], parts: tuple[Any, ...]) -> list[Any]:
    """The parts, checked; a grid with what it holds beside the tree."""
    for part in parts:
        if not isinstance(part, Grid):
            _check_part(part, tree, parts)
    return [Cells(part, tree) if isinstance(part, Grid) else part for part in parts]


def _check_part(part: Any, tree: DynamicQuadtree[Any], parts: tuple[Any, ...]) -> None:
    """Refuse a part that cannot be packed, or whose claims or damage are not among the parts."""
    if not hasattr(part, "_packed"):
        raise TypeError(f"parts must be Targeting, Claims and the like, got {shown(part)}")
    about = getattr(part, "_tree", getattr(part, "units", None))
    if about is not None and tree_of(about) is not tree:
        raise ValueError(f"parts must be about the same tree, got {shown(part)}")
    for name in ("claims", "damage"):
        needed = getattr(part, name, None)
        if needed is not None and id(needed) not in map(id, parts):
            raise ValueError(f"parts must have the {name} of {shown(part)} as well")
