# The C side of near_pairs.py: its signatures, in the order of that file.

from tilequad._core.army.bodies cimport PUSHED, PUSHES, Bodies
from tilequad._core.buffers cimport IntBuffer
from tilequad._core.tree.layout cimport (
    CHILD, GROUPS, MAX_X, MAX_Y, MIN_X, MIN_Y, PAIR_STACK, place_of,
)
from tilequad._core.tree.nodes cimport Nodes

cdef double GAP

cdef int find_near(Bodies bodies, Nodes nodes, IntBuffer found) except -1
cdef bint may_be_near(Nodes nodes, int p, int q, int wanted) noexcept nogil
cdef int near_in_leaf(Bodies bodies, Nodes nodes, int q, IntBuffer found) except -1 nogil
cdef int near_of_leaves(Bodies bodies, Nodes nodes, int p, int q, IntBuffer found) except -1 nogil
cdef int append_near(Bodies bodies, int i, int begin, int end, double reach,
                     IntBuffer found) except -1 nogil
