# The C side of buffers.py: its fields and signatures, in the order of that file.

cimport cython

@cython.final
cdef class IntBuffer:
    cdef int[::1] values
    cdef Py_ssize_t used
    cdef Py_ssize_t capacity

    cdef int reserve(self, Py_ssize_t count) except -1 nogil
    cdef int append(self, int value) except -1 nogil
    cdef int extend(self, int* values, Py_ssize_t n) except -1 nogil

cdef void sort_ints(int* values, Py_ssize_t n) noexcept nogil
cdef void sort_range(int[::1] values, Py_ssize_t low, Py_ssize_t high,
                     int[::1] spare) noexcept nogil
