"""Names for the bits of a cell and the places in the arrays of views.

Never compiled: compiled modules take the same names from layout.pxd, because C must know the
numbers while it compiles. A test compares the two files.
"""

from __future__ import annotations

# What a team knows of a cell, in the bits STATE. A cell that is OPAQUE hides what is behind it;
# CHANGED marks it while that changes, and SEEN in the window of a viewer.
HIDDEN, EXPLORED, VISIBLE = 0, 1, 2
STATE, OPAQUE, CHANGED, SEEN = 3, 4, 8, 16

MARGIN = 2  # opaque cells around a window; a step of a line goes no farther
SECTOR = 8  # ints of a sector, see `Window.cast_wedge`
WEDGE = 4  # ints of a wedge: u and v, each in lines and places
NOWHERE = -1  # the line of a viewer outside of the map

NOTHING = 0xFF00  # of a field: what a cell without a distance keeps beside the lower 32 bits
BLOCK = 256  # points that are read together
SPOTS = 512  # their numbers
