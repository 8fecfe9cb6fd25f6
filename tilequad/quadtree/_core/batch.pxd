# The C side of batch.py: its signatures.

from tilequad.quadtree._core.buffers cimport IntBuffer
from tilequad.quadtree._core.layout cimport begin_question, end_question
from tilequad.quadtree._core.unit_store cimport UnitStore

cdef void copy_answers(int[::1] order, int[::1] counts, IntBuffer found, long long[::1] offsets,
                       int[::1] slots) noexcept
