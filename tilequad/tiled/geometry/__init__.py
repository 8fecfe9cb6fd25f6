"""Where cells, points and boxes lie: grids of every orientation, axes, polygons."""
