"""The ground: distances and ways over its cells, and what is seen from where."""
