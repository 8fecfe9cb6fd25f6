# The C side of motion_cy.py.

from libc.math cimport sqrt

cdef double INF

cpdef double disc_time(double fx, double fy, double dx, double dy, double radius) noexcept nogil
cpdef double box_time(double x, double y, double dx, double dy, double min_x, double min_y,
                      double max_x, double max_y, double radius) noexcept nogil
cdef double slab_time(double x, double y, double dx, double dy, double min_x, double min_y,
                      double max_x, double max_y) noexcept nogil
