"""The faults of a run: events, plans drawn from a seed, and damage."""
