"""Whether the trees run as C."""

from tilequad.quadtree import _core, dynamic, static

#: Whether the trees run as C. A single module that does not makes it False.
COMPILED = _core.COMPILED and all(map(_core.is_compiled, (dynamic, static)))
