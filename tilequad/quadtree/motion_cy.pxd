# The C side of motion_cy.py.

from libc.math cimport sqrt

cdef double INF

cpdef double disc_time(double fx, double fy, double dx, double dy, double radius) noexcept nogil
cpdef double box_time(double low_x, double low_y, double high_x, double high_y, double dx,
                      double dy, double radius) noexcept nogil
cdef double slab_time(double low_x, double low_y, double high_x, double high_y, double dx,
                      double dy, double wider, double higher) noexcept nogil
