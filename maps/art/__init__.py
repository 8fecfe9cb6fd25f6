"""The code that paints the pictures of the maps."""
