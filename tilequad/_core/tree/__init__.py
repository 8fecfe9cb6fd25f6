"""The trees: nodes, what their leaves hold, and a file for each question."""
