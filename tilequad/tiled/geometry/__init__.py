"""Where things lie: grids of cells in every orientation, the y axis, polygons."""
