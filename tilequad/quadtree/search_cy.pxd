# The C side of search_cy.py: its fields and signatures, in the order of that file.

from tilequad.quadtree.motion_cy cimport box_time, disc_time
from tilequad.quadtree.units_cy cimport Units

cdef double INF
cdef double PI
cdef int HITS
cdef int NEAR
cdef int FEW
cdef int MANY

cdef class Search(Units):
    cdef int find_in_box(self, int* stack, int* leaves, int* hits, double min_x, double min_y,
                         double max_x, double max_y, int groups) noexcept nogil
    cdef Py_ssize_t keep_in_box(self, int* hits, Py_ssize_t start, Py_ssize_t end, double min_x,
                                double min_y, double max_x, double max_y, int groups) noexcept nogil
    cdef bint in_box(self, Py_ssize_t i, double min_x, double min_y, double max_x,
                     double max_y) noexcept nogil
    cdef int find_within(self, int* stack, int* leaves, int* hits, double x, double y,
                         double radius2, double least2, int groups) noexcept nogil
    cdef Py_ssize_t keep_hits(self, int* hits, Py_ssize_t start, Py_ssize_t end, double x,
                              double y, double least2, int groups) noexcept nogil
    cdef int find_in_reach(self, int* stack, int* leaves, int* hits, double x, double y,
                           double radius, double least, int groups) noexcept nogil
    cdef double edge_distance2(self, Py_ssize_t i, double x, double y) noexcept nogil
    cdef int find_nearest(self, int* stack, double* bounds, int* hits, double* distances,
                          int* serials, int k, double x, double y, double least2, double limit2, int after,
                          int skip, int groups) noexcept nogil
    cdef int find_ranked(self, int q, double wanted, int* hits, double* distances, int* serials,
                         int k, double x, double y, double least2, double limit2, int after,
                         int skip, int groups) noexcept nogil
    cdef double circle_of(self, int q, double count, int groups) noexcept nogil
    cdef int find_on_segment(self, int* stack, int* leaves, int* hits, double* times, double x0,
                             double y0, double x1, double y1, double half_w,
                             double half_h, int groups) noexcept nogil
    cdef double touch_time(self, Py_ssize_t i, double x0, double y0, double x1, double y1,
                           double half_w, double half_h) noexcept nogil

cdef void rank(int* found, double* squares, int* ranks, Py_ssize_t m, Py_ssize_t k, int* hits,
               double* distances, int* serials) noexcept nogil
