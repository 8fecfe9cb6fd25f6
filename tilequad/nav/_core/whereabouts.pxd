# The C side of whereabouts.py: its signatures.

from tilequad.nav._core.ground cimport Ground
from tilequad.nav._core.layout cimport STATE, VISIBLE
from tilequad.quadtree._core.layout cimport ENTRY, RECORD
from tilequad.quadtree._core.unit_store cimport UnitStore
from tilequad.quadtree.dynamic cimport DynamicQuadtree

cpdef Py_ssize_t cell_at(Ground ground, double x, double y) noexcept nogil
cdef int fill_seen(UnitStore store, Ground ground, const unsigned char[::1] states, int groups,
                   int without, unsigned char[::1] found) except -1
