# The C side of looks.py: its signatures, in the order of that file.

cimport cython

from libc.math cimport sqrt

from tilequad._core.tree.boxes cimport BoxStore
from tilequad._core.buffers cimport IntBuffer
from tilequad._core.tree.layout cimport INF, OVERLAPPING_BOX, Walk, start_counts
from tilequad._core.tree.motion cimport slab_time
from tilequad._core.tree.segment cimport begin_segment
from tilequad._core.tree.walk cimport begin, next_span
from tilequad.quadtree.static cimport StaticQuadtree

cdef int CELLS_A_RUN
cdef int LISTED_A_RUN
cdef int MOST_CELLS
cdef double MARGIN
cdef double LOSS
cdef int EDGE
cdef int TURN
cdef int FIRST_ANGLE

@cython.final
cdef class Looks:
    cdef BoxStore store
    cdef double[:, ::1] boxes
    cdef int[::1] starts
    cdef int columns
    cdef int rows
    cdef double side
    cdef double low_x
    cdef double low_y
    cdef double high_x
    cdef double high_y
    cdef int[::1] cells
    cdef int[::1] cell_runs

    cdef int build_grid(self, Py_ssize_t n) except -1
    cdef int cell_at(self, double offset, double margin, Py_ssize_t count) noexcept nogil
    cdef bint is_clear(self, double x0, double y0, double x1, double y1) noexcept nogil
    cdef double run_time(self, Py_ssize_t run, double x0, double y0, double x1,
                         double y1) noexcept nogil
    cdef double box_time(self, Py_ssize_t i, double x0, double y0, double x1,
                         double y1) noexcept nogil
    cdef bint holds(self, Py_ssize_t i, double x, double y) noexcept nogil
    cdef int find_around(self, double x, double y, double radius, IntBuffer near) except -1
    cdef Py_ssize_t find_edges(self, double x, double y, double radius, IntBuffer near,
                               double[:, ::1] edges) noexcept nogil

cdef double angle_of(double x, double y) noexcept nogil
cdef Py_ssize_t add_edge(double[:, ::1] edges, Py_ssize_t n, int axis, double place, double low,
                         double high, double radius) noexcept nogil
cdef void add_turn(double[:, ::1] turns, Py_ssize_t m, double x, double y) noexcept nogil
cdef void find_turns(double[:, ::1] edges, Py_ssize_t n, double[:, ::1] turns) noexcept nogil
cdef Py_ssize_t sort_level(double[:, ::1] edges, Py_ssize_t n, int[::1] level) noexcept nogil
cdef Py_ssize_t find_crossings(double[:, ::1] edges, Py_ssize_t n, int[::1] level, Py_ssize_t m,
                               double[:, ::1] turns, Py_ssize_t at) noexcept nogil
cdef Py_ssize_t unwrap(double[:, ::1] edges, Py_ssize_t n) noexcept nogil
cdef void sort_by_angle(double[:, ::1] rows, Py_ssize_t column, Py_ssize_t n, int[::1] order,
                        int[::1] buckets) noexcept nogil
cdef Py_ssize_t trace(double[:, ::1] edges, Py_ssize_t edge_count, double[:, ::1] turns,
                      int[::1] order, int[::1] by_start, int[::1] active, double radius,
                      double[:, ::1] outline) noexcept nogil
cdef Py_ssize_t add_point(double[:, ::1] edges, Py_ssize_t edge, double[:, ::1] turns,
                          Py_ssize_t turn, double radius, double[:, ::1] outline,
                          Py_ssize_t n) noexcept nogil
