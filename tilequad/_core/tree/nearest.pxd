# The C side of nearest.py: its signatures, in the order of that file.

from tilequad._core.tree.boxes cimport BoxStore
from tilequad._core.tree.layout cimport (
    ALL_GROUPS, CHILD, COUNT, ENTRY, FIRST, GROUPS, HITS, INF, MAX_K, MAX_X, MAX_Y, MIN_X, MIN_Y,
    NEAR_POINT_BOXED, NO_SLOT, ORDER, PATH, RECORD, Ranking, Walk, place_of, start_counts,
)
from tilequad._core.tree.nodes cimport Nodes
from tilequad._core.tree.questions cimport Questions
from tilequad._core.tree.units cimport UnitStore
from tilequad._core.tree.walk cimport (
    begin, begin_near_point, count_leaf, count_quadrants, next_span, write_distances2,
)

cdef int MIN_CIRCLE_K
cdef int MAX_CIRCLE_K
cdef double PI

cdef void start_ranking(Ranking* ranking, int k, double min_distance, int exclude) noexcept nogil
cdef int find_nearest(UnitStore units, Walk* walk, Ranking* ranking, double x, double y,
                      double max_distance2, int groups, int without) noexcept nogil
cdef int find_nearest_boxes(BoxStore boxes, Walk* walk, Ranking* ranking, double x, double y,
                            double max_distance2) noexcept nogil
cdef void answer_batch(UnitStore units, Questions asked, Py_ssize_t low, Py_ssize_t high,
                       int[:, ::1] slots, double[:, ::1] distances2) noexcept nogil
