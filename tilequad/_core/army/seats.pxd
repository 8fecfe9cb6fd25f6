# The C side of seats.py: its fields and signatures, in the order of that file.

cimport cython

from tilequad._core.army.lookups cimport entry_of, tree_of
from tilequad._core.buffers cimport IntBuffer
from tilequad._core.tree.layout cimport (
    ENTRY, RECORD, begin_change, begin_question, end_change, end_question,
)
from tilequad._core.tree.units cimport UnitStore
from tilequad.quadtree.dynamic cimport DynamicQuadtree

cdef int NONE
cdef int LIFE
cdef int ITEM
cdef int ITEM_LIFE
cdef int GROUPS
cdef int USED
cdef int FULL

@cython.final
cdef class Seats:
    cdef int bit
    cdef object seats
    cdef UnitStore store
    cdef long long turnover
    cdef long long frees
    cdef int[::1] life
    cdef int[::1] item
    cdef int[::1] item_life
    cdef int[::1] groups
    cdef int[::1] used
    cdef unsigned char[::1] full
    cdef IntBuffer unsettled
    cdef IntBuffer journal

    cdef int look(self, UnitStore store) except -1
    cdef bint is_valid(self, UnitStore store, Py_ssize_t claimant) noexcept nogil
    cdef int open(self, UnitStore store, Py_ssize_t claimant) except -1
    cdef int settle(self, UnitStore store) except -1
    cdef int seats_of(self, DynamicQuadtree tree, Py_ssize_t item) except -1
    cdef bint has_room(self, DynamicQuadtree tree, Py_ssize_t item) except -1
    cdef int take(self, DynamicQuadtree tree, Py_ssize_t claimant, Py_ssize_t item,
                  int groups, int seats) except -1
    cdef int leave(self, Py_ssize_t claimant) except -1
    cdef int write(self, int field, Py_ssize_t slot, int value) except -1
    cdef int set_field(self, int field, Py_ssize_t slot, int value) noexcept
    cdef int field_at(self, int field, Py_ssize_t slot) noexcept
    cdef int undo(self) noexcept
