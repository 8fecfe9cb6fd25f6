# The C side of areas.py: its fields and signatures.

from tilequad._core.ways.ground cimport Ground
from tilequad._core.buffers cimport IntBuffer

cdef class Areas:
    cdef Ground ground
    cdef int[::1] labels
    cdef IntBuffer parents
    cdef IntBuffer stack

    cdef int root(self, int label) noexcept nogil
    cdef int new_label(self) except -1 nogil
    cdef void join(self, int label, int other) noexcept nogil
    cdef int flood(self, Py_ssize_t place, int label) except -1 nogil
    cdef int join_around(self, Py_ssize_t place) except -1 nogil
