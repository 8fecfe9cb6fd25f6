# The C side of static.py: its fields, and the helpers that Python does not see.

cimport cython

from tilequad._core.tree.box_query cimport begin_box, find_boxes_in_box
from tilequad._core.tree.boxes cimport BoxStore
from tilequad._core.buffers cimport IntBuffer, sort_ints
from tilequad._core.checks cimport (
    check_distance, check_limits, check_position, checked_count, read_bounds,
)
from tilequad._core.tree.layout cimport (
    HITS, MAX_DEPTH, MAX_K, MAX_LEAF_SIZE, NO_SLOT, Ranking, Walk, start_counts,
)
from tilequad._core.tree.nearest cimport find_nearest_boxes, start_ranking
from tilequad._core.results cimport ints_of
from tilequad._core.tree.segment cimport begin_segment, find_boxes_on_segment
from tilequad._core.tree.walk cimport Tally
from tilequad._core.tree.within cimport begin_boxes_within, find_boxes_within

cdef class StaticQuadtree:
    cdef BoxStore _store
    cdef Tally _tally

    @cython.final
    cdef BoxStore _made(self)
    @cython.final
    cdef int _start(self, Walk* walk) except -1
    @cython.final
    cdef void _stop(self, Walk* walk) noexcept
    @cython.final
    cdef object _ascending(self, Walk* walk, bint in_box)
