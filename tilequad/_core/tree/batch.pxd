# The C side of batch.py: its signatures.

from tilequad._core.buffers cimport IntBuffer
from tilequad._core.tree.layout cimport begin_question, end_question
from tilequad._core.tree.units cimport UnitStore

cdef void copy_answers(int[::1] order, int[::1] counts, IntBuffer found, long long[::1] offsets,
                       int[::1] slots) noexcept
