# The C side of layout.py: the same names and numbers, which C must know while it compiles.

cdef enum:
    HIDDEN = 0
    EXPLORED = 1
    VISIBLE = 2
    STATE = 3
    OPAQUE = 4
    CHANGED = 8
    SEEN = 16

    MARGIN = 2
    SECTOR = 8
    WEDGE = 4
    NOWHERE = -1

    NOTHING = 65280
    BLOCK = 256
    SPOTS = 512
