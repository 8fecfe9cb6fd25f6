# The C side of box.py: its signatures, in the order of that file.

from tilequad._core.tree.boxes cimport BoxStore
from tilequad._core.buffers cimport IntBuffer
from tilequad._core.tree.layout cimport (
    GROUPS, HITS, MAX_X, MAX_Y, MIN_X, MIN_Y, OVERLAPPING_BOX, Walk, drop_slot,
    place_of, start_counts,
)
from tilequad._core.tree.nodes cimport Nodes
from tilequad._core.tree.questions cimport Questions
from tilequad._core.tree.units cimport UnitStore
from tilequad._core.tree.walk cimport begin, next_span

cdef void begin_box(Walk* walk, double* box, int groups, int without) noexcept nogil
cdef int find_in_box(UnitStore units, Walk* walk, int* hits) noexcept nogil
cdef Py_ssize_t keep_overlapping(UnitStore units, Walk* walk, int* hits, Py_ssize_t start,
                                 Py_ssize_t end) noexcept nogil
cdef int find_boxes_in_box(BoxStore boxes, Walk* walk, int* hits) noexcept nogil
cdef int answer_batch(UnitStore units, Questions asked, Py_ssize_t low, Py_ssize_t high,
                      int[::1] counts, IntBuffer found) except -1 nogil
