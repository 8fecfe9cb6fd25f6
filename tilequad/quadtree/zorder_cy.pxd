# The C side of zorder_cy.py.

cdef int MOST

cdef void sort_by_cell(double[:, ::1] points, int[::1] keys, int[::1] starts, int[::1] order,
                       int side) noexcept nogil
cdef double cells_a_unit(double extent, int side) noexcept nogil
cdef int interleave(int column, int row) noexcept nogil
