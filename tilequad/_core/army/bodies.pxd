# The C side of bodies.py: its fields and signatures.

from tilequad._core.tree.layout cimport COUNT, FIRST, place_of
from tilequad._core.tree.units cimport UnitStore
from tilequad.quadtree.dynamic cimport DynamicQuadtree

cdef int PUSHED
cdef int PUSHES
cdef int LEFT_WALL
cdef double PI
cdef double LIGHTEST

cdef class Bodies:
    cdef UnitStore store
    cdef int pushed
    cdef int others
    cdef int without
    cdef int n
    cdef int[::1] begin
    cdef int[::1] end
    cdef int[::1] number
    cdef int[::1] slots
    cdef int[::1] flags
    cdef double[::1] start_x
    cdef double[::1] start_y
    cdef double[::1] x
    cdef double[::1] y
    cdef double[::1] half_w
    cdef double[::1] half_h
    cdef double[::1] weight

    cdef double area(self, Py_ssize_t u) noexcept nogil
    cdef double extent(self, Py_ssize_t u) noexcept nogil
