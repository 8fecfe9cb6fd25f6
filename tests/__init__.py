"""The tests of tilequad; `python -m pytest` runs them all."""
