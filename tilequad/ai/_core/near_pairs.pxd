# The C side of near_pairs.py: its signatures, in the order of that file.

from tilequad.quadtree._core.buffers cimport IntBuffer
from tilequad.quadtree._core.layout cimport (
    CHILD, COUNT, FIRST, GROUPS, MAX_X, MAX_Y, MIN_X, MIN_Y, PAIR_STACK, place_of,
)
from tilequad.quadtree._core.nodes cimport Nodes
from tilequad.quadtree._core.unit_store cimport UnitStore

cdef double GAP

cdef int find_near(UnitStore units, IntBuffer found, int groups, int others) except -1
cdef bint may_be_near(Nodes nodes, int p, int q, int wanted) noexcept nogil
cdef int near_in_leaf(UnitStore units, int q, IntBuffer found, int groups,
                      int others) except -1 nogil
cdef int near_of_leaves(UnitStore units, int p, int q, IntBuffer found, int groups,
                        int others) except -1 nogil
