# The C side of build_cy.py: its fields and signatures, in the order of that file.

from tilequad.quadtree.nodes_cy cimport Nodes
from tilequad.quadtree.zorder_cy cimport Cells, bits_for, interleave

cdef class Builder:
    cdef Nodes nodes
    cdef int leaf_size
    cdef Cells cells
    cdef list crowded

    cdef int fill(self, int q, int column, int row, int bits) except -1
    cdef int take_node(self, int q, int column, int row) except -1
    cdef void keep(self, int q, int low, int high) noexcept nogil
