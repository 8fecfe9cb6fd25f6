# The C side of walk.py: its signatures, in the order of that file.

cimport cython

from tilequad._core.tree.layout cimport (
    CHILD, COUNT, FIRST, GROUPS, LEAVES, MAX_X, MAX_Y, MIN_X, MIN_Y, NEAR_POINT, NEAR_POINT_BOXED,
    ON_SEGMENT, OVERLAPPING_BOX, POSITION_IN_BOX, PRUNE_MARGIN, REACHING_POINT, Walk, place_of,
)
from tilequad._core.tree.nodes cimport Nodes

cdef double MAX_REACH

@cython.final
cdef class Tally:
    cdef readonly long long nodes
    cdef readonly long long leaves
    cdef readonly long long items_tested
    cdef readonly long long pruned_by_place
    cdef readonly long long pruned_by_group

    cdef void add(self, Walk* walk) noexcept

cdef void begin(Walk* walk, int test, double x0, double y0, double x1, double y1, double limit,
                int groups, int without) noexcept nogil
cdef void begin_near_point(Walk* walk, double x, double y, double radius2, int groups,
                           int without) noexcept nogil
cdef bint next_span(Nodes nodes, Walk* walk) noexcept nogil
cdef void find_leaves(Nodes nodes, Walk* walk) noexcept nogil
cdef void find_near_point(Nodes nodes, Walk* walk) noexcept nogil
cdef void find_near_point_boxed(Nodes nodes, Walk* walk) noexcept nogil
cdef void find_overlapping_box(Nodes nodes, Walk* walk) noexcept nogil
cdef void find_reaching_point(Nodes nodes, Walk* walk) noexcept nogil
cdef void find_position_in_box(Nodes nodes, Walk* walk) noexcept nogil
cdef void find_on_segment(Nodes nodes, Walk* walk) noexcept nogil
cdef void write_distances2(Nodes nodes, Py_ssize_t at, double x, double y,
                           double* distances2) noexcept nogil
cdef double separation(Nodes nodes, Py_ssize_t at, double x, double y, double dx,
                       double dy) noexcept nogil
cdef void count_quadrants(Nodes nodes, Walk* walk, Py_ssize_t at, int* near) noexcept nogil
cdef void count_leaf(Nodes nodes, Walk* walk, int leaf) noexcept nogil
