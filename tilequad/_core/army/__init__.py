"""Many units at once: targets, goals, crowds, zones, flocks and roads."""

from tilequad._core.compiled import take_compiled

take_compiled(__name__)
