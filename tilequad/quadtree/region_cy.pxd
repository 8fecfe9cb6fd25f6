# The C side of region_cy.py: its fields and signatures, in the order of that file.

cdef unsigned long long ALL
cdef unsigned long long ODD_BITS
cdef unsigned long long ODD_PAIRS
cdef unsigned long long ODD_NIBBLES
cdef unsigned long long EACH_BYTE
cdef int LEAF_BITS

cdef class RegionQuadtree:
    cdef unsigned long long[::1] words
    cdef int[::1] before
    cdef int[::1] base
    cdef unsigned long long[::1] blocks
    cdef Py_ssize_t columns
    cdef Py_ssize_t rows
    cdef Py_ssize_t stride
    cdef Py_ssize_t root

    cdef Py_ssize_t count_in(self, Py_ssize_t left, Py_ssize_t top, Py_ssize_t right,
                             Py_ssize_t bottom) noexcept nogil
    cdef void write_ids(self, int[::1] ids, Py_ssize_t left, Py_ssize_t top, Py_ssize_t right,
                        Py_ssize_t bottom) noexcept nogil
    cdef Py_ssize_t count_shared(self, RegionQuadtree other, Py_ssize_t left, Py_ssize_t top,
                                 Py_ssize_t right, Py_ssize_t bottom) noexcept nogil
    cdef void write_shared(self, RegionQuadtree other, int[::1] ids, Py_ssize_t left,
                           Py_ssize_t top, Py_ssize_t right, Py_ssize_t bottom) noexcept nogil
    cdef unsigned long long part(self, Py_ssize_t row, Py_ssize_t i, Py_ssize_t left,
                                 Py_ssize_t right) noexcept nogil
    cdef Py_ssize_t next_row(self, Py_ssize_t row, Py_ssize_t left,
                             Py_ssize_t right) noexcept nogil
    cdef bint any_block(self, Py_ssize_t at, Py_ssize_t left, Py_ssize_t right) noexcept nogil
    cdef int id_at(self, Py_ssize_t column, Py_ssize_t row) noexcept nogil
    cdef bint held(self, Py_ssize_t column, Py_ssize_t row) noexcept nogil
    cdef Py_ssize_t row_of(self, int id) noexcept nogil
    cdef Py_ssize_t column_of(self, Py_ssize_t row, int id) noexcept nogil
    cdef void flip(self, Py_ssize_t column, Py_ssize_t row, int by) noexcept nogil
    cdef void lift(self, Py_ssize_t column, Py_ssize_t row) noexcept nogil
    cdef bint leaf_held(self, Py_ssize_t column, Py_ssize_t row) noexcept nogil
    cdef Py_ssize_t stride_of(self, Py_ssize_t level) noexcept nogil
    cdef Py_ssize_t size_of(self, Py_ssize_t level) noexcept nogil

cdef int ones(unsigned long long word) noexcept nogil
