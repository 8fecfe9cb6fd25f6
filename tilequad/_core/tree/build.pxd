# The C side of build.py: its fields and signatures, in the order of that file.

cimport cython

from tilequad._core.tree.layout cimport COUNT, FIRST, place_of
from tilequad._core.tree.nodes cimport Nodes
from tilequad._core.tree.zorder cimport CellSort, bits_for, interleave

@cython.final
cdef class Builder:
    cdef Nodes nodes
    cdef int leaf_size
    cdef CellSort cells
    cdef list crowded

    cdef int fill(self, int q, int column, int row, int bits) except -1
    cdef int add_node(self, int q, int column, int row) except -1
    cdef void make_leaf(self, int q, int low, int high) noexcept nogil
