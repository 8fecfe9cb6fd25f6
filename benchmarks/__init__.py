"""Benchmarks of tilequad beside its peers: `python -m benchmarks --help`."""
