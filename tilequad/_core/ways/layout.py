"""Names for the bits of a cell and the places in the arrays of views.

Never compiled: compiled modules take the same names from layout.pxd, because C must know the
numbers while it compiles. A test compares the two files.
"""

from __future__ import annotations

# The bits STATE hold what a team knows of a cell. OPAQUE cells hide what is behind them; CHANGED
# marks a cell while its opacity changes, and SEEN marks a cell in a viewer's window.
HIDDEN, EXPLORED, VISIBLE = 0, 1, 2
STATE, OPAQUE, CHANGED, SEEN = 3, 4, 8, 16

MARGIN = 2  # opaque cells around a window: as far as one step of a line may lead beyond it
SECTOR = 8  # ints per sector, see `Window.cast_wedge`
WEDGE = 4  # ints per wedge: u and v, each in lines and places
NOWHERE = -1  # the line of a viewer outside the map

NOTHING = 0xFF00  # `Flow.rest` of a cell without a distance: all upper bits, no ways
BLOCK = 256  # points per block
SPOTS = 512  # coordinates per block
