# The C side of nodes.py: its fields and signatures, in the order of that file.

cimport cython

from tilequad._core.buffers cimport IntBuffer
from tilequad._core.tree.layout cimport (
    ALL_GROUPS, CHILD, COUNT, FIRST, GROUPS, INF, MAX_X, MAX_Y, MIN_X, MIN_Y, place_of,
)

@cython.final
cdef class Nodes:
    cdef double[::1] box
    cdef int[::1] links
    cdef float[::1] reach
    cdef int[::1] common
    cdef double[::1] cell
    cdef double[::1] split
    cdef int[::1] parent
    cdef int capacity
    cdef int used
    cdef int free
    cdef int live
    cdef int max_depth

    cdef int clear(self) except -1
    cdef int add_node(self, int q, double x, double y) except -1
    cdef int reserve_one(self) except -1
    cdef void free_node(self, int n) noexcept nogil
    cdef bint is_live(self, int n) noexcept nogil
    cdef void clear_leaf(self, int q) noexcept nogil
    cdef int leaf_at(self, double x, double y) noexcept nogil
    cdef int leaf_from(self, int q, double x, double y) noexcept nogil
    cdef int leaf_below(self, int n, double x, double y) noexcept nogil
    cdef bint in_cell(self, int q, double x, double y) noexcept nogil
    cdef void write_cell(self, int q, double* cell) noexcept nogil
    cdef bint may_split(self, int q) noexcept nogil
    cdef void extend(self, int q, double x, double y, float reach, int groups) noexcept nogil
    cdef bint update_parent(self, int n) noexcept nogil
    cdef void update_parents(self, int n) noexcept nogil
    cdef int write_preorder(self, int[::1] order) noexcept nogil
    cdef void update_all(self, int[::1] order) noexcept nogil
    cdef bint has_numbers(self) noexcept nogil
    cdef bint link_nodes(self, IntBuffer leaves) except -1
    cdef bint is_split(self, int n) noexcept nogil
    cdef bint link_free(self, int[::1] free) noexcept nogil
    cdef void fit_box(self, int q, double[::1] xs, double[::1] ys) noexcept nogil

cdef void write_extent(double[::1] xs, double[::1] ys, int first, int end,
                       double* extent) noexcept nogil
cdef bint choose_split(double[::1] xs, double[::1] ys, int first, int end,
                       double x, double y, double* split) noexcept nogil
