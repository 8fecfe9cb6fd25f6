"""The inside of tilequad.ai that must be fast: plain Python that Cython compiles where it can.

    lookups      serials, positions and groups of units by slot
    search       many seekers at once: who keeps a target, and which unit in range is the best
    seats        who holds a seat of which item
    free         the nearest units with a seat
    goals        searches of many seekers in a row
    memberships  who is in range of many places and units, from tick to tick
    looks        lines and outlines of sight past upright boxes
    polyline     places and headings along a road
    discs        the disc that catches most
    neighbors   sums over the units around each unit

Each file has a `.pxd` beside it, as in `tilequad.quadtree._core`, whose rules hold here, too.
Nothing here is public.
"""
