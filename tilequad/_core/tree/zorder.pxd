# The C side of zorder.py: its fields and signatures, in the order of that file.

cimport cython

from tilequad._core.tree.layout cimport INF

cdef int MAX_BITS

@cython.final
cdef class CellSort:
    cdef double[:, ::1] points
    cdef int side
    cdef int[::1] rows
    cdef int[::1] spare
    cdef int[::1] keys
    cdef int[::1] starts
    cdef double[::1] lines

    cdef bint sort(self, int low, int high, int bits) noexcept nogil
    cdef void write_lines(self, int at, double low, double high) noexcept nogil

cdef int bits_for(int count, int size) noexcept nogil
cdef double cells_per_unit(double extent, int side) noexcept nogil
cdef int interleave(int column, int row) noexcept nogil
