"""Which tiles and objects a view, a point or a segment meets: trees over one layer."""
