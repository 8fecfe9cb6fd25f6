# The C side of zorder_cy.py: its fields and signatures, in the order of that file.

cdef double INF
cdef int MOST_BITS

cdef class Cells:
    cdef double[:, ::1] points
    cdef int side
    cdef int[::1] rows
    cdef int[::1] spare
    cdef int[::1] keys
    cdef int[::1] starts
    cdef double[::1] lines

    cdef bint sort(self, int low, int high, int bits) noexcept nogil
    cdef void rule(self, int at, double low, double high) noexcept nogil

cdef int bits_for(int count, int size) noexcept nogil
cdef double cells_a_unit(double extent, int side) noexcept nogil
cdef int interleave(int column, int row) noexcept nogil
