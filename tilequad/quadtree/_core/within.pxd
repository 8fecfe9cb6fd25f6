# The C side of within.py: its signatures, in the order of that file.

from tilequad.quadtree._core.box_store cimport BoxStore
from tilequad.quadtree._core.buffers cimport IntBuffer
from tilequad.quadtree._core.layout cimport (
    CANDIDATES, COUNT, ENTRY, GROUPS, HITS, NEAR_POINT, NEAR_POINT_BOXED, POSITION_IN_BOX,
    PRUNE_MARGIN, RECORD, REACHING_POINT, Walk, place_of,
)
from tilequad.quadtree._core.unit_store cimport UnitStore
from tilequad.quadtree._core.walk cimport begin, next_span, start_counts

cdef int BLOCK
cdef int MIN_SHARED
cdef double TINY_RADIUS

cdef void begin_within(Walk* walk, double x, double y, double radius, int groups) noexcept nogil
cdef int find_within(UnitStore units, Walk* walk, double min_radius2, int* hits) noexcept nogil
cdef Py_ssize_t keep_wanted(UnitStore units, Walk* walk, double min_radius2, int* hits,
                            Py_ssize_t start, Py_ssize_t end) noexcept nogil
cdef Py_ssize_t count_hits(UnitStore units, Walk* walk) noexcept nogil
cdef void begin_to_edge(Walk* walk, double x, double y, double radius, int groups) noexcept nogil
cdef int find_to_edge(UnitStore units, Walk* walk, double min_radius, int* hits) noexcept nogil
cdef void begin_boxes_within(Walk* walk, double x, double y, double radius) noexcept nogil
cdef int find_boxes_within(BoxStore boxes, Walk* walk, int* hits) noexcept nogil
cdef int answer_batch(UnitStore units, double[:, ::1] points, double[::1] radii, int[::1] order,
                      int groups, int[::1] counts, IntBuffer found) except -1 nogil
cdef int answer_one(UnitStore units, double x, double y, double radius, int groups, Py_ssize_t i,
                    int[::1] counts, IntBuffer found) except -1 nogil
cdef Py_ssize_t end_of_group(double[:, ::1] points, double[::1] radii, int[::1] order,
                             Py_ssize_t start, double* box) noexcept nogil
cdef Py_ssize_t copy_candidates(UnitStore units, double* box, int groups, double* xs, double* ys,
                                int* slots) noexcept nogil
