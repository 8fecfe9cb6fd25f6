# The C side of pairs.py: its signatures, in the order of that file.

from tilequad._core.buffers cimport IntBuffer
from tilequad._core.tree.layout cimport (
    ALL_GROUPS, CHILD, COUNT, ENTRY, FIRST, GROUPS, MAX_X, MAX_Y, MIN_X, MIN_Y, ORDER, PAIR_STACK,
    REACHING_POINT, RECORD, Walk, place_of, start_counts,
)
from tilequad._core.tree.nodes cimport Nodes
from tilequad._core.tree.units cimport UnitStore
from tilequad._core.tree.walk cimport begin, next_span

cdef int find_pairs(UnitStore units, Walk* walk, IntBuffer found, int groups, int others,
                    int without) except -1
cdef bint may_meet(Nodes nodes, Walk* walk, int p, int q, int without) noexcept nogil
cdef int pairs_in_leaf(UnitStore units, Walk* walk, int q, IntBuffer found, int groups,
                       int others, int without) except -1 nogil
cdef int pairs_of_leaves(UnitStore units, Walk* walk, int p, int q, IntBuffer found, int groups,
                         int others, int without) except -1 nogil
cdef int find_partners(UnitStore units, int[::1] slots, int[::1] counts,
                       IntBuffer found) except -1 nogil
