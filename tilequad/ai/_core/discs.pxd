# The C side of discs.py: its fields and signatures.

from libc.math cimport sqrt

from tilequad.quadtree._core.buffers cimport IntBuffer

cdef double SMALLEST
cdef double HALF_DIAGONAL

cdef class DiscSearch:
    cdef double[::1] xs
    cdef double[::1] ys
    cdef double[::1] values
    cdef double x
    cdef double y
    cdef double least
    cdef double most
    cdef double radius
    cdef double accuracy
    cdef double best
    cdef double best_x
    cdef double best_y
    cdef IntBuffer near

    cdef int cut(self, double x, double y, double side, Py_ssize_t start, Py_ssize_t end,
                 double sure) except -1
    cdef double look(self, Py_ssize_t q, double x, double y, double side, Py_ssize_t start,
                     Py_ssize_t end, double sure, double* caught) except? -1.0
    cdef bint in_reach(self, double x, double y, double half) noexcept nogil
