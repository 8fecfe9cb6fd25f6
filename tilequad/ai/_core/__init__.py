"""The inside of tilequad.ai that must be fast: plain Python that Cython compiles where it can.

Each file has a `.pxd` beside it, as in `tilequad.quadtree._core`, whose rules hold here, too.
Nothing here is public.
"""
