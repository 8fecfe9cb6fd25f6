"""Which trees the tests test: tilequad's own, or with TILEQUAD_TREES=oracle the brute force twins.

The second proves the tests themselves: brute force must pass every one that speaks only of answers.
"""

import os

import pytest

BRUTE = os.environ.get("TILEQUAD_TREES") == "oracle"
refuses = pytest.mark.skipif(BRUTE, reason="brute force does not check its arguments")
if BRUTE:
    from tests.oracle import BruteDynamic as DynamicQuadtree
    from tests.oracle import BruteStatic as StaticQuadtree
else:
    from tilequad import DynamicQuadtree, StaticQuadtree

__all__ = ["DynamicQuadtree", "StaticQuadtree", "refuses"]
