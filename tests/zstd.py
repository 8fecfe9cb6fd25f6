"""zstd of the Python that runs: its own from 3.14 on, the package `zstandard` before."""

from __future__ import annotations

import sys

__all__ = ["compress"]

if sys.version_info >= (3, 14):
    from compression.zstd import compress
else:
    import zstandard

    def compress(data: bytes) -> bytes:
        """Return the data as one frame."""
        return zstandard.ZstdCompressor().compress(data)
