# The C side of questions.py: its fields and signatures, in the order of that file.

cimport cython

from tilequad._core.tree.layout cimport ALL_GROUPS, NO_SLOT

@cython.final
cdef class Questions:
    cdef double[:, ::1] places
    cdef const double[:, :] limits
    cdef int[::1] order
    cdef int[:, ::1] picks
    cdef int groups
    cdef int without
    cdef bint mixed
    cdef bint to_edge

    cdef int groups_of(self, Py_ssize_t i) noexcept nogil
    cdef int without_of(self, Py_ssize_t i) noexcept nogil
    cdef int exclude_of(self, Py_ssize_t i) noexcept nogil
