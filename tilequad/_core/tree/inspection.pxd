# The C side of inspection.py.

from tilequad._core.tree.boxes cimport BoxStore
from tilequad._core.tree.layout cimport (
    CHILD, COUNT, ENTRY, FIRST, GROUPS, LEAF, MAX_X, MAX_Y, MIN_X, MIN_Y, RECORD, place_of,
)
from tilequad._core.tree.nodes cimport Nodes
from tilequad._core.tree.units cimport UnitStore
