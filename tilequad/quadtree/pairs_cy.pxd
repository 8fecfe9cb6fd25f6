# The C side of pairs_cy.py: its fields and signatures, in the order of that file.

from tilequad.quadtree.buffer_cy cimport IntBuffer
from tilequad.quadtree.search_cy cimport Search

cdef class Pairs(Search):
    cdef int find_pairs(self, IntBuffer found, int groups, int others) except -1 nogil
    cdef bint near(self, int p, int q) noexcept nogil
    cdef int pairs_in_leaf(self, int q, IntBuffer found, int groups, int others) except -1 nogil
    cdef int pairs_of_leaves(self, int p, int q, IntBuffer found, int groups,
                             int others) except -1 nogil
    cdef int find_touching(self, int[::1] slots, int[::1] counts,
                           IntBuffer found) except -1 nogil
    cdef void append_pair(self, int i, int j, IntBuffer found, int groups,
                          int others) noexcept nogil
    cdef bint touch(self, int i, int j) noexcept nogil
