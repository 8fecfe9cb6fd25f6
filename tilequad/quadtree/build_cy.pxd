# The C side of build_cy.py: its fields and signatures, in the order of that file.

from tilequad.quadtree.nodes_cy cimport Nodes

cdef double INF

cdef class Builder:
    cdef Nodes nodes
    cdef int leaf_size
    cdef double[::1] xs
    cdef double[::1] ys
    cdef int[::1] order
    cdef double[::1] spare_xs
    cdef double[::1] spare_ys
    cdef int[::1] spare_order

    cdef int fill(self, int q, int low, int high, bint spare) except -1
    cdef int part(self, int n, int low, int high, bint spare) except -1
    cdef void keep(self, int q, int low, int high, bint spare) noexcept nogil

cdef void divide(double[::1] xs, double[::1] ys, int[::1] order, double[::1] to_xs,
                 double[::1] to_ys, int[::1] to_order, int low, int high, double x, double y,
                 int* parts) noexcept nogil
