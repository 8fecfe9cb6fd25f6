# The C side of lookups.py: its signatures, in the order of that file.

from tilequad._core.tree.layout cimport ENTRY, RECORD, begin_question, end_question
from tilequad._core.tree.units cimport UnitStore
from tilequad.quadtree.dynamic cimport DynamicQuadtree

cdef double NAN

cdef DynamicQuadtree tree_of(object units)
cdef int entry_of(UnitStore store, Py_ssize_t slot) noexcept nogil
cpdef object kept_at(object units, Py_ssize_t slot, long long serial, object groups,
                     long long without, double x, double y, double least, double most)
cpdef long long serial_at(object units, Py_ssize_t slot) except -2
cpdef object item_at(object units, Py_ssize_t slot)
cpdef long long groups_at(object units, Py_ssize_t slot) except -1
cdef list items_of(DynamicQuadtree tree, int[::1] slots)
cdef int fill_positions(UnitStore store, int[::1] slots, double[:, ::1] found) except -1
