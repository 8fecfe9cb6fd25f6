"""Many units at once: targets, goals, crowds, zones, flocks and roads."""
