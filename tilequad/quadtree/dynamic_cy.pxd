# The C side of dynamic_cy.py: its fields and signatures, in the order of that file.

from tilequad.quadtree.checks_cy cimport (check_distance, check_limits, check_position,
                                          mask_of, read_bounds)
from tilequad.quadtree.many_cy cimport Many

cdef double INF
cdef double FAR
cdef int HITS
cdef int NEAR

cdef class DynamicQuadtree(Many):
    cdef list touched_by(self, double x0, double y0, double x1, double y1, double half_w,
                         double half_h, int groups, int skip)
    cdef int skip_of(self, object exclude) except -2
    cdef list items_of(self, int* hits, int n, int skip)
