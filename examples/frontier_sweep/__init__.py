"""The sweep of `examples/sweep.py`, one part per file.

- `plan`: which settings are played with which seeds, in chunks.
- `player`: plays a chunk on a map that it opens once.
- `engines`: sends the chunks to workers: processes, Dask or Ray.
- `journal`: keeps what is played on disk, to go on later.
- `report`: the table, the CSV files and the plot.
- `program`: the command line.
"""
