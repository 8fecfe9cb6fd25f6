# The C side of region.py: its fields and signatures, in the order of that file.

cimport cython

from tilequad._core.cells.cell_blocks cimport CellBlocks
from tilequad._core.cells.cell_walk cimport (Part, RowWalk, diagonal_ids, part_of,
                                                slots_of, walk_of)

cdef Py_ssize_t FARTHEST
cdef Py_ssize_t LONG
cdef Py_ssize_t EVERY
cdef Py_ssize_t EVEN

cdef class RegionQuadtree:
    cdef object _ids
    cdef object _order
    cdef bint _leftwards
    cdef bint _upwards
    cdef bint _diagonal
    cdef int _stagger
    cdef bint _shift_even
    cdef CellBlocks _blocks
    cdef Py_ssize_t _columns
    cdef Py_ssize_t _rows

    @cython.final
    cdef RowWalk _walk(self, Py_ssize_t first, Py_ssize_t top, Py_ssize_t last, Py_ssize_t bottom)
    @cython.final
    cdef bint _inside(self, column, row) except -1

cdef Py_ssize_t clamped(value) except? -1
