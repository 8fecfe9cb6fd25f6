# The C side of buffer_cy.py.

cdef class IntBuffer:
    cdef int[::1] values
    cdef Py_ssize_t used
    cdef Py_ssize_t room

    cdef int reserve(self, Py_ssize_t count) except -1 nogil
    cdef int append(self, int value) except -1 nogil
    cdef int extend(self, int* hits, Py_ssize_t n) except -1 nogil
