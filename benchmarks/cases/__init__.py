"""The cases: what is raced, and the proof that all contestants answer alike."""
