# The C side of rows.py: its fields and signatures, in the order of that file.

cimport cython

cdef int ALL
cdef int SAME
cdef int COUNTED

cdef int form_of(const int[::1] words, Py_ssize_t size, bint counts) noexcept nogil

@cython.final
cdef class RowReader:
    cdef bytes data
    cdef object view
    cdef Py_ssize_t at
    cdef Py_ssize_t length
    cdef Py_ssize_t summed
    cdef object checksum
    cdef object wanted

    cpdef object take(self, str name, str kind, object length=*)
    cpdef object share(self, str name, str kind, object length=*)
    cdef tuple next_row(self, str name, str kind, object length)
    cdef int sum_up(self, Py_ssize_t end) except -1
