"""The trees: nodes, what their leaves hold, and a file for each question."""

from tilequad._core.compiled import take_compiled

take_compiled(__name__)
