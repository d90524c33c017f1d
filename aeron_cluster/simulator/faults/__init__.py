"""The faults of a run: events, plans of them drawn by a seed, and damage."""
