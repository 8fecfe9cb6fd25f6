# The C side of dynamic.py: its fields, and the helpers that Python does not see.

cimport cython

from tilequad._core.tree.box_query cimport begin_box, find_in_box
from tilequad._core.buffers cimport IntBuffer
from tilequad._core.checks cimport (
    check_distance, check_limits, check_position, checked_count, mask_of, read_bounds,
    without_of,
)
from tilequad._core.tree.layout cimport (
    ALL_GROUPS, ENTRY, HITS, MAX_COORDINATE, MAX_DEPTH, MAX_K, MAX_LEAF_SIZE, NO_SLOT, ORDER, RECORD,
    Ranking, Walk,
    begin_change, begin_question, drop_slot, end_change, end_question, items_at, start_counts,
)
from tilequad._core.tree.motion cimport footprint_time
from tilequad._core.tree.nearest cimport find_nearest, start_ranking
from tilequad._core.tree.pairs cimport find_pairs
from tilequad._core.tree.segment cimport begin_segment, find_on_segment
from tilequad._core.tree.units cimport UnitStore
from tilequad._core.tree.walk cimport Tally
from tilequad._core.tree.within cimport (
    any_in_ring, begin_ring, count_in_ring, find_in_ring,
)

cdef class DynamicQuadtree:
    cdef UnitStore _store
    cdef dict _slots
    cdef list _items
    cdef Tally _tally
    cdef readonly object bounds

    @cython.final
    cdef UnitStore _made(self)
    @cython.final
    cdef int _start(self, Walk* walk) except -1
    @cython.final
    cdef void _stop(self, Walk* walk) noexcept
    @cython.final
    cdef int _slot_to_skip(self, object exclude) except -2
    @cython.final
    cdef list _items_of(self, int* hits, int n, int skip)
    @cython.final
    cdef list _shot(self, double x0, double y0, double x1, double y1, double width, object groups,
                    object without, object exclude)
    @cython.final
    cdef list _swept(self, object item, double x, double y, object groups, object without)
    @cython.final
    cdef list _touched(self, double x0, double y0, double x1, double y1, double half_w,
                       double half_h, int groups, int without, int skip)
    @cython.final
    cdef list _named(self, list touched)
    @cython.final
    cdef list _hits(self, list touched, tuple way, tuple half)
    @cython.final
    cdef int _become(self, dict rows, list named) except -1
    @cython.final
    cdef int _fill(self, list named, slots, points, masks) except -1
    @cython.final
    cdef int _extend(self, list named, slots, points, masks) except -1

cdef list items_by_slot(list named, int[::1] slots, Py_ssize_t size)
cdef int name_slots(dict names, list items, int[::1] slots) except -1
