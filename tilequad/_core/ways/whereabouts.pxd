# The C side of whereabouts.py: its signatures.

from tilequad._core.ways.ground cimport Ground
from tilequad._core.ways.layout cimport STATE, VISIBLE
from tilequad._core.tree.layout cimport ENTRY, RECORD
from tilequad._core.tree.units cimport UnitStore
from tilequad.quadtree.dynamic cimport DynamicQuadtree

cpdef Py_ssize_t cell_at(Ground ground, double x, double y) noexcept nogil
cdef int fill_seen(UnitStore store, Ground ground, const unsigned char[::1] states, int groups,
                   int without, unsigned char[::1] found) except -1
