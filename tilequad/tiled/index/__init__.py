"""Which tiles and objects a view, a point or a segment touches: trees over one layer."""
