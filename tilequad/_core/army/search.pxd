# The C side of search.py: its fields and signatures, in the order of that file.

cimport cython

from tilequad._core.army.lookups cimport entry_of, tree_of
from tilequad._core.buffers cimport IntBuffer
from tilequad._core.tree.layout cimport (
    COUNT, ENTRY, FIRST, INF, MAX_X, MAX_Y, MIN_X, MIN_Y, ORDER, POSITION_IN_BOX, RECORD, Walk,
    begin_question, end_question, place_of, start_counts,
)
from tilequad._core.tree.questions cimport Questions
from tilequad._core.tree.units cimport UnitStore
from tilequad._core.tree.walk cimport begin, find_leaves
from tilequad._core.tree.within cimport end_of_group
from tilequad.quadtree.dynamic cimport DynamicQuadtree

cdef double NAN

@cython.final
cdef class Rings:
    cdef UnitStore store
    cdef int[::1] seekers
    cdef Questions asked
    cdef unsigned char[::1] barred
    cdef IntBuffer leaves
    cdef bint keyed
    cdef double sign
    cdef const double[::1] keys
    cdef double[::1] tops
    cdef double[::1] ranks
    cdef int top
    cdef double highest
    cdef double nearest2

    cdef int fill_best(self, int[::1] best) except -2
    cdef int find_leaves(self, double* box) except -1 nogil
    cdef void sort_leaves(self) noexcept nogil
    cdef void fill_ranks(self, Py_ssize_t leaf) noexcept nogil
    cdef bint counts(self, Py_ssize_t entry) noexcept nogil
    cdef void mark_leaf(self, Py_ssize_t leaf, Py_ssize_t start, Py_ssize_t end,
                        unsigned char[::1] marks) noexcept nogil
    cdef int find_best(self, Py_ssize_t i) noexcept nogil
    cdef void begin_with(self, int slot, Py_ssize_t i) noexcept nogil
    cdef int read_by_key(self, Py_ssize_t i, Py_ssize_t leaf) noexcept nogil
    cdef void read_by_distance(self, Py_ssize_t i, Py_ssize_t leaf) noexcept nogil
    cdef void take_better(self, int slot, double rank, double distance2) noexcept nogil
    cdef double bound_of(self, Py_ssize_t i, Py_ssize_t leaf) noexcept nogil
    cdef double distance2(self, Py_ssize_t i, Py_ssize_t entry) noexcept nogil

cdef double fill_keys(int[::1] slot_of, int[::1] masks, int groups, int without,
                      unsigned char[::1] barred, const double[::1] keys, double sign,
                      double[::1] ranks, Py_ssize_t first, Py_ssize_t end) noexcept nogil
cdef Py_ssize_t next_better(double[::1] xs, double[::1] ys, double[::1] ranks, Py_ssize_t entry,
                            Py_ssize_t end, double x, double y, double least2, double most2,
                            double highest) noexcept nogil
cdef Py_ssize_t next_between(double[::1] xs, double[::1] ys, Py_ssize_t entry, Py_ssize_t end,
                             double x, double y, double least2, double most2) noexcept nogil
cdef Py_ssize_t next_around(int[::1] order, double[:, ::1] places, const double[:, :] limits,
                            Py_ssize_t k, Py_ssize_t end, double x, double y) noexcept nogil
cdef int order_of(UnitStore store, Py_ssize_t slot) noexcept nogil
