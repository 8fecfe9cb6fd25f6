# The C side of many_cy.py: its fields and signatures, in the order of that file.

from tilequad.quadtree.buffer_cy cimport IntBuffer
from tilequad.quadtree.checks_cy cimport check_distance, check_limits, mask_of
from tilequad.quadtree.pairs_cy cimport Pairs

cdef double INF
cdef int HITS

cdef class Many(Pairs):
    cdef readonly object bounds
    cdef dict _slots
    cdef list _items

    cdef int collect_within(self, double[:, ::1] points, double[::1] radii, int[::1] order,
                            int groups, int[::1] counts, IntBuffer found) except -1 nogil
    cdef int collect_in_boxes(self, double[:, ::1] boxes, int[::1] order, int groups,
                              int[::1] counts, IntBuffer found) except -1 nogil
    cdef void collect_nearest(self, double[:, ::1] points, int[::1] order, double limit2,
                              int groups, int[::1] slots, double[::1] distances) noexcept nogil

cdef void sort_out(int[::1] order, int[::1] counts, IntBuffer found, long long[::1] offsets,
                   int[::1] slots) noexcept
