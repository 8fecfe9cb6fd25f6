# The C side of view_counts.py: its fields and signatures, in the order of that file.

from tilequad._core.ways.field_of_view cimport Lattice, Window
from tilequad._core.ways.layout cimport (
    CHANGED, EXPLORED, MARGIN, NOWHERE, OPAQUE, SEEN, STATE, VISIBLE,
)
from tilequad._core.buffers cimport IntBuffer

cdef class Shape:
    cdef const int[:, ::1] spans
    cdef Py_ssize_t high
    cdef readonly Py_ssize_t size
    cdef tuple window_options
    cdef Window window
    cdef IntBuffer spare

cdef class ViewCounts:
    cdef Lattice lattice
    cdef Py_ssize_t cells
    cdef unsigned char[::1] states
    cdef unsigned short[::1] counts
    cdef list shapes
    cdef list views
    cdef int[::1] team
    cdef int[::1] line
    cdef int[::1] place
    cdef int[::1] blocked

    cdef Py_ssize_t line_of(self, Py_ssize_t spot) noexcept
    cdef Py_ssize_t place_of(self, Py_ssize_t spot) noexcept
    cpdef int move_viewer(self, Py_ssize_t row, Py_ssize_t spot) except -1
    cdef int look(self, Py_ssize_t row) except -1
    cdef int count(self, Py_ssize_t row, int step) except -1
    cdef int count_circle(self, Py_ssize_t row, int step) except -1
    cdef int shift_circle(self, Py_ssize_t row, Py_ssize_t line, Py_ssize_t place) except -1
    cdef int shift_view(self, Py_ssize_t row) except -1
    cdef void count_run(self, Py_ssize_t at, Py_ssize_t n, int step) noexcept nogil
    cdef bint is_near_change(self, Py_ssize_t row, Py_ssize_t* box) except -1
    cdef Py_ssize_t list_seen(self, Shape shape, Py_ssize_t line, Py_ssize_t place, bint blocked,
                              int[::1] found) noexcept
