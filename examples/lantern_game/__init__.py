"""Lantern, a small game in pygame; `examples/lantern.py` starts it."""
