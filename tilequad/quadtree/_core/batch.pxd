# The C side of batch.py: its signatures.

from tilequad.quadtree._core.buffers cimport IntBuffer

cdef void copy_answers(int[::1] order, int[::1] counts, IntBuffer found, long long[::1] offsets,
                       int[::1] slots) noexcept
