"""Whether the trees run as C."""

from tilequad.quadtree import _core, dynamic, static

#: Whether all modules of the trees run as C.
COMPILED = _core.COMPILED and all(map(_core.is_compiled, (dynamic, static)))
