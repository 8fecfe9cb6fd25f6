# The C side of looks.py: its signatures, in the order of that file.

from libc.math cimport sqrt

from tilequad.quadtree._core.box_store cimport BoxStore
from tilequad.quadtree._core.layout cimport INF, Walk, start_counts
from tilequad.quadtree._core.motion cimport slab_time
from tilequad.quadtree._core.segment cimport begin_segment
from tilequad.quadtree._core.walk cimport next_span
from tilequad.quadtree.static cimport StaticQuadtree

cdef class Looks:
    cdef BoxStore store
    cdef double[:, ::1] boxes
    cdef int[::1] starts

    cdef bint is_clear(self, double x0, double y0, double x1, double y1) noexcept nogil
    cdef double run_time(self, Py_ssize_t run, double x0, double y0, double x1,
                         double y1) noexcept nogil
    cdef double box_time(self, Py_ssize_t i, double x0, double y0, double x1,
                         double y1) noexcept nogil
    cdef bint holds(self, Py_ssize_t i, double x, double y) noexcept nogil

cdef double angle_of(double x, double y) noexcept nogil
cdef Py_ssize_t add_edge(double[:, ::1] edges, Py_ssize_t n, double[:, ::1] turns, Py_ssize_t m,
                         int axis, double place, double low, double high,
                         double radius) noexcept nogil
cdef void add_turn(double[:, ::1] turns, Py_ssize_t m, double x, double y) noexcept nogil
cdef Py_ssize_t add_point(double[:, ::1] edges, Py_ssize_t edge, double[:, ::1] turns,
                          Py_ssize_t turn, double radius, double[:, ::1] outline,
                          Py_ssize_t n) noexcept nogil
