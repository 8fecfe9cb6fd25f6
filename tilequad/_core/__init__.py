"""What must be fast: plain Python that Cython compiles where there is a C compiler.

Nothing here is public. `tree` serves the trees, `cells` the layers of maps, `ways` `tilequad.nav`,
and `army` `tilequad.ai`; the files next to them serve all four.
"""
