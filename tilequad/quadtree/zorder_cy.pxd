# The C side of zorder_cy.py.

cdef int SIDE

cdef void sort_by_cell(double[:, ::1] points, int[::1] keys, int[::1] starts, int[::1] order,
                       double x, double y, double scale_x, double scale_y) noexcept nogil
cdef int interleave(int column, int row) noexcept nogil
