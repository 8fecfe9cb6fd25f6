"""Geometry of maps: grids of cells in every orientation, the y axis, the lattice of Wang sets."""
