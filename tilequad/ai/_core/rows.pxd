# The C side of rows.py: its signatures.

cdef long long pick(long long[::1] offsets, int[::1] hits, double[::1] keys, bint by_hit,
                    long long[::1] best, unsigned char[::1] ties) noexcept nogil
