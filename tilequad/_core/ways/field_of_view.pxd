# The C side of field_of_view.py: its fields and signatures, in the order of that file.

from tilequad._core.ways.layout cimport MARGIN, OPAQUE, SECTOR, SEEN, WEDGE

cdef class Lattice:
    cdef Py_ssize_t lines
    cdef Py_ssize_t places
    cdef bint sheared
    cdef Py_ssize_t parity
    cdef int[::1] wedges

    cdef Py_ssize_t shift(self, Py_ssize_t line) noexcept nogil

cdef class Window:
    cdef const int[:, ::1] spans
    cdef Py_ssize_t high
    cdef Py_ssize_t wide
    cdef Py_ssize_t reach
    cdef Py_ssize_t pitch
    cdef unsigned char[::1] cells
    cdef int[::1] sectors

    cdef void load(self, Lattice lattice, const unsigned char[::1] states, Py_ssize_t line,
                   Py_ssize_t place) noexcept nogil
    cdef void cast(self, const int[::1] wedges) noexcept nogil
    cdef void cast_wedge(self, Py_ssize_t forth, Py_ssize_t beside) noexcept nogil
