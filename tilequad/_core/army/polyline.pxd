# The C side of polyline.py: its fields and signatures.

from tilequad._core.tree.layout cimport INF

cdef class Polyline:
    cdef double[:, ::1] corners
    cdef double[:, ::1] headings
    cdef double[::1] starts
    cdef int[::1] bins
    cdef double scale

    cdef Py_ssize_t segment_at(self, double distance) noexcept nogil
    cdef double progress_of(self, double x, double y, double low, double high) noexcept nogil
