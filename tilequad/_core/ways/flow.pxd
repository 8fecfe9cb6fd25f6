# The C side of flow.py: its fields and signatures.

cimport cython
from libc.math cimport INFINITY as inf
from libc.math cimport fabs, sqrt

from tilequad._core.ways.buckets cimport Buckets
from tilequad._core.ways.ground cimport Ground
from tilequad._core.ways.layout cimport BLOCK, NOTHING, SPOTS
from tilequad._core.buffers cimport IntBuffer

cdef long long FAR
cdef long long LOWER

@cython.final
cdef class Flow:
    cdef Ground ground
    cdef Buckets queue
    cdef IntBuffer lost
    cdef unsigned char[::1] codes
    cdef unsigned char[::1] moves
    cdef unsigned char[::1] counts
    cdef unsigned char[::1] orders
    cdef unsigned char[::1] opposites
    cdef int[::1] offsets
    cdef long long[::1] halves
    cdef Py_ssize_t directions
    cdef int edges
    cdef bint even
    cdef int kind
    cdef unsigned int[::1] low
    cdef unsigned short[::1] rest
    cdef double[::1] headings
    cdef int beside
    cdef double[::1] steps
    cdef Py_ssize_t columns
    cdef Py_ssize_t rows
    cdef double corner_x
    cdef double corner_y
    cdef double across_x
    cdef double across_y
    cdef double down_x
    cdef double down_y
    cdef double area
    cdef long long limit
    cdef double unit
    cdef double stride

    cdef long long distance_of(self, Py_ssize_t place) noexcept nogil
    cdef void set_distance(self, Py_ssize_t place, long long distance, int ways) noexcept nogil
    cdef void lose(self, Py_ssize_t place) noexcept nogil
    cdef int spread(self, long long stop, bint anew) except -1 nogil
    cdef int leave_goal(self, Py_ssize_t place) except -1 nogil
    cdef int verify(self, Py_ssize_t place) except -1 nogil
    cdef int cascade(self) except -1 nogil
    cdef int look(self, Py_ssize_t place, IntBuffer seeds) except -1 nogil
    cdef double approach(self, Py_ssize_t place) noexcept nogil
    cdef Py_ssize_t way_out(self, Py_ssize_t place) noexcept nogil
    cdef long long move_cost(self, Py_ssize_t place, Py_ssize_t k) noexcept nogil
    cdef bint blend(self, double x, double y, double* heading) noexcept nogil
    cdef void blend_lattice(self, double* xy, double* found, Py_ssize_t n) noexcept nogil
    cdef void blend_staggered(self, double x, double y, double* heading) noexcept nogil
    cdef void walk(self, double* spot, double left) noexcept nogil
    cdef void step_on(self, double* spot, double far) noexcept nogil
    cdef bint may_pass(self, Py_ssize_t place, Py_ssize_t other) noexcept nogil
