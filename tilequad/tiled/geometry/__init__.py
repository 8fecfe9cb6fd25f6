"""Geometry of maps: grids of cells in every orientation, the y axis, polygons."""
