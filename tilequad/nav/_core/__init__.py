"""The inside of tilequad.nav that must be fast: plain Python that Cython compiles where it can.

    ground         cells: where they lie, which moves are legal, and what a move costs
    field_of_view  which cells are seen from a cell
    view_counts    how many viewers of each team see each cell
    whereabouts    in which cells points and units are

Each file has a `.pxd` next to it; the rules of `tilequad.quadtree._core` hold here as well.
Nothing here is public.
"""
