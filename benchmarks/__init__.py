"""Benchmarks of tilequad against its peers: `python -m benchmarks --help`."""
