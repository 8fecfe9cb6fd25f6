"""The cells of a grid, one bit each, and their order."""
