# The C side of within.py: its signatures, in the order of that file.

from tilequad._core.tree.boxes cimport BoxStore
from tilequad._core.buffers cimport IntBuffer, sort_range
from tilequad._core.tree.layout cimport (
    CANDIDATES, COUNT, ENTRY, GROUPS, HITS, NEAR_POINT_BOXED, POSITION_IN_BOX, PRUNE_MARGIN, RECORD,
    REACHING_POINT, Walk, drop_slot, place_of, start_counts,
)
from tilequad._core.tree.questions cimport Questions
from tilequad._core.tree.units cimport UnitStore
from tilequad._core.tree.walk cimport begin, begin_near_point, next_span

cdef int BLOCK
cdef int MIN_SHARED
cdef double TINY_RADIUS

cdef void begin_within(Walk* walk, double x, double y, double radius, int groups,
                       int without) noexcept nogil
cdef int find_within(UnitStore units, Walk* walk, double min_radius2, int* hits) noexcept nogil
cdef Py_ssize_t keep_wanted(UnitStore units, Walk* walk, double min_radius2, int* hits,
                            Py_ssize_t start, Py_ssize_t end) noexcept nogil
cdef void begin_to_edge(Walk* walk, double x, double y, double radius, int groups,
                        int without) noexcept nogil
cdef int find_to_edge(UnitStore units, Walk* walk, double min_radius, int* hits) noexcept nogil
cdef void begin_ring(Walk* walk, double x, double y, double radius, int groups, int without,
                     bint to_edge) noexcept nogil
cdef int find_in_ring(UnitStore units, Walk* walk, double min_radius, int* hits) noexcept nogil
cdef Py_ssize_t count_in_ring(UnitStore units, Walk* walk, double min_radius,
                              int exclude) noexcept nogil
cdef bint any_in_ring(UnitStore units, Walk* walk, double min_radius, int exclude) noexcept nogil
cdef void begin_boxes_within(Walk* walk, double x, double y, double radius) noexcept nogil
cdef int find_boxes_within(BoxStore boxes, Walk* walk, int* hits) noexcept nogil
cdef void add_rows(Questions asked, Py_ssize_t low, Py_ssize_t high, int[::1] counts,
                   IntBuffer found, int[::1] spare, double[:, ::1] values,
                   double[:, ::1] sums) noexcept nogil
cdef int answer_batch(UnitStore units, Questions asked, Py_ssize_t low, Py_ssize_t high,
                      int[::1] counts, IntBuffer found) except -1 nogil
cdef Py_ssize_t keep_asked(UnitStore units, Questions asked, Py_ssize_t i, int* hits,
                           Py_ssize_t n) noexcept nogil
cdef void begin_asked(Walk* walk, Questions asked, Py_ssize_t i) noexcept nogil
cdef int answer_one(UnitStore units, Questions asked, Py_ssize_t i, int[::1] counts,
                    IntBuffer found) except -1 nogil
cdef void count_batch(UnitStore units, Questions asked, Py_ssize_t low, Py_ssize_t high,
                      long long[::1] counts) noexcept nogil
cdef Py_ssize_t end_of_group(Questions asked, Py_ssize_t start, Py_ssize_t high,
                             double* box) noexcept nogil
cdef Py_ssize_t copy_candidates(UnitStore units, double* box, int groups, int without, double* xs,
                                double* ys, int* slots) noexcept nogil
