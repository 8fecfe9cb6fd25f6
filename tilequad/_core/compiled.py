"""Whether the core runs as C."""

from importlib.machinery import EXTENSION_SUFFIXES

from tilequad._core.tree import nodes

#: Whether the core is compiled. The build compiles all modules or none, so one speaks for all.
COMPILED = str(nodes.__file__).endswith(tuple(EXTENSION_SUFFIXES))
