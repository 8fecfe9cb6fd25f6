# The C side of batches_cy.py: its signatures, in the order of that file.

from tilequad.quadtree.buffer_cy cimport IntBuffer
from tilequad.quadtree.pairs_cy cimport Pairs

cdef double INF
cdef int HITS
cdef int CROWD
cdef int BLOCK
cdef int FEW
cdef double ROUNDING
cdef double TINY

cdef class Batches(Pairs):
    cdef int collect_within(self, double[:, ::1] points, double[::1] radii, int[::1] order,
                            int groups, int[::1] counts, IntBuffer found) except -1 nogil
    cdef int collect_around(self, double x, double y, double radius, int groups, Py_ssize_t i,
                            int[::1] counts, IntBuffer found) except -1 nogil
    cdef Py_ssize_t find_crowd(self, double* xs, double* ys, int* slots, double min_x,
                               double min_y, double max_x, double max_y,
                               int groups) noexcept nogil
    cdef int collect_in_boxes(self, double[:, ::1] boxes, int[::1] order, int groups,
                              int[::1] counts, IntBuffer found) except -1 nogil
    cdef void collect_nearest(self, double[:, ::1] points, int[::1] order, double limit2,
                              int groups, int[::1] slots, double[::1] distances) noexcept nogil

cdef Py_ssize_t bundle(double[:, ::1] points, double[::1] radii, int[::1] order, Py_ssize_t start,
                       double* box) noexcept nogil
cdef void sort_out(int[::1] order, int[::1] counts, IntBuffer found, long long[::1] offsets,
                   int[::1] slots) noexcept
