"""The inside of tilequad.nav that must be fast: plain Python that Cython compiles where it can.

    ground       cells: where they lie, which moves are legal, and what a move costs

Each file has a `.pxd` beside it, as in `tilequad.quadtree._core`, whose rules hold here, too.
Nothing here is public.
"""
