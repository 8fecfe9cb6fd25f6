# The C side of memberships.py: its fields and signatures, in the order of that file.

cimport cython

from tilequad._core.buffers cimport IntBuffer
from tilequad._core.tree.layout cimport ENTRY, ORDER, RECORD
from tilequad._core.tree.units cimport UnitStore
from tilequad.quadtree.dynamic cimport DynamicQuadtree

cdef int NOTHING
cdef int WIDE
cdef int DIGIT
cdef int EVENT
cdef int LEFT
cdef int CAME
cdef int DIED

@cython.final
cdef class Memberships:
    cdef long long[::1] serials
    cdef int[::1] orders
    cdef double[::1] xs
    cdef double[::1] ys
    cdef int[::1] masks
    cdef int[::1] changed
    cdef int[::1] slot_head
    cdef long long[::1] slot_stamp
    cdef list names
    cdef double[::1] zone_x
    cdef double[::1] zone_y
    cdef double[::1] radius2
    cdef double[::1] leave
    cdef double[::1] leave2
    cdef int[::1] groups
    cdef int[::1] anchor
    cdef long long[::1] anchor_serial
    cdef int[::1] enabled
    cdef int[::1] stale
    cdef int[::1] tested
    cdef int[::1] in_zone
    cdef int[::1] zone_head
    cdef int[::1] link_zone
    cdef int[::1] link_slot
    cdef int[::1] next_in_slot
    cdef int[::1] prev_in_slot
    cdef int[::1] next_in_zone
    cdef int[::1] prev_in_zone
    cdef int free_link
    cdef long long generation
    cdef IntBuffer events
    cdef list gone
    cdef int columns
    cdef int rows
    cdef double cell
    cdef double left_edge
    cdef double lower_edge
    cdef double right_edge
    cdef double upper_edge
    cdef int[::1] starts
    cdef int[::1] cell_zones
    cdef int[::1] wide
    cdef int[::1] without

    cdef int scan(self, UnitStore store, list items) except -1
    cdef int bury(self, int slot) except -1
    cdef int follow_anchors(self) except -1
    cdef bint reaches(self, Py_ssize_t row, Py_ssize_t slot, bint inside) noexcept nogil
    cdef int test(self, int row, int slot) except -1
    cdef int leave_far(self, int slot) except -1
    cdef bint is_inside(self, int row, int slot) noexcept nogil
    cdef int column_at(self, double x) noexcept nogil
    cdef int row_at(self, double y) noexcept nogil
    cdef int enter(self, int row, int slot) except -1
    cdef int depart(self, int link) except -1
    cdef void unlink(self, int link) noexcept nogil
    cdef int tell(self, int row, int slot, int kind) except -1

cdef void sort_by(int[::1] keys, int[::1] order, int[::1] spare, int[::1] counts) noexcept nogil
