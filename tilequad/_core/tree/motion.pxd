# The C side of motion.py: its signatures, in the order of that file.

from libc.math cimport ilogb, ldexp, sqrt

from tilequad._core.tree.layout cimport INF

cdef double footprint_time(double x, double y, double dx, double dy, double half_w, double half_h,
                           double w, double h) noexcept nogil
cdef double disc_time(double x, double y, double dx, double dy, double radius) noexcept nogil
cdef double power_of_two(double length) noexcept nogil
cdef double box_time(double low_x, double low_y, double high_x, double high_y, double dx,
                     double dy, double radius) noexcept nogil
cdef double slab_time(double low_x, double low_y, double high_x, double high_y, double dx,
                      double dy, double extra_x, double extra_y) noexcept nogil
