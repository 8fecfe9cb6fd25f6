# The C side of discs.py: its fields and signatures.

cimport cython

from libc.math cimport sqrt

from tilequad._core.army.lookups cimport tree_of
from tilequad._core.buffers cimport IntBuffer
from tilequad._core.tree.layout cimport (
    HITS, INF, Walk, begin_question, end_question, start_counts,
)
from tilequad._core.tree.within cimport begin_within, find_within
from tilequad.quadtree.dynamic cimport DynamicQuadtree

cdef int HERE
cdef int CAUGHT
cdef int PROMISED
cdef double SMALLEST
cdef double HALF_DIAGONAL
cdef double MARGIN
cdef double CELL
cdef double MOST_CELLS

@cython.final
cdef class DiscSearch:
    cdef double[::1] xs
    cdef double[::1] ys
    cdef double[::1] values
    cdef double x
    cdef double y
    cdef double least
    cdef double most
    cdef double radius
    cdef double accuracy
    cdef double best
    cdef double best_x
    cdef double best_y
    cdef int columns
    cdef IntBuffer near

    cdef int search_cells(self, double low_x, double low_y, double side) except -1
    cdef int cell_of(self, double offset, double side) noexcept nogil
    cdef int cut(self, double x, double y, double side, Py_ssize_t start, Py_ssize_t end,
                 double sure) except -1
    cdef bint in_reach(self, double x, double y, double half) noexcept nogil

cdef void weigh(double[::1] xs, double[::1] ys, double[::1] values, int[::1] near,
                Py_ssize_t start, Py_ssize_t end, double x, double y, double half, double reach2,
                double* sums) noexcept nogil
cdef Py_ssize_t keep_near(double[::1] xs, double[::1] ys, int[::1] near, Py_ssize_t start,
                          Py_ssize_t end, double x, double y, double half, double reach2,
                          Py_ssize_t to) noexcept nogil
