# The C side of static.py: its fields, and the helpers that Python does not see.

cimport cython

from tilequad.quadtree._core.box cimport begin_box, find_boxes_in_box
from tilequad.quadtree._core.box_store cimport BoxStore
from tilequad.quadtree._core.buffers cimport IntBuffer, sort_ints
from tilequad.quadtree._core.checks cimport (
    check_distance, check_limits, check_position, checked_count, read_bounds,
)
from tilequad.quadtree._core.layout cimport (
    HITS, MAX_DEPTH, MAX_K, MAX_LEAF_SIZE, NO_SLOT, Ranking, Walk, start_counts,
)
from tilequad.quadtree._core.nearest cimport find_nearest_boxes, start_ranking
from tilequad.quadtree._core.results cimport ints_of
from tilequad.quadtree._core.segment cimport begin_segment, find_boxes_on_segment
from tilequad.quadtree._core.walk cimport Tally
from tilequad.quadtree._core.within cimport begin_boxes_within, find_boxes_within

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
