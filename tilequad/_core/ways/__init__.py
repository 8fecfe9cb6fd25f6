"""The ground: distances and ways over its cells, and what is seen from where."""

from tilequad._core.compiled import take_compiled

take_compiled(__name__)
