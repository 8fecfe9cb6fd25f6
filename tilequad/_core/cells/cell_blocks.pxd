# The C side of cell_blocks.py: its fields and signatures, in the order of that file.

cimport cython

@cython.final
cdef class CellBlocks:
    cdef object ids
    cdef Py_ssize_t stride
    cdef bint edged
    cdef Py_ssize_t bias
    cdef Py_ssize_t count
    cdef unsigned long long[::1] bits
    cdef int[::1] first
    cdef unsigned long long[::1] marks
    cdef int[::1] children
    cdef Py_ssize_t used_blocks
    cdef Py_ssize_t used_nodes
    cdef Py_ssize_t free_block
    cdef Py_ssize_t free_node
    cdef Py_ssize_t root
    cdef Py_ssize_t root_x
    cdef Py_ssize_t root_y
    cdef Py_ssize_t height

    cdef Py_ssize_t find(self, Py_ssize_t x, Py_ssize_t y) noexcept nogil
    cdef bint holds(self, Py_ssize_t x, Py_ssize_t y) noexcept nogil
    cdef Py_ssize_t hold(self, Py_ssize_t x, Py_ssize_t y) except -1
    cdef void release(self, Py_ssize_t x, Py_ssize_t y) noexcept nogil
    cdef void detach(self, Py_ssize_t x, Py_ssize_t y) noexcept nogil
    cdef Py_ssize_t place_in(self, Py_ssize_t x, Py_ssize_t y, Py_ssize_t level) noexcept nogil
    cdef Py_ssize_t make_block(self, Py_ssize_t x, Py_ssize_t y) except -1
    cdef Py_ssize_t id_in(self, Py_ssize_t block, Py_ssize_t x, Py_ssize_t y) noexcept nogil
    cdef Py_ssize_t new_block(self) except -1
    cdef Py_ssize_t new_node(self) except -1
