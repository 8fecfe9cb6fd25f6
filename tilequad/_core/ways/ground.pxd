# The C side of ground.py: its fields and signatures.

from libc.math cimport fabs, floor

cdef class Ground:
    cdef unsigned char[::1] codes
    cdef unsigned char[::1] moves
    cdef unsigned char[::1] legal
    cdef unsigned char[::1] counts
    cdef unsigned char[::1] orders
    cdef unsigned char[::1] opposites
    cdef int[::1] offsets
    cdef long long[::1] halves
    cdef double[::1] frame
    cdef double[::1] steps
    cdef Py_ssize_t columns
    cdef Py_ssize_t rows
    cdef Py_ssize_t stride
    cdef Py_ssize_t directions
    cdef int edges
    cdef int kind
    cdef int flip

    cdef Py_ssize_t parity_of(self, Py_ssize_t place) noexcept nogil
    cdef int move_mask(self, Py_ssize_t place) noexcept nogil
    cdef Py_ssize_t place_at(self, double x, double y) noexcept nogil
    cdef Py_ssize_t staggered_at(self, double x, double y) noexcept nogil
    cdef Py_ssize_t nearest_index(self, double x, double y) noexcept nogil
    cdef double center_x(self, Py_ssize_t place) noexcept nogil
    cdef double center_y(self, Py_ssize_t place) noexcept nogil
    cdef double staggered_center(self, Py_ssize_t place, bint along) noexcept nogil
    cdef long long weight(self, Py_ssize_t place, Py_ssize_t other, Py_ssize_t k) noexcept nogil
