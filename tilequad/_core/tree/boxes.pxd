# The C side of box_store.py: its fields and signatures, in the order of that file.

cimport cython

from tilequad._core.buffers cimport IntBuffer
from tilequad._core.corruption cimport claim
from tilequad._core.tree.layout cimport (
    COUNT, FIRST, GROUPS, INF, MAX_COORDINATE, MAX_X, MAX_Y, MIN_X, MIN_Y, place_of,
)
from tilequad._core.tree.nodes cimport Nodes

cdef double MAX_FLOAT32
cdef double RELATIVE_MARGIN
cdef double ABSOLUTE_MARGIN

@cython.final
cdef class BoxStore:
    cdef Nodes nodes
    cdef const int[::1] ids
    cdef const float[::1] rough
    cdef const double[:, ::1] exact
    cdef bint rounded
    cdef int leaf_size

    cdef bint read_boxes(self, double[:, ::1] centers, float[::1] rough) noexcept nogil
    cdef void round_outward(self, float[::1] rough, Py_ssize_t row) noexcept nogil
    cdef float[::1] by_entry(self, float[::1] rough, float[::1] entries)
    cdef void fit_all(self, int[::1] order) noexcept nogil
    cdef void fit_leaf(self, int q) noexcept nogil
    cdef bint overlaps(self, Py_ssize_t i, double min_x, double min_y, double max_x,
                       double max_y) noexcept nogil
    cdef double distance2(self, Py_ssize_t i, double x, double y, double limit2) noexcept nogil
    cdef void write_box(self, Py_ssize_t i, double* box) noexcept nogil
    cdef bint has_leaves(self, IntBuffer leaves) except -1
    cdef bint is_sound(self) except -1
