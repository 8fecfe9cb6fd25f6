# The C side of search.py: its signatures, in the order of that file.

from tilequad.ai._core.lookups cimport entry_of, tree_of
from tilequad.quadtree._core.layout cimport (
    ORDER, RECORD, Walk, begin_question, end_question, start_counts,
)
from tilequad.quadtree._core.unit_store cimport UnitStore
from tilequad.quadtree._core.walk cimport next_span
from tilequad.quadtree._core.within cimport begin_within
from tilequad.quadtree.dynamic cimport DynamicQuadtree

cdef long long best_of_one(UnitStore store, int seeker, double x, double y, double least,
                           double most, int groups, unsigned char[::1] barred, bint by_distance,
                           double sign, const double[::1] keys, int[::1] best,
                           Py_ssize_t i) except -2
cdef int order_of(UnitStore store, Py_ssize_t slot) noexcept nogil
