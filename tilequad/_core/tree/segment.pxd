# The C side of segment.py: its signatures, in the order of that file.

from tilequad._core.tree.boxes cimport BoxStore
from tilequad._core.buffers cimport IntBuffer
from tilequad._core.tree.layout cimport (
    ENTRY, HITS, ON_SEGMENT, RECORD, Walk, drop_slot, start_counts,
)
from tilequad._core.tree.motion cimport box_time, footprint_time
from tilequad._core.tree.questions cimport Questions
from tilequad._core.tree.units cimport UnitStore
from tilequad._core.tree.walk cimport begin, next_span

cdef void begin_segment(Walk* walk, double x0, double y0, double x1, double y1, double reach,
                        int groups, int without) noexcept nogil
cdef int find_on_segment(UnitStore units, Walk* walk, double half_w, double half_h, int* hits,
                         double* times) noexcept nogil
cdef double touch_time(UnitStore units, Py_ssize_t i, Walk* walk, double half_w,
                       double half_h) noexcept nogil
cdef int find_boxes_on_segment(BoxStore boxes, Walk* walk, int* hits, double* times) noexcept nogil
cdef int answer_batch(UnitStore units, Questions asked, Py_ssize_t low, Py_ssize_t high,
                      int[::1] counts, IntBuffer found) except -1 nogil
cdef void begin_way(Walk* walk, Questions asked, Py_ssize_t i) noexcept nogil
cdef void write_times(UnitStore units, Questions asked, long long[::1] offsets, int[::1] slots,
                      double[::1] times) noexcept nogil
