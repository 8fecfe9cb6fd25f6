# The C side of buckets.py: its fields and signatures.

cdef class Buckets:
    cdef int[::1] heads
    cdef int[::1] tails
    cdef int[::1] places
    cdef int[::1] nexts
    cdef long long[::1] keys
    cdef Py_ssize_t mask
    cdef Py_ssize_t size
    cdef Py_ssize_t room
    cdef int free
    cdef int used
    cdef int shift
    cdef long long now
    cdef int place
    cdef long long key

    cdef void start(self, long long key) noexcept nogil
    cdef int push(self, int place, long long key) except -1 nogil
    cdef int append(self, int place, long long key) except -1 nogil
    cdef int entry_of(self, int place, long long key) except -1 nogil
    cdef bint pop(self) noexcept nogil
    cdef void clear(self) noexcept nogil
    cdef grow(self)
