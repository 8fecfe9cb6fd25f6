# The C side of many_cy.py: its fields and signatures, in the order of that file.

from tilequad.quadtree.batches_cy cimport Batches
from tilequad.quadtree.buffer_cy cimport IntBuffer
from tilequad.quadtree.checks_cy cimport check_distance, check_limits, mask_of

cdef double INF

cdef class Many(Batches):
    cdef readonly object bounds
    cdef dict _slots
    cdef list _items

    cdef Py_ssize_t first_unknown(self, int[::1] slots) noexcept nogil
