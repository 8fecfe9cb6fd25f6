"""What must be fast: plain Python that Cython compiles where there is a C compiler.

Nothing here is public. `tree`, `cells`, `ways` and `army` hold what the trees, the maps' cells,
`tilequad.nav` and `tilequad.ai` ask; the files beside them serve all four.
"""
