# The C side of search.py: its fields and signatures, in the order of that file.

from tilequad.ai._core.lookups cimport entry_of, tree_of
from tilequad.quadtree._core.layout cimport (
    COUNT, FIRST, INF, LEAVES, MAX_X, MAX_Y, MIN_X, MIN_Y, ORDER, RECORD, Walk, begin_question,
    end_question, place_of,
)
from tilequad.quadtree._core.unit_store cimport UnitStore
from tilequad.quadtree._core.walk cimport find_leaves, next_span, start_counts
from tilequad.quadtree._core.within cimport begin_within
from tilequad.quadtree.dynamic cimport DynamicQuadtree

cdef double NAN

cdef class Rings:
    cdef UnitStore store
    cdef int[::1] seekers
    cdef double[:, ::1] centres
    cdef double[::1] least
    cdef double[::1] most
    cdef int groups
    cdef unsigned char[::1] barred
    cdef const double[::1] keys
    cdef double sign
    cdef double[::1] tops
    cdef double[::1] ranks

    cdef bint counts(self, Py_ssize_t entry) noexcept nogil
    cdef void mark_one(self, Py_ssize_t i, int[::1] left, unsigned char[::1] marks) noexcept nogil
    cdef long long best_key_of(self, Py_ssize_t i, int[::1] best) noexcept nogil
    cdef double top_of(self, Py_ssize_t leaf) noexcept nogil
    cdef bint has_key(self, Py_ssize_t slot) noexcept nogil
    cdef int best_distance_of(self, Py_ssize_t i, bint farthest) noexcept nogil

cdef bint take_best(Walk* walk, double* bounds, double highest) noexcept nogil
cdef double nearest_in_box(UnitStore store, Py_ssize_t at, double x, double y) noexcept nogil
cdef double farthest_in_box(UnitStore store, Py_ssize_t at, double x, double y) noexcept nogil
cdef int order_of(UnitStore store, Py_ssize_t slot) noexcept nogil
