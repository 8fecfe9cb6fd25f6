# The C side of inspection.py.

from tilequad.quadtree._core.box_store cimport BoxStore
from tilequad.quadtree._core.layout cimport (
    CHILD, COUNT, ENTRY, FIRST, GROUPS, LEAF, MAX_X, MAX_Y, MIN_X, MIN_Y, RECORD, place_of,
)
from tilequad.quadtree._core.nodes cimport Nodes
from tilequad.quadtree._core.unit_store cimport UnitStore
