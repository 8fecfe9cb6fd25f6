"""The inside of both quadtrees: plain Python that Cython compiles where there is a C compiler.

    layout                   names of all offsets, sizes of buffers, the state of a walk
    nodes                    the pool of nodes, and how it is kept up to date
    walk                     from the root to the leaves that a question needs
    unit_store, box_store    the contents of the leaves: units that move, boxes that do not
    within, box, nearest, segment, pairs
                             one verb per file, for units and boxes, single and batch
    motion                   when moving footprints touch
    build, zorder            whole trees from sorted positions
    cell_blocks, cell_walk, region
                             cells of a grid, one bit each, and their order
    questions, batch         many questions in one call
    buffers, results         arrays that grow; small arrays for answers
    arrays, checks           checks of arguments
    rows, damage             trees as bytes, and the checks when they are read back
    inspection, digest       nodes as a table, statistics, invariants; all units in a few bytes

A file with a `.pxd` of the same name is compiled, except layout. Nothing here is public.
"""

from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES

_NAMES = (
    *("batch", "box", "box_store", "buffers", "build", "cell_blocks", "cell_walk", "checks"),
    *("damage", "inspection", "motion", "nearest", "nodes", "pairs", "questions", "results"),
    *("region", "rows", "segment", "unit_store", "walk", "within", "zorder"),
)
_MODULES = tuple(import_module(f"{__name__}.{name}") for name in _NAMES)


def is_compiled(module: object) -> bool:
    """Whether a module was loaded from C rather than from its Python file."""
    return str(getattr(module, "__file__", "")).endswith(tuple(EXTENSION_SUFFIXES))


#: Whether every module of the core is compiled.
COMPILED = all(map(is_compiled, _MODULES))
