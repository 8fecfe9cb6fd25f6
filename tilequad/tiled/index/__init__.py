"""Spatial indexes over one layer: find tiles and objects by view, point or segment."""
