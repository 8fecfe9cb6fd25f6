"""The inside of tilequad.ai that must be fast: plain Python that Cython compiles where it can.

    lookups      serials, positions and groups of units by slot
    search       many seekers at once: who keeps a target, and which unit in range is the best
    seats        who holds a seat of which item
    free         the nearest units with a seat
    goals        searches of many seekers in a row
    memberships  which units are in which zones, from tick to tick
    polyline     positions and headings along a road
    discs        the disc that catches the most
    neighbors    steering sums over the units around each unit
    crowds       overlapping units pushed apart
    bodies       the units of a crowd, copied out of their tree
    near_pairs   the pairs of a crowd that may touch
    solids       walls around the units of a crowd

Each file has a `.pxd` next to it. The rules of `tilequad.quadtree._core` hold here as well.
Nothing here is public.
"""
