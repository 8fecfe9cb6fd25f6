"""The cases: what is raced, and the check that all contestants give the same answers."""
