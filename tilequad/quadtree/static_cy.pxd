# The C side of static_cy.py: its fields and signatures, in the order of that file.

from tilequad.quadtree.checks_cy cimport (check_distance, check_limits, check_position,
                                              read_bounds)
from tilequad.quadtree.motion_cy cimport box_time
from tilequad.quadtree.nodes_cy cimport Nodes
from tilequad.quadtree.buffer_cy cimport IntBuffer

cdef double INF
cdef int NEAR
cdef double LARGE
cdef double ULP
cdef double TINY
cdef int LEAF_SIZE

cdef class StaticQuadtree(Nodes):
    cdef int[::1] ids
    cdef float[::1] rough
    cdef const double[:, ::1] exact
    cdef bint rounded

    cdef void write_centers(self, double[:, ::1] centers) noexcept nogil
    cdef void round_all(self) noexcept nogil
    cdef void round_outward(self, Py_ssize_t i) noexcept nogil
    cdef int find_in_box(self, IntBuffer found, double min_x, double min_y, double max_x,
                         double max_y) except -1 nogil
    cdef bint overlaps(self, Py_ssize_t i, double min_x, double min_y, double max_x,
                       double max_y) noexcept nogil
    cdef int find_within(self, IntBuffer found, double x, double y, double radius2) except -1 nogil
    cdef double distance2(self, Py_ssize_t i, double x, double y, double limit2) noexcept nogil
    cdef int find_nearest(self, int* hits, double* distances, int* ranks, int k, double x,
                          double y, double least2, double limit2, int after) noexcept nogil
    cdef double touch_time(self, Py_ssize_t i, double x0, double y0, double x1, double y1,
                           double radius) noexcept nogil
