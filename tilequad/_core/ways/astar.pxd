# The C side of ways.py: its fields and signatures.

from libc.math cimport sqrt

from tilequad._core.ways.areas cimport Areas
from tilequad._core.ways.buckets cimport Buckets
from tilequad._core.ways.ground cimport Ground
from tilequad._core.buffers cimport IntBuffer

cdef long long FAR
cdef long long MOST
cdef long long TURNS
cdef Py_ssize_t STRIDE

cdef class Ways:
    cdef Ground ground
    cdef Areas areas
    cdef Buckets queue
    cdef IntBuffer cells
    cdef IntBuffer turns
    cdef long long[::1] words
    cdef long long[::1] moves
    cdef double[::1] walls
    cdef double[::1] costs
    cdef double[:, ::1] points
    cdef Py_ssize_t used
    cdef long long turn
    cdef double pitch
    cdef double cheapest
    cdef int need
    cdef bint even
    cdef unsigned int[::1] low0
    cdef unsigned short[::1] rest0
    cdef unsigned int[::1] low1
    cdef unsigned short[::1] rest1
    cdef unsigned int[::1] low2
    cdef unsigned short[::1] rest2
    cdef unsigned int[::1] low3
    cdef unsigned short[::1] rest3
    cdef int marks
    cdef int chosen
    cdef int[::1] picks
    cdef long long[::1] fars
    cdef int[::1] alongs
    cdef int[::1] lines
    cdef long long expanded
    cdef Py_ssize_t goal_along
    cdef Py_ssize_t goal_line

    cdef int find(self, double* ends) except -1 nogil
    cdef Py_ssize_t nearest(self, double x, double y, int area) noexcept nogil
    cdef int search(self, Py_ssize_t start, Py_ssize_t goal) except -1 nogil
    cdef bint is_straight(self, Py_ssize_t start, double* ends) noexcept nogil
    cdef int trace(self, Py_ssize_t start, Py_ssize_t goal) except -1 nogil
    cdef void aim(self, Py_ssize_t start, Py_ssize_t goal) noexcept nogil
    cdef long long distance_from(self, int mark, Py_ssize_t place) noexcept nogil
    cdef long long straight_cost(self, Py_ssize_t a, Py_ssize_t b) noexcept nogil
    cdef Py_ssize_t along_of(self, Py_ssize_t place) noexcept nogil
    cdef Py_ssize_t line_of(self, Py_ssize_t place) noexcept nogil
    cdef long long least_cost(self, Py_ssize_t place, Py_ssize_t a, Py_ssize_t b) noexcept nogil
    cdef bint is_turn(self, Py_ssize_t i) noexcept nogil
    cdef int straighten(self, double* ends) except -1 nogil
    cdef void corner(self, Py_ssize_t i, double* ends, double* spot) noexcept nogil
    cdef int write(self, double x, double y) except -1 nogil
    cdef double line_cost(self, Py_ssize_t place, double x, double y, double end_x,
                          double end_y) noexcept nogil
