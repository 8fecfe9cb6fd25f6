# The C side of units_cy.py: its fields and signatures, in the order of that file.

from tilequad.quadtree.buffer_cy cimport IntBuffer
from tilequad.quadtree.nodes_cy cimport Nodes

cdef int LEAF_SIZE
cdef double WIDER
cdef double TINY
cdef double INF

cdef class Units(Nodes):
    cdef double[::1] frame
    cdef double[::1] px
    cdef double[::1] py
    cdef int[::1] who
    cdef int[::1] masks
    cdef int length
    cdef int packed
    cdef int[::1] spans
    cdef int[::1] room
    cdef int[::1] wear
    cdef int[::1] record
    cdef double[::1] half_w
    cdef double[::1] half_h
    cdef float least
    cdef float most
    cdef int slots
    cdef int free_slot
    cdef int count
    cdef int serial
    cdef int[::1] stamps
    cdef int clock

    cdef int take_slot(self) except -1
    cdef int insert(self, int slot, double x, double y, int groups) except -1
    cdef int insert_in(self, int q, int slot, double x, double y, int groups) except -1
    cdef int delete(self, int slot) except -1
    cdef int shift(self, int slot, double x, double y) except -1
    cdef void stamp(self, Py_ssize_t slot) noexcept nogil
    cdef int settle(self, int[::1] slots, double[:, ::1] points, int[::1] masks) except -1
    cdef int shift_all(self, int[::1] slots, double[:, ::1] points) except -1
    cdef int count_leavers(self, int q) noexcept nogil
    cdef int detach(self, int slot) except -1
    cdef void take_out(self, int q, int place) noexcept nogil
    cdef int send_on(self, IntBuffer left, int n, int[::1] order) except -1
    cdef void take_leavers(self, IntBuffer left, double[::1] xs, double[::1] ys, int[::1] who,
                           int[::1] masks, int[::1] origin) noexcept nogil
    cdef float reach_of(self, Py_ssize_t slot) noexcept nogil
    cdef int make_room(self, int q) except -1
    cdef bint split_leaf(self, int q) except -1
    cdef void wish(self, int q, double* middle) noexcept nogil
    cdef int merge(self, int n) except -1
    cdef int move_span(self, int q, int room) except -1
    cdef void put(self, int q, int slot, double x, double y, int groups) noexcept nogil
    cdef void copy_entry(self, Py_ssize_t place, int to) noexcept nogil
    cdef int make_entries(self, int count) except -1
    cdef int take_span(self, int size) except -1
    cdef void drop_span(self, int start, int room) noexcept nogil

cdef int span_size(int room) noexcept nogil
cdef int span_class(int room) noexcept nogil
