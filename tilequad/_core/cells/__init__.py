"""The cells of a grid, one bit each, and their order."""

from tilequad._core.compiled import take_compiled

take_compiled(__name__)
