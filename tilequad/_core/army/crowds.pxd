# The C side of crowds.py: its fields and signatures, in the order of that file.

cimport cython
from libc.math cimport sqrt

from tilequad._core.army.bodies cimport LEFT_WALL, PUSHES, Bodies
from tilequad._core.army.near_pairs cimport find_near
from tilequad._core.army.solids cimport (
    clearance, find_way_out, first_time, gather_walls, holder_of, holds, press_of, way_time,
)
from tilequad._core.tree.boxes cimport BoxStore
from tilequad._core.buffers cimport IntBuffer
from tilequad._core.tree.layout cimport (
    GROUPS, INF, MAX_COORDINATE, MAX_X, MAX_Y, MIN_X, MIN_Y, begin_change, end_change, place_of,
)
from tilequad._core.tree.units cimport UnitStore
from tilequad.quadtree.dynamic cimport DynamicQuadtree
from tilequad.quadtree.static cimport StaticQuadtree

cdef double SLOP
cdef double RELATIVE_SLOP
cdef double YIELD
cdef double REST
cdef double LARGER
cdef double SPREAD
cdef Py_ssize_t NEAR_WALLS
cdef int NO_RANK

@cython.final
cdef class Crowd(Bodies):
    cdef BoxStore walls
    cdef bint walled
    cdef double[::1] box
    cdef double max_push
    cdef double[:, ::1] ways
    cdef int[::1] first
    cdef int[::1] near
    cdef int[::1] rank
    cdef int[::1] order
    cdef int[::1] swept
    cdef IntBuffer wall_near
    cdef int[::1] wall_first
    cdef int[::1] wall_count

    cdef int separate(self, int iterations) except -1
    cdef bint sweep(self, int number) noexcept nogil
    cdef bint part(self, int u, int v, int sweep) noexcept nogil
    cdef int rank_units(self, IntBuffer pairs) except -1
    cdef void list_near(self, IntBuffer pairs, int[::1] first, int[::1] near) noexcept nogil
    cdef void look_around(self, int[::1] first, int[::1] near, int[::1] seen) noexcept nogil
    cdef int walls_around(self, Py_ssize_t u) noexcept nogil
    cdef void find_ranks(self, int[::1] first, int[::1] near, int[::1] seen) noexcept nogil
    cdef bint is_at_rim(self, Py_ssize_t u, int[::1] first, int[::1] near, int seen) noexcept nogil
    cdef void order_units(self, int[::1] place) noexcept nogil
    cdef void list_before(self, int[::1] first, int[::1] near, int[::1] place) noexcept nogil
    cdef void spread(self, int u) noexcept nogil
    cdef int meet_walls(self) except -1
    cdef int find_walls(self, UnitStore store, int[::1] order, IntBuffer around) except -1 nogil
    cdef int list_walls(self, int u) except -1 nogil
    cdef bint in_wall(self, int u, double x, double y) noexcept nogil
    cdef bint settle(self, int u) noexcept nogil
    cdef void leave_walls(self, int u) noexcept nogil
    cdef void stop_at_walls(self, int u) noexcept nogil
    cdef bint has_moved(self, int u) noexcept nogil
    cdef int write_moved(self, int[::1] slots, double[:, ::1] places) except -1

cdef int octant(double dx, double dy) noexcept nogil
cdef int wide(int k) noexcept nogil
cdef bint is_open(int seen) noexcept nogil
