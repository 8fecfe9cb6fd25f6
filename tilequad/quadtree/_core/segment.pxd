# The C side of segment.py: its signatures, in the order of that file.

from tilequad.quadtree._core.box_store cimport BoxStore
from tilequad.quadtree._core.layout cimport HITS, INF, ON_SEGMENT, Walk
from tilequad.quadtree._core.motion cimport box_time, disc_time
from tilequad.quadtree._core.unit_store cimport UnitStore
from tilequad.quadtree._core.walk cimport begin, next_span

cdef void begin_segment(Walk* walk, double x0, double y0, double x1, double y1, double reach,
                        int groups) noexcept nogil
cdef int find_on_segment(UnitStore units, Walk* walk, double half_w, double half_h, int* hits,
                         double* times) noexcept nogil
cdef double touch_time(UnitStore units, Py_ssize_t i, Walk* walk, double half_w,
                       double half_h) noexcept nogil
cdef int find_boxes_on_segment(BoxStore boxes, Walk* walk, int* hits, double* times) noexcept nogil
