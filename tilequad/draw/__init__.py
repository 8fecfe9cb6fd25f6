"""Draw a map: `pillow` into a picture, `arcade` into a window. Each package knows one library."""
