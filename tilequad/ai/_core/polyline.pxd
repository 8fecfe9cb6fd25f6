# The C side of polyline.py: its signatures.

from tilequad.quadtree._core.layout cimport INF

cdef Py_ssize_t segment_at(double[::1] starts, int[::1] bins, double scale,
                           double distance) noexcept nogil
