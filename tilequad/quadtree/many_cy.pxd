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

    cdef int collect_within(self, double[:, ::1] points, double[::1] radii, int low, int high,
                            int groups, int[::1] counts, IntBuffer found) except -1 nogil
    cdef int collect_in_boxes(self, double[:, ::1] boxes, int low, int high, int groups,
                              int[::1] counts, IntBuffer found) except -1 nogil
    cdef void collect_nearest(self, double[:, ::1] points, double limit2, int low, int high,
                              int groups, int[::1] slots, double[::1] distances) noexcept nogil
